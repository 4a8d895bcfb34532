// The banner: says that the device is offline or the connection lost, and has the button that doesn't
// wait.

import { $, announce, write } from "./dom.js";
import { say } from "./texts.js";

/** What a server says that takes no connection. */
const REASONS = ["foreign-origin", "too-many-connections", "too-many-connections-of-one-peer", "too-many-messages"];

/** Milliseconds for which an announcement is shown. */
const SHOWN = 60_000;

let lost = "";
let announced = "";
let isOffline = !navigator.onLine;

for (const type of ["offline", "online"]) {
  addEventListener(type, () => {
    isOffline = type === "offline";
    render();
  });
}

/**
 * Why the server can't be reached, as a sentence.
 * @param {string | undefined} reason
 * @param {string} usual
 */
export function sayReason(reason, usual) {
  return REASONS.includes(/** @type {string} */ (reason)) ? say(`connection.${reason}`) : usual;
}

/**
 * The connection is lost, and is tried again in so many milliseconds.
 * @param {Loss} loss
 */
export function sayLost({ delay, reason }) {
  const count = Math.max(1, Math.round(/** @type {number} */ (delay) / 1000));
  announced = ""; // such as that it stops
  lost = `${sayReason(reason, say("connection.lost"))} ${say("connection.again", { count })}`;
  render();
}

/**
 * There is none, and nobody who would be logged in again.
 * @param {Loss} loss
 */
export function sayUnreachable({ reason }) {
  lost = sayReason(reason, say("connection.unreachable"));
  render();
}

/**
 * Whoever looks after the server says something to all.
 * @param {string} text
 */
export function sayAnnounced(text) {
  announced = text;
  render();
  setTimeout(() => {
    if (announced === text) announced = "";
    render();
  }, SHOWN);
}

/** It is there again, or nobody wants it any longer. */
export function forget() {
  lost = "";
  render();
}

/** It is there again. */
export function sayFound() {
  if (lost) announce(say("connection.found"));
  forget();
}

function render() {
  write($("banner-text"), [isOffline ? say("connection.offline") : "", lost, announced].filter(Boolean).join(" "));
  $("try-now").hidden = !lost;
  $("banner").hidden = !isOffline && !lost && !announced;
}

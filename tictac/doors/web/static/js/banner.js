// The banner: says that the device is offline or the connection lost, and has the button that doesn't
// wait.

import { $, announce, write } from "./dom.js";

/** What a server says that has no room, or no time, for a connection. */
const REASONS = {
  "too-many-connections": "The server is full.",
  "too-many-connections-of-one-peer": "Too many pages are open from where you are.",
  "too-many-messages": "The server has hung up: that was too much at once.",
};

let lost = "";
let isOffline = false;

for (const type of ["offline", "online"]) {
  addEventListener(type, () => {
    isOffline = type === "offline";
    render();
  });
}

/** Why the server can't be reached, as a sentence. */
export function sayReason(reason, usual) {
  return REASONS[reason] ?? usual;
}

/** The connection is lost, and is tried again in so many milliseconds. */
export function sayLost({ delay, reason }) {
  const seconds = Math.max(1, Math.round(delay / 1000));
  const inTime = seconds === 1 ? "a second" : `${seconds} seconds`;
  lost = `${sayReason(reason, "The connection was lost.")} Trying again in ${inTime}.`;
  render();
}

/** It is there again, or nobody wants it any longer. */
export function forget() {
  lost = "";
  render();
}

/** It is there again. */
export function sayFound() {
  if (lost) announce("Connected again.");
  forget();
}

function render() {
  write($("banner-text"), [isOffline ? "You are offline." : "", lost].filter(Boolean).join(" "));
  $("try-now").hidden = !lost;
  $("banner").hidden = !isOffline && !lost;
}

// The banner: says that the device is offline or a connection lost, and has the button that doesn't
// wait.

import { $, announce, write } from "./dom.js";

const lost = new Set();
let trying = "";
let isOffline = false;

$("try-now").addEventListener("click", () => {
  for (const connection of lost) connection.tryNow();
});
for (const type of ["offline", "online"]) {
  addEventListener(type, () => {
    isOffline = type === "offline";
    render();
  });
}

/** `connection` is lost, and is tried again in so many milliseconds. */
export function sayLost(connection, delay) {
  const seconds = Math.max(1, Math.round(delay / 1000));
  const inTime = seconds === 1 ? "a second" : `${seconds} seconds`;
  trying = `The connection was lost. Trying again in ${inTime}.`;
  lost.add(connection);
  render();
}

/** It is there again: so the others may be, too. */
export function sayFound(connection) {
  if (forget(connection)) announce("Connected again.");
  for (const other of lost) other.tryNow();
}

/** Nobody wants it any longer. Whether it was lost. */
export function forget(connection) {
  const wasLost = lost.delete(connection);
  render();
  return wasLost;
}

function render() {
  const words = [isOffline ? "You are offline." : "", lost.size ? trying : ""];
  write($("banner-text"), words.filter(Boolean).join(" "));
  $("try-now").hidden = !lost.size;
  $("banner").hidden = !isOffline && !lost.size;
}

// The banner: says that a connection is lost, and has the button that doesn't wait.

import { $, announce, write } from "./dom.js";

const lost = new Set();

$("try-now").addEventListener("click", () => {
  for (const connection of lost) connection.tryNow();
});

/** `connection` is lost, and is tried again in so many milliseconds. */
export function sayLost(connection, delay) {
  const seconds = Math.max(1, Math.round(delay / 1000));
  const inTime = seconds === 1 ? "a second" : `${seconds} seconds`;
  write($("banner-text"), `The connection was lost. Trying again in ${inTime}.`);
  lost.add(connection);
  $("banner").hidden = false;
}

/** It is there again. */
export function sayFound(connection) {
  if (forget(connection)) announce("Connected again.");
}

/** Nobody wants it any longer. Whether it was lost. */
export function forget(connection) {
  const wasLost = lost.delete(connection);
  $("banner").hidden = lost.size === 0;
  return wasLost;
}

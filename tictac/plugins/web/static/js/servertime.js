// The server's clock, from which that of a visitor's device can differ by minutes.

/** So many milliseconds the time of an answer over HTTP is late at most: whole seconds, and a second in caches. */
const ROUGH = 3000;

let ahead = 0;

/** The time of the server, in milliseconds since 1970. */
export const serverNow = () => Date.now() + ahead;

/**
 * Learn by how many milliseconds the server's clock is ahead of this one.
 * @param {number} milliseconds
 */
export function setAhead(milliseconds) {
  ahead = milliseconds;
}

/**
 * Learn the time from an answer over HTTP, unless it is known better.
 * @param {Headers} headers
 */
export function learnTime(headers) {
  if (/max-age=\d\d/.test(headers.get("cache-control") ?? "")) return; // it can be an old one
  const found = Date.parse(headers.get("date") ?? "") - Date.now();
  if (Math.abs(found - ahead) > ROUGH) ahead = found;
}

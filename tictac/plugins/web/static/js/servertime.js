// The server's clock, from which that of a visitor's device can differ by minutes.

/** So many milliseconds a time of the server's is late at most: HTTP has whole seconds, and caches keep answers for one. */
const ROUGH = 3000;

let ahead = 0;

/** The time of the server, in milliseconds since 1970. */
export const serverNow = () => Date.now() + ahead;

/**
 * Learn the time of an answer, unless it is known better.
 * @param {string} date
 */
export function learnTime(date) {
  const found = Date.parse(date) - Date.now();
  if (Math.abs(found - ahead) > ROUGH) ahead = found;
}

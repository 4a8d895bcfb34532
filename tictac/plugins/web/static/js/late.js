// What few need is fetched when it is needed, with its texts.

import { addTexts } from "./texts.js";

/** The modules of past.js: a promise, which rejects with a TypeError without a connection. */
export async function fetchPast() {
  const [past] = await Promise.all([import("./past.js"), addTexts()]);
  return past;
}

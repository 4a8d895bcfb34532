// What few need is fetched when it is needed, with its texts.

import { addStyle } from "./dom.js";
import { addTexts } from "./texts.js";

/** More games than that have shelves, and a search. */
export const FEW = 12;

/** The modules of past.js: a promise, which rejects with a TypeError without a connection. */
export async function fetchPast() {
  const [past] = await Promise.all([import("./past.js"), addTexts()]);
  return past;
}

/** What shows many games; null without a connection. */
export async function fetchShelves() {
  const fetched = Promise.all([import("./shelves.js"), addTexts(), addStyle("/css/shelves.css")]);
  return (await fetched.catch(() => []))[0];
}

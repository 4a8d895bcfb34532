// What few need is fetched when it is needed, with its texts.

import { addStyle } from "./dom.js";
import { addTexts } from "./texts.js";

/** More games than those have shelves, and a search. */
export const areMany = ({ length }) => length > 12;

/** The modules of past.js: a promise, which rejects with a TypeError without a connection. */
export async function fetchPast() {
  const [past] = await Promise.all([import("./past.js"), addTexts()]);
  return past;
}

/** The views of a teacher, and of codes. */
export async function fetchDesk() {
  const [desk] = await Promise.all([import("./deskviews.js"), addTexts(), addStyle("/css/desk.css")]);
  return desk;
}

/** What asks whether a move is meant; nothing without a connection. */
export const fetchConfirm = () => fetchSome(import("./confirm.js"), addStyle("/css/shelves.css"));

/** What shows many games; nothing without a connection. */
export const fetchShelves = () => fetchSome(import("./shelves.js"), addStyle("/css/shelves.css"));

async function fetchSome(...parts) {
  return (await Promise.all([...parts, addTexts()]).catch(() => []))[0];
}

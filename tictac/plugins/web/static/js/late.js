// What few need is fetched when it is needed, with its texts.

import { addStyle } from "./dom.js";
import { addTexts } from "./texts.js";

/** More games than those have shelves, and a search. */
export const areMany = ({ length }) => length > 12;

/** The modules of past.js: a promise, which rejects with a TypeError without a connection. */
export const fetchPast = () => fetchAll(import("./past.js"));

/** The views of a teacher, and of codes, in the same way. */
export const fetchDesk = () => fetchAll(import("./deskviews.js"));

/** The puzzle of the day, in the same way. */
export const fetchDaily = () => fetchAll(import("./daily.js"), addStyle("/css/daily.css"));

/** What a link to a room leads to before a login, in the same way. */
export const fetchInvitation = () => fetchAll(import("./invitation.js"));

/** What computers say; nothing without a connection. */
export const fetchLines = () => fetchSome(import("./lines.js"));

/** What asks whether a move is meant; nothing without a connection. */
export const fetchConfirm = () => fetchSome(import("./confirm.js"), addStyle("/css/shelves.css"));

/** What shows many games; nothing without a connection. */
export const fetchShelves = () => fetchSome(import("./shelves.js"), addStyle("/css/shelves.css"));

function fetchAll(...parts) {
  return Promise.all([...parts, addTexts()]).then(([first]) => first);
}

function fetchSome(...parts) {
  return fetchAll(...parts).catch(() => {});
}

// What few need is fetched when it is needed, with its texts.

import { addStyle } from "./dom.js";
import { addTexts, hasText } from "./texts.js";

/**
 * More games than those have shelves, and a search.
 * @param {{ length: number }} games
 */
export const areMany = ({ length }) => length > 12;

/** The modules of past.js: a promise, which rejects with a TypeError without a connection. */
export const fetchPast = () => fetchAll(import("./past.js"));

/** The views of a teacher, and of codes, in the same way. */
export const fetchDesk = () => fetchAll(import("./deskviews.js"));

/** The lobby, in the same way, with the look of rooms: visitors come to them after the first sight. */
export const fetchLobby = () => fetchAll(import("./lobby.js"), addStyle("/css/play.css"));
/** The puzzle of the day, in the same way. */
export const fetchDaily = () => fetchAll(import("./daily.js"), addStyle("/css/daily.css"));

/** What a link to a room leads to before a login, in the same way. */
export const fetchInvitation = () => fetchAll(import("./invitation.js"));

/** What computers say; nothing without a connection. */
export const fetchLines = () => fetchSome(import("./lines.js"));

/** What asks whether a move is meant; nothing without a connection. */
export const fetchConfirm = () => fetchSome(import("./confirm.js"), addStyle("/css/shelves.css"));

/** What shows many games; nothing without a connection. Their texts are in a page with many games. */
export const fetchShelves = () =>
  Promise.all([import("./shelves.js"), addStyle("/css/shelves.css"), hasText("shelves") || addTexts()]).then(
    ([first]) => first,
    () => {},
  );

/** @param {...Promise<any>} parts */
function fetchAll(...parts) {
  return Promise.all([...parts, addTexts()]).then(([first]) => first);
}

/** @param {...Promise<any>} parts */
function fetchSome(...parts) {
  return fetchAll(...parts).catch(() => {});
}

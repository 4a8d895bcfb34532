// What views of the past have in common: asking as a guest, what is wrong, who, and when.

import { has, Missing, read, readGames } from "./archive.js";
import { addStyle, make } from "./dom.js";
import { nameOf } from "./names.js";
import { hasPage, pathTo } from "./router.js";
import { serverNow } from "./servertime.js";
import { Lost, recall, Refused } from "./session.js";
import { hasText, readMessage, say, saySigned } from "./texts.js";

/**
 * Ask something of the lobby protocol as a guest, who goes when it is answered, or by the `signal`: what takes
 * long is in nobody's way then, and needs no login. Rejects with Missing.
 * @param {object} request
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export function askAsGuest(request, signal) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`);
    /** @param {object} message */
    const send = (message) => socket.send(JSON.stringify(message));
    const { user, token } = recall();
    let id = 1;
    /** @param {object} login */
    const begin = (login) => {
      send(login);
      send({ ...request, id });
    };
    socket.addEventListener("open", () => begin({ do: "guest" }));
    socket.addEventListener("message", ({ data }) => {
      const message = readMessage(data);
      if (message.error === "not-logged-in" && token && id === 1) {
        id = 2; // where guests see nothing
        return begin({ do: "login", user, token });
      }
      if (message.answer === 1 && id === 2) return;
      if (message.error) reject(new Missing(message.error));
      else if (message.answer === id) resolve(message);
      else return;
      socket.close();
    });
    socket.addEventListener("close", () => reject(new Missing("unreachable")));
    signal.addEventListener("abort", () => socket.close());
  });
}

/**
 * A sentence for what an error of `read`, or of the lobby protocol, says. Throws any other.
 * @param {any} error
 */
export function explain(error) {
  if (error instanceof Refused || error instanceof Lost) return error.message;
  if (!(error instanceof Missing)) throw error;
  return say(hasText(`errors.${error.code}`) ? `errors.${error.code}` : "connection.unreachable");
}

/**
 * The last results, each on a tile: w, d, or l.
 * @param {string} letters
 */
export function drawLast(letters) {
  return [...letters].map((how) =>
    make(
      "span",
      { class: `tile-${how}` },
      make("span", { "aria-hidden": "true" }, say(`ladder.letters.${how}`)),
      make("span", { class: "visually-hidden" }, `${say(`cup.results.${how}`)} `),
    ),
  );
}

/**
 * A change of a rating; a dash, if there was none, or if it isn't known.
 * @param {number | null | undefined} change
 */
export function drawChange(change) {
  return change ? make("span", { class: change < 0 ? "down" : "up" }, saySigned(change)) : make("span", { class: "hint" }, "–");
}

/**
 * The titles of the games, by their names.
 * @returns {Promise<Map<string, string>>}
 */
export async function readTitles() {
  return new Map(/** @type {Wire.Game[]} */ (await readGames()).map(({ name, title }) => [name, title]));
}

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { dateStyle: "medium", timeStyle: "short" };

/**
 * A time of the server's, as people here write it.
 * @param {string} text
 */
export function sayTime(text) {
  return new Intl.DateTimeFormat(document.documentElement.lang, TIME).format(new Date(text));
}

/**
 * Units of time in seconds, the longest first, and beyond how many days a date says more.
 * @type {[Intl.RelativeTimeFormatUnit, number][]}
 */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const RECENT = 7;

/**
 * How long ago a time of the server's is, or its day, if that is long; with the whole time as a title.
 * @param {string} text
 */
export function sayAgo(text) {
  const seconds = Math.max(0, serverNow() - Date.parse(text)) / 1000;
  const { lang } = document.documentElement;
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ["minute", 60];
  const isRecent = seconds < RECENT * 86_400;
  const ago = isRecent ? new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(-Math.floor(seconds / length), unit) : sayDay(text);
  return make("time", { dateTime: text, title: sayTime(text) }, ago);
}

/**
 * The day of a time of the server's.
 * @param {string} text
 */
export function sayDay(text) {
  return new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long" }).format(new Date(text));
}

/**
 * Who had a seat: a link for who has an account; `computers` says what computers are called.
 * @param {Wire.Who} who
 * @param {Wire.Computers} [computers]
 */
export function linkTo({ name, kind }, computers) {
  if (kind === "account" && hasPage(name)) return make("a", { href: pathTo("player", name) }, name);
  return make("span", {}, nameOf(name, computers));
}

/** Put the style on that these views have in common; without it they can be read, too. */
export function dress() {
  return addStyle("/css/archive.css").catch(() => {});
}

/**
 * The games of tournaments among some matches, by the ids of these. Others have no `door`.
 * @param {Pick<Wire.Ended, "id" | "door">[]} matches
 * @returns {Promise<Map<string, any>>}
 */
export async function readCupGames(matches) {
  const ids = matches.filter(({ door }) => door).map(({ id }) => id);
  if (!ids.length || !(await has("tournaments"))) return new Map();
  const { games = [] } = await read(["tournaments"], { matches: ids.join() }).catch(() => ({}));
  return new Map(games.map((/** @type {any} */ game) => [game.match, game]));
}

/**
 * Let the browser save a file with that content.
 * @param {string} name
 * @param {string} content
 * @param {string} [type]
 */
export function saveFile(name, content, type) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // it may ask where to save it first
}

/** A match comes into the archive a little after its end: ask so often, after so many milliseconds. */
export const ARCHIVE_TRIES = 4;
export const ARCHIVE_PAUSE = 500;

// The players in a room: what they are rated, whether they are there, whose turn it is, their clocks. Two sit above
// and below the board; of more there is a list.

import { drawMark } from "./board.js";
import { readFace, sayLeft } from "./clocks.js";
import { $, make } from "./dom.js";
import { besideOf, countMarks, isOut, markOf } from "./games.js";
import { fetchLines } from "./late.js";
import { faceOf, kindOf } from "./names.js";
import { chosen } from "./settings.js";
import { say } from "./texts.js";

/** Seconds on a clock below which it hurries, and shows tenths. */
export const HURRY = 20;
const TENTHS = 10;

/** So many faces are kept. */
const MOST_FACES = 50;

/** @typedef {import("./table.js").Seated} Seated */

/**
 * The table that is shown; what computers say there, as far as that is fetched; and faces, which are pictures.
 * @type {Table | null}
 */
let shown = null;
/** @type {{ lineOf?: typeof import("./lines.js").lineOf, then?: unknown } | null} a promise, until it is here */
let lines = null;
/** @type {Map<string, HTMLElement>} */
const faces = new Map();

/**
 * A rating, with a question mark as long as it is provisional.
 * @param {{ rating: number, provisional?: boolean }} told
 */
export function sayRating({ rating, provisional }) {
  return `${rating}${provisional ? "?" : ""}`;
}

/**
 * Show them; `ratingOf(user)` says what one is rated.
 * @param {Table} table
 * @param {(user: string) => string} ratingOf
 */
export function renderPlayers(table, ratingOf) {
  const now = performance.now();
  const counts = countMarks(table);
  shown = table;
  const again = () => shown === table && renderPlayers(table, ratingOf);
  const line = chosen("lines") ? sayLine(table, again) : null;
  const made = table.players.map((one, seat) =>
    makePlayer(table, one, seat, one ? ratingOf(one.user) : "", now, counts, line?.seat === seat ? line.text : ""),
  );
  // Viewers have the first seat below.
  const nearest = table.seat ?? 0;
  const [above, below, list] = made.length === 2 ? [[made[1 - nearest]], [made[nearest]], []] : [[], [], made];
  for (const [id, players] of Object.entries({ above, below, players: list })) {
    $(id).hidden = !players.length;
    $(id).replaceChildren(...players);
  }
}

/**
 * What a computer says now, if one is there.
 * @param {Table} table
 * @param {(found?: unknown) => void} again
 */
function sayLine(table, again) {
  if (!Object.keys(table.computers).length) return null;
  lines ??= fetchLines().then((found) => again((lines = found ?? {})));
  return lines?.lineOf?.(table, again);
}

/**
 * The face of a seat's player, the same picture as long as it shows the same.
 * @param {Table} table
 * @param {Seated | null} one
 * @param {number} seat
 * @param {Mark} [mark]
 */
function faceAt(table, one, seat, mark) {
  const { result, turn } = table;
  const { winner = null } = result ?? {};
  const mood = winner === null ? (table.begun && !result && turn === seat ? "think" : "") : winner === seat ? "won" : "lost";
  const key = [table.room, seat, one?.user, one && table.nameOf(seat), mood, mark?.look].join();
  if (!faces.has(key)) {
    if (faces.size > MOST_FACES) faces.clear();
    const face = faceOf(one?.user ?? "", table.computers, mood);
    // Where seats are persons, people wear their colors.
    if (mark && table.players.length > 2) face.classList.add("ringed", mark.look);
    faces.set(key, face);
  }
  return /** @type {HTMLElement} */ (faces.get(key));
}

/**
 * The seconds on the clock that runs; null, if none does.
 * @param {Table} table
 */
export function secondsOf(table) {
  const left = table.begun && !table.result ? table.secondsLeft(/** @type {number} */ (table.turn), performance.now()) : null;
  return left === null ? null : readFace(table.clock, left).seconds;
}

/**
 * Whether a clock runs that shows tenths of seconds.
 * @param {Table} table
 */
export function hasTenths(table) {
  const seconds = secondsOf(table);
  return seconds !== null && 0 < seconds && seconds < TENTHS;
}

/**
 * A player's line; `line` is what a computer says now.
 * @param {Table} table
 * @param {Seated | null} one
 * @param {number} seat
 * @param {string} rating
 * @param {number} now
 * @param {number[] | null} [counts]
 * @param {string} [line]
 */
export function makePlayer(table, one, seat, rating, now, counts, line = "") {
  const mark = table.players.length > 1 ? markOf(table.game, seat) : undefined; // alone one needs none
  const isWinner = Boolean(table.result) && /** @type {import("./table.js").Result} */ (table.result).winner === seat;
  const toMove = table.begun && !table.result && !table.isAway && table.turn === seat;
  const left = table.secondsLeft(seat, now);
  const isMe = seat === table.seat;
  const name = one ? table.nameOf(seat) : say("table.nobody");
  const plays = mark && mark.name !== name ? say(isMe ? "table.youPlay" : "table.plays", { mark: mark.name }) : "";
  const what = line
    ? [line]
    : [
        isMe && !mark ? say("table.you") : "",
        one ? kindOf(one.user, table.computers) : "",
        isOut(table, seat) ? say("table.out") : sayAway(table, one, seat, now),
        isWinner ? say("table.winner") : "",
        plays,
      ];
  const words = what.filter(Boolean).join(", ");
  const beside = besideOf(table, seat);
  const rated = rating ? [" ", make("span", { class: "rating num" }, rating)] : [];
  const names = make(
    "span",
    { class: "names" },
    make("span", { class: "name" }, name, ...rated),
    ...(toMove ? [make("span", { class: "visually-hidden" }, `, ${say("table.toMove")}`)] : []),
    make(
      "span",
      { class: "what" },
      one ? words : say(table.isForComputer ? "table.computer" : "table.notHere"),
      ...(beside ? [words ? " · " : "", beside] : []),
    ),
  );
  const kinds = [
    "player",
    toMove && "turn",
    isMe && "me",
    isWinner && "winner",
    one?.away && !table.lasts && "away",
    isOut(table, seat) && "out",
  ];
  /** @type {{ seconds?: any, besides?: string }} none without a clock */
  const { seconds, besides } = left === null ? {} : readFace(table.clock, left);
  const hurries = toMove && seconds < HURRY;
  const shown =
    left === null
      ? []
      : [(table.lasts && sayLeft(seconds)) || sayClock(seconds, hurries), ...(besides ? [" ", make("small", {}, besides)] : [])];
  const clock =
    left === null ? [] : [make("span", { class: `clock${table.lasts ? " long" : ""}${hurries ? " hurry" : ""}`, role: "timer" }, ...shown)];
  const marked = mark && !counts ? [drawMark(mark)] : makeCount(counts, /** @type {Mark} */ (mark), seat);
  return make("li", { class: kinds.filter(Boolean).join(" ") }, faceAt(table, one, seat, mark), names, ...marked, ...clock);
}

/**
 * How many marks a seat has on the board, where that decides.
 * @param {number[] | null | undefined} counts
 * @param {Mark} mark
 * @param {number} seat
 */
function makeCount(counts, mark, seat) {
  if (!counts) return [];
  const unit = make("span", { class: "visually-hidden" }, ` ${say("table.discs", { count: counts[seat] })}`);
  return [make("span", { class: `count ${mark.look}` }, make("span", { "aria-hidden": "true" }, String(counts[seat])), unit)];
}

/**
 * Whether somebody is away, and for how long their seat is held.
 * @param {Table} table
 * @param {Seated | null} one
 * @param {number} seat
 * @param {number} now
 */
export function sayAway(table, one, seat, now) {
  if (!one?.away || table.result || table.lasts) return "";
  const seconds = table.heldFor(seat, now);
  return seconds === null ? say("table.cutOff") : say("table.away", { seconds: Math.ceil(seconds) });
}

/**
 * What a clock shows.
 * @param {number} seconds
 * @param {boolean} [hurries]
 */
export function sayClock(seconds, hurries) {
  if (hurries && seconds < TENTHS) return `0:0${seconds.toFixed(1)}`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// What a match that has just been won gets besides its card: pieces of the game that fly, and one sentence of praise, if
// there is a true one. Fetched then.

import { drawMark } from "./board.js";
import { draw, make } from "./dom.js";
import { markOf } from "./games.js";
import { levelOf } from "./kept.js";
import { say } from "./texts.js";

/** So many wins in a row are worth a word. */
const ROW = 3;

/** Where the pieces of the card come to rest, in percent of its width and in pixels, and how large they are. */
const PLACES = [
  [8, 34, 14],
  [17, 72, 10],
  [6, 98, 8],
  [27, 26, 8],
  [35, 18, 7],
  [72, 20, 10],
  [80, 50, 14],
  [92, 92, 10],
  [64, 30, 7],
  [19, 118, 7],
  [83, 116, 8],
];

/**
 * Pieces of a game, as they lie on its boards.
 * @param {Pick<Table, "game" | "players">} table
 */
export function throwConfetti({ game, players }) {
  const disc = () => draw("svg", { class: "mark", viewBox: "0 0 100 100" }, draw("circle", { cx: 50, cy: 50, r: 42 }));
  const pieces = PLACES.map(([x, y, size], at) => {
    const mark = markOf(game, at % players.length);
    /** @type {HTMLElement & { style: Record<string, any> }} */
    const piece = make("i", {}, mark ? drawMark(mark) : disc());
    for (const [name, value] of Object.entries({ left: `${x}%`, top: `${y}px`, width: `${2 * size}px` })) piece.style[name] = value;
    return piece;
  });
  return make("span", { class: "confetti", "aria-hidden": "true" }, ...pieces);
}

/**
 * What is to be said of a win, a promise; "" for nothing. The archive takes the match a moment later: until then, it isn't
 * in the record (docs/reference/days.md, "Your results").
 * @param {import("./session.js").Session} session
 * @param {import("./table.js").Table} table
 * @param {string} next who plays the next level, if there is one
 * @param {number} since when the match was begun, at the earliest
 * @param {import("./kept.js").Results[]} [kept] the results of a guest before
 */
export async function praise(session, table, next, since, kept) {
  const { game, title, players, seat } = table;
  const record = kept ?? (await session.ask({ do: "record", game })).record;
  const level = levelOf(table);
  const isIt = (/** @type {{ game: string, level: string | null }} */ one) => one.game === game && one.level === level;
  /** @type {Partial<import("./kept.js").Results> & { played?: string }} */
  const { won = 0, last = [], best = null, played = "" } = record.find(isIt) ?? {};
  const isCounted = Boolean(played) && Date.parse(played) >= since + session.ahead;
  const wins = won + (isCounted ? 0 : 1);
  if (!level || players.length > 2) {
    const isFirst = wins === 1 && !record.some((one) => one.game === game && !isIt(one) && one.won);
    return isFirst ? say("end.firstWin", { title }) : "";
  }
  const moves = table.record.filter(([, what]) => what === "moved").length;
  const row = [...last, "lost"].findIndex((each) => each !== "won") + (isCounted ? 0 : 1);
  const name = table.nameOf(1 - /** @type {number} */ (seat));
  if (wins === 1) return say(next ? "end.firstNext" : "end.first", { name, next });
  if (!isCounted && best !== null && moves < best) return say("end.fastest", { count: moves });
  return row >= ROW ? say("end.row", { count: row }) : "";
}

// The puzzle of the day on other views, and the streak: days in a row with a solved one.

import { has, read } from "./archive.js";
import { draw, icon, make } from "./dom.js";
import { fetchFace } from "./faces.js";
import { markOf } from "./games.js";
import { noteTold, readStreak, solutionOf, untold } from "./kept.js";
import { drawGame, drawPosition } from "./mini.js";
import { pathTo } from "./router.js";
import { capital, say } from "./texts.js";

const WEEKDAY = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "short", timeZone: "UTC" });

/** Milliseconds of a day. */
const DAY = 86_400_000;

/** A sign of what is done. */
export const tick = () =>
  draw("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: "m5 12.5 4.5 4.5L19 7" }));

/**
 * A puzzle, as the server describes it.
 * @typedef {Wire.Answers["puzzle"]["puzzles"][number]} Puzzle
 */

/**
 * What is to be found, in words.
 * @param {Puzzle} puzzle
 * @returns {string}
 */
export function sayTask({ game, title, seat, moves, wins }) {
  const mark = markOf(game, seat)?.name ?? say("puzzle.player", { number: seat + 1 });
  return say(wins ? "puzzle.winsIn" : "puzzle.bestMove", { title, Mark: capital(mark), count: moves });
}

/**
 * A puzzle as a small board.
 * @param {Puzzle} puzzle
 * @returns {Element}
 */
export function drawPuzzle(puzzle) {
  return drawPosition(puzzle.game, puzzle) ?? drawGame({ ...puzzle, name: puzzle.game });
}

/**
 * Ask for an account's streak, which has what was solved in this browser before. Rejects with Refused or Lost.
 * @param {(request: Asked<"puzzle">) => Promise<Wire.Answers["puzzle"]>} ask
 * @returns {Promise<Wire.Streak | null>} null: the server keeps none
 */
export async function askStreak(ask) {
  for (const { day, game, moves } of untold()) {
    await ask({ do: "puzzle", day, game, moves });
    noteTold(day, game);
  }
  return (await ask({ do: "puzzle" })).streak ?? null;
}

/**
 * Whether a puzzle is solved, in this browser or by the account elsewhere.
 * @param {string} day
 * @param {string} game
 * @param {Wire.Streak | null} streak of the account, on the day
 */
export function isSolved(day, game, streak) {
  return Boolean(solutionOf(day, game) || streak?.today.includes(game));
}

/**
 * The card of today's puzzle, with the streak below it, if there is one; nothing, if the server has no puzzles.
 * @param {((request: Asked<"puzzle">) => Promise<Wire.Answers["puzzle"]>) | null} [ask] what asks for an account's streak
 * @param {any} [found] today's puzzles, if they were asked for
 * @returns {Promise<HTMLElement[]>}
 */
export async function makeCards(ask, found) {
  found ??= (await has("puzzle")) && (await read(["puzzle"]).catch(() => null));
  if (!found) return [];
  /** @type {{ day: string, puzzles: Puzzle[] }} */
  const { day, puzzles } = found;
  const streak = ask ? await askStreak(ask).catch(() => null) : null;
  const known = streak ?? readStreak(day);
  const open = puzzles.find(({ game }) => !isSolved(day, game, streak));
  const shown = open ?? puzzles[0];
  if (shown) await fetchFace(shown.game);
  const title = make("h2", {}, say("puzzle.title"));
  const task = make("p", {}, shown ? sayTask(shown) : say("puzzle.none"));
  const words = open ? say("puzzle.solveIt") : say("puzzle.look");
  const done = open ? [] : [make("span", { class: "badge good" }, tick(), say("puzzle.solved"))];
  const ways = shown && [
    make("a", { class: `button less ${open ? "main" : ""}`, href: pathTo("puzzle", day, shown.game) }, words),
    ...done,
  ];
  const card = make(
    "section",
    { class: `card daily ${shown ? "" : "without"}`, "aria-label": say("puzzle.title") },
    ...(shown ? [drawPuzzle(shown)] : []),
    title,
    task,
    ...(ways ? [make("div", { class: "row" }, ...ways)] : []),
  );
  return [card, ...(known.last.length ? [makeStreak(known, day)] : [])];
}

/**
 * The last seven days, and how many in a row.
 * @param {import("./kept.js").Streak} streak
 * @param {string} today
 * @returns {HTMLElement}
 */
export function makeStreak({ days, best, last }, today) {
  const week = Array.from({ length: 7 }, (_, at) => new Date(Date.parse(today) - (6 - at) * DAY));
  const items = week.map((date) => {
    const day = date.toISOString().slice(0, 10);
    const isDone = last.includes(day);
    const name = day === today ? say("puzzle.today") : WEEKDAY.format(date);
    const kind = [isDone && "done", day === today && "today"].filter(Boolean).join(" ");
    return make(
      "li",
      { class: kind },
      make("i", {}, ...(isDone ? [tick()] : [])),
      name,
      make("span", { class: "visually-hidden" }, isDone ? ` ${say("puzzle.solved")}` : ""),
    );
  });
  const title = make("h2", {}, icon("medal"), ` ${say("puzzle.streak", { count: days })}`);
  const longest = make("span", { class: "hint" }, best > days ? say("puzzle.best", { days: best }) : "");
  return make(
    "section",
    { class: "card stack streak-card", "aria-label": say("puzzle.streakTitle") },
    make("div", { class: "row apart" }, title, longest),
    make("ol", { class: "streak" }, ...items),
  );
}

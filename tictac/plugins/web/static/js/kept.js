// What this browser keeps of somebody without an account: solved puzzles, and results by game and level. An account has
// both on the server; of its puzzles the browser keeps what it shares.

import { endFirst } from "./first.js";

const KEY = "tictac.kept";

/** So many puzzles are kept. */
const MOST = 60;

/** So many last results of a level are kept. */
const LAST = 10;

/** A day, in milliseconds. */
const DAY = 86_400_000;

/**
 * How a puzzle was solved: a sign for each move, the seconds, and the number of hints; the `moves`, until an account's server
 * has heard them.
 * @typedef {{ signs: string, seconds: number, hints: number, moves?: string[] }} Solution
 */

/**
 * Days in a row with a solved puzzle, the most there were, the last ones, and the games of today.
 * @typedef {{ days: number, best: number, last: string[], today: string[] }} Streak
 */

/**
 * Results in a game against a level (null: people), the newest of the last ones first; `best` are the moves of the shortest win.
 * @typedef {{ game: string, level: string | null, won: number, lost: number, drawn: number, last: string[], best: number | null }} Results
 */

/**
 * All that is kept.
 * @returns {{ solved: Record<string, Solution>, days: string[], best: number, record: Results[] }}
 */
function read() {
  const none = { solved: {}, days: [], best: 0, record: [] };
  try {
    return { ...none, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return none; // or what others have put there
  }
}

/** @param {ReturnType<typeof read>} kept */
function write(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // It keeps nothing.
  }
}

/**
 * How the puzzle of a day was solved here, if it was.
 * @param {string} day
 * @param {string} game
 * @returns {Solution | undefined}
 */
export function solutionOf(day, game) {
  return read().solved[`${day}/${game}`];
}

/** The days of puzzles that were solved here, on whatever day. */
export function solvedDays() {
  return new Set(Object.keys(read().solved).map((key) => key.split("/")[0]));
}

/**
 * Keep that a puzzle was solved; on its day it counts.
 * @param {string} day
 * @param {string} game
 * @param {Solution} solution
 * @param {boolean} counts
 */
export function keepSolution(day, game, solution, counts) {
  const kept = read();
  const solved = Object.entries({ [`${day}/${game}`]: solution, ...kept.solved }).slice(0, MOST);
  const days = counts ? [...new Set([day, ...kept.days])].slice(0, MOST) : kept.days;
  const best = Math.max(kept.best, runOf(days, day));
  write({ ...kept, solved: Object.fromEntries(solved), days, best });
}

/**
 * The solutions that no account has: of a guest, or without a connection.
 * @returns {{ day: string, game: string, moves: string[] }[]}
 */
export function untold() {
  return Object.entries(read().solved).flatMap(([key, { moves }]) => {
    const [day, game] = key.split("/");
    return moves ? [{ day, game, moves }] : [];
  });
}

/**
 * An account has that solution now.
 * @param {string} day
 * @param {string} game
 */
export function noteTold(day, game) {
  const kept = read();
  delete kept.solved[`${day}/${game}`]?.moves;
  write(kept);
}

/**
 * The streak that this browser keeps.
 * @param {string} today
 * @returns {Streak}
 */
export function readStreak(today) {
  const { days, best, solved } = read();
  const last = days.filter((day) => Date.parse(today) - Date.parse(day) < 7 * DAY);
  const games = Object.keys(solved).filter((key) => key.startsWith(`${today}/`) && days.includes(today));
  return { days: runOf(days, today) || runOf(days, before(today)), best, last, today: games.map((key) => key.split("/")[1]) };
}

/** The days in a row that end with that one. */
function runOf(/** @type {string[]} */ days, /** @type {string} */ day) {
  let run = 0;
  for (; days.includes(day); day = before(day)) run++;
  return run;
}

/** The day before. */
function before(/** @type {string} */ day) {
  return new Date(Date.parse(day) - DAY).toISOString().slice(0, 10);
}

/**
 * The results of a visitor: an account's are asked for, a guest's are in this browser. Rejects with Refused or Lost.
 * @param {{ user: string, isGuest: boolean, ask(request: Asked<"record">): Promise<Wire.Answers["record"]> }} session
 * @param {string} [game]
 * @returns {Promise<Results[]>}
 */
export async function readRecord(session, game) {
  if (session.user && !session.isGuest) return (await session.ask({ do: "record", game })).record;
  return read().record.filter((one) => !game || one.game === game);
}

/** Wins over a level after which it counts as beaten. */
export const BEATEN = 1;

/**
 * What a visitor has made of each level of a game, and the place of the next one; -1, if all are beaten.
 * @param {Results[]} record
 * @param {Pick<Wire.Game, "name" | "levels">} game
 */
export function resultsIn(record, { name, levels = [] }) {
  const results = levels.map((level) => record.find((one) => one.game === name && one.level === level));
  return { results, next: results.findIndex((one) => (one?.won ?? 0) < BEATEN) };
}

/** The ends of a match that was played. */
const PLAYED_OUT = ["won", "drawn", "agreed", "forfeited", "timed out"];

/**
 * The level of all who have played against the visitor; null for people, and for several levels.
 * @param {any} table table.js
 * @returns {string | null}
 */
export function levelOf({ seat, players, computers }) {
  const others = players.filter((/** @type {object} */ _, /** @type {number} */ at) => at !== seat);
  const levels = new Set(others.map((/** @type {{ user: string }} */ { user }) => computers[user]?.level ?? null));
  return levels.size === 1 ? [...levels][0] : null;
}

/**
 * A match has ended: its game isn't new any longer for who sat there, and a guest's result is kept here. The results of a
 * guest before.
 * @param {{ isGuest: boolean }} session
 * @param {any} table table.js
 * @returns {Results[] | undefined}
 */
export function noteEnd({ isGuest }, table) {
  const { game, seat, result, record } = table;
  if (PLAYED_OUT.includes(result.how)) endFirst(table);
  const isDecided = result.points !== undefined; // by others
  if (seat === null || !isGuest || result.winner === undefined || isDecided) return;
  const level = levelOf(table);
  const how = result.winner === null ? "drawn" : result.winner === seat ? "won" : "lost";
  const moves = result.how === "won" ? record.filter((/** @type {string[]} */ [, what]) => what === "moved").length : 0;
  const kept = read();
  const was = kept.record.find((one) => one.game === game && one.level === level) ?? {
    game,
    level,
    won: 0,
    lost: 0,
    drawn: 0,
    last: [],
    best: null,
  };
  const best = how === "won" && moves ? Math.min(moves, was.best ?? moves) : was.best;
  const now = { ...was, [how]: was[how] + 1, last: [how, ...was.last].slice(0, LAST), best };
  write({ ...kept, record: [now, ...kept.record.filter((one) => one !== was)] });
  return kept.record;
}

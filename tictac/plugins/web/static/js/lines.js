// What a computer says at the start and at the end of a match, for a few seconds, in the place of its kind.

import { kindOf } from "./names.js";
import { hasText, say } from "./texts.js";

/** Milliseconds for which a line stands. */
const STANDS = 6000;

/** Whether a line still stands, by room and occasion. */
const said = new Map();

/**
 * The seat that says something now, and what; null, if no computer does. `again()` is called when that is over.
 * @param {Table} table
 * @param {() => void} again
 * @returns {{ seat: number, text: string } | null}
 */
export function lineOf(table, again) {
  const spoken = table.begun && !table.paused && choose(table);
  if (!spoken) return null;
  const key = `${table.room} ${spoken.when}`;
  if (!said.has(key)) {
    said.set(key, true);
    setTimeout(() => {
      said.set(key, false);
      again();
    }, STANDS);
  }
  return said.get(key) ? { seat: spoken.seat, text: find(table, spoken) } : null;
}

/**
 * Who speaks: at the start the first computer, at the end the one that won, or that a person has beaten.
 * @param {Table} table
 * @returns {{ seat: number, when: string } | null}
 */
function choose({ players, computers, record, result }) {
  const seats = players.flatMap((/** @type {Wire.Player | null} */ one, /** @type {number} */ seat) =>
    one && kindOf(one.user, computers) ? [seat] : [],
  );
  const { winner = null, how } = result ?? {};
  if (!seats.length || (result ? !(winner !== null || how === "drawn" || how === "agreed") : record.length > 1)) return null;
  if (winner === null) return { seat: seats[0], when: result ? "drawn" : "start" };
  if (seats.includes(winner)) return { seat: winner, when: "won" };
  return { seat: seats[0], when: "lost" };
}

/**
 * @param {Table} table
 * @param {{ seat: number, when: string }} spoken
 */
function find({ game, players, computers }, { seat, when }) {
  return sayLine(computers[/** @type {Wire.Player} */ (players[seat]).user]?.name ?? "", game, when);
}

/**
 * What a character says: a line for the game, or for any.
 * @param {string} character
 * @param {string} game
 * @param {string} when
 * @returns {string}
 */
export function sayLine(character, game, when) {
  const [name] = character.toLowerCase().split(" ");
  const who = hasText(`computers.${name}`) ? name : "rook"; // a suspect speaks like it
  return say(`computers.${who}.${hasText(`computers.${who}.${game}.${when}`) ? game : "any"}.${when}`);
}

// The first match of a visitor in a game: possible moves are shown, and the rules are open, until they have played one to its
// end. Against the computer, the moves are shown as long as the page is open. Who switches them off doesn't see them again.

import { choose, chosen } from "./settings.js";

/**
 * The games whose first match has begun since the page was opened.
 * @type {Set<string>}
 */
const begun = new Set();

/**
 * Whether a match is the first of its player in the game.
 * @param {{ game: string, seat: number | null }} table
 * @returns {boolean}
 */
export function isFirst({ game, seat }) {
  return seat !== null && !chosen("played").split(" ").includes(game);
}

/**
 * Whether possible moves are shown to a player who hasn't switched them on.
 * @param {{ game: string, seat: number | null, isForComputer: boolean }} table
 */
export function isHelped(table) {
  if (isFirst(table)) begun.add(table.game);
  return isFirst(table) || (table.seat !== null && table.isForComputer && begun.has(table.game));
}

/**
 * The player has switched possible moves off.
 * @param {{ game: string, seat: number | null } | null} table
 */
export function endHelp(table) {
  if (table) begun.delete(table.game);
  endFirst(table);
}

/**
 * The game isn't new any longer.
 * @param {{ game: string, seat: number | null } | null} table
 */
export function endFirst(table) {
  if (table && isFirst(table)) choose("played", `${chosen("played")} ${table.game}`.trim());
}

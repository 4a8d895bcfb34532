// The first match of a visitor in a game: possible moves are shown, and the rules are open, until they have played one to its
// end, or have switched the help off.

import { choose, chosen } from "./settings.js";

/**
 * Whether a match is the first of its player in the game.
 * @param {{ game: string, seat: number | null }} table
 * @returns {boolean}
 */
export function isFirst({ game, seat }) {
  return seat !== null && !chosen("played").split(" ").includes(game);
}

/**
 * The game isn't new any longer.
 * @param {{ game: string, seat: number | null } | null} table
 */
export function endFirst(table) {
  if (table && isFirst(table)) choose("played", `${chosen("played")} ${table.game}`.trim());
}

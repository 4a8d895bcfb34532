// Small boards of other rooms, which follow the game (docs/reference/api.md, "Paths").

import { has, read } from "./archive.js";
import { fetchFace } from "./faces.js";
import { drawPlayed, drawPosition } from "./mini.js";

/** So many are asked for at once; the server answers for no more. */
export const MOST = 6;

/**
 * How it stands in these rooms, by their names; what draws the games that are being played is there, too.
 * @param {string[]} names
 * @param {string[]} games
 * @returns {Promise<Record<string, string>>}
 */
export async function readBoards(names, games) {
  if (!names.length || !(await has("boards"))) return {};
  const asked = read(["boards"], { rooms: names.join() }).catch(() => ({ boards: {} }));
  const [{ boards }] = await Promise.all([asked, ...games.map(fetchFace)]);
  return boards;
}

/**
 * What is drawn of a game without its position (mini.js).
 * @typedef {Pick<Wire.Game, "name"> & Partial<Wire.Game>} Described
 */

/**
 * A position as a small board, or else the game's. What wasn't there `before` is new.
 * @param {Described} game
 * @param {{ position?: string | null, options?: Wire.Options }} told without a position, as long as that hasn't come
 * @param {string} [before]
 * @returns {HTMLElement | SVGElement}
 */
export function boardOf(game, told, before) {
  return (told.position && drawPosition(game.name, /** @type {{ position: string }} */ (told), before)) || drawPlayed(game);
}

/**
 * Draw how it stands in these rooms, as the lobby lists them, each into its `picture`.
 * @param {(Wire.Summary & { picture: HTMLElement })[]} rooms
 */
export async function drawBoards(rooms) {
  const followed = rooms.slice(0, MOST);
  const played = followed.filter(({ begun }) => begun).map(({ game }) => game);
  const boards = await readBoards(
    followed.map(({ room }) => room),
    played,
  );
  for (const { room, game, options, picture } of followed) {
    const { position: before = "" } = picture.dataset;
    const position = (picture.dataset.position = boards[room] ?? before);
    const board = position !== before && drawPosition(game, { position, options }, before);
    if (board) picture.replaceChildren(board);
  }
}

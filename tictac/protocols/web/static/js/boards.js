// Small boards of other rooms, which follow the game (docs/web.md, "The WebSocket").

import { has, read } from "./archive.js";
import { GRIDS } from "./games.js";
import { drawGame, drawMini } from "./mini.js";

/** So many are asked for at once; the server answers for no more. */
export const MOST = 6;

/** How it stands in these rooms, by their names. */
export async function readBoards(names) {
  if (!names.length || !(await has("boards"))) return {};
  const { boards } = await read(["boards"], { rooms: names.join() }).catch(() => ({ boards: {} }));
  return boards;
}

/** A position as a small board; the picture of a game that has none. What wasn't there `before` is new. */
export function boardOf(game, { position, options }, before) {
  return position && Object.hasOwn(GRIDS, game.name) ? drawMini(game.name, { position, options }, before) : drawGame(game);
}

/** Draw how it stands in these rooms, as the lobby lists them, each into its `picture`. */
export async function drawBoards(rooms) {
  const followed = rooms.slice(0, MOST).filter(({ game }) => Object.hasOwn(GRIDS, game));
  const boards = await readBoards(followed.map(({ room }) => room));
  for (const { room, game, options, picture } of followed) {
    const { position: before = "" } = picture.dataset;
    const position = (picture.dataset.position = boards[room] ?? before);
    if (position !== before) picture.replaceChildren(drawMini(game, { position, options }, before));
  }
}

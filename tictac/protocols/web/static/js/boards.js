// Small boards of other rooms, which follow the game (docs/reference/web.md, "The WebSocket").

import { has, read } from "./archive.js";
import { GRIDS } from "./games.js";
import { drawMini } from "./mini.js";

/** So many are asked for at once; the server answers for no more. */
export const MOST = 6;

/** Draw how it stands in these rooms, as the lobby lists them, each into its `picture`. */
export async function drawBoards(rooms) {
  const followed = rooms.slice(0, MOST).filter(({ game }) => Object.hasOwn(GRIDS, game));
  if (!followed.length || !(await has("boards"))) return;
  const names = followed.map(({ room }) => room);
  const { boards } = await read(["boards"], { rooms: names.join() }).catch(() => ({ boards: {} }));
  for (const { room, game, options, picture } of followed) {
    const { position: before = "" } = picture.dataset;
    const position = (picture.dataset.position = boards[room] ?? before);
    if (position !== before) picture.replaceChildren(drawMini(game, { position, options }, before));
  }
}

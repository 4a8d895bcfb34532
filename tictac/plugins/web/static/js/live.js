// Matches that are being played, in public rooms, as small boards that follow the game: for who hasn't come to play.

import { read } from "./archive.js";
import { drawBoards, MOST } from "./boards.js";
import { make, refill } from "./dom.js";
import { drawPlayed } from "./mini.js";
import { nameOf } from "./names.js";
import { learnParts } from "./parts.js";
import { pathTo } from "./router.js";
import { say } from "./texts.js";

/** Milliseconds between two looks. */
export const PAUSE = 5000;

/** So many boards follow; further matches are shown by their game's picture. */
const FOLLOWED = 2 * MOST;

/**
 * Show up to so many in a list, the most watched first; `games` are described. A promise of how many there are; of null,
 * and the list stays as it is, if the server can't be asked. Rooms that wait for players are shown in another list, if there is one.
 * @param {HTMLElement} list
 * @param {Wire.Game[]} games
 * @param {number} most
 * @param {HTMLElement | null} [others]
 */
export async function showPlayed(list, games, most, others = null) {
  /** @type {{ rooms?: (Wire.Summary & { picture: HTMLElement })[], parts?: string[] }} */
  const { rooms, parts } = await read(["lobby"]).catch(() => ({}));
  if (!rooms) return null;
  if (parts) learnParts(parts);
  const begun = rooms.filter((room) => room.begun).sort((one, other) => other.viewers - one.viewers);
  const shown = begun.slice(0, most);
  const waiting = others ? rooms.filter((room) => !room.begun && room.players.includes(null)).slice(0, most) : [];
  for (const room of [...shown, ...waiting]) room.picture = drawPlayed(games.find(({ name }) => name === room.game) ?? { name: room.game });
  for (let at = 0; at < FOLLOWED; at += MOST) await drawBoards(shown.slice(at, at + MOST));
  refill(list, ...shown.map(drawRoom));
  if (others) refill(others, ...waiting.map(drawRoom));
  return begun.length;
}

/** @param {Wire.Summary & { picture: HTMLElement }} room */
function drawRoom({ room, title, players, computers, viewers, picture }) {
  const watched = viewers ? [` · ${say("rooms.watching", { count: viewers })}`] : [];
  const names = /** @type {string[]} */ (players.filter(Boolean)).map((name) => nameOf(name, computers));
  const what = make(
    "span",
    { class: "what" },
    make("b", {}, names.join(say("rooms.against"))),
    make("span", { class: "hint" }, title, ...watched),
  );
  return make("li", {}, make("a", { class: "live", href: pathTo("room", room) }, picture, what));
}

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
 * and the list stays as it is, if the server can't be asked.
 * @param {HTMLElement} list
 * @param {Wire.Game[]} games
 * @param {number} most
 */
export async function showPlayed(list, games, most) {
  /** @type {{ rooms?: (Wire.Summary & { picture: HTMLElement })[], parts?: string[] }} */
  const { rooms, parts } = await read(["lobby"]).catch(() => ({}));
  if (!rooms) return null;
  if (parts) learnParts(parts);
  const begun = rooms.filter((room) => room.begun).sort((one, other) => other.viewers - one.viewers);
  const shown = begun.slice(0, most);
  for (const room of shown) room.picture = drawPlayed(games.find(({ name }) => name === room.game) ?? { name: room.game });
  for (let at = 0; at < FOLLOWED; at += MOST) await drawBoards(shown.slice(at, at + MOST));
  refill(
    list,
    ...shown.map((room) => {
      const watched = room.viewers ? [` · ${say("rooms.watching", { count: room.viewers })}`] : [];
      const what = make(
        "span",
        { class: "what" },
        make("b", {}, room.players.map((name) => nameOf(/** @type {string} */ (name), room.computers)).join(say("rooms.against"))),
        make("span", { class: "hint" }, room.title, ...watched),
      );
      return make("li", {}, make("a", { class: "live", href: pathTo("room", room.room) }, room.picture, what));
    }),
  );
  return begun.length;
}

// The cards of Clue as pictures: players, weapons, and the rooms with what stands in them.

import { faceNamed, make, say } from "./page.js";

/** What the faces of the players are called. */
const SUSPECTS = ["scarlet", "mustard", "white", "green", "peacock", "plum"];

/**
 * Where the picture of a weapon or a room is.
 * @param {string} name of the card in the protocol, such as "rope" or "U"
 */
export const pictureOf = (name) => new URL(`cards/${name}.svg`, import.meta.url).href;

/**
 * A card with its picture, its name, and what else is known of it.
 * @param {string} name
 * @param {string} [note]
 */
export function drawCard(name, note = "") {
  const suspect = SUSPECTS[Number(name)];
  const kind = suspect ? "who" : /[A-Z]/.test(name) ? "where" : "";
  const picture = suspect ? faceNamed(suspect) : make("img", { src: pictureOf(name), alt: "", width: 64, height: 64 });
  const more = note ? [make("span", { class: "visually-hidden" }, `, ${note}`)] : [];
  return make("span", { class: `playing-card ${kind}` }, picture, make("b", {}, say(`cards.${name}`)), ...more);
}

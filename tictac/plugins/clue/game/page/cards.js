// The cards of Clue as pictures: players, weapons, and the rooms with what stands in them.

import { make, say } from "./page.js";

/**
 * Where the picture of a card is.
 * @param {string} name of the card in the protocol, such as "0", "rope" or "U"
 */
export const pictureOf = (name) => new URL(`cards/${name}.svg`, import.meta.url).href;

/**
 * A card with its picture, its name, and what else is known of it.
 * @param {string} name
 * @param {string} [note]
 */
export function drawCard(name, note = "") {
  const kind = /\d/.test(name) ? "who" : /[A-Z]/.test(name) ? "where" : "";
  const picture = make("img", { src: pictureOf(name), alt: "", width: 64, height: 64 });
  const more = note ? [make("span", { class: "visually-hidden" }, `, ${note}`)] : [];
  return make("span", { class: `playing-card ${kind}` }, picture, make("b", {}, say(`cards.${name}`)), ...more);
}

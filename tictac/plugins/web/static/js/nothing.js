// What stands in the place of what isn't there yet, in the same way in each view.

import { make } from "./dom.js";
import { faceNamed } from "./names.js";

/**
 * A character, what is missing, and what to do next, with the links or buttons for that.
 * @param {string} face a file of characters/
 * @param {string} title
 * @param {string} hint empty, if nothing can be done
 * @param {...Child} ways
 * @returns {HTMLElement[]}
 */
export function drawNothing(face, title, hint, ...ways) {
  const words = [make("h2", {}, title), ...(hint ? [make("p", {}, hint)] : [])];
  return [faceNamed(face), ...words, ...(ways.length ? [make("div", { class: "row" }, ...ways)] : [])];
}

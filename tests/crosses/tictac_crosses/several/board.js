// The least that shows two games.

import { make, parts } from "./page.js";

/** The board of a game of this package. */
export const boardFor = (name) => class {
  element = make("p");

  render({ position }) {
    this.element.textContent = `${parts[name].title}: ${position}`;
  }

  focus() {}
};

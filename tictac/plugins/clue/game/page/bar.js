// What to do now, in one line that stays in sight: the dice, a sentence, and one button.

import { draw, make } from "./page.js";

/** Where the points of a die are, by how many there are. */
const POINTS = [[], [4], [2, 6], [2, 4, 6], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

export class Bar {
  element;
  #dice = make("span", { class: "dice", "aria-hidden": "true" });
  #title = make("b");
  #more = make("small");
  #button = make("button", { type: "button", class: "main" });
  /** @type {() => void} */
  #work = () => {};
  #steps = -1;

  constructor() {
    this.#button.addEventListener("click", () => this.#work());
    this.element = make("div", { class: "clue-act" }, this.#dice, make("p", {}, this.#title, " ", this.#more), this.#button);
  }

  /**
   * Show what was rolled, what is asked for, and what the button does.
   * @param {{ steps: number }} now
   * @param {string} title
   * @param {string} more
   * @param {string} [words]
   * @param {() => void} [work] none: then there is no button
   */
  render({ steps }, title, more, words = "", work) {
    this.#title.textContent = title;
    this.#more.textContent = more;
    this.#button.hidden = !work;
    this.#button.textContent = words;
    /** @ts-expect-error nobody reaches a button that is hidden */
    this.#work = work;
    if (steps === this.#steps) return;
    this.#dice.classList.toggle("rolled", steps > 0);
    // The protocol says the sum alone.
    this.#dice.replaceChildren(drawDie(Math.ceil(steps / 2)), drawDie(Math.floor(steps / 2)));
    this.#steps = steps;
  }

  /** Put the focus on the button; whether there is one. */
  focus() {
    this.#button.focus();
    return !this.#button.hidden;
  }
}

/** @param {number} points */
function drawDie(points) {
  /** @param {number} at which of nine places, row by row */
  const place = (at) => ({ cx: 11 + 9 * (at % 3), cy: 11 + 9 * Math.floor(at / 3), r: 3.3 });
  const body = draw("rect", { x: 3, y: 3, width: 34, height: 34, rx: 8 });
  return draw("svg", { class: "die", viewBox: "0 0 40 40" }, body, ...POINTS[points].map((at) => draw("circle", place(at))));
}

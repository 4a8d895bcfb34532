// Kalah in a browser: two rows of pits between two stores. The player who looks has the row below.

import { draw, make, say, Walk } from "./page.js";

/** The most seeds that a pit shows one by one. The number beside them is always right. */
const DRAWN = 30;

export default class Kalah {
  element = make("div", { class: "kalah" });
  keys = say("keys");
  #choose;
  #grid = make("div", { class: "pits", role: "grid", "aria-label": say("board") });
  #walk = new Walk(this.#grid);
  #stores = [makeStore("above"), makeStore("below")];
  #rows = [[], []];

  /** Return a move in words: with the seeds that were sown, if the position before it is known. */
  static say(move, before) {
    if (!before) return say("move", { pit: move });
    const { pits } = readSides(before)["AB".indexOf(before.at(-1))];
    return say("sown", { pit: move, count: pits[move - 1] });
  }

  constructor(choose) {
    this.#choose = choose;
    this.element.append(this.#stores[0], this.#grid, this.#stores[1]);
  }

  /** Show how the match stands. */
  render({ position, seat, names, can, last, by, pending }) {
    const sides = readSides(position);
    const seats = seat === 1 ? [0, 1] : [1, 0]; // above, below
    if (this.#rows[0].length !== sides[0].pits.length) this.#build(sides[0].pits.length);
    for (const [row, owner] of seats.entries()) {
      const { pits, store } = sides[owner];
      const user = names[owner] ?? say("nobody");
      fill(this.#stores[row], store, user);
      for (const [at, button] of this.#rows[row].entries()) {
        // The row above is sown from right to left.
        const pit = row === 0 ? pits.length - at : at + 1;
        const count = pits[pit - 1];
        const isLast = by === owner && last === String(pit);
        const isPending = row === 1 && pending === String(pit);
        button.dataset.move = pit;
        button.classList.toggle("last", isLast);
        button.classList.toggle("pending", isPending);
        button.setAttribute("aria-disabled", String(row === 0 || !can.includes(String(pit))));
        button.setAttribute("aria-label", say("pit", { user, pit, count }) + (isLast ? say("last") : ""));
        fill(button, count);
      }
    }
  }

  /** Put the focus where it was last, or on the first pit of the row below. */
  focus() {
    this.#walk.focus();
  }

  #build(pits) {
    this.element.style.setProperty("--pits", pits);
    this.#rows = this.#rows.map(() => Array.from({ length: pits }, () => this.#makePit()));
    this.#grid.replaceChildren(...this.#rows.map(makeRow));
    this.#walk.set(this.#rows);
    this.#walk.place(1, 0);
  }

  #makePit() {
    const pit = make("button", { type: "button", class: "pit" }, makeSeeds(), make("b"));
    pit.addEventListener("click", () => {
      if (pit.getAttribute("aria-disabled") === "false") this.#choose(pit.dataset.move);
    });
    return pit;
  }
}

/** The seeds of both players: `4,4,4/0 4,4,4/0 A` is what rules.py writes. */
function readSides(position) {
  return position.split(" ").slice(0, 2).map((side) => {
    const [pits, store] = side.split("/");
    return { pits: pits.split(",").map(Number), store: Number(store) };
  });
}

function makeRow(pits) {
  const cells = pits.map((pit) => make("div", { role: "gridcell" }, pit));
  return make("div", { class: "pit-row", role: "row" }, ...cells);
}

function makeStore(kind) {
  return make("p", { class: `store ${kind}` }, make("span", { class: "owner" }), makeSeeds(), make("b"));
}

function makeSeeds() {
  return draw("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" });
}

/** Show so many seeds in a pit or a store, and whose store it is. */
function fill(place, count, user = "") {
  const number = place.querySelector("b");
  if (user) place.querySelector(".owner").textContent = user;
  if (number.textContent === String(count)) return;
  number.textContent = count;
  // A spiral, as in a sunflower: each seed beside the others, wherever the next one goes.
  const seeds = Array.from({ length: Math.min(count, DRAWN) }, (_, at) => {
    const [angle, distance] = [2.4 * at, 2 * Math.sqrt(at + 0.5)];
    return draw("circle", { cx: distance * Math.cos(angle), cy: distance * Math.sin(angle), r: 1.5 });
  });
  place.querySelector("svg").replaceChildren(...seeds);
}

// The heaps of Nim: pieces to choose by mouse, touch and keyboard.

import { make } from "../dom.js";
import { Walk } from "../grid.js";

/** Pieces of a heap that are drawn one by one; of more only the number is shown. */
const DRAWN = 40;

/**
 * `choose(heap, amount)` is called for a piece: it stands for taking that one and all that are
 * to the right of it.
 */
export class Heaps {
  element = make("div", { class: "heaps", role: "grid", "aria-label": "Heaps" });
  #choose;
  #walk = new Walk(this.element);
  #lines = [];

  constructor(choose) {
    this.#choose = choose;
  }

  /** Show them. `chosen` and `last` have a `heap` and an `amount`, or are null. */
  render({ heaps, chosen, last, playable }) {
    if (this.#lines.length !== heaps.length) {
      this.#lines = heaps.map((_, heap) => this.#makeLine(heap));
      this.element.replaceChildren(...this.#lines.map((line) => line.element));
    }
    for (const [heap, line] of this.#lines.entries()) {
      this.#fill(line, heap, heaps[heap]);
      this.#mark(line, chosen?.heap === heap ? chosen.amount : 0, playable);
      const taken = last?.heap === heap && !last.mine ? last.amount : 0;
      const ghosts = taken + heaps[heap] > DRAWN ? 0 : taken;
      line.ghosts.replaceChildren(...Array.from({ length: ghosts }, () => make("span")));
    }
    this.#walk.set(this.#lines.map((line) => line.pieces));
  }

  /** Put the focus where it was last, or on the first piece; whether there is one. */
  focus() {
    return this.#walk.focus();
  }

  #makeLine(heap) {
    const [count, ghosts] = [make("b"), make("span", { class: "ghosts", "aria-hidden": "true" })];
    const head = make("div", { role: "rowheader" }, `Heap ${heap + 1} `, count);
    const element = make("div", { class: "heap", role: "row" }, head, ghosts);
    return { element, count, ghosts, pieces: [] };
  }

  #fill(line, heap, left) {
    if (line.count.textContent === String(left)) return;
    line.count.textContent = left;
    line.element.classList.toggle("empty", left === 0);
    line.element.classList.toggle("many", left > DRAWN);
    const drawn = left > DRAWN ? 0 : left;
    for (const piece of line.pieces.splice(drawn)) piece.parentElement.remove();
    while (line.pieces.length < drawn) {
      const piece = make("button", { type: "button", class: "stone" });
      piece.addEventListener("click", () => this.#chosen(line, heap, piece));
      line.pieces.push(piece);
      line.ghosts.before(make("div", { role: "gridcell" }, piece));
    }
    for (const [at, piece] of line.pieces.entries()) {
      const label = `Heap ${heap + 1}, piece ${at + 1} of ${left}: take ${left - at}`;
      piece.setAttribute("aria-label", label);
    }
  }

  #mark({ pieces }, amount, playable) {
    for (const [at, piece] of pieces.entries()) {
      const isChosen = at >= pieces.length - amount;
      piece.classList.toggle("chosen", isChosen);
      piece.setAttribute("aria-pressed", String(isChosen));
      piece.setAttribute("aria-disabled", String(!playable));
    }
  }

  #chosen(line, heap, piece) {
    if (piece.getAttribute("aria-disabled") === "true") return;
    this.#choose(heap, line.pieces.length - line.pieces.indexOf(piece));
  }
}

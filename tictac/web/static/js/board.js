// The board: nine cells for mouse, touch and keyboard, and for who hears them read out.

import { draw, make } from "./dom.js";
import { Walk } from "./grid.js";

const MARKS = { 1: "X", 2: "O" };

/** A mark (X or O) as a drawing. */
export function drawMark(mark) {
  const shape =
    mark === "X"
      ? draw("path", { d: "m16 16 68 68M84 16 16 84", pathLength: "100" })
      : draw("circle", { cx: "50", cy: "50", r: "36", pathLength: "100" });
  const kind = `mark ${mark.toLowerCase()}`;
  return draw("svg", { viewBox: "0 0 100 100", class: kind, "aria-hidden": "true" }, shape);
}

/** `choose(column, row)` is called for a cell that may be marked. */
export class Board {
  element;
  #cells = [];
  #strike = draw("svg", { viewBox: "0 0 3 3", class: "strike", "aria-hidden": "true" });
  #veil = make("p", { class: "veil", hidden: true });
  #walk;

  constructor(choose) {
    const grid = make("div", { class: "grid", role: "grid", "aria-label": "Board" });
    for (let row = 0; row < 3; row++) {
      const line = make("div", { class: "row", role: "row" });
      for (let column = 0; column < 3; column++) {
        const cell = make("button", { type: "button", class: "cell" });
        cell.addEventListener("click", () => this.#chosen(cell, choose, column, row));
        this.#cells.push(cell);
        line.append(make("div", { role: "gridcell" }, cell));
      }
      grid.append(line);
    }
    this.#walk = new Walk(grid);
    this.#walk.set([0, 3, 6].map((first) => this.#cells.slice(first, first + 3)));
    this.#walk.place(1, 1);
    this.element = make("div", { class: "board" }, grid, this.#strike, this.#veil);
  }

  /**
   * Show a position. `pending`: a `cell` and the `mark` that it will have, or null. `playable`: an
   * empty cell may be marked now. `veil`: a text instead.
   */
  render({ board, last, won, pending, playable, veil }) {
    for (const [number, cell] of this.#cells.entries()) {
      const mark = MARKS[board?.[number]] ?? "";
      const isPending = !mark && pending?.cell === number;
      cell.dataset.mark = mark;
      this.#draw(cell, isPending ? pending.mark : mark);
      cell.classList.toggle("pending", isPending);
      cell.classList.toggle("last", number === last);
      cell.classList.toggle("won", won.includes(number));
      cell.setAttribute("aria-disabled", String(Boolean(mark) || !playable));
      cell.setAttribute("aria-label", label(number, mark, number === last, won.includes(number)));
    }
    this.#veil.textContent = veil;
    this.#veil.hidden = !veil;
    this.#drawStrike(won);
  }

  /** Put the focus where it was last, or into the middle. */
  focus() {
    this.#walk.focus();
  }

  #draw(cell, mark) {
    if ((cell.dataset.drawn ?? "") === mark) return;
    cell.dataset.drawn = mark;
    cell.replaceChildren(...(mark ? [drawMark(mark)] : []));
  }

  #chosen(cell, choose, column, row) {
    if (cell.getAttribute("aria-disabled") === "false") choose(column, row);
  }

  #drawStrike(won) {
    const key = won.join();
    if (this.#strike.dataset.cells === key) return;
    this.#strike.dataset.cells = key;
    this.#strike.replaceChildren();
    for (let first = 0; first + 2 < won.length; first += 3) {
      const [from, to] = [won[first], won[first + 2]].map((cell) => [cell % 3, Math.floor(cell / 3)]);
      const ends = { x1: from[0] + 0.5, y1: from[1] + 0.5, x2: to[0] + 0.5, y2: to[1] + 0.5 };
      this.#strike.append(draw("line", { ...lengthen(ends), pathLength: "1" }));
    }
  }
}

/** A line that goes a little beyond the middles of its cells. */
function lengthen({ x1, y1, x2, y2 }) {
  const [dx, dy] = [Math.sign(x2 - x1) * 0.3, Math.sign(y2 - y1) * 0.3];
  return { x1: x1 - dx, y1: y1 - dy, x2: x2 + dx, y2: y2 + dy };
}

/** Where a cell is and what is on it, as words. */
export function label(number, mark, isLast, isWon) {
  const place = `Row ${Math.floor(number / 3) + 1}, column ${(number % 3) + 1}: ${mark || "empty"}`;
  return place + (isWon ? ", in the winning line" : "") + (isLast ? ", last move" : "");
}

// The board of Connect Four: columns to drop into and to pop from, by mouse, touch and keyboard.

import { draw, make } from "../dom.js";
import { Walk } from "../grid.js";

const NAMES = { R: "red", Y: "yellow" };

/** A piece of a side (R or Y) as a drawing; yellow ones have a ring, for who sees no colours. */
export function drawPiece(side) {
  const shapes = [draw("circle", { cx: "50", cy: "50", r: "44" })];
  if (side === "Y") shapes.push(draw("circle", { cx: "50", cy: "50", r: "24", class: "ring" }));
  const kind = `piece ${NAMES[side]}`;
  return draw("svg", { viewBox: "0 0 100 100", class: kind, "aria-hidden": "true" }, ...shapes);
}

/** `choose(kind, column)` is called for a move that may be made; kind is DROP or POP. */
export class Board {
  element = make("div", { class: "four-board" });
  #choose;
  #grid = make("div", { class: "grid", role: "grid", "aria-label": "Board" });
  #walk = new Walk(this.#grid);
  // By column and row, both from 0, the latter from below.
  #cells = [];
  #pops = [];
  #pointed = null;

  constructor(choose) {
    this.#choose = choose;
    this.element.append(this.#grid);
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["pointerover", "focusin"]) {
      this.#grid.addEventListener(type, (event) => this.#point(this.#columnOf(event.target)));
    }
    for (const type of ["pointerleave", "focusout"]) {
      this.#grid.addEventListener(type, () => this.#point(null));
    }
  }

  /** Show a position. `can(kind, column)` tells what may be done now; `won` are cells. */
  render({ position, last, won, can }) {
    this.#resize(position.columns, position.rows);
    const winning = new Set(won.map(String));
    const lastRow = last?.kind === "DROP" ? position.stacks[last.column - 1].length - 1 : null;
    for (const [column, cells] of this.#cells.entries()) {
      const isLastColumn = last?.column === column + 1;
      for (const [row, cell] of cells.entries()) {
        const side = position.stacks[column][row] ?? "";
        const isLast = isLastColumn && row === lastRow;
        this.#fill(cell, side);
        cell.classList.toggle("last", isLast);
        cell.classList.toggle("won", winning.has(`${column},${row}`));
        cell.setAttribute("aria-disabled", String(!can("DROP", column + 1)));
        cell.setAttribute("aria-label", label(cell, column, row, side));
      }
      const pop = this.#pops[column];
      pop.classList.toggle("last", isLastColumn && last.kind === "POP");
      pop.setAttribute("aria-disabled", String(!can("POP", column + 1)));
    }
    this.#point(this.#pointed);
  }

  /** Put the focus where it was last, or into the middle. */
  focus() {
    this.#walk.focus();
  }

  #fill(cell, side) {
    if (cell.dataset.side === side) return;
    cell.dataset.side = side;
    cell.replaceChildren(...(side ? [drawPiece(side)] : []));
  }

  #resize(columns, rows) {
    if (this.#cells.length === columns && this.#cells[0].length === rows) return;
    this.element.style.setProperty("--columns", columns);
    const numbers = Array.from({ length: columns }, (_, column) => column);
    this.#cells = numbers.map((column) =>
      Array.from({ length: rows }, () => this.#button("slot", "DROP", column)),
    );
    this.#pops = numbers.map((column) => this.#popButton(column));
    const lines = Array.from({ length: rows }, (_, row) => this.#cells.map((cells) => cells[row]));
    lines.reverse().push(this.#pops);
    const head = numbers.map((column) => make("div", { role: "columnheader" }, String(column + 1)));
    this.#grid.replaceChildren(
      make("div", { class: "row head", role: "row" }, ...head),
      ...lines.map((cells) => makeRow(cells)),
    );
    this.#walk.set(lines);
    this.#walk.place(rows - 1, Math.floor(columns / 2));
  }

  #popButton(column) {
    const button = this.#button("pop", "POP", column);
    button.setAttribute("aria-label", `Pop column ${column + 1}`);
    const arrow = draw("path", { d: "M12 5v13m-5-5 5 5 5-5" });
    button.append(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, arrow));
    return button;
  }

  #button(name, kind, column) {
    const button = make("button", { type: "button", class: name });
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "false") this.#choose(kind, column + 1);
    });
    return button;
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key.toLowerCase() === "p") this.#pops[this.#walk.column].click();
  }

  #columnOf(target) {
    const column = this.#cells.findIndex((cells) => cells.some((cell) => cell.contains(target)));
    return column < 0 ? null : column;
  }

  /** Show where a piece would land that is dropped into this column. */
  #point(column) {
    this.#pointed = column;
    for (const cell of this.#grid.querySelectorAll(".target")) cell.classList.remove("target");
    const free = this.#cells[column]?.find((cell) => !cell.dataset.side);
    if (free?.getAttribute("aria-disabled") === "false") free.classList.add("target");
  }
}

function makeRow(cells) {
  const inside = cells.map((cell) => make("div", { role: "gridcell" }, cell));
  return make("div", { class: "row", role: "row" }, ...inside);
}

/** Where a cell is and what is on it, as words. */
function label({ classList }, column, row, side) {
  const more = [
    classList.contains("won") ? ", in the winning four" : "",
    classList.contains("last") ? ", last move" : "",
  ];
  return `Column ${column + 1}, row ${row + 1}: ${NAMES[side] ?? "empty"}${more.join("")}`;
}

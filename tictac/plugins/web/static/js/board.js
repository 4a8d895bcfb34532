// The board of a game with a grid, drawn as games.js reads it, for mouse, touch and keyboard.

import { draw, make } from "./dom.js";
import { letter, readGrid } from "./games.js";
import { Walk } from "./grid.js";
import { capital, say } from "./texts.js";

/**
 * Marks that are drawn with a pen; all others are discs.
 * @type {Record<string, () => Element[]>}
 */
const PENS = {
  x: () => [draw("path", { d: "m18 18 64 64M82 18 18 82", pathLength: "100" })],
  o: () => [draw("circle", { cx: "50", cy: "50", r: "35", pathLength: "100" })],
};

/** With a ring, for those who see no colors. */
const RINGED = ["yellow"];

/**
 * A mark of a game (games.js) as a small drawing.
 * @param {{ look: string }} mark
 */
export function drawMark({ look }) {
  const box = { viewBox: "0 0 100 100", class: `mark ${look}`, "aria-hidden": "true" };
  const disc = () => [42, ...(RINGED.includes(look) ? [21] : [])].map((r) => draw("circle", { cx: 50, cy: 50, r }));
  return draw("svg", box, ...(PENS[look] ?? disc)());
}

/**
 * A mark as it lies on the board.
 * @param {Mark} mark
 */
function makePiece(mark) {
  return Object.hasOwn(PENS, mark.look) ? drawMark(mark) : make("span", { class: `disc ${mark.look}` });
}

/** `choose(move)` is called for a move that may be made. `grid` is how a position is read: see games.js. */
export class Board {
  element = make("div", { class: "board" });
  keys = "";
  tellsMoves = true;
  hasHints = true;
  #grid = make("div", { class: "grid", role: "grid", "aria-label": say("board.name") });
  #frame = make("div", { class: "frame" }, this.#grid);
  #lines = draw("svg", { class: "lines", "aria-hidden": "true" });
  #walk = new Walk(this.#grid);
  #choose;
  #cells;
  /** @type {HTMLElement[][]} */
  #rows = [];
  /** @type {HTMLElement[]} */
  #heads = [];
  /** @type {HTMLElement[]} */
  #below = [];
  #size = "";
  /** @type {Standing | null} */
  #table = null;
  /** @type {HTMLElement | null} */
  #lit = null;
  #isNew = true;

  /**
   * @param {(move: string) => void} choose
   * @param {Grid} grid
   */
  constructor(choose, grid) {
    this.#choose = choose;
    this.#cells = grid;
    this.element.append(this.#frame);
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["pointerover", "focusin"]) {
      this.#grid.addEventListener(type, (/** @type {any} */ { target }) => this.#light(target.closest(".cell")));
    }
    for (const type of ["pointerleave", "focusout"]) this.#grid.addEventListener(type, () => this.#light(null));
  }

  /**
   * Show how it stands.
   * @param {Standing} table
   */
  render(table) {
    const { cells, below, lines, dots, heads } = readGrid(this.#cells, table);
    this.#table = table;
    this.element.className = `board ${table.game} ${this.#cells.ground ?? "slate"}${dots ? " dots" : ""}`;
    this.#resize(cells.length, cells[0].length, below.length, heads);
    const { keys = "", keysBelow } = this.#cells;
    this.keys = keysBelow && below.length ? `${keys} ${keysBelow}` : keys;
    const all = cells.flat();
    const at = all.findIndex(({ last }) => last);
    const [x, y] = [at % cells[0].length, Math.floor(at / cells[0].length)];
    for (const [row, line] of this.#rows.entries()) {
      for (const [column, button] of line.entries()) {
        const cell = cells[row][column];
        // How far a piece falls, and how far one that turns is from the one that turns it.
        button.style.setProperty("--row", row + 1);
        button.style.setProperty("--far", at < 0 ? 0 : Math.max(Math.abs(row - y), Math.abs(column - x)));
        this.#show(button, cell, table.can.includes(cell.move) && !cell.pending, dots);
      }
    }
    for (const [column, button] of this.#below.entries()) {
      const { move, name } = below[column];
      button.dataset.move = move;
      button.classList.toggle("last", move === table.last);
      button.setAttribute("aria-disabled", String(!table.can.includes(move)));
      button.setAttribute("aria-label", name);
    }
    const drawn = lines.flatMap(([x1, y1, x2, y2]) =>
      ["under", ""].map((kind) => draw("line", { class: kind, x1, y1, x2, y2, pathLength: "1" })),
    );
    if (drawn.length !== this.#lines.childElementCount) this.#lines.replaceChildren(...drawn);
    this.#isNew = false;
    this.#light(this.#lit);
  }

  /** Put the focus where it was last, or into the middle. */
  focus() {
    this.#walk.focus();
  }

  /**
   * Show where a piece would fall that is dropped over this cell.
   * @param {HTMLElement | null} cell
   */
  #light(cell) {
    this.#lit = cell;
    if (!this.#heads.length) return;
    const column =
      cell?.dataset.move && /** @type {Standing} */ (this.#table).can.includes(cell.dataset.move) ? Number(cell.dataset.column) : -1;
    for (const line of this.#rows) for (const [at, each] of line.entries()) each.classList.toggle("lit", at === column);
    for (const [at, head] of this.#heads.entries()) {
      const isLit = at === column;
      if (isLit === Boolean(head.firstElementChild)) continue;
      // The number stays the name of the column.
      const number = isLit ? make("span", { class: "visually-hidden" }, String(at + 1)) : String(at + 1);
      head.replaceChildren(...(isLit ? [makePiece(this.#cells.marks[/** @type {any} */ (this.#table).seat])] : []), number);
    }
  }

  /**
   * @param {HTMLElement} button
   * @param {Cell} cell
   * @param {boolean} playable
   * @param {boolean} dots
   */
  #show(button, { move, name, mark, pending, last, can, won, best }, playable, dots) {
    const shown = mark ?? pending;
    button.dataset.move = move;
    button.dataset.mark = mark?.name ?? "";
    if (button.dataset.look !== (shown?.look ?? "")) this.#put(button, shown);
    for (const [kind, is] of Object.entries({ pending, last, can, won, best })) {
      button.classList.toggle(kind, Boolean(is));
    }
    button.setAttribute("aria-disabled", String(!playable));
    const more = [
      won ? say("board.won") : "",
      last ? say("board.last") : "",
      can && dots ? say("board.can") : "",
      best ? say("board.best") : "",
    ];
    const what = { name: capital(name), mark: mark?.name ?? say("board.empty") };
    button.setAttribute("aria-label", say("board.cell", what) + more.join(""));
  }

  /**
   * Put a mark into a cell: one that lies there already turns.
   * @param {HTMLElement} button
   * @param {Mark | null | undefined} mark
   */
  #put(button, mark) {
    const turns = mark && button.dataset.look;
    button.dataset.look = mark?.look ?? "";
    button.replaceChildren(...(mark ? [makePiece(mark)] : []));
    if (mark && !this.#isNew) /** @type {HTMLElement} */ (button.firstChild).classList.add(turns ? "turned" : "placed");
  }

  /**
   * @param {number} rows
   * @param {number} columns
   * @param {number} below
   * @param {boolean} heads
   */
  #resize(rows, columns, below, heads) {
    const size = [rows, columns, below, heads].join();
    if (this.#size === size) return;
    this.#size = size;
    this.#isNew = true;
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--rows", rows);
    this.#lines.setAttribute("viewBox", `-0.5 -0.5 ${columns} ${rows}`);
    this.#rows = Array.from({ length: rows }, () => this.#line("cell", columns));
    this.#below = below ? this.#line("pop", columns) : [];
    for (const button of this.#below) {
      const arrow = draw("path", { d: "M12 5v13m-5-5 5 5 5-5" });
      button.append(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, arrow));
    }
    const numbers = Array.from({ length: heads ? columns : 0 }, (_, column) => String(column + 1));
    this.#heads = numbers.map((number) => make("div", { role: "columnheader" }, number));
    const holes = make("div", { class: "holes", role: "rowgroup" }, ...this.#rows.map(makeRow));
    const { ground = "slate", stars } = this.#cells;
    const ruled = ground === "slate" ? [rule(rows, columns)] : [];
    const parts = [make("div", { class: "ground", role: "presentation" }, ...ruled, holes, this.#lines)];
    if (heads) parts.unshift(make("div", { class: "row heads", role: "row" }, ...this.#heads));
    if (heads) parts.push(make("div", { class: "feet", "aria-hidden": "true" }, make("i"), make("i")));
    if (below) parts.push(Object.assign(makeRow(this.#below), { className: "row pops" }));
    this.#grid.replaceChildren(...parts);
    for (const axis of this.#frame.querySelectorAll(".axis")) axis.remove();
    if (stars) this.#mark(rows, columns);
    const lines = [...this.#rows, this.#below].filter((buttons) => buttons.length);
    this.#walk.set(lines);
    this.#walk.place(Math.floor((rows - 1) / 2), Math.floor((columns - 1) / 2));
  }

  /**
   * Write letters and numbers on the rim, and mark four points.
   * @param {number} rows
   * @param {number} columns
   */
  #mark(rows, columns) {
    /**
     * @param {number} length
     * @param {(at: number) => string} name
     */
    const spans = (length, name) => Array.from({ length }, (_, at) => make("span", {}, name(at)));
    const files = make("div", { class: "axis files", "aria-hidden": "true" }, ...spans(columns, letter));
    const ranks = make("div", { class: "axis ranks", "aria-hidden": "true" }, ...spans(rows, (at) => String(at + 1)));
    this.#frame.append(files, ranks);
    for (const row of [1, rows - 3]) for (const column of [1, columns - 3]) this.#rows[row]?.[column]?.classList.add("star");
  }

  /**
   * @param {string} name
   * @param {number} columns
   */
  #line(name, columns) {
    return Array.from({ length: columns }, (_, column) => {
      const button = make("button", { type: "button", class: name });
      button.dataset.column = /** @type {any} */ (column);
      button.addEventListener("click", () => {
        if (button.getAttribute("aria-disabled") === "false") this.#choose(/** @type {string} */ (button.dataset.move));
      });
      return button;
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key.toLowerCase() === "p") this.#below[this.#walk.column]?.click();
  }
}

/**
 * The lines between the cells of a slate.
 * @param {number} rows
 * @param {number} columns
 */
function rule(rows, columns) {
  const upright = Array.from({ length: columns - 1 }, (_, at) => `M${at + 1} .06V${rows - 0.06}`);
  const level = Array.from({ length: rows - 1 }, (_, at) => `M.06 ${at + 1}H${columns - 0.06}`);
  const box = { class: "ruled", viewBox: `0 0 ${columns} ${rows}`, "aria-hidden": "true" };
  return draw("svg", box, draw("path", { d: [...upright, ...level].join("") }));
}

/** @param {HTMLElement[]} buttons */
function makeRow(buttons) {
  const inside = buttons.map((button) => make("div", { role: "gridcell" }, button));
  return make("div", { class: "row", role: "row" }, ...inside);
}

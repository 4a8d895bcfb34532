// Walking over cells with the arrow keys, Home and End: one Tab leads to them, and one away
// (roving tabindex).

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Over the cells that `set` names, all of them inside `element`. */
export class Walk {
  /** @type {HTMLElement[][]} */
  #rows = [];
  #row = 0;
  #column = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusin", (event) => this.#come(event.target));
  }

  /** The number of the column (from 0) that was come to last. */
  get column() {
    return this.#column;
  }

  /**
   * Walk over these rows of elements, which needn't be of one length, and may be empty.
   * @param {HTMLElement[][]} rows
   */
  set(rows) {
    this.#rows = rows.filter((cells) => cells.length);
    for (const cells of this.#rows) for (const cell of cells) cell.tabIndex = -1;
    this.place(this.#row, this.#column);
  }

  /**
   * Let Tab lead to this cell, or the nearest that there is.
   * @param {number} row
   * @param {number} column
   */
  place(row, column) {
    if (!this.#rows.length) return;
    if (this.#cell) this.#cell.tabIndex = -1;
    this.#row = clamp(row, this.#rows.length);
    this.#column = clamp(column, this.#rows[this.#row].length);
    this.#cell.tabIndex = 0;
  }

  /** Put the focus where it was last; whether there is such a place. */
  focus() {
    this.#cell?.focus();
    return Boolean(this.#cell);
  }

  get #cell() {
    return this.#rows[this.#row]?.[this.#column];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.metaKey) return; // of the browser: one page back, and such
    const [row, column, step] = [this.#row, this.#column, STEPS[event.key]];
    if (step) this.place(row + step[0], column + step[1]);
    else if (event.key === "Home") this.place(event.ctrlKey ? 0 : row, 0);
    else if (event.key === "End") this.place(event.ctrlKey ? Infinity : row, Infinity);
    else return;
    event.preventDefault();
    this.focus();
  }

  /** @param {HTMLElement} target */
  #come(target) {
    const row = this.#rows.findIndex((cells) => cells.includes(target));
    if (row >= 0) this.place(row, this.#rows[row].indexOf(target));
  }
}

/**
 * @param {number} number
 * @param {number} length
 */
function clamp(number, length) {
  return Math.min(length - 1, Math.max(0, number));
}

// The general board: a grid of cells, drawn as games.js reads it, for mouse, touch and keyboard.

import { drawMark } from "../board.js";
import { drawPiece } from "../connectfour/board.js";
import { draw, make } from "../dom.js";
import { Walk } from "../grid.js";

const LOOKS = {
  x: () => drawMark("X"),
  o: () => drawMark("O"),
  red: () => drawPiece("R"),
  yellow: () => drawPiece("Y"),
  black: () => drawDisc("black"),
  white: () => drawDisc("white"),
};

/** A mark of a game (games.js) as a drawing. */
export function drawLook({ look }) {
  return LOOKS[look]();
}

function drawDisc(colour) {
  const disc = draw("circle", { cx: "50", cy: "50", r: "42" });
  return draw("svg", { viewBox: "0 0 100 100", class: `disc ${colour}`, "aria-hidden": "true" }, disc);
}

/** `choose(move)` is called for a move that may be made. */
export class Board {
  element = make("div", { class: "any-board" });
  #grid = make("div", { class: "grid", role: "grid", "aria-label": "Board" });
  #walk = new Walk(this.#grid);
  #choose;
  #rows = [];
  #below = [];
  #size = "";

  constructor(choose) {
    this.#choose = choose;
    this.element.append(this.#grid);
  }

  /** Show it as games.js has read it; `moves` are those that may be made now. */
  render({ cells, below, dots }, moves, last) {
    this.#resize(cells.length, cells[0].length, below.length);
    this.#grid.classList.toggle("dots", dots);
    for (const [row, line] of this.#rows.entries()) {
      for (const [column, button] of line.entries()) {
        const cell = cells[row][column];
        this.#show(button, cell, moves.includes(cell.move) && !cell.pending);
        button.setAttribute("aria-label", label(row, column, cell, dots));
      }
    }
    for (const [column, button] of this.#below.entries()) {
      const { move, name } = below[column];
      button.dataset.move = move;
      button.classList.toggle("last", move === last);
      button.setAttribute("aria-disabled", String(!moves.includes(move)));
      button.setAttribute("aria-label", name);
    }
  }

  /** Put the focus where it was last, or into the middle. */
  focus() {
    this.#walk.focus();
  }

  #show(button, { move, mark, pending, last, can }, playable) {
    const shown = mark ?? pending;
    button.dataset.move = move;
    button.dataset.mark = mark?.name ?? "";
    if (button.dataset.look !== (shown?.look ?? "")) {
      button.dataset.look = shown?.look ?? "";
      button.replaceChildren(...(shown ? [drawLook(shown)] : []));
    }
    button.classList.toggle("pending", Boolean(pending));
    button.classList.toggle("last", Boolean(last));
    button.classList.toggle("can", Boolean(can));
    button.setAttribute("aria-disabled", String(!playable));
  }

  #resize(rows, columns, below) {
    const size = [rows, columns, below].join();
    if (this.#size === size) return;
    this.#size = size;
    this.element.style.setProperty("--columns", columns);
    const line = (name) => Array.from({ length: columns }, () => this.#button(name));
    this.#rows = Array.from({ length: rows }, () => line("cell"));
    this.#below = below ? line("pop") : [];
    for (const button of this.#below) {
      const arrow = draw("path", { d: "M12 5v13m-5-5 5 5 5-5" });
      button.append(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, arrow));
    }
    const lines = [...this.#rows, this.#below].filter((buttons) => buttons.length);
    this.#grid.replaceChildren(...lines.map(makeRow));
    this.#walk.set(lines);
    this.#walk.place(Math.floor((rows - 1) / 2), Math.floor((columns - 1) / 2));
  }

  #button(name) {
    const button = make("button", { type: "button", class: name });
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "false") this.#choose(button.dataset.move);
    });
    return button;
  }
}

function makeRow(buttons) {
  const inside = buttons.map((button) => make("div", { role: "gridcell" }, button));
  return make("div", { class: "row", role: "row" }, ...inside);
}

/** Where a cell is and what is on it, as words. */
function label(row, column, { mark, last, can }, dots) {
  const place = `Row ${row + 1}, column ${column + 1}: ${mark?.name ?? "empty"}`;
  return place + (last ? ", last move" : "") + (can && dots ? ", can be played" : "");
}

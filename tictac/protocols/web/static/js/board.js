// The board of a game with a grid, drawn as games.js reads it, for mouse, touch and keyboard.

import { draw, make } from "./dom.js";
import { readGrid } from "./games.js";
import { Walk } from "./grid.js";
import { capital, say } from "./texts.js";

const DISC = () => [draw("circle", { cx: "50", cy: "50", r: "42" })];

const LOOKS = {
  x: () => [draw("path", { d: "m16 16 68 68M84 16 16 84", pathLength: "100" })],
  o: () => [draw("circle", { cx: "50", cy: "50", r: "36", pathLength: "100" })],
  red: DISC,
  // With a ring, for who sees no colours.
  yellow: () => [...DISC(), draw("circle", { cx: "50", cy: "50", r: "24" })],
  black: DISC,
  white: DISC,
};

/** A mark of a game (games.js) as a drawing. */
export function drawMark({ look }) {
  const box = { viewBox: "0 0 100 100", class: `mark ${look}`, "aria-hidden": "true" };
  return draw("svg", box, ...(LOOKS[look] ?? DISC)());
}

/** `choose(move)` is called for a move that may be made. `grid` is how a position is read: see games.js. */
export class Board {
  element = make("div", { class: "board" });
  keys;
  tellsMoves = true;
  hasHints = true;
  #grid = make("div", { class: "grid", role: "grid", "aria-label": say("board.name") });
  #lines = draw("svg", { class: "lines", "aria-hidden": "true" });
  #walk = new Walk(this.#grid);
  #choose;
  #cells;
  #rows = [];
  #below = [];
  #size = "";

  constructor(choose, grid) {
    this.#choose = choose;
    this.#cells = grid;
    this.keys = grid.keys ?? "";
    this.element.append(make("div", { class: "frame" }, this.#grid, this.#lines));
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show how it stands. */
  render(table) {
    const { cells, below, lines, dots, heads } = readGrid(this.#cells, table);
    this.element.className = `board ${table.game}${dots ? " dots" : ""}`;
    this.#resize(cells.length, cells[0].length, below.length, heads);
    for (const [row, line] of this.#rows.entries()) {
      for (const [column, button] of line.entries()) {
        const cell = cells[row][column];
        this.#show(button, cell, table.can.includes(cell.move) && !cell.pending, dots);
        // How far a piece falls.
        button.style.setProperty("--row", row + 1);
      }
    }
    for (const [column, button] of this.#below.entries()) {
      const { move, name } = below[column];
      button.dataset.move = move;
      button.classList.toggle("last", move === table.last);
      button.setAttribute("aria-disabled", String(!table.can.includes(move)));
      button.setAttribute("aria-label", name);
    }
    const drawn = lines.map((ends) => draw("line", { ...lengthen(ends), pathLength: "1" }));
    this.#lines.replaceChildren(...drawn);
  }

  /** Put the focus where it was last, or into the middle. */
  focus() {
    this.#walk.focus();
  }

  #show(button, { move, name, mark, pending, last, can, won, best }, playable, dots) {
    const shown = mark ?? pending;
    button.dataset.move = move;
    button.dataset.mark = mark?.name ?? "";
    if (button.dataset.look !== (shown?.look ?? "")) {
      button.dataset.look = shown?.look ?? "";
      button.replaceChildren(...(shown ? [drawMark(shown)] : []));
    }
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

  #resize(rows, columns, below, heads) {
    const size = [rows, columns, below, heads].join();
    if (this.#size === size) return;
    this.#size = size;
    this.element.style.setProperty("--columns", columns);
    this.element.style.setProperty("--rows", rows);
    this.#lines.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
    const line = (name) => Array.from({ length: columns }, () => this.#button(name));
    this.#rows = Array.from({ length: rows }, () => line("cell"));
    this.#below = below ? line("pop") : [];
    for (const button of this.#below) {
      const arrow = draw("path", { d: "M12 5v13m-5-5 5 5 5-5" });
      button.append(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, arrow));
    }
    const lines = [...this.#rows, this.#below].filter((buttons) => buttons.length);
    this.#grid.replaceChildren(...(heads ? [makeHeads(columns)] : []), ...lines.map(makeRow));
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

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key.toLowerCase() === "p") this.#below[this.#walk.column]?.click();
  }
}

function makeHeads(columns) {
  const numbers = Array.from({ length: columns }, (_, column) => String(column + 1));
  const heads = numbers.map((number) => make("div", { role: "columnheader" }, number));
  return make("div", { class: "row", role: "row" }, ...heads);
}

function makeRow(buttons) {
  const inside = buttons.map((button) => make("div", { role: "gridcell" }, button));
  return make("div", { class: "row", role: "row" }, ...inside);
}

/** A line that goes a little beyond the middles of its cells. */
function lengthen([fromColumn, fromRow, toColumn, toRow]) {
  const dx = Math.sign(toColumn - fromColumn) * 0.3;
  const dy = Math.sign(toRow - fromRow) * 0.3;
  return {
    x1: fromColumn + 0.5 - dx,
    y1: fromRow + 0.5 - dy,
    x2: toColumn + 0.5 + dx,
    y2: toRow + 0.5 + dy,
  };
}

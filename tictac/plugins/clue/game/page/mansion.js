// The board of Clue, drawn: rooms with walls and doors, hallways, tokens, and where one may go.

import { pictureOf } from "./cards.js";
import { draw, make, say } from "./page.js";

/**
 * The way to each neighbour of a cell, and the line between them in a path.
 * @type {[dx: number, dy: number, line: string][]}
 */
const SIDES = [
  [0, -1, "h1"],
  [0, 1, "h1"],
  [-1, 0, "v1"],
  [1, 0, "v1"],
];
/** @type {Record<string, [dx: number, dy: number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/**
 * Cells of the map.
 * @typedef {[x: number, y: number, mark: string]} Cell
 * @typedef {[x: number, y: number, width: number, height: number]} Box
 */
/**
 * Where one can go, and what that is called.
 * @typedef {{ box: Box, name: string }} Goal
 * @typedef {Goal & { x: number, y: number }} Room with its middle
 */
/**
 * An element that has buttons alone.
 * @typedef {HTMLElement & { firstChild: HTMLElement | null, children: HTMLCollectionOf<HTMLElement> }} Buttons
 */
/** `choose(move)` is called for a place where the token may go. `rows` is the map, docs/reference/clue.md. */
export class Mansion {
  element = make("div", { class: "mansion" });
  #choose;
  #rows;
  /** @type {Record<string, Room>} */
  #centres = {};
  /** @type {SVGElement[]} */
  #tokens = [];
  /**
   * @type {Buttons}
   * @ts-expect-error it is empty yet */
  #goals = make("div", { class: "goals", role: "group", "aria-label": say("board") });

  /**
   * @param {string[]} rows
   * @param {Record<string, string>} passages from room to room
   * @param {(move: string) => void} choose
   */
  constructor(rows, passages, choose) {
    this.#choose = choose;
    this.#rows = rows;
    const size = rows.length;
    const picture = draw("svg", { viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" });
    this.element.style.setProperty("--cells", size);
    this.element.append(picture, this.#goals);
    picture.append(...this.#drawGround(rows), ...this.#drawCellar(rows));
    const rooms = [...new Set(rows.join(""))].filter((mark) => /[A-Z]/.test(mark));
    for (const room of rooms) picture.append(this.#drawRoom(rows, room, passages[room]));
    this.#tokens = Array.from({ length: 6 }, (_, token) => drawToken(token));
    picture.append(...this.#tokens);
    this.#goals.addEventListener("keydown", (event) => this.#walk(event));
  }

  /**
   * Show where the tokens are, and the moves that lead somewhere.
   * @param {import("./case.js").Position} now
   * @param {string[]} can
   */
  render({ places }, can) {
    /** @type {Record<string, number[]>} */
    const inside = {};
    for (const [token, place] of places.entries()) {
      const room = this.#centres[place];
      if (room) (inside[place] ??= []).push(token);
      else
        this.#put(
          token,
          ...place
            .split(",")
            .map((number) => Number(number) + 0.5)
            .reverse(),
        );
    }
    for (const [room, tokens] of Object.entries(inside)) {
      const { x, y } = this.#centres[room];
      for (const [at, token] of tokens.entries()) this.#put(token, x + 0.95 * (at - (tokens.length - 1) / 2), y + 1.4);
    }
    this.#goals.replaceChildren(...can.map((move) => this.#goal(move)));
    if (this.#goals.firstChild) this.#goals.firstChild.tabIndex = 0;
  }

  /** Put the focus on a place to go to; whether there is one. */
  focus() {
    this.#goals.firstChild?.focus({ preventScroll: true });
    return Boolean(this.#goals.firstChild);
  }

  /**
   * Put a token there.
   * @type {(token: number, ...place: number[]) => void}
   */
  #put(token, x, y) {
    const { style } = this.#tokens[token];
    style.setProperty("--x", x);
    style.setProperty("--y", y);
  }

  /** @param {string} move */
  #goal(move) {
    const place = move.split(" ").slice(1);
    const { box, name } = this.#centres[place[0]] ?? cellOf(this.#rows, ...place.map(Number));
    const [x, y, width, height] = box;
    const kind = place.length > 1 ? "spot" : "spot room";
    const goal = make("button", { type: "button", class: kind, tabIndex: -1, "aria-label": say("goTo", { place: name }) });
    for (const [key, value] of Object.entries({ x, y, width, height })) goal.style.setProperty(`--${key}`, value);
    goal.dataset.move = move;
    goal.addEventListener("click", () => this.#choose(move));
    return goal;
  }

  /**
   * Go to the nearest place in the direction of an arrow.
   * @param {KeyboardEvent} event
   */
  #walk(event) {
    const step = ARROWS[event.key];
    if (!step || event.altKey || event.metaKey) return;
    event.preventDefault();
    /** @ts-expect-error one of the buttons has heard the key */
    const from = centreOf(document.activeElement);
    /** @type {[HTMLElement | null, number]} */
    let [nearest, least] = [null, Infinity];
    for (const goal of this.#goals.children) {
      const [x, y] = centreOf(goal).map((value, axis) => value - from[axis]);
      const [along, across] = [x * step[0] + y * step[1], Math.abs(x * step[1]) + Math.abs(y * step[0])];
      if (along > 0 && along + 2 * across < least) [nearest, least] = [goal, along + 2 * across];
    }
    if (!nearest) return;
    /** @ts-expect-error as above */
    document.activeElement.tabIndex = -1;
    nearest.tabIndex = 0;
    nearest.focus();
  }

  /** @param {string[]} rows */
  #drawGround(rows) {
    return cellsOf(rows, /[-a-z\d]/).map(([x, y, mark]) => {
      const kind = mark === "-" ? "hall" : /\d/.test(mark) ? `hall start token-${mark}` : "hall doorway";
      return draw("rect", { class: kind, x: x + 0.03, y: y + 0.03, width: 0.94, height: 0.94, rx: 0.12 });
    });
  }

  /**
   * @param {string[]} rows
   * @param {string} room
   * @param {string} [passage] where it leads
   */
  #drawRoom(rows, room, passage) {
    const cells = cellsOf(rows, room);
    const door = room.toLowerCase();
    /** @type {string[][]} */
    const [floor, walls, doors] = [[], [], []];
    for (const [x, y] of cells) {
      floor.push(`M${x} ${y}h1v1h-1z`);
      for (const [dx, dy, side] of SIDES) {
        const near = rows[y + dy]?.[x + dx];
        /** @ts-expect-error true is 1 */
        const line = `M${x + (dx > 0)} ${y + (dy > 0)}${side}`;
        if (near !== room) (near === door ? doors : walls).push(line);
      }
    }
    const [xs, ys] = [cells.map(([x]) => x), cells.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const name = say(`cards.${room}`);
    /** @type {Box} */
    const box = [left, top, Math.max(...xs) + 1 - left, Math.max(...ys) + 1 - top];
    const words = capital(name).split(" ");
    const [x, y] = [average(xs) + 0.5, average(ys) + 0.5];
    const size = Math.min(0.5 * box[2], 0.42 * box[3]);
    const least = top + (passage && top < rows.length / 2 ? 1.55 : 0.95);
    const first = Math.max(least, y - size / 2 - 0.95 * words.length + 0.45);
    this.#centres[room] = { x, y, box, name: say("room", { room: name }) };
    const longest = Math.max(...words.map(({ length }) => length));
    const letters = Math.min(0.8, (1.5 * box[2]) / longest);
    /** @type {SVGElement[]} */
    const lines = words.map((word, at) => draw("text", { class: "name", x, y: first + 0.85 * at, "font-size": letters }, word));
    const rug = draw("rect", { class: "rug", x: x - 0.6 * size, y: y - 0.4 * size, width: 1.2 * size, height: 1.1 * size, rx: 0.3 });
    lines.push(rug, draw("image", { href: pictureOf(room), x: x - size / 2, y: y - 0.35 * size, width: size, height: size }));
    if (passage) {
      const way = say("passage", { room: say(`cards.${passage}`) });
      const isAbove = top < rows.length / 2;
      // In the middle of its own row, which may be shorter than the room is wide.
      const row = cells.filter(([, at]) => at === (isAbove ? top : Math.max(...ys))).map(([at]) => at);
      const place = { class: "way", x: average(row) + 0.5, y: box[1] + (isAbove ? 0.75 : box[3] - 0.3) };
      lines.push(draw("text", place, way));
    }
    /** @type {[kind: string, path: string[]][]} */
    const paths = [
      ["floor", floor],
      ["wall", walls],
      ["door", doors],
    ];
    return draw(
      "g",
      { class: `room room-${room}` },
      ...paths.map(([kind, path]) => draw("path", { class: kind, d: path.join("") })),
      ...lines,
    );
  }

  /**
   * What lies in the middle, where nobody goes: the envelope.
   * @param {string[]} rows
   */
  #drawCellar(rows) {
    const cells = cellsOf(rows, /\./).filter(([x, y]) => isWithin(rows, x, y));
    const [xs, ys] = [cells.map(([x]) => x), cells.map(([, y]) => y)];
    const [x, y] = cells.length ? [average(xs) + 0.5, average(ys) + 0.5] : [12.5, 12.5];
    return [
      draw(
        "g",
        { class: "envelope", transform: `translate(${x} ${y}) rotate(-5)` },
        draw("rect", { x: -2.5, y: -1.7, width: 5, height: 3.4, rx: 0.25 }),
        draw("path", { d: "m-2.500-1.500 2.500 2 2.500-2" }),
        draw("circle", { cy: 0.35, r: 0.55 }),
      ),
    ];
  }
}

/**
 * The board as a small picture, with the tokens at these places.
 * @param {string[]} rows
 * @param {string[]} places
 */
export function drawSmall(rows, places) {
  /** @param {Cell[]} cells */
  const path = (cells) => cells.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join("");
  const ground = [
    ["wall", /[A-Z]/],
    ["floor", /[A-Z]/],
    ["door", /[a-z]/],
    /** @ts-expect-error each has a kind, and the marks that are drawn so */
  ].map(([kind, mark]) => draw("path", { class: kind, d: path(cellsOf(rows, mark)) }));
  const tokens = places.map((place, token) => {
    /** @type {any[][]} columns, rows, and marks */
    const inside = /^[A-Z]$/.test(place) ? cellsOf(rows, place) : [];
    const [y, x] = inside.length ? [1, 0].map((axis) => average(inside.map((cell) => cell[axis]))) : place.split(",").map(Number);
    // Several in a room stand side by side.
    const there = [...places.keys()].filter((each) => places[each] === place);
    const beside = inside.length ? 1.5 * (there.indexOf(token) - (there.length - 1) / 2) : 0;
    return draw("circle", { class: `token token-${token}`, cx: x + 0.5 + beside, cy: y + 0.5, r: 1.1 });
  });
  const size = rows.length;
  return draw("svg", { class: "mini clue-mini", viewBox: `-1 -1 ${size + 2} ${size + 2}`, "aria-hidden": "true" }, ...ground, ...tokens);
}

/**
 * A token as it stands on the board.
 * @param {number} token
 */
function drawToken(token) {
  const name = draw("text", { y: 0.4 }, say(`short.${token}`));
  const shadow = draw("ellipse", { class: "shadow", cy: 0.5, rx: 0.6, ry: 0.18 });
  const pawn = draw("path", { d: "M-.6.54C-.6 0-.3-.06-.27-.18a.36.36 0 1 1 .54 0C.3-.06.6 0 .6.54Z" });
  return draw("g", { class: `token token-${token}` }, shadow, pawn, name);
}

/** @param {string} words */
const capital = (words) => words[0].toUpperCase() + words.slice(1);

/**
 * A cell to go to.
 * @type {(rows: string[], ...place: number[]) => Goal}
 */
function cellOf(rows, down, right) {
  return { box: [right, down, 1, 1], name: nameCell(rows, down, right) };
}

/**
 * What a cell of the hallway is called: how many steps lead to the two nearest rooms.
 * @type {(rows: string[], ...place: number[]) => string}
 */
export function nameCell(rows, down, right) {
  /** @type {Map<string, number>} */
  const near = new Map();
  /** @type {Set<string>} */
  const seen = new Set();
  let edge = [[right, down]];
  for (let steps = 1; edge.length && near.size < 2; steps++) {
    const next = [];
    for (const [x, y] of edge) {
      const mark = rows[y]?.[x] ?? "";
      const isStart = steps === 1 && /\d/.test(mark); // no way leads over one
      if (seen.has(`${x},${y}`) || !(isStart || /[-a-z]/.test(mark))) continue;
      seen.add(`${x},${y}`);
      const room = mark.toUpperCase();
      if (/[A-Z]/.test(room) && !near.has(room)) near.set(room, steps);
      next.push(...SIDES.map(([dx, dy]) => [x + dx, y + dy]));
    }
    edge = next;
  }
  const parts = [...near].slice(0, 2).map(([room, count]) => say("steps", { count, room: say("room", { room: say(`cards.${room}`) }) }));
  return say("cell", { steps: parts.join(", ") });
}

/**
 * The cells with that mark, or one of several.
 * @param {string[]} rows
 * @param {RegExp | (string & { test?: undefined })} marks
 */
function cellsOf(rows, marks) {
  /** @type {Cell[]} */
  const all = rows.flatMap((row, y) => [...row].map((mark, x) => [x, y, mark]));
  return all.filter(([, , mark]) => (marks.test ? marks.test(mark) : marks === mark));
}

/**
 * Whether a cell has something on each of its four sides.
 * @param {string[]} rows
 * @param {number} x
 * @param {number} y
 */
function isWithin(rows, x, y) {
  const column = rows.map((row) => row[x]);
  const sides = [rows[y].slice(0, x), rows[y].slice(x), column.slice(0, y), column.slice(y)];
  return sides.every((side) => [...side].some((mark) => mark !== "."));
}

/**
 * The middle of a button, in cells.
 * @param {HTMLElement} goal
 */
function centreOf(goal) {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => Number(goal.style.getPropertyValue(`--${key}`)));
  return [x + width / 2, y + height / 2];
}

/** @param {number[]} numbers */
function average(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

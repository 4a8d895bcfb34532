// Nim: heaps of pebbles to choose by mouse, touch and keyboard, and a button that takes them.

import { announce, draw, make, markField, say, Walk } from "./page.js";

/** Pebbles of a heap that are drawn one by one; of more only the number is shown. */
const DRAWN = 40;

/** Pebbles of a heap that have room in a small picture. */
const SHOWN = 12;

/** So many pebbles stand side by side, at least and at most. */
const [FEWEST, BESIDE] = [5, 10];

/** So many steps back are tried to find out how it began. */
const PATIENCE = 5000;

/** Three pebbles: the outline, the shade below it, and veins or specks, by their paths. */
const SHAPES = [
  [
    "M5 25C4 12 17 4 31 5c14 0 25 8 25 20 0 11-10 17-25 17S6 36 5 25Z",
    "M5 25c1 11 11 17 26 17s25-6 25-17c-3 8-12 11-25 11S8 33 5 25Z",
    "M20 33c6-9 14-13 27-15",
  ],
  [
    "M4 29C3 19 10 9 24 6c16-3 31 6 32 19 1 12-9 17-24 17S5 39 4 29Z",
    "M4 29c1 10 13 13 28 13s25-5 24-17c-4 8-13 10-24 11-12 0-24 0-28-7Z",
    "M34 8c-4 8-4 20 2 32",
  ],
  [
    "M6 23C8 11 20 7 33 5c13-1 22 9 22 21 0 11-12 16-26 16S4 35 6 23Z",
    "M6 23c-2 12 9 19 23 19s26-5 26-16c-5 8-14 10-26 10S8 32 6 23Z",
    "M40 17h.1M45 25h.1M36 25h.1M22 29h.1",
  ],
];

/**
 * A move: so many from a heap, counted from 0.
 * @typedef {{ heap: number, amount: number }} Taking
 */
/**
 * A heap: what is left of it, and what it had at the start.
 * @typedef {[left: number, most: number]} Row
 */
/**
 * A heap as it is drawn: its pebbles, and dents where some were.
 * @typedef {{ element: HTMLElement, pieces: HTMLElement[], dents: HTMLElement[], left: number }} Heap
 */
/**
 * An entry of the record of the moves (table.js).
 * @typedef {[n: number, what: "moved", seat: number, move: string, before?: string | null]
 *   | [n: number, what: "undone", seat: number, count: number]} Recorded
 */
/** @typedef {{ record: Recorded[], options: { numbers?: number, largest?: number }, position: string }} Told what happened up to a move */
/** `choose(move)` is called for a move that may be made. What is to be taken is in the form. */
export default class Heaps {
  static sound = "take";
  static isNeverDrawn = true;
  /** How to play, in three pictures and three tips. */
  static guide = {
    steps: ["0:3,5,4,6", "1:3,5,1,6", "0:1"].map((position, at) => ({
      position,
      title: say(`guide.steps.${at + 1}.title`),
      text: say(`guide.steps.${at + 1}.text`),
    })),
    tips: [1, 2, 3].map((at) => say(`guide.tips.${at}`)),
  };
  element;
  keys = say("keys");
  #choose;
  #grid = make("div", { class: "heaps", role: "grid", "aria-label": say("heaps") });
  #empty = make("p", { class: "empty", hidden: true }, say("empty"));
  #walk = new Walk(this.#grid);
  #heap = make("select", { id: "nim-heap" });
  #amount = make("input", {
    id: "nim-amount",
    type: "number",
    inputMode: "numeric",
    min: 1,
    step: 1,
    autocomplete: "off",
    "aria-describedby": "nim-amount-error",
  });
  #form;
  #button = make("button", { id: "nim-take" });
  /** @type {Heap[]} */
  #lines = [];
  /** @type {number[]} */
  #heaps = [];
  /**
   * In which place each of them is, from 0: it had that at the start, and is called by it.
   * @type {number[]}
   */
  #places = [];
  #position = "";
  #rows = "";
  #playable = false;

  /**
   * A move in words: the heap by its place at the start, if it is told what was made before.
   * @param {string} move
   * @param {string | null} [before]
   * @param {Told} [told]
   */
  static say(move, before, told) {
    const { heap, amount } = readTake(move);
    return say("move", { amount, heap: 1 + ((told && placeOf(heap, before, told)) ?? heap) });
  }

  /**
   * A position as a small picture: so many heaps, and pebbles of each, as have room.
   * @param {string} position
   */
  static mini(position) {
    const heaps = readHeaps(position).slice(0, 6);
    const most = Math.max(7, Math.min(SHOWN, ...(heaps.length ? [Math.max(...heaps)] : [])));
    const [width, height] = [11 * most + 10, 15 * Math.max(4, heaps.length) + 10];
    const pebbles = heaps.flatMap((left, row) =>
      Array.from({ length: Math.min(left, most) }, (_, at) =>
        draw("ellipse", { class: `pebble tone-${(row + at) % 3}`, cx: 11 * at + 11, cy: 15 * row + 13, rx: 4.6, ry: 3.9 }),
      ),
    );
    const tray = draw("rect", { class: "tray", x: 0.8, y: 0.8, width: width - 1.6, height: height - 1.6, rx: 7.5 });
    return draw("svg", { class: "mini", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, tray, ...pebbles);
  }

  /** @param {(move: string) => void} choose */
  constructor(choose) {
    this.#choose = choose;
    /**
     * @param {string} label
     * @param {HTMLElement} input
     */
    const choice = (label, input) => make("div", {}, make("label", { htmlFor: input.id }, label), input);
    const fields = [choice(say("heap"), this.#heap), choice(say("take"), this.#amount), this.#button];
    const error = make("p", { class: "error", id: "nim-amount-error", hidden: true });
    const form = (this.#form = make("form", { noValidate: true }, make("div", { class: "choices" }, ...fields), error));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take();
    });
    form.addEventListener("input", () => this.#changed());
    this.#grid.addEventListener("keydown", ({ key }) => /^Arrow/.test(key) && this.#walked());
    this.element = make("div", { class: "nim" }, make("div", { class: "tray" }, this.#grid, this.#empty), form);
  }

  /**
   * Show how it stands.
   * @param {Standing} table
   */
  render({ position, record, options, last, isMyTurn, isPlaying, result }) {
    const heaps = readHeaps(position);
    const rows = rowsSince(heaps, record ?? [], options ?? {});
    const hadFocus = this.#grid.contains(document.activeElement);
    const isNew = last && this.#position && position !== this.#position;
    if (position !== this.#position || String(rows) !== this.#rows) this.#build(rows, isNew ? readTake(last).amount : 0);
    this.#position = position;
    this.#rows = String(rows);
    this.#heaps = heaps;
    this.#playable = isMyTurn && !result;
    this.#form.hidden = !isPlaying;
    this.element.classList.toggle(
      "large",
      heaps.some((left) => left > DRAWN),
    );
    this.#mark();
    if (hadFocus && !this.#grid.contains(document.activeElement)) this.focus();
  }

  /** Put the focus where it was last, or into the form. */
  focus() {
    if (!this.#walk.focus()) this.#amount.focus();
  }

  /**
   * Lay the heaps out, each in the place that it had at the start; so many pebbles were `taken` just now.
   * @param {Row[]} rows
   * @param {number} taken
   */
  #build(rows, taken) {
    const before = this.#lines;
    this.#places = placesLeft(rows.map(([left]) => left));
    this.#lines = rows.map(([left, most], place) => this.#makeLine(this.#places.indexOf(place), place, left, most));
    for (const [at, { left, dents }] of this.#lines.entries()) {
      const isHere = before.length === rows.length && before[at].left === left + taken;
      for (const dent of dents.slice(0, isHere ? taken : 0)) dent.classList.add("fresh");
    }
    const widest = Math.max(FEWEST, ...rows.map(([, most]) => Math.min(most, BESIDE)));
    this.#grid.style.setProperty("--most", widest);
    this.#grid.style.setProperty("--heaps", Math.max(3, rows.length));
    this.#grid.replaceChildren(...this.#lines.map(({ element }) => element));
    this.#grid.ariaHidden = this.#places.length ? null : "true";
    this.#empty.hidden = this.#places.length > 0;
    this.#walk.set(this.#lines.map(({ pieces }) => pieces));
    const choices = this.#places.map((place, heap) =>
      make("option", { value: heap }, say("choice", { heap: place + 1, left: rows[place][0] })),
    );
    this.#heap.replaceChildren(...choices);
    this.#amount.value = "";
  }

  /**
   * A heap by its number among those that are left, from 0, and its place.
   * @param {number} heap
   * @param {number} place
   * @param {number} left
   * @param {number} most
   * @returns {Heap}
   */
  #makeLine(heap, place, left, most) {
    const pieces = Array.from({ length: left > DRAWN ? 0 : left }, (_, at) => {
      const values = { heap: place + 1, piece: at + 1, left, amount: left - at };
      const tone = (place + at + (at >> 1)) % 3;
      const piece = make(
        "button",
        { type: "button", class: `stone tone-${tone}`, "aria-label": say("piece", values) },
        drawPebble((at + place) % 3),
      );
      piece.dataset.move = `${heap}:${left - at}`;
      piece.addEventListener("click", () => this.#chosen(heap, left - at));
      return piece;
    });
    const dents = Array.from({ length: most > DRAWN ? 0 : most - left }, () => make("i", { class: "dent" }));
    const hollow = make("div", { class: "dents", "aria-hidden": "true" }, ...dents);
    const name = say("numbered", { heap: place + 1 });
    const head = make("div", left ? { role: "rowheader" } : {}, make("b", {}, String(left)), ` ${name}`);
    const cells = pieces.map((piece) => make("div", { role: "gridcell" }, piece));
    const kind = left ? { class: "heap", role: "row" } : { class: "heap gone", "aria-hidden": "true" };
    return { element: make("div", kind, head, ...cells, hollow), pieces, dents, left };
  }

  /** Show what is chosen, and whether it can be taken. */
  #mark() {
    const [heap, amount] = [Number(this.#heap.value), Number(this.#amount.value)];
    for (const [at, { pieces }] of this.#lines.filter(({ left }) => left).entries()) {
      for (const [number, piece] of pieces.entries()) {
        const isChosen = at === heap && amount > 0 && number >= pieces.length - amount;
        piece.classList.toggle("chosen", isChosen);
        piece.setAttribute("aria-pressed", String(isChosen));
        piece.setAttribute("aria-disabled", String(!this.#playable));
      }
    }
    this.#button.setAttribute("aria-disabled", String(!this.#playable));
    this.#button.className = this.#amount.value ? "main" : "quiet";
    this.#button.textContent = this.#amount.value ? say("takeFrom", { amount, heap: this.#places[heap] + 1 }) : say("choose");
  }

  /**
   * So many pebbles of a heap were pointed at: a second time, they are taken.
   * @param {number} heap
   * @param {number} amount
   */
  #chosen(heap, amount) {
    if (!this.#playable) return;
    const again = this.#heap.value === String(heap) && this.#amount.value === String(amount);
    if (again) return this.#take();
    this.#choosePebbles(heap, amount);
    announce(say("sure", { amount, heap: this.#places[heap] + 1 }));
  }

  /** The keyboard has come to a pebble: its label says what that means, and Enter takes. */
  #walked() {
    /** @ts-expect-error a pebble has the focus */
    const { move } = document.activeElement.dataset;
    if (!move || !this.#playable) return;
    const { heap, amount } = readTake(move);
    this.#choosePebbles(heap, amount);
  }

  /**
   * @param {number} heap
   * @param {number} amount
   */
  #choosePebbles(heap, amount) {
    /** @ts-expect-error the field makes a text of the number */
    this.#heap.value = heap;
    /** @ts-expect-error as above */
    this.#amount.value = amount;
    this.#changed();
  }

  #changed() {
    markField(this.#amount, "");
    this.#mark();
  }

  #take() {
    if (!this.#playable) return;
    if (!this.#amount.value) return this.focus();
    const [heap, amount] = [Number(this.#heap.value), Number(this.#amount.value)];
    const left = this.#heaps[heap];
    const fits = Number.isInteger(amount) && 1 <= amount && amount <= left;
    markField(this.#amount, fits ? "" : say("wrong", { heap: this.#places[heap] + 1, left }));
    if (!fits) return this.#amount.focus();
    this.#choose(`${heap}:${amount}`);
  }
}

/**
 * Read a move.
 * @param {string} move
 * @returns {Taking}
 */
function readTake(move) {
  const [heap, amount] = move.split(":").map(Number);
  return { heap, amount };
}

/**
 * The heaps of a position.
 * @param {string} position
 */
function readHeaps(position) {
  return position.split(":")[1].split(",").filter(Boolean).map(Number);
}

/**
 * The places of the heaps that are left.
 * @param {number[]} heaps all heaps, with those that are gone
 */
function placesLeft(heaps) {
  return heaps.flatMap((left, place) => (left ? [place] : []));
}

/**
 * The place of the heap of the last move; undefined, if that can't be found out.
 * @param {number} heap its number among those that were left
 * @param {string | null | undefined} before
 * @param {Told} told
 */
function placeOf(heap, before, { record, options, position }) {
  const earlier = record.slice(0, -1);
  if (before) return placesLeft(rowsSince(readHeaps(before), earlier, options).map(([left]) => left))[heap];
  const heaps = rowsSince(readHeaps(position), record, options).map(([, most]) => most);
  for (const taking of takingsIn(earlier)) heaps[placesLeft(heaps)[taking.heap]] -= taking.amount;
  return placesLeft(heaps)[heap];
}

/**
 * The moves that weren't taken back, with so many heaps before each; 0: that wasn't seen.
 * @param {Recorded[]} record
 */
function takingsIn(record) {
  /** @type {(Taking & { count: number })[]} */
  const made = [];
  for (const [, what, , move, before] of record) {
    if (what === "undone") made.length -= Math.min(made.length, move);
    if (what === "moved") made.push({ ...readTake(move), count: before ? readHeaps(before).length : 0 });
  }
  return made;
}

/**
 * A pebble, by the number of its shape.
 * @param {number} number
 */
function drawPebble(number) {
  const [outline, shade, vein] = SHAPES[number];
  return draw(
    "svg",
    { viewBox: "0 0 60 48", "aria-hidden": "true" },
    draw("ellipse", { class: "shadow", cx: 30.5, cy: 41, rx: 24.5, ry: 5.5 }),
    draw("path", { fill: "currentColor", d: outline }),
    draw("path", { class: "shadow", d: shade }),
    draw("path", { class: "vein", d: "M14 18c3-4.500 9-7 16-7.500", "stroke-width": 4 }),
    draw("path", { class: "vein", d: vein, "stroke-width": number === 2 ? 3.2 : 2 }),
  );
}

/**
 * The heaps in their places, those that are gone, too: what is left of each, and what it had at the start. The server
 * lists only what is left, so the moves are taken back, until it is as many heaps, and as large ones, as the `options` say.
 * Where it isn't seen whether a heap has gone, several starts may fit: this is one of them.
 * @param {number[]} heaps
 * @param {Recorded[]} record
 * @param {{ numbers?: number, largest?: number }} options
 * @returns {Row[]}
 */
function rowsSince(heaps, record, { numbers = 0, largest = Infinity }) {
  const made = takingsIn(record);
  let patience = PATIENCE;
  /**
   * What it was before the moves up to that one; null: that can't be.
   * @type {(rows: Row[], at: number) => Row[] | null}
   */
  const back = (rows, at) => {
    if (rows.some(([, most]) => most > largest) || patience-- < 0) return null;
    if (at < 0) return rows.length >= 3 && (!numbers || rows.length === numbers) ? rows : null;
    const { heap, amount, count } = made[at];
    /** @type {Row[]} */
    const stayed = rows.map(([left, most], row) => [left, row === heap ? most + amount : most]);
    const went = rows.toSpliced(heap, 0, [0, amount]);
    const mayStay = heap < rows.length && (!count || count === rows.length);
    const mayGo = heap <= rows.length && (!count || count > rows.length);
    return (mayStay && back(stayed, at - 1)) || (mayGo && back(went, at - 1)) || null;
  };
  /** @type {Row[]} */
  const now = heaps.map((left) => [left, left]);
  return back(now, made.length - 1) ?? now;
}

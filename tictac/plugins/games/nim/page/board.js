// Nim: heaps of pieces to choose by mouse, touch and keyboard, and a form that takes from them.

import { announce, draw, make, markField, say, Walk } from "./page.js";

/** Pieces of a heap that are drawn one by one; of more only the number is shown. */
const DRAWN = 40;

/** Pieces of a heap that have room in a small picture. */
const SHOWN = 12;

/** `choose(move)` is called for a move that may be made. What is to be taken is in the form. */
export default class Heaps {
  static sound = "take";
  /** How to play, in three pictures and three tips. */
  static guide = {
    steps: ["0:3,5,4,6", "1:3,5,1,6", "0:1"].map((position, at) => (
      { position, title: say(`guide.steps.${at + 1}.title`), text: say(`guide.steps.${at + 1}.text`) }
    )),
    tips: [1, 2, 3].map((at) => say(`guide.tips.${at}`)),
  };
  element;
  keys = say("keys");
  #choose;
  #grid = make("div", { class: "heaps", role: "grid", "aria-label": say("heaps") });
  #empty = make("p", { class: "card position", hidden: true }, say("empty"));
  #walk = new Walk(this.#grid);
  #heap = make("select", { id: "nim-heap" });
  #amount = make("input", {
    id: "nim-amount", type: "number", inputMode: "numeric", min: 1, step: 1, autocomplete: "off",
    "aria-describedby": "nim-amount-error",
  });
  #form;
  #button = make("button", { class: "main", id: "nim-take" }, say("take"));
  #lines = [];
  #heaps = [];
  #position = "";
  #playable = false;

  /** A move in words. */
  static say(move) {
    const { heap, amount } = readTake(move);
    return say("move", { amount, heap: heap + 1 });
  }

  /** A position as a small picture: so many heaps, and pebbles of each, as have room. */
  static mini(position) {
    const heaps = readHeaps(position).slice(0, 6);
    const most = Math.max(7, Math.min(SHOWN, ...heaps.length ? [Math.max(...heaps)] : []));
    const [width, height] = [11 * most + 10, 15 * Math.max(4, heaps.length) + 10];
    const pebbles = heaps.flatMap((left, row) => Array.from({ length: Math.min(left, most) }, (_, at) =>
      draw("ellipse", { class: "pebble", cx: 11 * at + 11, cy: 15 * row + 13, rx: 4.6, ry: 3.9 })));
    const tray = draw("rect", { class: "tray", x: 0.8, y: 0.8, width: width - 1.6, height: height - 1.6, rx: 7.5 });
    return draw("svg", { class: "mini", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, tray, ...pebbles);
  }

  constructor(choose) {
    this.#choose = choose;
    const choice = (label, input) => make("div", {}, make("label", { htmlFor: input.id }, label), input);
    const fields = [choice(say("heap"), this.#heap), choice(say("take"), this.#amount), this.#button];
    const error = make("p", { class: "error", id: "nim-amount-error", hidden: true });
    const form = (this.#form = make("form", { noValidate: true }, make("div", { class: "choices" }, ...fields), error));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take();
    });
    form.addEventListener("input", () => this.#changed());
    this.element = make("div", { class: "nim" }, this.#grid, this.#empty, form);
  }

  /** Show how it stands. */
  render({ position, before, last, isMyTurn, isPlaying, result }) {
    const heaps = readHeaps(position);
    const taken = last ? readTake(last) : null;
    // Of a heap that is gone the others know nothing: then there is no place for what was taken.
    const ghosts = before && readHeaps(before).length === heaps.length ? taken : null;
    const hadFocus = this.#grid.contains(document.activeElement);
    const isNew = ghosts && position !== this.#position;
    this.#position = position;
    if (heaps.join() !== this.#heaps.join()) this.#build(heaps);
    this.#heaps = heaps;
    this.#playable = isMyTurn && !result;
    this.#form.hidden = !isPlaying;
    this.element.classList.toggle("large", heaps.some((left) => left > DRAWN));
    for (const [at, { ghosts: place }] of this.#lines.entries()) {
      const count = ghosts?.heap === at && ghosts.amount + heaps[at] <= DRAWN ? ghosts.amount : 0;
      if (!isNew && place.childElementCount === count) continue;
      place.classList.toggle("fresh", Boolean(isNew));
      place.replaceChildren(...Array.from({ length: count }, () => make("span")));
    }
    this.#mark();
    if (hadFocus && !this.#grid.contains(document.activeElement)) this.focus();
  }

  /** Put the focus where it was last, or into the form. */
  focus() {
    if (!this.#walk.focus()) this.#amount.focus();
  }

  #build(heaps) {
    this.#lines = heaps.map((left, heap) => this.#makeLine(heap, left));
    this.#grid.replaceChildren(...this.#lines.map(({ element }) => element));
    this.#grid.hidden = !heaps.length;
    this.#empty.hidden = heaps.length > 0;
    this.#walk.set(this.#lines.map(({ pieces }) => pieces));
    const choices = heaps.map((left, at) =>
      make("option", { value: at }, say("choice", { heap: at + 1, left })),
    );
    this.#heap.replaceChildren(...choices);
    this.#amount.value = "";
  }

  #makeLine(heap, left) {
    const pieces = Array.from({ length: left > DRAWN ? 0 : left }, (_, at) => {
      const values = { heap: heap + 1, piece: at + 1, left, amount: left - at };
      const label = say("piece", values);
      const piece = make("button", { type: "button", class: "stone", "aria-label": label });
      piece.addEventListener("click", () => this.#chosen(heap, left - at));
      return piece;
    });
    const ghosts = make("span", { class: "ghosts", "aria-hidden": "true" });
    const name = say("numbered", { heap: heap + 1 });
    const head = make("div", { role: "rowheader" }, `${name} `, make("b", {}, String(left)));
    const cells = pieces.map((piece) => make("div", { role: "gridcell" }, piece));
    return { element: make("div", { class: "heap", role: "row" }, head, ...cells, ghosts), ghosts, pieces };
  }

  /** Show what is chosen, and whether it can be taken. */
  #mark() {
    const [heap, amount] = [Number(this.#heap.value), Number(this.#amount.value)];
    for (const [at, { pieces }] of this.#lines.entries()) {
      for (const [number, piece] of pieces.entries()) {
        const isChosen = at === heap && amount > 0 && number >= pieces.length - amount;
        piece.classList.toggle("chosen", isChosen);
        piece.setAttribute("aria-pressed", String(isChosen));
        piece.setAttribute("aria-disabled", String(!this.#playable));
      }
    }
    this.#button.setAttribute("aria-disabled", String(!this.#playable));
    this.#button.textContent = this.#amount.value
      ? say("takeFrom", { amount, heap: heap + 1 })
      : say("take");
  }

  #chosen(heap, amount) {
    if (!this.#playable) return;
    const again = this.#heap.value === String(heap) && this.#amount.value === String(amount);
    if (again) return this.#take();
    this.#heap.value = heap;
    this.#amount.value = amount;
    this.#changed();
    announce(say("sure", { amount, heap: heap + 1 }));
  }

  #changed() {
    markField(this.#amount, "");
    this.#mark();
  }

  #take() {
    if (!this.#playable) return;
    const [heap, amount] = [Number(this.#heap.value), Number(this.#amount.value)];
    const left = this.#heaps[heap];
    const fits = Number.isInteger(amount) && 1 <= amount && amount <= left;
    markField(this.#amount, fits ? "" : say("wrong", { heap: heap + 1, left }));
    if (!fits) return this.#amount.focus();
    this.#choose(`${heap}:${amount}`);
  }
}

/** A move: so many from a heap, counted from 0. */
function readTake(move) {
  const [heap, amount] = move.split(":").map(Number);
  return { heap, amount };
}

/** The heaps of a position. */
function readHeaps(position) {
  return position.split(":")[1].split(",").filter(Boolean).map(Number);
}

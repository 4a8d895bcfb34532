// A game without a board: dice, cards, or ships. What lies on the table is drawn from the notes of a position (tables.py);
// a move is a card, cards that are chosen together, dice, a cell of the sea, or a word on a button.

import { cardsIn, drawCard, drawSuit, nameOf, signOf, sorted } from "./cards.js";
import { Felt, minis } from "./felts.js";
import { announce, make, say, translate, Walk } from "./page.js";
import { firstOf, sayEnd } from "./scene.js";

/** Games in which the ace is the lowest card. */
const LOW = ["ginrummy", "cribbage"];

/** The cards in a line of a hand of up to two lines; more cards are smaller. */
const WIDE = 7;

/** Games in which a hand that has one line can grow to two. */
const GROWING = ["crazyeights"];

/**
 * Steps that stand on cards, dice, or cells, and not on buttons.
 * @param {string} move
 */
const isCards = (move) => /^(?:[A2-9TJQK][scdh])+$/.test(move);

/**
 * Read a position: what is to be done, and the notes, each with its values.
 * @param {string} position
 * @returns {Spiel.Notes}
 */
function readTable(position) {
  const [doing, , ...words] = position.split(" ");
  const notes = words.map((word) => {
    const [, name, value] = /** @type {string[]} */ (/^(\w+)=(.*)$/.exec(word));
    return [name, value.split(",")];
  });
  return { doing, ...Object.fromEntries(notes) };
}

/**
 * The board of a game without a board.
 * @param {string} name
 * @param {Spiel.Parts} parts
 */
export function tableFor(name, parts) {
  return class extends TableBoard {
    static hasSecrets = !["pig", "yacht"].includes(name);
    static guide = { tips: parts.rules.map(translate) };
    static sound = "place";
    static why = sayEnd;
    static first = firstOf;

    /**
     * A move in words.
     * @param {string} move
     */
    static say(move) {
      const [made, rolled] = move.split(" | ");
      if (name === "pig" && rolled) return say("rolled", { number: Number(rolled) + 1 });
      if (isCards(made)) return cardsIn(made).map(signOf).join(" ");
      return sayStep(made);
    }

    /**
     * A position as a small picture.
     * @param {string} position
     */
    static mini(position) {
      return minis(readTable(position), parts.name);
    }

    /**
     * What a seat has besides its cards.
     * @param {string} position
     * @param {number} seat
     */
    static beside(position, seat) {
      return besideOf(readTable(position), seat);
    }

    /** @param {(move: string) => void} choose */
    constructor(choose) {
      super(choose, name);
    }
  };
}

/**
 * @param {Spiel.Notes} table
 * @param {number} seat
 */
function besideOf(table, seat) {
  const said = [
    ["hand", "holds"],
    ["points", "points"],
    ["score", "points"],
    ["bids", "bid"],
    ["taken", "won"],
    ["chips", "chips"],
  ].flatMap(([note, key]) => {
    const value = table[note]?.[seat];
    // Of a trick, all hold as many.
    if (value === undefined || !/^-?\d+$/.test(value) || (note === "hand" && table.trick)) return [];
    return [say(key, { count: Number(value) })];
  });
  return said.length ? make("span", { class: "spiel-beside" }, said.join(" · ")) : null;
}

/**
 * A step that isn't a card, in words.
 * @param {string} step
 */
function sayStep(step) {
  const [word, ...rest] = step.split(" ");
  if (/^\d+$/.test(step)) return say("bid", { count: Number(step) });
  if (word === "roll" && rest.length) return say("rollDice", { dice: [...rest[0]].join(", ") });
  if (word === "suit") return say("callSuit", { suit: say(`suits.${rest[0]}`) });
  if (/^[a-j]\d+[hv]?$/.test(step)) return step.replace(/h$/, " →").replace(/v$/, " ↓");
  return say(`steps.${step.replace(" ", "-")}`);
}

class TableBoard {
  element = make("div", { class: "spiel spiel-table", tabIndex: -1 });
  keys = say("keys.table");
  tellsMoves = false;
  hasHints = false;
  #name;
  #choose;
  /** @type {Standing} */
  #table = /** @type {any} */ (null);
  /** @type {string[]} */
  #picked = [];
  #felt;
  #hand = make("div", { class: "spiel-hand", role: "group" });
  #walk = new Walk(this.element);
  #choices = make("div", { class: "spiel-choices", role: "group", "aria-label": say("choices") });
  /** @type {Map<string, HTMLElement>} */
  #buttons = new Map();
  #lines = 1;
  #hasTurns = false;

  /**
   * @param {(move: string) => void} choose
   * @param {string} name
   */
  constructor(choose, name) {
    this.#choose = choose;
    this.#name = name;
    if (GROWING.includes(name)) this.#lines = 2;
    this.#felt = new Felt(name, (step) => this.#step(step));
    this.element.classList.add(`spiel-${name}`);
    // What one plays with stays in sight on a phone.
    this.element.append(this.#felt.element, make("div", { class: "spiel-own" }, this.#hand, this.#choices));
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#picked.length) this.#pick([]);
    });
  }

  /**
   * Show how the match stands.
   * @param {Standing} table
   */
  render(table) {
    if (table.position !== this.#table?.position || !table.isMyTurn) this.#picked = [];
    this.#table = table;
    if (table.position) this.#show();
  }

  /** Put the focus where a move is made. */
  focus() {
    if (!this.#walk.focus()) (this.#choices.querySelector("button") ?? this.element).focus();
  }

  /** The moves with their single things: cards, dice, or a cell and a direction. */
  get #moves() {
    return this.#table.can.map((move) => ({ move, things: thingsOf(move) }));
  }

  /** @param {string} step */
  #step(step) {
    if (!thingsOf(step).length && this.#table.can.includes(step)) return this.#finish(step); // a pile, or a category
    const at = this.#picked.indexOf(step);
    const picked = at < 0 ? [...this.#picked, step] : this.#picked.filter((each) => each !== step);
    const only = this.#found(picked);
    // A single card or cell is a move at once; several are looked at first.
    if (only.length === 1 && only[0].things.length === picked.length && picked.length === 1 && !isRoll(only[0].move))
      return this.#finish(only[0].move);
    this.#pick(picked);
  }

  /**
   * The moves with all of these things.
   * @param {string[]} picked
   */
  #found(picked) {
    return this.#moves.filter(({ things }) => picked.every((each) => things.includes(each)));
  }

  /** @param {string[]} picked */
  #pick(picked) {
    this.#picked = picked;
    this.#show();
    const steps = picked.map(sayThing).join(", ");
    announce(picked.length ? say("chosenCards", { steps }) : say("dropped"));
  }

  /** @param {string} move */
  #finish(move) {
    this.#picked = [];
    this.#choose(move);
    this.#show();
  }

  #show() {
    const hadFocus = this.element.contains(document.activeElement);
    const { position, isMyTurn } = this.#table;
    const table = readTable(position);
    const found = this.#found(this.#picked);
    const open = new Set(isMyTurn ? found.flatMap(({ things }) => things) : []);
    const rows = [...this.#felt.show(this.#table, table, { open, picked: this.#picked }), ...this.#showHand(table, open)];
    this.#walk.set(rows);
    this.#showChoices(found, table);
    if (hadFocus && !this.element.contains(document.activeElement)) this.focus();
    // What a turn leaves to do is at once where the focus waited for it.
    if (document.activeElement === this.element && isMyTurn) this.focus();
  }

  /**
   * @param {Spiel.Notes} notes
   * @param {Set<string>} open
   */
  #showHand({ hand = [] }, open) {
    const { seat, isMyTurn } = this.#table;
    const held = sorted(cardsIn(hand[seat ?? -1]), LOW.includes(this.#name));
    // A card more or less changes neither the size of the others nor the place of what is below.
    const wide = Math.max(WIDE, Math.ceil(held.length / 2));
    this.#lines = Math.max(this.#lines, Math.ceil(held.length / wide));
    this.#hand.hidden = !hand.length || seat === null;
    this.#hand.style.setProperty("--lines", this.#lines);
    this.#hand.setAttribute("aria-label", say("hand", { count: held.length }));
    this.#hand.style.setProperty("--wide", wide);
    const hasCards = this.#table.can.some(isCards);
    const buttons = held.map((card) => {
      const [isOpen, isPicked] = [open.has(card), this.#picked.includes(card)];
      const button = make("button", { type: "button", class: "card-spot" }, drawCard(card));
      button.dataset.name = card;
      button.classList.toggle("picked", isPicked);
      button.classList.toggle("not", isMyTurn && hasCards && !isOpen);
      button.setAttribute("aria-disabled", String(!isOpen));
      button.setAttribute("aria-label", [nameOf(card), isPicked ? say("chosen") : isOpen ? say("can") : ""].filter(Boolean).join(", "));
      button.addEventListener("click", () => button.getAttribute("aria-disabled") === "false" && this.#step(card));
      return button;
    });
    this.#hand.replaceChildren(...buttons);
    return Array.from({ length: Math.ceil(held.length / wide) }, (_, row) => buttons.slice(row * wide, (row + 1) * wide));
  }

  /**
   * @param {Spiel.Play[]} found
   * @param {Spiel.Notes} table
   */
  #showChoices(found, table) {
    const picked = this.#picked;
    const whole = picked.length ? found.filter(({ things }) => things.length === picked.length) : [];
    const words = picked.length ? [] : this.#moves.filter(({ move, things }) => !things.length && !this.#felt.has(move));
    const ways = picked.length === 1 && found.every(({ things }) => things.length === 2 && /^[hv]$/.test(things[1])) ? found : [];
    const shown = [...words, ...whole, ...ways.filter((way) => !whole.includes(way))];
    const known = this.#buttons;
    this.#buttons = new Map(shown.map(({ move }) => [move, known.get(move) ?? this.#button(move)]));
    for (const [at, [move, button]] of [...this.#buttons].entries()) {
      button.classList.toggle("main", at === 0 && (shown.length < 3 || picked.length > 0));
      button.replaceChildren(...this.#content(move, table));
    }
    const hint = this.#hint(table, shown);
    this.#choices.replaceChildren(...[...this.#buttons.values()], ...(hint ? [make("p", { class: "hint" }, hint)] : []));
    // It keeps its place between turns and at the end, so that nothing jumps.
    this.#hasTurns ||= this.#table.isPlaying;
    this.#choices.hidden = !this.#hasTurns && !this.#choices.childElementCount;
  }

  /**
   * @param {Spiel.Notes} notes
   * @param {Spiel.Play[]} shown
   */
  #hint({ doing }, shown) {
    if (!this.#table.isMyTurn || this.#picked.length || (shown.length && doing !== "roll" && doing !== "bid")) return "";
    const key = `todo.${this.#name}.${doing}`;
    return this.#felt.hint || (TODO.has(key) ? say(key) : "");
  }

  /**
   * @param {string} move
   * @param {Spiel.Notes} table
   */
  #content(move, table) {
    if (move.startsWith("suit ")) return [drawSuit(move[5]), say(`suits.${move[5]}`)];
    if (isCards(move)) {
      const cards = cardsIn(move).map(signOf).join(" ");
      return [say(this.#name === "cribbage" && table.doing === "crib" ? "toCrib" : "layDown", { cards })];
    }
    if (/[hv]$/.test(move) && /^[a-j]/.test(move)) return [say(move.endsWith("h") ? "across" : "down")];
    if (move === "stop" && table.turn) return [say("stopWith", { count: Number(table.turn[0]) })];
    if (move === "call" && table.put && new Set(table.put).size === 1) return [say("check-bet")];
    return [/^\d+$/.test(move) ? move : sayStep(move)];
  }

  /** @param {string} move */
  #button(move) {
    const button = make("button", { type: "button" });
    button.dataset.step = move;
    button.addEventListener("click", () => this.#finish(move));
    return button;
  }
}

/** What a game asks for beside its buttons. */
const TODO = new Set(
  ["hearts.pass", "cribbage.crib", "ginrummy.discard", "ginrummy.meld", "battleship.shoot", "yacht.roll", "yacht.score", "ohhell.bid"].map(
    (key) => `todo.${key}`,
  ),
);

/** @param {string} move */
const isRoll = (move) => /^roll \d/.test(move);

/**
 * What a move consists of that can be pointed at: cards, dice, a cell and a direction; nothing of a word.
 * @param {string} move
 */
function thingsOf(move) {
  if (isCards(move)) return cardsIn(move);
  if (isRoll(move)) return [...move.slice(5)].map((die) => `die${die}`);
  const [, cell, way] = /^([a-j]\d+)([hv])?$/.exec(move) ?? [];
  return cell ? [cell, way].filter(Boolean) : [];
}

/** @param {string} thing */
function sayThing(thing) {
  if (thing.startsWith("die")) return say("die", { number: thing.slice(3) });
  return isCards(thing) ? nameOf(thing) : thing;
}

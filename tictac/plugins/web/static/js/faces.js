// What shows a position: a board of cells, what the game itself brings along (docs/tutorials/a-board-of-your-own.md),
// or else its picture.

import { Board } from "./board.js";
import { addStyle, afterPress, make } from "./dom.js";
import { GRIDS, OWN, sayMove } from "./games.js";
import { fetchConfirm } from "./late.js";
import { nameOf } from "./names.js";
import { addTexts } from "./texts.js";

/** What a face is told of a table (table.js). */
const TOLD = [
  "game",
  "options",
  "seat",
  "players",
  "position",
  "picture",
  "turn",
  "begun",
  "isPlaying",
  "isMyTurn",
  "can",
  "last",
  "by",
  "before",
  "record",
  "pending",
  "result",
  "n",
  "best",
  "names",
  "robots",
];

/**
 * What shows a game, perhaps with something above the board.
 * @typedef {GameFace & { bar?: HTMLElement }} Barred
 */

/** Pixels of a cell that a finger hits for sure (WCAG 2.5.8). */
const SMALL = 24;

/** @type {Map<string, string | undefined>} */
const folders = new Map();
/** @type {Map<string, Promise<void>>} */
const fetched = new Map();
/** @type {Set<string>} */
const broken = new Set();
/** @type {Set<string>} */
const complained = new Set();
let changed = () => {};

/**
 * Take where games have their own modules from how the server describes them, perhaps after a new start.
 * @param {Wire.Game[]} games
 */
export function learnFaces(games) {
  for (const { name, page } of games) folders.set(name, page);
  retryFaces();
}

/** Try those again that have failed: another table, or another time, may have more luck. */
export function retryFaces() {
  broken.clear();
}

/** Whether the server has described its games. */
export function knowsFaces() {
  return folders.size > 0;
}

/** The games of which no picture is needed. */
export function drawn() {
  return [...Object.keys(GRIDS), ...OWN.keys()];
}

/**
 * Call `work()` when these games have changed.
 * @param {() => unknown} work
 */
export function whenDrawn(work) {
  changed = work;
}

/**
 * Whether a game is shown by its picture, as far as is known.
 * @param {string} game
 */
export function needsPicture(game) {
  return !drawn().includes(game);
}

/**
 * Fetch a game's own modules: a promise that never fails, or null if there are none, or they are here.
 * @param {string} game
 */
export function fetchFace(game) {
  const folder = folders.get(game);
  if (!folder || broken.has(game) || !needsPicture(game)) return null;
  if (!fetched.has(game)) fetched.set(game, fetchOwn(game, folder));
  return fetched.get(game);
}

/**
 * @param {string} game
 * @param {string} folder
 */
async function fetchOwn(game, folder) {
  try {
    const [{ default: own, boardFor }] = await Promise.all([import(`${folder}board.js`), addStyle(`${folder}style.css`)]);
    OWN.set(game, boardFor ? boardFor(game) : own);
    changed();
  } catch (error) {
    giveUp(game, error);
  } finally {
    fetched.delete(game);
  }
}

/**
 * The game is shown by its picture from now on.
 * @param {string} game
 * @param {any} error
 */
function giveUp(game, error) {
  broken.add(game);
  if (OWN.delete(game)) changed();
  if (!complained.has(game)) console.error(`${game} is shown as a picture:`, error);
  complained.add(game);
}

/**
 * Shows a game: `choose(move)` is called for a move that may be made, `changed()` when it shows it otherwise than
 * before, such as by the picture as its own modules have failed.
 */
export class Face {
  element = make("div", { class: "game-face" });
  #game;
  #choose;
  #changed;
  /** @type {Table | null} */
  #table = null;
  /** @type {Barred | null} */
  #shown = null;
  /** @type {HTMLElement | null} */
  #tapped = null;
  #isAwaited = false;

  /**
   * @param {string} game
   * @param {(move: string) => void} choose
   * @param {(() => void)} changed
   */
  constructor(game, choose, changed) {
    this.#game = game;
    this.#choose = (/** @type {string} */ move) => this.#confirm(move, choose);
    this.element.addEventListener("pointerdown", ({ pointerType, target }) => {
      this.#tapped = pointerType === "touch" ? target.closest("button") : null;
    });
    this.#changed = changed;
    const fetching = fetchFace(game);
    if (fetching) fetching.then(() => this.#arrived());
    else this.#begin(false);
  }

  /** What the keyboard does. */
  get keys() {
    return this.#shown?.keys ?? "";
  }

  /** Whether it tells the last move; also while nothing is shown. */
  get tellsMoves() {
    return !this.#shown || Boolean(this.#shown.tellsMoves);
  }

  /** Whether it can show the moves that can be made. */
  get hasHints() {
    return Boolean(this.#shown?.hasHints);
  }

  /** What it has for the panel beside the board. */
  get panels() {
    return this.#shown?.panels ?? [];
  }

  /** What it has above the board, where it stays in sight. */
  get bar() {
    return this.#shown?.bar ?? null;
  }

  /** What it has for the actions below the board. */
  get actions() {
    return this.#shown?.actions ?? "";
  }

  /**
   * Show how it stands.
   * @param {Table} table
   */
  render(table) {
    this.#table = table;
    const others = [this.bar, this.actions, ...this.panels.map(({ element }) => element)];
    if (this.#shown) afterPress(this.element, () => this.#render(), others);
  }

  #render() {
    const table = /** @type {Table} */ (this.#table);
    const hadFocus = this.element.contains(document.activeElement);
    /** @type {any} */
    const told = Object.fromEntries(TOLD.map((name) => [name, /** @type {any} */ (table)[name] ?? null]));
    told.names = told.players?.map((/** @type {Wire.Player | null} */ one) => one && nameOf(one.user, table.computers));
    this.#try(() => this.#shown?.render(Object.freeze(told)));
    if (hadFocus && !this.element.contains(document.activeElement)) this.#title?.focus(); // what had it is gone
  }

  /** Put the focus where a move is made. */
  focus() {
    this.#isAwaited = true;
    if (this.#shown) this.#try(() => /** @type {GameFace} */ (this.#shown).focus());
  }

  /**
   * Choose a move, once it is certain which one: a finger may have tapped beside a small cell.
   * @param {string} move
   * @param {(move: string) => void} choose
   */
  async #confirm(move, choose) {
    const spot = this.#tapped;
    this.#tapped = null;
    const { width = SMALL, height } = spot?.getBoundingClientRect() ?? {};
    const confirm = Math.min(width, height ?? width) < SMALL && (await fetchConfirm());
    if (!confirm) return choose(move);
    confirm.ask(this.element, spot, sayMove(this.#game, move, /** @type {Table} */ (this.#table).position), () => choose(move));
  }

  get #title() {
    return this.element.closest(".view")?.querySelector("h1");
  }

  #arrived() {
    this.#begin();
    if (this.#shown) this.#tell();
  }

  /** Something else shows it than before (`isNew`), or something at last. */
  #tell(isNew = true) {
    if (this.#table) this.render(this.#table);
    if (isNew) this.#changed();
    if (this.#isAwaited && document.activeElement === this.#title) this.focus();
  }

  /** Show the board; `isNew`: it wasn't known before whether that can be the game's own. */
  #begin(isNew = true) {
    const own = OWN.get(this.#game);
    if (own) this.#try(() => this.#show(new own(this.#choose)));
    else if (GRIDS[this.#game]) this.#show(new Board(this.#choose, GRIDS[this.#game]));
    else this.#showPlainly(isNew);
  }

  async #showPlainly(isNew = true) {
    const [{ Plain }] = await Promise.all([import("./plain.js"), addTexts()]);
    const hadFocus = this.element.contains(document.activeElement);
    this.#show(new Plain(this.#choose));
    if (hadFocus) this.#title?.focus(); // what had it is gone
    this.#tell(isNew);
  }

  /** @param {Barred} face */
  #show(face) {
    this.element.replaceChildren(face.element);
    this.#shown = face;
  }

  /**
   * Do something with the game's own modules; when they fail the picture takes their place.
   * @param {() => unknown} work
   */
  #try(work) {
    try {
      work();
    } catch (error) {
      if (!OWN.has(this.#game)) throw error; // of the page itself
      giveUp(this.#game, error);
      this.#shown = null;
      this.#isAwaited = false;
      this.#showPlainly();
    }
  }
}

// A match of two computers, where nobody plays: it goes on while it is shown.

import { has, read } from "./archive.js";
import { boardOf } from "./boards.js";
import { make } from "./dom.js";
import { fetchFace } from "./faces.js";
import { drawPlayed } from "./mini.js";
import { characterOf, faceNamed } from "./names.js";
import { say } from "./texts.js";

/** Milliseconds between two looks. */
const PAUSE = 2500;

/** So many players a game of theirs has. */
const SEATS = 2;

/**
 * A match of two computers, as the server tells it: how many `moves` there were, and who has won (null: nobody, or it goes on).
 * @typedef {{ levels: string[], options: Wire.Options, position: string, moves: number, turn: Wire.Seat, winner: Wire.Seat }} Show
 */

export class Shows {
  /** @type {Wire.Game[]} */
  #games = [];
  /** @type {HTMLElement} */
  #place;
  /** @type {() => unknown} */
  #isWanted;
  /** Of these games the server has none. */
  #without = new Set();
  #at = 0;
  #board = make("div", { class: "picture" });
  #names = make("b");
  #state = make("span", { class: "hint" });
  #faces = make("span", { class: "faces", "aria-hidden": "true" });
  #before = "";

  /**
   * `isWanted()`: it is shown in its place.
   * @param {HTMLElement} place
   * @param {() => unknown} isWanted
   */
  constructor(place, isWanted) {
    [this.#place, this.#isWanted] = [place, isWanted];
    const other = make("button", { type: "button", class: "link" }, say("shows.other"));
    other.addEventListener("click", () => {
      this.#at++;
      this.look();
    });
    const head = make("div", { class: "section" }, make("h2", { id: `${place.id}-title` }, say("shows.title")), other);
    const what = make("div", { class: "what" }, this.#faces, this.#names, this.#state);
    place.setAttribute("aria-labelledby", `${place.id}-title`);
    place.replaceChildren(head, make("div", { class: "live wide" }, this.#board, what));
    setInterval(() => this.look(), PAUSE);
  }

  /**
   * Take the games, the one that the visitor plays first.
   * @param {Wire.Game[]} games
   * @param {string} first
   */
  set(games, first) {
    const able = games.filter(({ seats, levels }) => seats.includes(SEATS) && levels.length);
    this.#games = able.sort((one, other) => Number(other.name === first) - Number(one.name === first));
    this.#at = 0;
  }

  /** Let the match go on, while it is in sight. */
  async look() {
    if (document.hidden || !this.#isWanted()) return void (this.#place.hidden = true);
    const games = this.#games.filter(({ name }) => !this.#without.has(name));
    const game = games[this.#at % games.length];
    if (!game || !(await has("shows"))) return;
    if (this.#board.dataset.game !== game.name) this.#board.replaceChildren(drawPlayed(game));
    this.#place.hidden = false; // now, or it would move what is below it
    const asked = read(["shows", game.name]).catch(() => null);
    const [told] = await Promise.all([asked, fetchFace(game.name)]);
    if (told?.show) this.#render(game, told.show);
    else if (told) this.#without.add(game.name);
  }

  /**
   * @param {Wire.Game} game
   * @param {Show} show
   */
  #render(game, { levels, options, position, moves, turn, winner }) {
    const isNew = this.#board.dataset.game !== game.name;
    const board = boardOf(game, { position, options }, isNew ? undefined : this.#before);
    if (isNew || position !== this.#before) this.#board.replaceChildren(board);
    this.#board.dataset.game = game.name;
    this.#before = position;
    const [one, other] = levels.map((level) => characterOf(game, level));
    const names = one === other ? [`${one} 1`, `${other} 2`] : [one, other];
    if (isNew) this.#faces.replaceChildren(...names.map((name) => faceNamed(name)));
    this.#names.textContent = names.join(say("rooms.against"));
    const state =
      turn === null
        ? winner === null
          ? say("shows.drawn")
          : say("shows.won", { name: names[winner] })
        : say("shows.move", { count: moves + 1 });
    this.#state.textContent = [game.title, state].join(" · ");
  }
}

// A bar above every view: a seat that is held elsewhere, or a match that has ended meanwhile.

import { boardOf } from "./boards.js";
import { sayTimeControl } from "./clocks.js";
import { $, announce, icon, make } from "./dom.js";
import { castOf, nameOf } from "./names.js";
import { HURRY, sayClock, secondsOf } from "./players.js";
import { describe, describeOffer, goesOn, Table } from "./table.js";
import { say, sayAll } from "./texts.js";

/**
 * A seat that is held `until` then, in milliseconds of the page; or one's own at a `table` that another view hides.
 * @typedef {{ room: string, until: number, seat: Wire.Seat, game?: string, key?: string | null, seen?: number, begun?: boolean, options?: Wire.Options,
 *   players?: Wire.Names, computers?: Wire.Computers, names?: Wire.Called, turn?: Wire.Seat, position?: string | null, table?: Table }} Held
 *
 * Turns in matches over days: how many; of the first one, the room, the match in `words`, and the time that is `left`.
 * @typedef {{ turns: number, room: string, words: string, left: string }} Turns
 *
 * What the bar tells of: one of these, or how a match has ended.
 * @typedef {import("./table.js").Ended} Ended
 * @typedef {Held | Ended | Turns} Told
 *
 * The same, whichever it is: the numbers are compared though they may be missing.
 * @typedef {Partial<Omit<Held, "until"> & Omit<Ended, "position"> & Omit<Turns, "turns">> & { room: string, until?: any, turns?: any }} Any
 */

export class Bar {
  #session;
  /** @type {Any | null} */
  #told = null;
  #picture = make("span", { "aria-hidden": "true" });
  #words = make("b");
  #more = make("span");
  #back = make("button", { type: "button", class: "main", id: "away-back" });
  #close = make("button", { type: "button", class: "quiet close", id: "away-close", "aria-label": say("page.close") }, icon("close"));
  #element;

  /**
   * `goBack(told)` shows a board, `putAway(told)` is called for what isn't to be told any longer.
   * @param {Session} session
   * @param {(told: Any) => unknown} goBack
   * @param {(told: Any) => void} putAway
   */
  constructor(session, goBack, putAway) {
    this.#session = session;
    this.#back.addEventListener("click", () => goBack(/** @type {Any} */ (this.#told)));
    this.#close.addEventListener("click", () => putAway(/** @type {Any} */ (this.#told)));
    setInterval(() => {
      if (this.#told?.until < performance.now()) putAway(/** @type {Any} */ (this.#told));
      else if (this.#told) this.#say();
    }, 1000);
    const what = make("p", { class: "what" }, this.#words, " ", this.#more);
    this.#element = make(
      "section",
      { class: "away", id: "away", "aria-label": say("away.name"), hidden: true },
      this.#picture,
      what,
      this.#back,
      this.#close,
    );
    $("main").after(this.#element);
  }

  /**
   * Tell of a seat, or of an end (docs/reference/people.md, "Your seats"), of one's `table`, or of so many `turns`; of nothing.
   * @param {Any | Table | null} shown
   */
  render(shown = null) {
    const told = shown instanceof Table ? tellOf(shown) : shown;
    const isNew = told && (told.room !== this.#told?.room || told.how !== this.#told?.how || told.turns > (this.#told?.turns ?? 0));
    this.#told = told;
    const had = this.#element.contains(document.activeElement);
    this.#element.hidden = !told;
    if (!told) return had && document.querySelector(".view:not([hidden]) h1")?.focus();
    const isWon = Boolean(told.how) && told.winner === told.seat;
    this.#element.className = `away${told.how ? (isWon ? " calm" : " gone") : ""}`;
    const { game, position, options } = told;
    const described = this.#session.games.find(({ name }) => name === game) ?? { name: game ?? "" };
    this.#picture.replaceChildren(...(game ? [boardOf(described, { position, options })] : []));
    this.#back.textContent = say(goesOn(told) ? "away.watch" : told.how ? "away.result" : told.turns > 1 ? "mine.next" : "away.back");
    this.#close.hidden = !told.how && !told.turns;
    this.#say();
    if (isNew) announce(`${this.#words.textContent} ${this.#more.textContent}`);
  }

  #say() {
    const { game, until, how, winner = null, seat, turns, words, left, table } = /** @type {Any} */ (this.#told);
    if (turns) {
      this.#words.textContent = say("mine.turns", { count: turns, words });
      this.#more.textContent = [turns > 1 ? words : "", left].filter(Boolean).join(" · ");
      return;
    }
    const count = Math.ceil((until - performance.now()) / 1000);
    const { title = "" } = this.#session.games.find(({ name }) => name === game) ?? {};
    const offer = table ? describeOffer(table) : "";
    const match = this.#sayMatch(title);
    if (how) {
      const outcome = winner === null ? "away.over" : winner === seat ? "away.won" : "away.lost";
      this.#words.textContent = say(goesOn(/** @type {Any} */ (this.#told)) ? "away.dropped" : outcome);
      this.#more.textContent = offer || say(goesOn(/** @type {Any} */ (this.#told)) ? "away.goesOn" : "away.ended", { match });
      return;
    }
    const seconds = table ? secondsOf(table) : null;
    this.#element.classList.toggle("hurry", count < HURRY || Boolean(table?.isMyTurn && seconds !== null && seconds < HURRY));
    this.#words.textContent = offer || match;
    const held = Number.isFinite(count) ? say("away.held", { count }) : table?.clock ? sayTimeControl(table.clock) : "";
    this.#more.textContent = [seconds === null ? "" : sayClock(seconds), offer ? match : held].filter(Boolean).join(" · ");
  }

  /**
   * Which match it is, and how it stands.
   * @param {string} title
   */
  #sayMatch(title) {
    const { players = [], seat, turn = null, how, table } = /** @type {Any} */ (this.#told);
    const cast = castOf(/** @type {Any} */ (this.#told));
    const names = /** @type {string[]} */ (players).map((user) => user && nameOf(user, cast));
    const others = names.filter((name, at) => name && at !== seat);
    const match = others.length ? say("away.against", { title, names: sayAll(others) }) : title;
    if (how) return match;
    const whose = turn === null ? "" : turn === seat ? say("away.turn") : say("table.theirTurn", { user: names[turn] });
    const state = table && !table.begun ? describe(table) : whose;
    return state ? `${match}: ${state}` : match;
  }
}

/**
 * What the bar is to tell of a match that goes on, or has ended, while another view is shown.
 * @param {Table} table
 * @returns {Any}
 */
function tellOf(table) {
  const { room, game, seat, options, position, computers, turn, result } = table;
  const told = { room, game, seat, options, position, computers, players: table.players.map((one) => one && one.user), table };
  return result ? { ...told, how: result.how, winner: result.winner } : { ...told, turn, until: Infinity };
}

/**
 * Ask for one's seats over a connection of its own: this one may be in a room. A promise; of null, if nothing comes.
 * @param {Login | null} account
 * @returns {Promise<Wire.Seats | null>}
 */
export function askSeats(account) {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws`);
    socket.addEventListener("open", () => socket.send(JSON.stringify({ ...account, id: 1 })));
    socket.addEventListener("close", () => resolve(null));
    socket.addEventListener("message", ({ data }) => {
      const { answer, error, seats = {} } = JSON.parse(data || "{}");
      if (answer !== 1) return;
      resolve(error ? null : seats);
      socket.close();
    });
  });
}

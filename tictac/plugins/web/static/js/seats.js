// Where the visitor has a seat, and which of their matches have ended without them: the one place that knows.
//
// The server tells that at each login; until it has noticed the loss of a connection, the tab remembers its own table. What
// leads to a board asks goBack() first. Whatever other view is opened, rejoin() takes the seat again, puts its board aside,
// as a link to that view does, and a bar (away.js) tells of it.
// Matches over days hold a seat for good: yours.js, which is fetched for who has a match, knows those.

import { addStyle } from "./dom.js";
import { recall, remember } from "./session.js";
import { goesOn } from "./table.js";
import { addTexts } from "./texts.js";

/** Milliseconds in which the server notices that a page has been closed. */
const NOTICED = 400;

/** Milliseconds between two questions about a seat that isn't in sight: the server tells nothing of a room that one isn't in. */
const PAUSE = 5000;

/**
 * @typedef {import("./away.js").Any} Told
 * @typedef {import("./away.js").Held} Held
 * @typedef {import("./table.js").Ended} Ended
 * @typedef {import("./yours.js").Yours} Yours
 */

export class Seats {
  #session;
  #view;
  /** @type {Map<string | undefined, Held>} */
  #held = new Map();
  /** @type {Map<string | undefined, Ended>} */
  #ended = new Map();
  /** @type {Promise<Yours> | null} */
  #fetched = null;
  /** @type {Yours | null} */
  #yours = null;
  #go;

  /**
   * `go(path)` shows another view.
   * @param {Session} session
   * @param {import("./view.js").View} view
   * @param {(path: string) => void} go
   */
  constructor(session, view, go) {
    this.#session = session;
    this.#view = view;
    this.#go = go;
    session.addEventListener("ended", () => this.learn());
    view.changed = (table) => {
      this.#keep(table);
      if (view.isAside) this.render();
      if (table?.lasts && !session.isGuest)
        this.fetchYours().then(
          (yours) => yours.show(table),
          () => {},
        );
    };
    const tabs = new BroadcastChannel("tictac");
    addEventListener("pagehide", () => view.isSeated && tabs.postMessage(session.user));
    tabs.addEventListener("message", ({ data }) => data === session.user && setTimeout(() => this.#look(), NOTICED));
    setInterval(() => document.hidden || ((this.#next?.until ?? Infinity) < Infinity && this.#look()), PAUSE);
  }

  /**
   * Let the tab know its table. None is led back to a match over days: that waits among the others.
   * @param {Table | null} table
   */
  #keep(table) {
    const is = table && !table.result && !table.lasts;
    const { table: kept } = recall();
    const isKnown = kept?.room === table?.room && kept?.seat === table?.seat && kept?.begun === table?.begun;
    if (is ? isKnown : !kept) return;
    const { room, seat, key, game, begun, lostAt } = table ?? {};
    remember({ table: is ? { room, seat, key, game, begun, seen: lostAt || Date.now() } : undefined });
  }

  /**
   * Take what the server tells of one's seats.
   * @param {Wire.Seats} [told]
   */
  learn({ held = [], ended = [] } = {}) {
    const { table, seen = [] } = recall();
    this.#ended = new Map(ended.filter((one) => !seen.includes(idOf(one))).map((one) => [one.room, one]));
    // Where another connection plays there is nothing to go back to, unless that is the one that this tab has lost.
    const mine = held.filter(({ room, seconds }) => seconds !== null || room === table?.room);
    this.#held = new Map(mine.map((one) => [one.room, { ...one, until: performance.now() + 1000 * (one.seconds ?? Infinity) }]));
    if (table && table.seat !== null && !this.#ended.has(table.room) && !this.#held.has(table.room)) {
      this.#held.set(table.room, { ...table, until: Infinity });
    }
    this.render();
  }

  /**
   * A room isn't to be told of any longer: one has left it for good, or has lost the seat, or sees how the match has ended.
   * That, as the server has told it, if it has.
   * @param {string} room
   * @returns {Ended | null | undefined}
   */
  drop(room) {
    const end = this.#ended.get(room);
    if (end) remember({ seen: [...(recall().seen ?? []), idOf(end)] });
    for (const known of [this.#held, this.#ended]) known.delete(room);
    this.render();
    return end && !goesOn(end) ? end : null;
  }

  /**
   * Show the board where one's seat is, in that room or, by default, in any; whether there is one.
   * @param {string} [room]
   */
  goBack(room) {
    const { table: shown, isPlaying, isAside } = this.#view;
    if (room && room === shown?.room) return this.#view.bringBack();
    if (isPlaying || (isAside && !room)) return false; // that one would be lost
    const { table } = recall();
    const wanted = room ?? table?.room;
    const seat = this.#held.get(wanted) ?? (room ? null : this.#next);
    const found = seat ?? this.#ended.get(wanted);
    if (!found) return false;
    this.#reopen(goesOn(found) ? { room: found.room, seat: null, game: found.game } : found);
    if (!seat) this.drop(wanted);
    return true;
  }

  /** @param {import("./view.js").Reopened} found */
  #reopen(found, aside = false) {
    const { table } = recall();
    const { key } = found.room === table?.room ? table : {};
    this.#view.reopen({ seen: Date.now(), begun: Boolean(found.position), ...found, key }, aside);
  }

  /** Show the board of a seat that isn't in sight, as *Play* does; whether there is one. */
  toBoard() {
    const { isAside, isSeated, table } = this.#view;
    return isAside ? isSeated && this.#view.bringBack() : !table && this.goBack();
  }

  /** Take the seat that is held again, without its board: an opponent needn't wait for that. */
  rejoin() {
    const { table } = recall();
    const seat = this.#held.get(table?.room) ?? this.#next;
    // A tab that nobody looks at takes no seat but its own.
    if (seat && !this.#view.table && (!document.hidden || seat.room === table?.room)) this.#reopen(seat, true);
  }

  /** What isn't in sight is told by the bar. */
  async render() {
    if (this.#told) await this.fetchYours().catch(() => {});
    this.#yours?.bar.render(this.#told);
  }

  /**
   * All of one's matches: fetched once, or again if it didn't come. A promise; rejects with a TypeError, as import() does.
   * @returns {Promise<Yours>}
   */
  fetchYours() {
    this.#fetched ??= Promise.all([import("./yours.js"), addTexts(), addStyle("/css/yours.css"), addStyle("/css/daily.css")]).then(
      ([{ Yours }]) => {
        return (this.#yours = new Yours(this.#session, this.#view, this, this.#go));
      },
    );
    return this.#fetched.catch((error) => {
      this.#fetched = null;
      throw error;
    });
  }

  /** @returns {Told | Table | undefined} */
  get #told() {
    const { table, isAside } = this.#view;
    // Until the room is told, what the login has told of it.
    const held = table && !table.result && !table.n && this.#held.get(table.room);
    if (table && isAside) return held ? { ...held, until: Infinity } : table;
    const at = table?.room;
    // Who plays another match learns of an end after that one: the bar lies over the buttons.
    const ended = this.#view.isSeated ? [] : [...this.#ended.values()];
    return this.#next ?? ended.find(({ room }) => room !== at) ?? this.#yours?.told;
  }

  /**
   * A match over days has ended without the visitor.
   * @param {Ended} one
   */
  end(one) {
    this.#ended.set(one.room, one);
    this.render();
  }

  /** The seat that isn't in sight and is held for the shortest time. */
  get #next() {
    const others = [...this.#held.values()].filter(({ room }) => room !== this.#view.table?.room);
    return others.sort((one, other) => one.until - other.until)[0];
  }

  /**
   * One doesn't want to be told of an end; or a seat isn't held any longer.
   * @param {Told} told
   */
  putAway({ room, until }) {
    if (room === this.#view.table?.room) return this.#view.close();
    this.drop(room);
    if (until) this.#look();
  }

  /** Ask again, apart from what this tab does. */
  async #look() {
    if (!this.#session.user || this.#view.isSeated) return;
    const seats = await import("./yours.js").then(
      ({ askSeats }) => askSeats(this.#session.account),
      () => null,
    );
    if (!seats) return;
    this.learn(seats);
    this.rejoin();
  }
}

/** @param {{ room: string, match?: string }} end */
function idOf({ room, match }) {
  return match ?? room;
}

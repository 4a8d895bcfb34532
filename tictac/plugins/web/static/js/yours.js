// One's matches, for who has one: fetched after the login, or with a table over days. What they mean for every view: the
// number in the title, in the navigation, and on the app's icon; the bar of what isn't in sight; the way to the next one.

import { askSeats as ask, Bar } from "./away.js";
import { $, count, make, write } from "./dom.js";
import { HomeView } from "./home.js";
import { MineView } from "./mine.js";
import { LinkView, NoticesView } from "./notices.js";
import { AskCard } from "./push.js";
import { pathTo } from "./router.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";
import { forget, learn, lose, matches, recallKept, sayMatch, sayTimeLeft, take, turns, whenTurned } from "./turns.js";

/**
 * What asks for the seats of live matches (away.js).
 * @param {Login | null} account
 */
export const askSeats = (account) => ask(account);

/** Milliseconds after which who has hidden the page isn't at a match over days any longer, and gets notices. */
const RESTS = 300_000;

export class Yours {
  VIEWS = { home: HomeView, mine: MineView, notice: LinkView, notices: NoticesView };
  bar;
  /** @type {Session} */
  #session;
  /** @type {import("./view.js").View} */
  #view;
  /** @type {import("./seats.js").Seats} */
  #seats;
  #user = "";
  /** @type {Set<string>} */
  #dismissed = new Set();
  /** @type {number | null} */
  #hiddenSince = null;
  #next = make("a", { class: "button main less", id: "next", hidden: true });
  #saved = make("p", { class: "hint", id: "saved", hidden: true });
  #card;

  /**
   * `seats` know the seats of live matches, and what has ended; `go(path)` shows another view.
   * @param {Session} session
   * @param {import("./view.js").View} view
   * @param {import("./seats.js").Seats} seats
   * @param {(path: string) => void} go
   */
  constructor(session, view, seats, go) {
    [this.#session, this.#view, this.#seats] = [session, view, seats];
    this.bar = new Bar(
      session,
      (told) => (!told.turns && seats.goBack(told.room)) || go(pathTo("room", told.room)),
      (told) => this.#putAway(told),
    );
    this.#card = new AskCard(session);
    $("last").after(this.#saved, make("div", { class: "row" }, this.#next));
    $("side").prepend(this.#card.element);
    whenTurned(() => this.#changed());
    session.addEventListener("ready", () => this.#ask());
    session.addEventListener("event", ({ detail }) => detail.event === "mine" && this.#heard(detail));
    session.addEventListener("lost", lose);
    session.addEventListener("ended", () => this.#check());
    document.addEventListener("visibilitychange", () => this.#turnPage());
    setInterval(() => this.#rest(), 60_000);
    navigator.serviceWorker?.addEventListener("message", ({ data }) => view.isPlaying || go(data));
    this.#ask();
  }

  /**
   * The turns that aren't in sight (away.js); undefined, if there are none, or one sits at a board.
   * @returns {import("./away.js").Turns | undefined}
   */
  get told() {
    this.#check();
    const isSeen = this.#view.table || document.querySelector("#mine:not([hidden])");
    const waiting = isSeen ? [] : turns().filter((one) => !this.#dismissed.has(keyOf(one)));
    return waiting.length
      ? { turns: waiting.length, room: waiting[0].room, words: sayMatch(waiting[0]), left: sayTimeLeft(waiting[0]) }
      : undefined;
  }

  /**
   * A table over days is shown, as it is now.
   * @param {Table} table
   */
  show(table) {
    if (table !== this.#view.table) return;
    const others = turns().filter(({ room }) => room !== table.room);
    this.#next.hidden = table.isMyTurn || !others.length;
    if (others.length) {
      this.#next.href = pathTo("room", others[0].room);
      this.#next.textContent = say("mine.nextOf", { count: others.length });
    }
    const hasMoved = table.isPlaying && !table.isMyTurn && table.record.some(([, what, by]) => what === "moved" && by === table.seat);
    write(
      this.#saved,
      hasMoved && !table.pending && !table.isAway ? say("mine.saved") : table.seat !== null && !table.begun ? say("mine.waits") : "",
    );
    /** @type {{ show(user: string | null): void }} */ (this.#card).show(hasMoved ? table.nameOf(table.turn) : null);
  }

  async #ask() {
    this.#check();
    const { user, isGuest } = this.#session;
    if (!user || isGuest) return;
    recallKept(user);
    try {
      const { mine } = await this.#session.ask({ do: "mine" });
      if (this.#session.user === user) learn(user, mine);
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
    }
  }

  /** @param {Events["event"]} event an event `mine` */
  #heard(event) {
    const { how, winner, match, result, room } = event;
    const was = take(this.#session.user, event);
    if (was && how && this.#view.table?.room !== room)
      this.#seats.end({ room, game: was.game, seat: was.seat, how, winner, match, result });
  }

  /** Somebody else is logged in, or nobody. */
  #check() {
    const { user } = this.#session;
    if (user === this.#user) return;
    this.#user = user;
    forget();
  }

  #changed() {
    const mine = turns();
    $("to-mine").hidden = !matches().length;
    write($("mine-count"), mine.length ? String(mine.length) : "");
    count(mine.length);
    const told = mine.length ? navigator.setAppBadge?.(mine.length) : navigator.clearAppBadge?.();
    told?.catch(() => {});
    if (this.#view.table) this.#offerNext();
    this.#seats.render();
  }

  #offerNext() {
    if (/** @type {Table} */ (this.#view.table).lasts) this.show(/** @type {Table} */ (this.#view.table));
  }

  /** @param {import("./away.js").Any} told */
  #putAway(told) {
    if (!told.turns) return this.#seats.putAway(told);
    for (const one of turns()) this.#dismissed.add(keyOf(one));
    this.#seats.render();
  }

  #turnPage() {
    this.#hiddenSince = document.hidden ? Date.now() : null;
    const { table } = this.#view;
    if (!document.hidden && table?.lasts && table.isAway && !table.result && this.#session.user) this.#view.comeBack();
  }

  /** Who hides the page for a while isn't there any longer: a notice says when it is their turn. */
  #rest() {
    const { table } = this.#view;
    if (this.#hiddenSince === null || Date.now() < this.#hiddenSince + RESTS || !table?.lasts || !table.isPlaying || table.isAway) return;
    this.#session.ask({ do: "leave", room: table.room }).catch(() => {});
    table.leave();
  }
}

/**
 * What names a turn.
 * @param {{ room: string, n: number }} match
 */
const keyOf = ({ room, n }) => `${n} ${room}`;

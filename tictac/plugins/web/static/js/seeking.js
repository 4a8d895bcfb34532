// Looking for an opponent: in a room that waits for one, or without a room while one plays the computer. Of the second
// the server tells by an event `found`, and asks nobody else for so many seconds.

import { sayTimeControl } from "./clocks.js";
import { $, announce, icon, make, makeAvatar, write } from "./dom.js";
import { readRecord, resultsIn } from "./kept.js";
import { characterOf, nameOf } from "./names.js";
import { sayClock } from "./players.js";
import { say } from "./texts.js";

/** Milliseconds until it is offered to go on over days, and the days for each move. */
const LONG = 120_000;
const DAYS = 2;

/**
 * What is sought `since` a time in milliseconds, in a `room`; without one while one plays.
 * @typedef {{ request: Asked<"seek">, since: number, room: string | null }} Search
 *
 * What leads from the room that is shown to another one.
 * @typedef {Asked<"seek"> | Asked<"open"> | Asked<"join">} Request
 */

export class Seeking {
  #session;
  #go;
  #isIn;
  /** @type {Search | null} */
  #sought = null;
  #isPatient = false;
  /** @type {import("./kept.js").Results[]} */
  #record = [];
  #asked = make("div", { class: "banner said challenge" });
  #timer = 0;
  #time = make("span", { class: "num" });
  #title = make("h2", { id: "seeking-title" });
  #about = make("span");
  #hint = make("p", { class: "hint" });
  #meanwhile = make("button", { type: "button", class: "main" });
  #days = make("button", { type: "button", class: "main" }, say("seeking.days"));
  #keep = make("button", { type: "button" }, say("seeking.keep"));
  #invite = make("button", { type: "button", id: "seeking-invite" }, icon("link"), say("rooms.invite"));
  #cancel = make("button", { type: "button", id: "seeking-cancel" }, say("seeking.cancel"));
  #face = make("span", { class: "radar", "aria-hidden": "true" });
  #card = make(
    "section",
    { class: "card seeking", "aria-labelledby": "seeking-title" },
    this.#face,
    make("div", {}, this.#title, make("p", {}, this.#time, this.#about)),
    make("div", { class: "row" }, this.#meanwhile, this.#days, this.#keep, this.#invite, this.#cancel),
    this.#hint,
  );

  /**
   * @param {Session} session
   * @param {(request: Request | null) => void} go leaves the room that is shown, for another one if there is a request
   * @param {(room: string) => boolean} isIn
   */
  constructor(session, go, isIn) {
    this.#session = session;
    this.#go = go;
    this.#isIn = isIn;
    this.#meanwhile.addEventListener("click", () => this.#play());
    // prettier-ignore
    this.#days.addEventListener("click", () => this.#go({ .../** @type {Search} */ (this.#sought).request, rated: false, clock: { days: DAYS } }));
    // prettier-ignore
    this.#invite.addEventListener("click", () => this.#go({ .../** @type {Search} */ (this.#sought).request, do: "open", private: true, rated: false }));
    this.#keep.addEventListener("click", () => {
      this.#isPatient = true;
      this.#render();
    });
    this.#cancel.addEventListener("click", () => (/** @type {Search} */ (this.#sought).room ? this.#go(null) : this.stop()));
    setInterval(() => this.#render(), 1000);
  }

  /**
   * One sits in a `room` that waits for whoever seeks the same.
   * @param {Asked<"seek">} request
   * @param {string} room
   */
  sit(request, room) {
    this.stop();
    this.#isPatient = false;
    this.#sought = { request, room, since: Date.now() };
    readRecord(this.#session, request.game).then(
      (record) => {
        this.#record = record;
        this.#render();
      },
      () => {}, // the first level is as good
    );
  }

  /** Seek no longer. */
  stop() {
    if (this.#sought && !this.#sought.room) this.#tell({ stop: true });
    this.#sought = null;
    this.#dismiss();
    this.#card.remove();
  }

  /** Logged in again: the server has forgotten it. */
  renew() {
    if (this.#sought && !this.#sought.room) this.#tell();
  }

  /**
   * Take an event.
   * @param {any} event
   */
  heard(event) {
    if (event.event === "found") return this.#found(event);
    if (this.#sought?.room && event.room === this.#sought.room) {
      if (event.event === "room" && !event.begun) this.#show($("seeking"));
      else if (["room", "began", "ended"].includes(event.event)) this.stop();
    } else if (event.event === "room") {
      this.#card.remove(); // another one is shown
      if (this.#sought?.room) this.#sought = null;
    }
  }

  /** The lobby is shown, where the card has its place while there is no room. */
  showHere() {
    if (this.#sought?.room && !this.#isIn(this.#sought.room)) this.stop();
    if (this.#sought && !this.#sought.room) this.#show($("seeking-here"));
  }

  /** @param {HTMLElement} place */
  #show(place) {
    place.append(this.#card);
    this.#face.replaceChildren(makeAvatar(this.#session.user));
    this.#render();
  }

  get #game() {
    return this.#session.games.find(({ name }) => name === /** @type {Search} */ (this.#sought).request.game);
  }

  /** The level of the computer to play meanwhile: the next one. */
  get #level() {
    return this.#game?.levels.at(resultsIn(this.#record, this.#game).next);
  }

  #render() {
    if (!this.#sought || !this.#card.isConnected) return;
    const {
      request: { clock, rated },
      since,
      room,
    } = this.#sought;
    const seconds = Math.floor((Date.now() - since) / 1000);
    const isLong = Date.now() - since >= LONG && !this.#isPatient && Boolean(room);
    this.#time.textContent = sayClock(seconds);
    write(this.#title, say(isLong ? "seeking.long" : "seeking.title"));
    // The head of a room names the game.
    const about = [!room && this.#game?.title, clock && sayTimeControl(clock), rated && say("rooms.rated")].filter(Boolean);
    write(this.#about, about.length ? ` · ${about.join(", ")}` : "");
    write(this.#hint, say(isLong ? "seeking.longHint" : "seeking.hint"));
    if (this.#level) write(this.#meanwhile, say("seeking.meanwhile", { name: characterOf(this.#game, this.#level) }));
    this.#meanwhile.hidden = isLong || !room || !this.#level;
    this.#days.hidden = !isLong || this.#session.isGuest;
    this.#keep.hidden = !isLong;
    this.#invite.hidden = !room;
  }

  /** Play the computer, and let the server ask when somebody comes. */
  #play() {
    const { request, since } = /** @type {Search} */ (this.#sought);
    const level = this.#level;
    this.#sought = null; // or leaving its room would end it
    this.#go({ do: "open", game: request.game, options: request.options, computer: level, seat: 0 });
    this.#sought = { request, since, room: null };
    this.#tell();
  }

  /** @param {any} more */
  #tell(more = {}) {
    this.#session.ask({ .../** @type {Search} */ (this.#sought).request, do: "meanwhile", ...more }).catch(() => {});
  }

  /**
   * Somebody is there: ask for as long as the server waits.
   * @param {Extract<Wire.Event, { event: "found" }>} event
   */
  #found({ room, user, seconds }) {
    if (!this.#sought) return;
    const { request } = this.#sought;
    const words = say("seeking.found", { user: nameOf(user) });
    const play = make("button", { type: "button", class: "main" });
    const later = make("button", { type: "button" }, say("seeking.later"));
    const until = Date.now() + 1000 * seconds;
    const count = () => {
      const left = Math.ceil((until - Date.now()) / 1000);
      play.textContent = say("seeking.play", { user: nameOf(user), seconds: left });
      if (left <= 0) this.#give();
    };
    play.addEventListener("click", () => {
      this.#sought = null;
      this.#give();
      this.#go(room ? /** @type {Asked<"join">} */ ({ do: "join", room }) : request);
    });
    later.addEventListener("click", () => this.#give());
    this.#asked.replaceChildren(
      make("span", {}, make("b", {}, words), " ", say("seeking.ends")),
      make("span", { class: "buttons" }, play, later),
    );
    this.#dismiss();
    $("challenges").append(this.#asked);
    $("challenges").hidden = false;
    this.#timer = setInterval(count, 1000);
    count();
    announce(words);
  }

  /** The question is over, and with it the search, as the server sees it. */
  #give() {
    this.#sought = null;
    this.#dismiss();
    this.#card.remove();
  }

  #dismiss() {
    clearInterval(this.#timer);
    this.#asked.remove();
    $("challenges").hidden = !$("challenges").childElementCount;
  }
}

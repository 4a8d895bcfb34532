// The lobby: ways to a match, the rooms of every game, of which the server tells, and who is online.

import { $, announce, entitle, markField, show, whileBusy, write } from "./dom.js";
import { OpenForm } from "./form.js";
import { faceNamed } from "./names.js";
import { People } from "./people.js";
import { Rooms } from "./rooms.js";
import { Shows } from "./shows.js";
import { Seeking } from "./seeking.js";
import { Lost, Refused } from "./session.js";
import { choose, chosen } from "./settings.js";
import { showCups, showPuzzle } from "./summons.js";
import { say } from "./texts.js";

/** What the server says of a table that has words of its own for who sees it in the list. */
const FAULTS = ["no-such-room", "room-full", "private-room"];

/** Why one can't sit there, but may watch. */
const FOR_OTHERS = ["room-full", "guests-refused"];

/** Who waits where nobody else does. */
const WAITING = ["pip", "dot", "rook"];

/** The same of the name that it is to have. */
const NAME_FAULTS = ["bad-room-name", "room-exists"];

/**
 * What leads to a room: a request of the protocol.
 * @typedef {{ do: "open" | "seek" | "join" | "watch", room?: string | null, take?: boolean | null }
 *   & Partial<Omit<Wire.Requests["open"], "do" | "room">> & Partial<Pick<Wire.Requests["join"], "key" | "since">>} Way
 */

/** `expect` is told what is asked for before it comes, by an event `room`; `go(request)` leaves the room that is shown, for another. While a match `isPlaying()` it asks for no other; `isIn(room)`: one has a place there, `toBoard()` shows it. */
export class Lobby {
  #session;
  #expect;
  #isPlaying;
  #rooms;
  #people;
  /** @type {Way | null} */
  #missed = null;
  #form = new OpenForm((game) => this.#rooms.waiting(game));
  #shows = new Shows($("show"), () => !$("lobby").hidden && !$("rooms-empty").hidden && $("played").hidden);

  #seeking;

  /**
   * @param {Session} session
   * @param {(expected: Expected) => void} expect
   * @param {(request: import("./seeking.js").Request | null) => void} go
   * @param {() => boolean} isPlaying
   * @param {(room: string) => boolean} isIn
   * @param {() => unknown} toBoard
   */
  constructor(session, expect, go, isPlaying, isIn, toBoard) {
    this.#isPlaying = isPlaying;
    this.#seeking = new Seeking(session, go, isIn);
    this.#session = session;
    this.#expect = expect;
    this.#rooms = new Rooms(session, (request) => (isIn(request.room) && toBoard()) || this.ask(request));
    this.#people = new People(
      session,
      expect,
      (room) => this.ask({ do: "watch", room }),
      () => this.#form.terms,
    );
    $("empty-faces").replaceChildren(...WAITING.map((name) => faceNamed(name)));
    session.addEventListener("lost", () => this.#people.forget());
    session.addEventListener("ended", () => {
      $("people").hidden = true;
      this.#people.forget();
    });
    $("open-challenge").addEventListener("click", () => $("people-title").focus());
    this.#listen("open", () => {
      const request = this.#form.read();
      return request && this.ask(request);
    });
    for (const [id, way] of [
      ["empty-open", "anybody"],
      ["empty-friend", "friend"],
    ]) {
      $(id).addEventListener("click", () => {
        this.#form.turn(way);
        $("open-go").click();
      });
    }
    this.#listen("by-key", () => {
      const [room, key] = [$("by-key-room").value.trim(), $("by-key-key").value.trim().toLowerCase()];
      return room && this.ask({ do: "join", room, key: key || null });
    });
  }

  /**
   * Take what the session tells, which begins before this module has arrived.
   * @param {"ready" | "event"} type
   * @param {any} detail a Ready, or an event of the protocol
   */
  heard(type, detail) {
    if (type === "ready") return this.#ready(detail);
    this.#seeking.heard(detail);
    if (detail.event === "lobby") {
      this.#rooms.heard(detail);
      this.#form.tell();
    } else if (["people", "challenge"].includes(detail.event)) this.#people.heard(detail);
  }

  /** Show it, with a note on what has just happened, if anything has. */
  open(note = "") {
    show("lobby");
    this.#form.recall();
    this.#rooms.render();
    this.#rooms.look();
    this.#shows.look();
    this.#seeking.showHere();
    this.#showPeople();
    entitle(say("lobby.title"));
    $("lobby-title").focus();
    this.#say(note);
    announce(note || say("lobby.here"));
    const join = (/** @type {string} */ tournament) => this.#session.ask({ do: "enter", tournament }).catch(() => {}); // its page says why
    showPuzzle($("lobby-puzzle"), this.#session.isGuest ? null : (request) => this.#session.ask(request));
    showCups($("lobby-cups"), this.#session.isGuest ? null : /** @type {any} */ (join));
  }

  /**
   * What a player at a public table is rated, in words.
   * @param {string} room
   * @param {string} user
   */
  ratingOf(room, user) {
    return this.#rooms.ratingOf(room, user);
  }

  /**
   * Challenge somebody, by default to what is chosen in the form (people.js); a promise of what is wrong, in words, if anything is.
   * @param {...any} words those of people.js
   */
  async challenge(...words) {
    return (await this.#people.challenge(.../** @type {Parameters<People["challenge"]>} */ (words))) ?? "";
  }

  /**
   * Choose in the form what a link names; say so if there is no such game.
   * @param {string} game
   * @param {string} [against]
   */
  choose(game, against) {
    if (!this.#form.follow(game, against)) this.#say(say("lobby.no-such-game"));
  }

  /**
   * Ask for a table. Who comes by a link (`orWatch`) and can't have a seat watches; without a connection
   * the link is followed when there is one again.
   * @param {Way} request
   * @param {boolean} orWatch
   * @returns {Promise<void>}
   */
  async ask(request, orWatch = false) {
    this.#say("");
    this.#missed = null;
    if (this.#isPlaying()) return this.#say(say("lobby.playing"));
    // One's own seat is in another tab or on another device, or it is held.
    const isOwn = this.#rooms.hasPlayer(/** @type {string} */ (request.room), this.#session.user);
    if (request.do === "join" && isOwn && !orWatch) request = { ...request, take: true };
    try {
      if (["seek", "join"].includes(request.do)) this.#seeking.stop();
      const { room, key = /** @type {string | null} */ (request.key) } = await this.#session.ask(/** @type {Asked<"join">} */ (request));
      if (request.do === "seek") this.#seeking.sit(/** @type {Asked<"seek">} */ (request), room);
      if (request.do === "open") $("open-name").value = "";
      if (request.game) choose("play", request.game);
      const again = request.do === "seek" || request.computer ? request : null;
      this.#expect({ room, key, again });
    } catch (error) {
      if (error instanceof Refused && FOR_OTHERS.includes(error.code) && orWatch) {
        return this.ask({ ...request, do: "watch" });
      }
      if (error instanceof Refused) return this.#refused(error);
      if (!(error instanceof Lost)) throw error;
      this.#missed = orWatch ? request : null;
      this.#say(error.message);
    }
  }

  /** Show who is online, to who can play with them. */
  #showPeople() {
    if (this.#session.user && !this.#session.isAlone) this.#people.open();
  }

  /**
   * @param {"open" | "by-key"} id
   * @param {() => unknown} work
   */
  #listen(id, work) {
    $(id).addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(/** @type {HTMLElement} */ ($(id).querySelector("button")), work);
    });
  }

  /**
   * Say what is wrong: at the field, if it is one of the form.
   * @param {Refused} error
   */
  #refused({ code, message }) {
    const fault = [...FAULTS, ...NAME_FAULTS].includes(code) ? say(`lobby.${code}`) : message;
    if (!NAME_FAULTS.includes(code)) return this.#say(fault);
    $("open-more").open = true;
    markField($("open-name"), fault);
    $("open-name").focus();
  }

  /** @param {string} text */
  #say(text) {
    write($("lobby-note"), text);
    if (text) announce(text);
  }

  /** @param {Ready} ready */
  #ready({ games, rooms }) {
    // The server keeps it until it stops.
    if (chosen("hidden")) this.#session.ask({ do: "account", hidden: true }).catch(() => {});
    this.#people.forget();
    this.#seeking.renew();
    this.#rooms.set(games, rooms);
    this.#form.set(games, this.#session);
    this.#shows.set(games, chosen("play"));
    if (!$("lobby").hidden) this.#showPeople();
    if ($("lobby-note").textContent === say("connection.unreachable")) this.#say("");
    if (this.#missed && !$("lobby").hidden) this.ask(this.#missed, true);
  }
}

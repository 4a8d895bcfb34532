// The lobby: the tables of every game, which the server tells of, and ways to one.

import { $, announce, make, markField, show, whileBusy, write } from "./dom.js";
import { OpenForm, sayOptions } from "./form.js";
import { Lost, Refused } from "./session.js";

/** What the server says of a table, in words for who sees it in the list. */
const FAULTS = {
  "no-such-room": "That table is gone.",
  "room-full": "No seat is free there: somebody else was faster, or the table is your own.",
  "private-room": "That table is private, and the key isn't its key.",
};

/** Why one can't sit there, but may watch. */
const FOR_OTHERS = ["room-full", "guests-refused"];

/** The same of the name that it is to have. */
const NAME_FAULTS = {
  "bad-room-name": "A name is up to 20 letters, digits, dashes, blanks and underscores.",
  "room-exists": "There is a table of that name already.",
};

/** `expect` is told what is asked for before it comes, by an event `room`. */
export class Lobby {
  #session;
  #expect;
  #rooms = new Map();
  #items = new Map();
  #games = [];
  #form = new OpenForm();

  constructor(session, expect) {
    this.#session = session;
    this.#expect = expect;
    session.addEventListener("ready", (event) => this.#ready(event.detail));
    session.addEventListener("event", (event) => this.#heard(event.detail));
    session.addEventListener("lost", () => $("rooms").classList.add("stale"));
    this.#listen("open", () => {
      const request = this.#form.read();
      return request && this.ask(request);
    });
    this.#listen("by-key", () => {
      const [room, key] = [$("by-key-room").value.trim(), $("by-key-key").value.trim()];
      return room && this.ask({ do: "join", room, key: key || null });
    });
  }

  /** Show it, with a note on what has just happened, if anything has. */
  open(note = "") {
    show("lobby");
    document.title = "Lobby – tictac";
    $("lobby-title").focus();
    this.#say(note);
    announce(note || "You are in the lobby.");
  }

  /** Choose a game in the form. */
  choose(game) {
    this.#form.choose(game);
  }

  /** Ask for a table. Who can't have a seat by a link (`orWatch`) watches. */
  async ask(request, orWatch = false) {
    this.#say("");
    try {
      const { room, key = request.key } = await this.#session.ask(request);
      const again = request.do === "seek" || request.computer ? request : null;
      this.#expect({ room, key, again });
    } catch (error) {
      if (error instanceof Refused && FOR_OTHERS.includes(error.code) && orWatch) {
        return this.ask({ ...request, do: "watch" });
      }
      if (error instanceof Refused) return this.#refused(error);
      if (!(error instanceof Lost)) throw error;
      this.#say("There is no connection at the moment.");
    }
  }

  #listen(id, work) {
    $(id).addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy($(id).querySelector("button"), work);
    });
  }

  /** Say what is wrong: at the field, if it is one of the form. */
  #refused({ code, message }) {
    if (!(code in NAME_FAULTS)) return this.#say(FAULTS[code] ?? message);
    $("open-more").open = true;
    markField($("open-name"), NAME_FAULTS[code]);
    $("open-name").focus();
  }

  #say(text) {
    write($("lobby-note"), text);
    if (text) announce(text);
  }

  #ready({ games, rooms }) {
    this.#games = games;
    this.#form.set(games, this.#session.isAlone);
    $("private").hidden = this.#session.isAlone;
    this.#rooms = new Map(rooms.map((room) => [room.room, room]));
    $("rooms").classList.remove("stale");
    this.#render();
  }

  #heard(event) {
    if (event.event !== "lobby") return;
    if (event.gone) this.#rooms.delete(event.room);
    else this.#rooms.set(event.room, event);
    this.#render();
  }

  #render() {
    for (const [name, item] of this.#items) {
      if (this.#rooms.has(name)) continue;
      item.remove();
      this.#items.delete(name);
    }
    let open = 0;
    for (const room of this.#rooms.values()) open += this.#update(room) ? 1 : 0;
    const all = this.#rooms.size;
    $("rooms").hidden = all === 0;
    $("rooms-empty").hidden = all > 0;
    write($("rooms-count"), all ? `${all} ${all === 1 ? "table" : "tables"}, ${open} to join` : "");
  }

  /** Show a table; whether one can join it. */
  #update({ room, game, title, options, players, viewers, begun, clock, rated }) {
    if (!this.#items.has(room)) this.#add(room, title);
    const item = this.#items.get(room);
    const names = players.filter(Boolean);
    // One's own seat may be held.
    const { user, isAlone } = this.#session;
    const isOpen = (players.includes(null) && !isAlone) || names.includes(user);
    const against = begun ? names.join(", ") : `${names.join(", ") || "nobody"} waits`;
    const unusual = sayOptions(this.#games.find(({ name }) => name === game), options);
    const time = clock ? `${sayMinutes(clock.initial)} + ${clock.increment} s` : "";
    const watched = viewers ? `${viewers} watching` : "";
    const what = [against, unusual, time, rated ? "rated" : "", watched].filter(Boolean).join(" · ");
    item.classList.toggle("open", isOpen);
    write(item.querySelector(".kind"), what);
    item.querySelector(".join").hidden = !isOpen;
    return isOpen;
  }

  #add(room, title) {
    const button = (what, kind) => {
      const label = `${what} ${room}, ${title}`;
      const made = make("button", { type: "button", class: kind, "aria-label": label }, what);
      const request = { do: what.toLowerCase(), room };
      made.addEventListener("click", () => whileBusy(made, () => this.ask(request)));
      return made;
    };
    const name = make("span", { class: "name" }, `${title} `, make("span", { class: "hint" }, room));
    const buttons = make("span", { class: "buttons" }, button("Join", "join"), button("Watch", "quiet watch"));
    const item = make("li", {}, name, make("span", { class: "kind" }), buttons);
    this.#items.set(room, item);
    $("rooms").append(item);
  }
}

function sayMinutes(seconds) {
  return seconds % 60 ? `${seconds} s` : `${seconds / 60} min`;
}

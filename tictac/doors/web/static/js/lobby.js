// The lobby: the tables of every game, which the server tells of, and ways to one.

import { $, announce, entitle, make, markField, show, whileBusy, write } from "./dom.js";
import { OpenForm, sayOptions } from "./form.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

/** What the server says of a table that has words of its own for who sees it in the list. */
const FAULTS = ["no-such-room", "room-full", "private-room"];

/** Why one can't sit there, but may watch. */
const FOR_OTHERS = ["room-full", "guests-refused"];

/** The same of the name that it is to have. */
const NAME_FAULTS = ["bad-room-name", "room-exists"];

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
    entitle(say("lobby.title"));
    $("lobby-title").focus();
    this.#say(note);
    announce(note || say("lobby.here"));
  }

  /** Choose a game in the form; say so if there is none of that name. */
  choose(game) {
    if (!this.#form.choose(game)) this.#say(say("lobby.no-such-game"));
  }

  /** Ask for a table. Who can't have a seat by a link (`orWatch`) watches. */
  async ask(request, orWatch = false) {
    this.#say("");
    // One's own seat is in another tab or on another device, or it is held.
    const isOwn = this.#rooms.get(request.room)?.players.includes(this.#session.user);
    if (request.do === "join" && isOwn && !orWatch) request = { ...request, take: true };
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
      this.#say(say("connection.none"));
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
    const fault = [...FAULTS, ...NAME_FAULTS].includes(code) ? say(`lobby.${code}`) : message;
    if (!NAME_FAULTS.includes(code)) return this.#say(fault);
    $("open-more").open = true;
    markField($("open-name"), fault);
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
    write($("rooms-count"), all ? say("lobby.count", { count: all, open }) : "");
  }

  /** Show a table; whether one can join it. */
  #update({ room, game, title, options, players, viewers, begun, clock, rated }) {
    if (!this.#items.has(room)) this.#add(room, title);
    const item = this.#items.get(room);
    const names = players.filter(Boolean);
    // One's own seat may be held.
    const { user, isAlone } = this.#session;
    const isOpen = (players.includes(null) && !isAlone) || names.includes(user);
    const against = begun
      ? names.join(", ")
      : say("lobby.waits", { names: names.join(", ") || say("lobby.nobody") });
    const unusual = sayOptions(this.#games.find(({ name }) => name === game), options);
    const { initial, increment } = clock ?? {};
    const time = clock ? say("lobby.clock", { initial: sayMinutes(initial), increment }) : "";
    const watched = viewers ? say("lobby.watching", { count: viewers }) : "";
    const what = [against, unusual, time, rated ? say("lobby.rated") : "", watched].filter(Boolean).join(" · ");
    item.classList.toggle("open", isOpen);
    write(item.querySelector(".kind"), what);
    item.querySelector(".join").hidden = !isOpen;
    return isOpen;
  }

  #add(room, title) {
    const button = (what, kind) => {
      const words = say(`lobby.${what}`);
      const label = say("lobby.doTo", { do: words, room, title });
      const made = make("button", { type: "button", class: kind, "aria-label": label }, words);
      const request = { do: what, room };
      made.addEventListener("click", () => whileBusy(made, () => this.ask(request)));
      return made;
    };
    const name = make("span", { class: "name" }, `${title} `, make("span", { class: "hint" }, room));
    const buttons = make("span", { class: "buttons" }, button("join", "join"), button("watch", "quiet watch"));
    const item = make("li", {}, name, make("span", { class: "kind" }), buttons);
    this.#items.set(room, item);
    $("rooms").append(item);
  }
}

function sayMinutes(seconds) {
  return seconds % 60 ? say("lobby.seconds", { seconds }) : say("lobby.minutes", { minutes: seconds / 60 });
}

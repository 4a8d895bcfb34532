// The part of the lobby that has every game: the tables that there are, and a way to open one.

import { $, announce, whileBusy, write } from "../dom.js";
import { count, RoomList } from "../roomlist.js";
import { Lost } from "../session.js";
import { OpenForm, sayOptions } from "./form.js";
import { Refused } from "./link.js";

/** What it asks for is answered by an event `room`, with which the table's view opens. */
export class Tables {
  #link;
  #user;
  #rooms = new Map();
  #games = [];
  #form = new OpenForm();
  #list = new RoomList("tables", (room, mode) => {
    return this.#ask({ do: mode === "PLAYER" ? "join" : "watch", room });
  });

  /** `user()` is what the visitor is called. */
  constructor(link, user) {
    this.#link = link;
    this.#user = user;
    link.addEventListener("ready", (event) => this.#ready(event.detail));
    link.addEventListener("event", (event) => this.#heard(event.detail));
    link.addEventListener("lost", () => this.#list.pause());
    link.addEventListener("failed", (event) => this.#say(`There are no tables now: ${event.detail}`));
    $("open-table").addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy($("open-table").querySelector("button"), () => this.#open());
    });
  }

  /** Say it in the list's own place. */
  #say(text) {
    write($("tables-note"), text);
    if (text && !$("lobby").hidden) announce(text);
  }

  #ready({ games, rooms }) {
    this.#games = games;
    this.#form.set(games);
    this.#rooms = new Map(rooms.map((room) => [room.room, room]));
    this.#say("");
    this.#render();
  }

  #heard(event) {
    if (event.event !== "lobby") return;
    if (event.gone) this.#rooms.delete(event.room);
    else this.#rooms.set(event.room, event);
    this.#render();
  }

  async #open() {
    const request = this.#form.read();
    if (request) await this.#ask(request);
  }

  async #ask(request) {
    this.#say("");
    try {
      await this.#link.ask(request);
    } catch (error) {
      if (error instanceof Refused) return this.#say(error.message);
      if (!(error instanceof Lost)) throw error;
      this.#say("There is no connection to the tables at the moment.");
    }
  }

  #render() {
    const rooms = [...this.#rooms.values()].map((room) => this.#describe(room));
    this.#list.render(rooms);
    const open = rooms.filter((room) => room.open).length;
    write($("tables-count"), count(rooms.length, open, "table"));
  }

  #describe({ room, game, title, options, players, viewers, begun }) {
    const names = players.filter(Boolean);
    const unusual = sayOptions(this.#games.find(({ name }) => name === game), options);
    const waits = !begun && names.length ? `${names.join(", ")} waits for a player` : "";
    const plays = begun ? names.join(" against ") : "";
    const watched = viewers ? `${viewers} watching` : "";
    const what = [waits || plays || "waits for players", unusual, watched];
    return {
      room,
      name: `${title} · ${room}`,
      label: `${room}, ${title}`,
      what: what.filter(Boolean).join(" · "),
      // One's own seat may be held.
      open: players.includes(null) || names.includes(this.#user()),
    };
  }
}

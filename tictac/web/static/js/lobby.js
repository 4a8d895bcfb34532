// The lobby: what rooms there are, and ways into one. It looks again by itself.

import { $, announce, markField, show, whileBusy, write } from "./dom.js";
import { faultOfRoom } from "./protocol.js";
import { count, RoomList } from "./roomlist.js";
import { Lost } from "./session.js";

const LOOKS_EVERY = 2000;

const CREATE_FAULTS = {
  1: "The server doesn't take that name.",
  2: "There is a room of that name already.",
  3: "There are as many rooms as there may be. Please try again later.",
  4: "The server doesn't take that.",
};

const JOIN_FAULTS = {
  1: "That room is gone.",
  2: "No seat is free there: somebody else was faster, or the room is your own.",
  3: "The server doesn't take that.",
};

/** `entered(room, role)` is called when a room was entered, as creator, player or viewer. */
export class Lobby {
  #session;
  #entered;
  #timer = 0;
  #list = new RoomList("rooms", (room, mode) => this.join(room, mode));

  constructor(session, entered) {
    this.#session = session;
    this.#entered = entered;
    $("play-computer").addEventListener("click", () => this.playComputer());
    $("create").addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy($("create").querySelector("button"), () => this.#create());
    });
    $("room-name").addEventListener("input", () => markField($("room-name"), ""));
    document.addEventListener("visibilitychange", () => this.#isOpen() && this.look());
  }

  /** Show it, with a note on what has just happened, if anything has. */
  open(note = "") {
    show("lobby");
    document.title = "Lobby – tictac";
    write($("lobby-note"), note);
    $("lobby-title").focus();
    announce(note || "You are in the lobby.");
    this.look();
  }

  /** Nothing is known of the rooms at the moment. */
  pause() {
    clearTimeout(this.#timer);
    this.#list.pause();
  }

  /** Ask for the rooms, now and from now on. */
  async look() {
    clearTimeout(this.#timer);
    if (!this.#isOpen() || document.hidden) return;
    try {
      const lists = [this.#session.ask("ROOMLIST", "PLAYER"), this.#session.ask("ROOMLIST", "VIEWER")];
      const [open, all] = await Promise.all(lists);
      if (this.#isOpen()) this.#render(all.rooms, new Set(open.rooms));
    } catch (error) {
      if (error instanceof Lost) return;
      throw error;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), LOOKS_EVERY);
  }

  /** Open a room to which the computer comes at once. */
  playComputer() {
    // The name says for whom it is; of two with the same one the server refuses the second.
    const room = `computer ${Math.floor(Math.random() * 1e6)}`;
    return this.#enter(["CREATE", room], room, "creator", (status) =>
      this.#complain(CREATE_FAULTS[status]),
    );
  }

  /** Join a room. `mode` is PLAYER or VIEWER. */
  join(room, mode) {
    const role = mode === "PLAYER" ? "player" : "viewer";
    return this.#enter(["JOIN", room, mode], room, role, (status) => {
      this.#complain(JOIN_FAULTS[status]);
      this.look();
    });
  }

  #isOpen() {
    return !$("lobby").hidden;
  }

  async #create() {
    const input = $("room-name");
    const room = input.value.trim();
    const fault = faultOfRoom(room);
    markField(input, fault);
    if (fault) return input.focus();
    await this.#enter(["CREATE", room], room, "creator", (status) => {
      markField(input, CREATE_FAULTS[status]);
      announce(CREATE_FAULTS[status]);
      input.focus();
    });
  }

  async #enter(request, room, role, refused) {
    try {
      const { status } = await this.#session.ask(...request);
      if (status) return refused(status);
      clearTimeout(this.#timer);
      $("room-name").value = "";
      this.#entered(room, role);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  #complain(text) {
    write($("lobby-note"), text);
    announce(text);
  }

  #render(rooms, open) {
    const described = (room) => ({
      room,
      name: room,
      label: room,
      what: open.has(room) ? "waits for a player" : "is being played",
      open: open.has(room),
    });
    this.#list.render(rooms.map(described));
    write($("rooms-count"), count(rooms.length, open.size, "room"));
  }
}

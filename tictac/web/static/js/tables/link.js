// The lobby protocol (docs/lobby.md) from the page's side: requests and their answers, and logging
// in as the visitor, again after a lost connection. Knows no game and no document.

import { Junk } from "../junk.js";
import { Lost } from "../session.js";

/** A request that the server has refused: `code` says why, and the message does in words. */
export class Refused extends Error {
  constructor({ error, message }) {
    super(message ?? error);
    this.code = error;
  }
}

/**
 * Events: `ready` (logged in; detail: the `games` and `rooms` that there are), `event` (detail: one
 * of the protocol), `lost` (as of connection.js), `failed` (detail: why it isn't used any longer).
 */
export class Link extends EventTarget {
  #connection;
  #account;
  #number = 0;
  #waiting = new Map();

  /** `account()` is the `user` and `password` to log in with. */
  constructor(connection, account) {
    super();
    this.#connection = connection;
    this.#account = account;
    connection.addEventListener("open", () => this.#begin());
    connection.addEventListener("message", (event) => this.#heard(event.detail));
    connection.addEventListener("lost", (event) => {
      this.#reject();
      this.#tell("lost", event.detail);
    });
  }

  /** Connect, and log in. */
  open() {
    this.#connection.open();
  }

  /** Hang up for good. */
  close() {
    this.#connection.close();
    this.#reject();
  }

  /** Send a request; a promise of its answer. Rejects with Refused, or Lost. */
  ask(request) {
    return this.#ask(request, (text) => this.#connection.send(text));
  }

  /** Send one that must not arrive late. */
  askInTime(request) {
    return this.#ask(request, (text) => this.#connection.sendInTime(text));
  }

  #ask(request, send) {
    return new Promise((resolve, reject) => {
      if (!this.#connection.isOpen) return reject(new Lost());
      const id = ++this.#number;
      this.#waiting.set(id, { resolve, reject });
      send(JSON.stringify({ ...request, id }));
    });
  }

  async #begin() {
    try {
      this.#connection.isBusy = true; // a password is checked
      await this.ask({ do: "login", ...this.#account() });
      this.#connection.isBusy = false;
      const asked = [this.ask({ do: "games" }), this.ask({ do: "lobby" })];
      const [{ games }, { rooms }] = await Promise.all(asked);
      this.#tell("ready", { games, rooms });
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      this.#fail(error.message);
    }
  }

  #heard(text) {
    try {
      this.#take(parse(text));
    } catch (error) {
      if (!(error instanceof Junk)) throw error;
      this.#fail(`the server has said what doesn't fit: ${error.message}`);
    }
  }

  #take(message) {
    if (!("answer" in message)) return this.#tell("event", message);
    const request = this.#waiting.get(message.answer);
    if (!request) throw new Junk(`an answer to ${message.answer}`);
    this.#waiting.delete(message.answer);
    if (message.error) request.reject(new Refused(message));
    else request.resolve(message);
  }

  #fail(why) {
    this.close();
    this.#tell("failed", why);
  }

  #reject() {
    this.#connection.isBusy = false;
    for (const { reject } of this.#waiting.values()) reject(new Lost());
    this.#waiting.clear();
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function parse(text) {
  try {
    const message = JSON.parse(text);
    if ("answer" in message || typeof message.event === "string") return message;
  } catch {
    // Said below.
  }
  throw new Junk(String(text));
}

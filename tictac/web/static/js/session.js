// Who is logged in: requests and their answers, and logging in again after a lost connection.
//
// The password is kept in memory only, for as long as the page lives; what survives a reload is
// the name (sessionStorage, this tab). See docs/web.md.

import { Junk } from "./junk.js";
import { parse } from "./protocol.js";

const KEY = "tictac";

/** The status of JOIN for a room whose seats are taken. */
const SEAT_TAKEN = 2;
/** Milliseconds between two questions for a seat that the server doesn't hold yet. */
const SEAT_PAUSE = 250;
/** Milliseconds after which it isn't asked for any longer. */
const PATIENCE = 70_000;
/** What the server has a password checked for, or hashed: that may have to wait for its turn. */
const SLOW = ["LOGIN", "REGISTER"];

/** A request whose answer can't come any more: its connection is lost. */
export class Lost extends Error {}

/**
 * Events: `event` (detail: what happened in the room, as of protocol.js), `lost` (as of
 * connection.js), `restored` (logged in again), `leaving` (the connection is about to be closed for
 * good), `ended` (detail: why nobody is logged in now).
 */
export class Session extends EventTarget {
  user = "";
  #password = "";
  #connection;
  #waiting = [];
  #losses = 0;

  constructor(connection) {
    super();
    this.#connection = connection;
    connection.addEventListener("message", (event) => this.#heard(event.detail));
    connection.addEventListener("lost", (event) => this.#lost(event.detail));
    connection.addEventListener("open", () => this.user && this.#restore());
  }

  /** Who is logged in, for a connection that logs in, too. */
  get account() {
    return { user: this.user, password: this.#password };
  }

  /** Send a request that is answered with an ACKSTATUS; a promise of that. Rejects with Lost. */
  ask(verb, ...fields) {
    return new Promise((resolve, reject) => {
      if (!this.#connection.isOpen) return reject(new Lost());
      this.#waiting.push({ verb, resolve, reject });
      this.#waitingChanged();
      this.tell(verb, ...fields);
    });
  }

  /** Send a request that has no answer of its own. */
  tell(...fields) {
    this.#connection.send(fields.join(":"));
  }

  /** Send one that must not arrive late. */
  tellInTime(...fields) {
    this.#connection.sendInTime(fields.join(":"));
  }

  /** Log in; the status of the answer. Rejects with Lost. */
  async logIn(user, password) {
    await this.#connected();
    const { status } = await this.ask("LOGIN", user, password);
    if (status === 0) {
      if (recall().user !== user) forget(); // what the tab knows is somebody else's
      this.user = user;
      this.#password = password;
      remember({ user });
    }
    return status;
  }

  /** Make an account; the status of the answer. Rejects with Lost. */
  async register(user, password) {
    await this.#connected();
    return (await this.ask("REGISTER", user, password)).status;
  }

  /**
   * Go back to the seat that was mine when the connection was lost; the status of JOIN. As long as
   * the server doesn't know of the loss it says that the seat is taken: so ask again.
   * Rejects with Lost.
   */
  async takeSeat(room) {
    const [losses, until] = [this.#losses, Date.now() + PATIENCE];
    for (;;) {
      const { status } = await this.ask("JOIN", room, "PLAYER");
      if (status !== SEAT_TAKEN || Date.now() > until) return status;
      await new Promise((resolve) => setTimeout(resolve, SEAT_PAUSE * (1 + Math.random())));
      if (this.#losses !== losses) throw new Lost();
    }
  }

  /** Forget who was logged in, and hang up. */
  logOut() {
    this.#tell("leaving");
    this.user = this.#password = "";
    this.#connection.close();
    this.#reject();
    forget();
  }

  /** Hang up and come back, which is the only way out of a room for who watches. */
  async comeBack() {
    this.#connection.close();
    this.#reject();
    this.#connection.open();
  }

  #connected() {
    if (this.#connection.isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const options = { once: true };
      this.#connection.addEventListener("open", resolve, options);
      this.#connection.addEventListener("lost", () => reject(new Lost()), options);
      this.#connection.open();
    });
  }

  async #restore() {
    try {
      const { status } = await this.ask("LOGIN", this.user, this.#password);
      if (status === 0) return this.#tell("restored");
      this.logOut();
      this.#tell("ended", "The server doesn't take that name and password any more.");
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  #heard(message) {
    try {
      this.#take(parse(message));
    } catch (error) {
      if (!(error instanceof Junk)) throw error;
      this.logOut();
      this.#tell("ended", `The server has said what doesn't fit, so you are logged out: ${error.message}`);
    }
  }

  #take(answer) {
    if (answer.kind !== "ack") return this.#tell("event", answer);
    const place = this.#waiting.findIndex((request) => request.verb === answer.verb);
    if (place < 0) throw new Junk(`an answer to ${answer.verb}`);
    const [request] = this.#waiting.splice(place, 1);
    this.#waitingChanged();
    request.resolve(answer);
  }

  #lost(detail) {
    this.#reject();
    // Who isn't logged in has nothing to come back to: the next attempt connects again.
    if (this.user) this.#tell("lost", detail);
    else this.#connection.close();
  }

  #reject() {
    this.#losses++;
    for (const { reject } of this.#waiting.splice(0)) reject(new Lost());
    this.#waitingChanged();
  }

  #waitingChanged() {
    this.#connection.isBusy = this.#waiting.some(({ verb }) => SLOW.includes(verb));
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** What this tab knows of its visitor: `user`, and `place`, the room and role there, if any. */
export function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Keep something besides what is known. */
export function remember(more) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...recall(), ...more }));
}

function forget() {
  sessionStorage.removeItem(KEY);
}

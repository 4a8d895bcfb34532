// The lobby protocol (docs/lobby.md) from the page's side: requests and their answers, and who is
// logged in, also after a lost connection.
//
// The password is kept in memory only, for as long as the page lives; what survives a reload is
// the name (sessionStorage, this tab). See docs/web.md.

import { say } from "./texts.js";

const KEY = "tictac";

/** What the server checks or hashes a password for, which may have to wait for its turn, or thinks about. */
const SLOW = ["login", "register", "judge"];

/** A request whose answer can't come any more: its connection is lost, perhaps for a `reason`. */
export class Lost extends Error {
  constructor(reason = "") {
    super(reason);
    this.reason = reason;
  }
}

/** A request that the server has refused: `code` says why, and the message does in words. */
export class Refused extends Error {
  constructor({ error, message }) {
    super(message ?? error);
    this.code = error;
  }
}

/** What a server of the protocol wouldn't say. */
class Junk extends Error {
  constructor(what) {
    super(what.length > 40 ? `${what.slice(0, 40)}…` : what);
  }
}

/**
 * Events: `greeted` (`guests` is known), `ready` (logged in, for the first time or again; detail:
 * the `games` and `rooms` that there are), `event` (detail: one of the protocol), `lost` (as of
 * connection.js), `ended` (detail: why nobody is logged in now).
 */
export class Session extends EventTarget {
  user = "";
  /** Whether guests may play with others. */
  guests = false;
  #connection;
  #account = null;
  #number = 0;
  #waiting = new Map();

  constructor(connection) {
    super();
    this.#connection = connection;
    connection.addEventListener("open", () => this.#begin());
    connection.addEventListener("message", (event) => this.#heard(event.detail));
    connection.addEventListener("lost", (event) => this.#lost(event.detail));
  }

  /** Whether nobody can come back under this name. */
  get isGuest() {
    return this.#account?.do === "guest";
  }

  /** Whether only the computer plays with this visitor. */
  get isAlone() {
    return this.isGuest && !this.guests;
  }

  /** Connect, unless that is so; a promise. Rejects with Lost. */
  connect() {
    if (this.#connection.isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const options = { once: true };
      const lost = ({ detail }) => reject(new Lost(detail.reason));
      this.#connection.addEventListener("open", resolve, options);
      this.#connection.addEventListener("lost", lost, options);
      this.#connection.open();
    });
  }

  /** Log in, or become a guest, by that request. Rejects with Refused or Lost. */
  async enter(request) {
    await this.connect();
    const { user } = await this.ask(request);
    if (recall().user !== user) forget(); // what the tab knows is somebody else's
    this.user = user;
    this.#account = request;
    if (!this.isGuest) remember({ user });
    await this.#look();
  }

  /** Make an account, and log in. Rejects with Refused or Lost. */
  async register(account) {
    await this.connect();
    await this.ask({ do: "register", ...account });
    await this.enter({ do: "login", ...account });
  }

  /** Forget who was logged in, and hang up. */
  logOut() {
    this.user = "";
    this.#account = null;
    this.#connection.close();
    this.#reject("");
    forget();
  }

  /** Send a request; a promise of its answer. Rejects with Refused or Lost. */
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
      this.#waiting.set(id, { slow: SLOW.includes(request.do), resolve, reject });
      this.#waitingChanged();
      send(JSON.stringify({ ...request, id }));
    });
  }

  /** Connected: say hello, and come back as who was here before. */
  async #begin() {
    try {
      const greeted = this.ask({ do: "hello" });
      if (this.#account) {
        this.user = (await this.ask(this.#account)).user;
        await this.#look();
      }
      this.guests = Boolean((await greeted).guests);
      this.#tell("greeted");
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      this.#end(say("connection.refused", { why: error.message }));
    }
  }

  async #look() {
    const asked = [this.ask({ do: "games" }), this.ask({ do: "lobby" })];
    const [{ games }, { rooms }] = await Promise.all(asked);
    this.#tell("ready", { games, rooms });
  }

  #heard(text) {
    try {
      this.#take(parse(text));
    } catch (error) {
      if (!(error instanceof Junk)) throw error;
      this.#end(say("connection.junk", { what: error.message }));
    }
  }

  #take(message) {
    if (!("answer" in message)) return this.#tell("event", message);
    const request = this.#waiting.get(message.answer);
    if (message.error && !request) return this.#end(say("connection.nobody", { why: message.message }));
    if (!request) throw new Junk(`an answer to ${message.answer}`);
    this.#waiting.delete(message.answer);
    this.#waitingChanged();
    if (message.error) request.reject(new Refused(message));
    else request.resolve(message);
  }

  #end(why) {
    this.logOut();
    this.#tell("ended", why);
  }

  #lost(detail) {
    this.#reject(detail.reason);
    // Who isn't logged in has nothing to come back to: the next attempt connects again.
    if (this.user) this.#tell("lost", detail);
    else this.#connection.close();
  }

  #reject(reason) {
    for (const { reject } of this.#waiting.values()) reject(new Lost(reason));
    this.#waiting.clear();
    this.#waitingChanged();
  }

  #waitingChanged() {
    this.#connection.isBusy = [...this.#waiting.values()].some(({ slow }) => slow);
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

/** What this tab knows of its visitor: `user`, and `table`, where that is. */
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

// The lobby protocol (docs/reference/lobby.md) from the page's side: requests and their answers, and who is
// logged in, also after a lost connection.
//
// What survives a reload is a token (docs/reference/web.md, "Coming back"), for all tabs and days to come or for this
// tab alone; that of a guest lasts as long as a seat is held. The password isn't kept, unless the server gives no tokens:
// then in memory.

import { sayReason } from "./banner.js";
import { drawn, learnFaces, whenDrawn } from "./faces.js";
import { learnParts } from "./parts.js";
import { learnTime } from "./servertime.js";
import { addTexts, hasText, readMessage, say, sentence } from "./texts.js";

/** What it is kept by, in the browser. */
const KEY = "tictac";

/** The same of one's matches (turns.js). */
const MATCHES = "tictac.mine";

/** What the server checks or hashes a password for, which may have to wait for its turn, or thinks about. */
const SLOW = ["login", "register", "password", "judge"];

/**
 * A request whose answer can't come: there is no connection, perhaps for a `reason`, or it broke after the request was
 * `sent`. The message is a sentence that says which.
 */
export class Lost extends Error {
  /** @param {string} reason */
  constructor(reason = "", sent = false) {
    super(sayReason(reason, say(sent ? "connection.unanswered" : "connection.unreachable")));
  }
}

/** A request that the server has refused: `code` says why, and the message is a sentence of the catalogue, or else what the server has `said`. */
export class Refused extends Error {
  /** @param {{ error: string, message?: string, free?: string }} answer */
  constructor({ error, message, free = "" }) {
    super(hasText(`errors.${error}`) ? say(`errors.${error}`) : sentence(message ?? error));
    this.code = error;
    this.said = message ?? "";
    // A name, where the wanted one is taken.
    this.free = free;
  }
}

/** What a server of the protocol wouldn't say. */
class Junk extends Error {
  /** @param {string} what */
  constructor(what) {
    super(what.length > 40 ? `${what.slice(0, 40)}…` : what);
  }
}

/**
 * Events: `greeted` (`guests` is known), `ready` (logged in, for the first time or again; detail:
 * the `games` and `rooms` that there are, the `tournaments` that one plays in, one's `seats`, how many matches are `mine`), `event` (detail: one of the protocol), `lost` (as of
 * connection.js), `called` (a guest has a name now), `ended` (detail: why nobody is logged in now).
 */
export class Session extends EventTarget {
  user = "";
  /** What the visitor is called: a guest by the name that they gave in a tournament. */
  called = "";
  /** Whether guests may play with others. */
  guests = false;

  /** Whether the server takes programs of this account. */
  programs = false;
  /** What the server shows without an account: "all", "invited" or "none". */
  visitors = "all";
  /**
   * Who may make an account.
   * @type {"open" | "closed" | "code"}
   */
  registration = "open";
  /** The least number of characters of a new password. */
  minPassword = 1;
  /**
   * The games, as the server describes them.
   * @type {Wire.Game[]}
   */
  games = [];
  /** Milliseconds by which the server's clock is ahead of this one. */
  ahead = 0;
  /**
   * A promise: the server has said what it allows.
   * @type {Promise<Wire.Answers["hello"]> | null}
   */
  greeted = null;
  #connection;
  /** @type {Login | null} */
  #account = null;
  #number = 0;
  /** @type {Map<unknown, { slow: boolean, resolve: (answer: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    super();
    this.#connection = connection;
    connection.addEventListener("open", () => this.#begin());
    connection.addEventListener("message", (event) => this.#heard(event.detail));
    connection.addEventListener("lost", (event) => this.#lost(event.detail));
    whenDrawn(() => this.#hello().catch(() => {})); // a lost connection says it anew
    addEventListener("storage", ({ key, oldValue, newValue }) => {
      // Who logs out in another tab logs out here, too.
      const { token } = recall();
      if (key === KEY && !newValue && token && oldValue?.includes(token)) this.#endToken();
    });
  }

  /** The request by which one logs in again. */
  get account() {
    return this.#account;
  }

  /** Whether nobody has this name for long. */
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
      /** @param {CustomEvent<Loss>} event */
      const lost = ({ detail }) => reject(new Lost(detail.reason));
      this.#connection.addEventListener("open", resolve, options);
      this.#connection.addEventListener("lost", lost, options);
      this.#connection.open();
    });
  }

  /**
   * Log in, or become a guest, by that request; `stays`: on this device, until logging out. Rejects with
   * Refused or Lost.
   * @param {Login} request
   * @param {boolean} stays
   */
  async enter(request, stays = false) {
    await this.connect();
    const told = await this.ask(request);
    const { user, token, guest } = told;
    this.#account = token && !guest ? { do: "login", user, token } : request;
    if (recall().user !== user) forget(); // what the tab knows is somebody else's
    if (!guest) remember({ user, token });
    if (stays && token) keepToken({ user, token });
    await this.#look(told);
  }

  /**
   * Make an account, and log in. Rejects with Refused or Lost.
   * @param {{ user: string, password: string, code?: string, remember?: boolean }} account
   * @param {boolean} stays
   */
  async register(account, stays) {
    await this.connect();
    const { user, token } = await this.ask({ do: "register", ...account });
    await this.enter(token ? { do: "login", user, token } : { do: "login", ...account }, stays);
  }

  /**
   * Change the password; other devices have to log in again. Rejects with Refused or Lost.
   * @param {string} old
   * @param {string} password
   */
  async changePassword(old, password) {
    const { user, token } = await this.ask({ do: "password", old, password, remember: true });
    const stays = Boolean(read(localStorage).token);
    this.#account = token ? { do: "login", user, token } : { do: "login", user, password };
    remember({ user, token });
    if (stays && token) keepToken({ user, token });
  }

  /** Come back as whoever the tab, or else the device, knows; whether there is somebody. */
  resume() {
    const { user = "", token, guest } = recall();
    if (!token && !guest) return false;
    this.called = this.user = user;
    this.#account = guest ? { do: "guest", token: guest } : { do: "login", user, token };
    this.#connection.open();
    return true;
  }

  /** Log out for good, on every device if wanted; a promise that never fails. */
  async leave(everywhere = false) {
    // Without a connection the token ends by itself, days later: nobody has it any longer.
    await this.ask({ do: "logout", everywhere }).catch(() => {});
    givePass("");
    forget();
    this.#hangUp();
  }

  /**
   * Send a request; a promise of its answer. Rejects with Refused or Lost.
   * @template {keyof Wire.Requests} D
   * @param {Asked<D>} request
   * @returns {Promise<Wire.Answers[D]>}
   */
  ask(request) {
    return new Promise((resolve, reject) => {
      if (!this.#connection.isOpen) return reject(new Lost());
      const id = ++this.#number;
      this.#waiting.set(id, { slow: SLOW.includes(request.do), resolve, reject });
      this.#waitingChanged();
      this.#connection.send(JSON.stringify({ ...request, id }));
    });
  }

  /** Connected: say hello, and come back as who was here before. */
  async #begin() {
    try {
      const greeted = (this.greeted = this.#hello());
      if (this.#account) await this.#look(this.ask(this.#account));
      const { registration = "open", min_password = 1 } = await greeted;
      this.registration = registration;
      this.minPassword = min_password;
      this.#tell("greeted");
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      if (error.code === "bad-token") this.#endToken();
      else this.#end(say("connection.refused", { why: error.message }));
    }
  }

  async #hello() {
    const answer = await this.ask({ do: "hello", draws: drawn(), takes: ["after", "challenge"] });
    this.guests = Boolean(answer.guests);
    this.visitors = answer.visitors ?? "all";
    learnParts(answer.parts ?? []);
    return answer;
  }

  /**
   * Ask what there is, behind a login that may be `entering` yet: that saves a round trip.
   * @param {Entered | Promise<Entered>} entering
   */
  async #look(entering) {
    const listing = this.ask({ do: "lobby" }).catch((error) => {
      if (error.code !== "not-logged-in") throw error;
      return { rooms: [] }; // an invited guest gets no list
    });
    // What is said at a table comes with the texts that are fetched later.
    /** @type {[Entered | Promise<Entered>, Promise<Wire.Answers["games"]>, Promise<any>, Promise<unknown>]} */
    const asked = [entering, this.ask({ do: "games" }), listing, addTexts().catch(() => {})];
    const [{ user, guest, token, seats, tournaments, mine, pass, desk, programs }, { games }, { rooms, now }] = await Promise.all(asked);
    if (pass) givePass(pass);
    if (guest && token && token !== /** @type {Login} */ (this.#account).token) {
      if (recall().user !== user) forget(); // a guest's name doesn't last
      this.#account = { do: "guest", token };
      remember({ user, guest: token });
    }
    if (user !== this.user) this.called = this.user = user;
    this.programs = Boolean(programs);
    this.games = games;
    learnFaces(games);
    this.ahead = now ? Date.parse(now) - Date.now() : 0;
    learnTime(now);
    for (const you of Object.values(tournaments ?? {})) this.#learnName({ you });
    this.#tell("ready", { games, rooms, seats, tournaments, mine, desk });
  }

  /** @param {string} text */
  #heard(text) {
    try {
      this.#take(parse(text));
    } catch (error) {
      if (!(error instanceof Junk)) throw error;
      this.#end(say("connection.junk", { what: error.message }));
    }
  }

  /** @param {any} message */
  #take(message) {
    this.#learnName(message);
    if (!("answer" in message)) return this.#tell("event", message);
    const request = this.#waiting.get(message.answer);
    if (message.error && !request) return this.#end(say("connection.nobody", { why: sentence(message.message) }));
    if (!request) throw new Junk(`an answer to ${message.answer}`);
    this.#waiting.delete(message.answer);
    this.#waitingChanged();
    if (message.error)
      addTexts()
        .catch(() => {})
        .then(() => request.reject(new Refused(message)));
    else request.resolve(message);
  }

  /**
   * Guests have `names` in a tournament.
   * @param {any} message
   */
  #learnName({ names, you }) {
    const name = names?.[this.user] ?? you?.names?.[this.user];
    if (!name || name === this.called) return;
    this.called = name;
    this.#tell("called");
  }

  #endToken() {
    forget();
    this.#end(say("connection.bad-token"));
  }

  /**
   * Hang up. What is kept is good for another try, unless it is forgotten.
   * @param {string} why
   */
  #end(why) {
    this.#hangUp();
    this.#tell("ended", why);
  }

  #hangUp() {
    this.called = this.user = "";
    this.#account = null;
    this.#connection.close();
    this.#reject("");
  }

  /** @param {Loss} detail */
  #lost(detail) {
    this.#reject(detail.reason);
    if (this.user && detail.reason === "kicked") return this.#end(say("connection.kicked"));
    // Who isn't logged in has nothing to come back to: the next attempt connects again.
    if (this.user) this.#tell("lost", detail);
    else this.#connection.close();
  }

  /** @param {string} [reason] */
  #reject(reason) {
    for (const { reject } of this.#waiting.values()) reject(new Lost(reason, true));
    this.#waiting.clear();
    this.#waitingChanged();
  }

  #waitingChanged() {
    this.#connection.isBusy = [...this.#waiting.values()].some(({ slow }) => slow);
  }

  /**
   * @param {string} type
   * @param {unknown} [detail]
   */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** @param {string} text */
function parse(text) {
  try {
    const message = readMessage(text);
    if ("answer" in message || typeof message.event === "string") return message;
  } catch {
    // Said below.
  }
  throw new Junk(String(text));
}

/**
 * What this tab knows of its visitor: `user`, their `token`, or that of a `guest`; `table`, where that is; and which ends
 * of matches they have `seen`.
 * @returns {Known}
 */
export function recall() {
  const known = read(sessionStorage);
  return known.user ? known : { ...read(localStorage), ...known };
}

/**
 * Keep something besides what is known.
 * @param {Known} more
 */
export function remember(more) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...recall(), ...more }));
}

/**
 * Let the browser prove with what is fetched below /api/ that its visitor has an account; empty: no longer.
 * @param {string} pass
 */
function givePass(pass) {
  const age = pass ? "" : "; max-age=0";
  document.cookie = `pass=${pass}; path=/api; samesite=strict${location.protocol === "https:" ? "; secure" : ""}${age}`;
}

/** @param {Known} login */
function keepToken(login) {
  localStorage.setItem(KEY, JSON.stringify(login));
}

/** Whether this device has kept one's matches. */
export function isKept() {
  return MATCHES in localStorage;
}

function forget() {
  localStorage.removeItem(MATCHES);
  if (read(localStorage).token === recall().token) localStorage.removeItem(KEY);
  sessionStorage.removeItem(KEY);
}

/**
 * @param {Storage} storage
 * @returns {Known}
 */
function read(storage) {
  try {
    return JSON.parse(/** @type {string} */ (storage.getItem(KEY))) ?? {};
  } catch {
    return {};
  }
}

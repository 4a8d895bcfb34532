// One WebSocket at a time, and another one when it is lost. Knows no protocol.

const SCHEME = location.protocol === "https:" ? "wss" : "ws";

const FIRST_DELAY = 500;

/** Seconds of silence after which the server is asked for a sign of life: an empty message. */
const QUIET = 3;
/** Seconds more after which the connection counts as lost. */
const PATIENCE = 5;
/** The same, while the server may be too busy with us to give one. */
const LONG_PATIENCE = 120;

/**
 * To a path of the server that the page is from. A browser notices late, or never, that a link has
 * stalled; so silence is counted here.
 *
 * Events: `open`; `message` (detail: the text); `lost` (detail: how many milliseconds until the next
 * try, and the server's reason if it gave one), once for each connection or try that failed.
 */
export class Connection extends EventTarget {
  /** Whether it is tried often, although nobody looks. */
  isUrgent = false;
  /** Whether the server does something for us that takes long, and reads nothing meanwhile. */
  isBusy = false;
  #url;
  /** @type {WebSocket | null} */
  #socket = null;
  #timer = 0;
  #failures = 0;
  #ticks = 0;
  // Ticks since something was heard: not a time, for a computer that has slept hears late, too.
  #silence = 0;

  /** @param {string} path */
  constructor(path) {
    super();
    this.#url = `${SCHEME}://${location.host}${path}`;
    addEventListener("offline", () => this.#doubt());
    addEventListener("online", () => this.#doubt() || this.tryNow());
    document.addEventListener("visibilitychange", () => this.#doubt() || this.tryNow());
    // A page that is left may be kept by the browser, to come back to: with its socket the server would
    // take the visitor for being there.
    addEventListener("pagehide", () => this.#socket && this.#giveUp());
    addEventListener("pageshow", () => this.tryNow());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connect, unless that is so or under way. */
  open() {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#silence = 0;
    this.#ticks = setInterval(() => this.#tick(), 1000);
    const socket = (this.#socket = new WebSocket(this.#url));
    /** @type {(handler: (event: any) => void) => (event: Event) => void} */
    const current = (handler) => (event) => socket === this.#socket && handler(event);
    socket.addEventListener(
      "open",
      current(() => this.#opened()),
    );
    socket.addEventListener(
      "message",
      current((event) => this.#heard(event.data)),
    );
    socket.addEventListener(
      "close",
      current((event) => this.#lost(event)),
    );
  }

  /** Close for good: nothing is tried again, and no event follows. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = this.#failures = 0;
    this.#release()?.close(1000);
  }

  /** Don't wait for the next try, if there is one to come. */
  tryNow() {
    if (this.#timer && !document.hidden) this.open();
  }

  /**
   * Send a message; what is sent while there is no connection is lost with it.
   * @param {string} message
   */
  send(message) {
    if (this.isOpen) /** @type {WebSocket} */ (this.#socket).send(message);
  }

  #opened() {
    this.#silence = 0;
    this.#tell("open");
  }

  /** @param {string} data */
  #heard(data) {
    // Who is refused hears nothing, and isn't to ask again at once.
    this.#silence = this.#failures = 0;
    if (data) this.#tell("message", data);
  }

  /** A second has passed. */
  #tick() {
    this.#silence++;
    if (this.#silence === QUIET) this.send("");
    if (this.#silence > QUIET + (this.isBusy ? LONG_PATIENCE : PATIENCE)) this.#giveUp();
  }

  #giveUp() {
    const socket = this.#socket;
    this.#lost({});
    /** @type {WebSocket} */ (socket).close();
  }

  /** Ask for a sign of life now, if there is anybody to ask. */
  #doubt() {
    if (!this.#socket || document.hidden) return false;
    this.#silence = Math.max(this.#silence, QUIET);
    this.send("");
    return true;
  }

  /** Have no socket any longer; the one that there was. */
  #release() {
    const socket = this.#socket;
    clearInterval(this.#ticks);
    this.#socket = null;
    return socket;
  }

  /** @param {{ code?: number, reason?: string }} event */
  #lost(event) {
    this.#release();
    // Not all at the same moment, after a restart of the server.
    const spread = 0.75 + Math.random() / 2;
    // A seat is held for half a minute.
    const longest = this.isUrgent ? 2_000 : 20_000;
    const delay = Math.min(FIRST_DELAY * 2 ** this.#failures++, longest) * spread;
    // A page that nobody looks at mostly waits until somebody does (visibilitychange).
    const tryAgain = () => (this.isUrgent || !document.hidden) && this.open();
    this.#timer = setTimeout(tryAgain, delay);
    this.#tell("lost", { delay, reason: event.code === 4000 ? event.reason : "" });
  }

  /**
   * @param {string} type
   * @param {unknown} [detail]
   */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

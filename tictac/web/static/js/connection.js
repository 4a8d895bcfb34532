// One WebSocket at a time, and another one when it is lost. Knows no protocol.

const SCHEME = location.protocol === "https:" ? "wss" : "ws";

const FIRST_DELAY = 500;
const LONGEST_DELAY = 20_000;

/**
 * To a path of the server that the page is from.
 *
 * Events: `open`; `message` (detail: the text, or an ArrayBuffer of bytes); `lost` (detail: how many milliseconds until the
 * next try, and the server's reason if it gave one), once for each connection or try that failed.
 */
export class Connection extends EventTarget {
  #url;
  #socket = null;
  #timer = 0;
  #failures = 0;

  constructor(path) {
    super();
    this.#url = `${SCHEME}://${location.host}${path}`;
    addEventListener("online", () => this.tryNow());
    document.addEventListener("visibilitychange", () => this.tryNow());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connect, unless that is so or under way. */
  open() {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    const socket = (this.#socket = new WebSocket(this.#url));
    socket.binaryType = "arraybuffer";
    const current = (handler) => (event) => socket === this.#socket && handler(event);
    socket.addEventListener("open", current(() => this.#opened()));
    socket.addEventListener("message", current((event) => this.#tell("message", event.data)));
    socket.addEventListener("close", current((event) => this.#lost(event)));
  }

  /** Close for good: nothing is tried again, and no event follows. */
  close() {
    clearTimeout(this.#timer);
    this.#timer = this.#failures = 0;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  /** Don't wait for the next try, if there is one to come. */
  tryNow() {
    if (this.#timer && !document.hidden) this.open();
  }

  /** Send a message; what is sent while there is no connection is lost with it. */
  send(message) {
    if (this.isOpen) this.#socket.send(message);
  }

  #opened() {
    this.#failures = 0;
    this.#tell("open");
  }

  #lost(event) {
    this.#socket = null;
    // Not all at the same moment, after a restart of the server.
    const spread = 0.75 + Math.random() / 2;
    const delay = Math.min(FIRST_DELAY * 2 ** this.#failures++, LONGEST_DELAY) * spread;
    // A page that nobody looks at waits until somebody does (visibilitychange).
    this.#timer = setTimeout(() => document.hidden || this.open(), delay);
    this.#tell("lost", { delay, reason: event.code === 4000 ? event.reason : "" });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

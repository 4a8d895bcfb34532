// A game of one visitor against the server: its view, and a connection for each game.
//
// A match (connectfour/match.js, nim/match.js) knows what is said and what is allowed:
// `begin()` is what is sent first; `hear(message)` takes what the server says, returns what is
// to be sent at once, and throws Junk; `lose(reason)` is for when the connection has gone.
// `hasBegun`, `moves` are those of the visitor, `isMyTurn` whether the next is to come, `result` how it
// has ended: `kind` is won, lost, drawn, gone, closed (by the server, `why`) or junk (`why`).

import * as banner from "./banner.js";
import { Connection } from "./connection.js";
import { $, announce, show } from "./dom.js";
import { Junk } from "./junk.js";
import { ask, withdraw } from "./question.js";

const CLOSED = {
  "idle-timeout": "You haven't moved for so long that the server has closed the game.",
  "move-timeout": "You haven't moved for so long that the server has closed the game.",
  "too-many-connections": "The server is full. Please try again later.",
  "too-many-connections-of-one-peer": "Too many games are open from where you are.",
  "too-many-questions": "Too many games are waiting for the computer from where you are.",
  "cannot-think": "The computer can't play at the moment. Please try again later.",
};

/** What a view of such a game has in common with others. `id` is that of its section. */
export class Solo {
  match = null;
  id;
  #connection;
  #leave;

  /** `leave()` is called when the visitor wants to go back. */
  constructor(id, path, leave) {
    this.id = id;
    this.#leave = leave;
    const connection = (this.#connection = new Connection(path));
    connection.addEventListener("open", () => this.#opened());
    connection.addEventListener("message", (event) => this.#heard(event.detail));
    connection.addEventListener("lost", (event) => this.#lost(event.detail));
    $(`${id}-new`).addEventListener("click", () => this.#unlessPlaying(() => this.#begin()));
    $(`${id}-back`).addEventListener("click", () => this.#unlessPlaying(leave));
    addEventListener("beforeunload", (event) => this.isPlaying && event.preventDefault());
  }

  /** Whether there is a game that leaving would lose. */
  get isPlaying() {
    return Boolean(this.match?.moves && !this.match.result);
  }

  /** Show it, and begin a game. */
  open() {
    show(this.id);
    $(`${this.id}-title`).focus();
    this.#begin();
  }

  /** Hang up: another view is shown. */
  close() {
    this.match = null;
    this.#hangUp();
  }

  /** Send a move that the match has allowed. */
  send(message) {
    this.#connection.sendInTime(message);
    this.#render();
  }

  // What a game has of its own

  /** A match that hasn't begun. */
  newMatch() {}

  /** What has happened and how it stands, as a sentence. */
  describe() {}

  /** Show it. */
  render() {}

  /** Put the focus where the next move is made. */
  focus() {}

  // How it goes

  #begin() {
    this.close();
    this.#connection.open();
    this.#render();
  }

  #opened() {
    banner.sayFound(this.#connection);
    // A game is lost with its connection; the next one begins when it is asked for.
    if (this.match) return this.#connection.close();
    this.match = this.newMatch();
    this.#connection.send(this.match.begin());
  }

  #heard(message) {
    const { match } = this;
    if (!match || match.result) return;
    try {
      for (const reply of match.hear(message)) this.#connection.send(reply);
    } catch (error) {
      if (!(error instanceof Junk)) throw error;
      match.result = { kind: "junk", why: error.message };
    }
    this.#render();
    if (match.result) this.#over();
    else if (match.isMyTurn) {
      announce(this.#state());
      if (!match.moves) this.focus();
    }
  }

  #lost({ delay, reason }) {
    const { match } = this;
    if (match && !match.moves && !reason) this.match = null; // as good as any other
    else if (match && !match.result) match.lose(reason);
    const kind = this.match?.result?.kind ?? "gone";
    if (kind === "gone") banner.sayLost(this.#connection, delay);
    this.#render();
    if (this.match) this.#over();
  }

  #over() {
    withdraw();
    if (this.match.result.kind !== "gone") this.#hangUp();
    announce(this.#state());
    $(`${this.id}-new`).focus({ preventScroll: true });
  }

  #hangUp() {
    banner.forget(this.#connection);
    this.#connection.close();
    withdraw();
  }

  #render() {
    $(this.id).classList.toggle("over", Boolean(this.match?.result));
    $(`${this.id}-state`).textContent = this.#state();
    this.render();
    const name = $(`${this.id}-title`).textContent;
    document.title = `${this.match?.isMyTurn ? "Your turn" : name} – tictac`;
  }

  #state() {
    const { kind, why } = this.match?.result ?? {};
    if (!this.match?.hasBegun && !kind) return "Waiting for the server.";
    if (kind === "gone") return "The connection was lost, and the game with it.";
    if (kind === "closed") return CLOSED[why] ?? `The server has closed the game: ${why}.`;
    if (kind === "junk") return `The game can't go on, as the server has said what doesn't fit: ${why}`;
    return this.describe();
  }

  async #unlessPlaying(work) {
    if (!this.isPlaying || (await ask("Give this game up?", "It isn't kept."))) work();
  }
}

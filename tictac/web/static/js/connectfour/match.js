// What is known of a game of Connect Four, from the messages of I32CFSP alone
// (docs/connect-four.md). The visitor is red and begins. No document, no socket.

import { Junk } from "../junk.js";
import { Position } from "./rules.js";

const MOVE = /^(DROP|POP) ([1-9][0-9]?)$/;
const WINNERS = { WINNER_RED: "R", WINNER_YELLOW: "Y" };
const USUAL = [7, 6];

/** `last` is the move that was made last: its `kind`, `column` and `side`. For the rest see solo.js. */
export class Match {
  position;
  last = null;
  moves = 0;
  hasBegun = false;
  result = null;
  #user;
  // What the server is to say next.
  #step = this.#welcome;

  constructor(user, columns, rows) {
    this.#user = user;
    this.position = new Position(columns, rows);
  }

  get isMyTurn() {
    return this.#step === null && !this.result;
  }

  begin() {
    return `I32CFSP_HELLO ${this.#user}`;
  }

  hear(message) {
    if (typeof message !== "string") throw new Junk("bytes");
    if (!this.#step) throw new Junk(message);
    return this.#step(message) ?? [];
  }

  /** Whether the visitor may do that now. */
  can(kind, column) {
    return this.isMyTurn && this.position.can(kind, column);
  }

  /** Make a move of the visitor's; what is to be sent. */
  play(kind, column) {
    this.#make(kind, column);
    this.moves++;
    this.#step = this.#answer;
    return `${kind} ${column}`;
  }

  lose(reason) {
    // There is no message for a draw: the server closes the connection.
    const isDrawn = this.#step === this.#end && this.position.outcome?.winner === null;
    if (isDrawn) this.result = { kind: "drawn" };
    else this.result = reason ? { kind: "closed", why: reason } : { kind: "gone" };
  }

  // Steps

  #welcome(message) {
    expect(message, `WELCOME ${this.#user}`);
    this.#step = this.#ready;
    const size = [this.position.columns, this.position.rows];
    return [size.join() === USUAL.join() ? "AI_GAME" : `AI_GAME ${size.join(" ")}`];
  }

  #ready(message) {
    expect(message, "READY");
    this.hasBegun = true;
    this.#step = null;
  }

  #answer(message) {
    if (this.#isWon) return this.#end(message);
    expect(message, "OKAY");
    this.#step = this.position.outcome ? this.#end : this.#reply;
  }

  #reply(message) {
    const [, kind, digits] = MOVE.exec(message) ?? [];
    if (!kind || !this.position.can(kind, Number(digits))) throw new Junk(message);
    this.#make(kind, Number(digits));
    this.#step = this.position.outcome ? this.#end : this.#ready;
  }

  #end(message) {
    if (!this.#isWon || WINNERS[message] !== this.position.outcome.winner) throw new Junk(message);
    this.result = { kind: WINNERS[message] === "R" ? "won" : "lost" };
  }

  get #isWon() {
    return Boolean(this.position.outcome?.winner);
  }

  #make(kind, column) {
    this.last = { kind, column, side: this.position.toMove };
    this.position.play(kind, column);
  }
}

function expect(message, wanted) {
  if (message !== wanted) throw new Junk(message);
}

/** A move as words: what `who` has done. */
export function describeMove({ kind, column, side }) {
  const who = side === "R" ? "You have" : "The computer has";
  return kind === "DROP" ? `${who} dropped into column ${column}.` : `${who} popped column ${column}.`;
}

/** The state of a match as a sentence. */
export function describe(match) {
  const it = match.last?.side === "Y" ? "It" : "The computer";
  const end = { won: "You have won.", lost: `${it} has won.`, drawn: "A draw." };
  if (match.result) return end[match.result.kind];
  if (!match.isMyTurn) return match.position.outcome ? "The game is over." : "The computer thinks.";
  return "It is your turn.";
}

// Connect Four against the server, with pops.

import { $ } from "../dom.js";
import { player } from "../players.js";
import { Solo } from "../solo.js";
import { Board, drawPiece } from "./board.js";
import { describe, describeMove, Match } from "./match.js";
import { Position } from "./rules.js";

const SEATS = [["You", "R", "red"], ["Computer", "Y", "yellow"]];

/** `user()` is what the visitor is called, or "". */
export class ConnectFour extends Solo {
  #user;
  #board = new Board((kind, column) => this.#play(kind, column));

  constructor(user, leave) {
    super("four", "/ws/connectfour", leave);
    this.#user = user;
    $("four-board").append(this.#board.element);
  }

  newMatch() {
    // A name has no white space there.
    const name = this.#user().replaceAll(" ", "_") || "visitor";
    return new Match(name, ...$("four-size").value.split("x").map(Number));
  }

  describe() {
    const { last, result } = this.match;
    const isTold = last && (result || last.side === "Y");
    return (isTold ? `${describeMove(last)} ` : "") + describe(this.match);
  }

  render() {
    const { match } = this;
    const position = match?.position ?? new Position();
    const winner = position.outcome?.winner;
    this.#board.render({
      position,
      last: match?.last,
      won: winner ? position.fours(winner) : [],
      can: (kind, column) => Boolean(match?.can(kind, column)),
    });
    $("four-players").replaceChildren(...SEATS.map((seat) => this.#player(...seat)));
  }

  focus() {
    this.#board.focus();
  }

  #play(kind, column) {
    this.send(this.match.play(kind, column));
  }

  #player(name, side, colour) {
    const { match } = this;
    const isWinner = Boolean(match?.result) && match.position.outcome?.winner === side;
    const toMove = Boolean(match?.hasBegun) && !match.result && match.position.toMove === side;
    const kind = `${colour}${toMove ? " turn" : ""}${isWinner ? " winner" : ""}`;
    return player(kind, drawPiece(side), name, isWinner ? "winner" : toMove ? "to move" : colour);
  }
}

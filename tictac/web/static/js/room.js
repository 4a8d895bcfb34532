// The room: the match as it is, for its players and for who watches.

import { Board, drawMark } from "./board.js";
import { $, announce, show, write } from "./dom.js";
import { describe, Match } from "./match.js";
import { player } from "./players.js";
import { ask, withdraw } from "./question.js";

/** `left(again)` is called when the visitor goes back, `again` if for another match. */
export class Room {
  match = null;
  #session;
  #left;
  #board = new Board((column, row) => this.#place(column, row));

  constructor(session, left) {
    this.#session = session;
    this.#left = left;
    $("board-place").append(this.#board.element);
    $("back").addEventListener("click", () => this.#leave(false));
    $("again").addEventListener("click", () => this.#leave(true));
    $("close-room").addEventListener("click", () => session.tell("FORFEIT"));
    $("stop-watching").addEventListener("click", () => this.#stopWatching());
    $("forfeit").addEventListener("click", () => this.#giveUp());
    addEventListener("beforeunload", (event) => this.isPlaying && event.preventDefault());
  }

  /** Whether a match runs that leaving would lose. */
  get isPlaying() {
    const match = this.match;
    return Boolean(match && match.role !== "viewer" && match.players && !match.result);
  }

  /** Show a room that was just entered. */
  open(name, role) {
    this.match = new Match(name, role);
    show("room");
    $("room-title").textContent = name;
    write($("room-role"), role === "viewer" ? "You are watching." : "");
    $("room-title").focus();
    announce(role === "creator" ? `You have opened ${name}.` : `You are in ${name}.`);
    this.#render();
  }

  /** Take what the server says of the match. */
  apply(event) {
    const match = this.match;
    if (!match || match.result) return;
    const before = match.last;
    match.apply(event);
    this.#render();
    this.#announce(before);
    if (event.kind === "begin" && match.isMyTurn) this.#board.focus();
    if (match.result) this.#over();
  }

  /** The connection is lost. */
  lose() {
    this.match.lose();
    this.#render();
    announce(describe(this.match));
    this.#over();
  }

  /** Nobody is in a room. */
  close() {
    this.match = null;
    withdraw();
  }

  #place(column, row) {
    if (this.match.isMyTurn) this.#session.tell("PLACE", column, row);
  }

  async #giveUp() {
    const isSure = await ask("Give the match up?", "The other player wins then.");
    if (!isSure || !this.isPlaying) return;
    this.match.gaveUp = true;
    this.#session.tell("FORFEIT");
  }

  #leave(again) {
    this.close();
    this.#left(again);
  }

  #stopWatching() {
    this.close();
    this.#left(false);
    this.#session.comeBack();
  }

  #over() {
    withdraw();
    // What was focused may be gone; the next thing to do is here.
    ($("again").hidden ? $("back") : $("again")).focus({ preventScroll: true });
  }

  #render() {
    const match = this.match;
    $("room").classList.toggle("over", Boolean(match.result));
    $("state").textContent = describe(match);
    $("players").replaceChildren(...this.#players());
    this.#board.render({
      board: match.board,
      last: match.last,
      won: match.winningLine,
      playable: match.isMyTurn,
      veil: match.board ? "" : "The board will be here with the next move.",
    });
    this.#offer();
    document.title = `${match.isMyTurn ? "Your turn" : match.room} – tictac`;
  }

  #players() {
    const { players, turn, seat, result, viewed } = this.match;
    const names = players ?? viewed ?? (seat === 0 ? [this.#session.user, ""] : ["", ""]);
    return names.map((name, number) => {
      const mark = viewed ? "" : "XO"[number];
      const toMove = viewed ? number === 0 : turn === number;
      const isWinner = Boolean(result?.winner) && players?.[number] === result.winner;
      const kind = mark.toLowerCase() + (toMove ? " turn" : "") + (isWinner ? " winner" : "");
      const what = [number === seat ? "you" : "", isWinner ? "winner" : toMove ? "to move" : ""];
      const words = what.filter(Boolean).join(", ") || (mark && `plays ${mark}`);
      return player(kind, mark && drawMark(mark), name, words);
    });
  }

  #offer() {
    const { result, role, players, room } = this.match;
    const isPlayer = role !== "viewer";
    $("back").hidden = !result;
    $("again").hidden = !(result && result.how !== 3 && isPlayer && room.startsWith("computer"));
    $("stop-watching").hidden = Boolean(result) || isPlayer;
    $("close-room").hidden = Boolean(result) || !isPlayer || Boolean(players);
    $("forfeit").hidden = Boolean(result) || !isPlayer || !players;
    $("keys").hidden = !this.isPlaying;
  }

  #announce(before) {
    const { board, last } = this.match;
    const moved = last !== null && last !== before;
    const place = `row ${Math.floor(last / 3) + 1}, column ${(last % 3) + 1}`;
    const move = moved ? `${board[last] === "1" ? "X" : "O"} in ${place}. ` : "";
    announce(move + describe(this.match));
  }
}

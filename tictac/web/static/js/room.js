// The room: the match as it is, for its players and for who watches.

import { Board, drawMark } from "./board.js";
import { $, announce, show, write } from "./dom.js";
import { describe, Match } from "./match.js";
import { player } from "./players.js";
import { ask, withdraw } from "./question.js";
import { Lost, remember } from "./session.js";

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
    $("close-room").addEventListener("click", () => this.forfeit());
    $("stop-watching").addEventListener("click", () => this.#stopWatching());
    $("forfeit").addEventListener("click", () => this.#giveUp());
    addEventListener("beforeunload", (event) => this.isPlaying && event.preventDefault());
  }

  /** Whether a match runs that leaving would lose. */
  get isPlaying() {
    const match = this.match;
    return Boolean(match && match.role !== "viewer" && match.players && !match.result);
  }

  /** Whether a seat of the visitor's is held, perhaps. */
  get isAway() {
    return Boolean(this.match?.isAway);
  }

  /** Show a room that was just entered. */
  open(room, role) {
    this.#show(room, role);
    announce(role === "creator" ? `You have opened ${room}.` : `You are in ${room}.`);
  }

  /** Show a room in which one played before a reload, and go back to it. */
  reopen({ room, role }) {
    this.#show(room, role);
    this.cut();
    return this.comeBack();
  }

  /** Take what the server says of the match. */
  apply(event) {
    const match = this.match;
    if (!match || match.result) return;
    if (event.kind === "begin" && isMyGhost(match, event)) {
      this.forfeit();
      return this.#lose();
    }
    const before = match.last;
    match.apply(event);
    this.#render();
    this.#announce(before);
    if (event.kind === "begin" && match.isMyTurn) this.#board.focus();
    if (match.result) this.#over();
  }

  /** The connection of a player is lost. */
  cut() {
    const { match } = this;
    if (!match || match.role === "viewer" || match.result || match.isAway) return;
    match.leave();
    withdraw();
    // What was focused there goes.
    if ($("actions").contains(document.activeElement)) $("room-title").focus();
    this.#render();
    announce(describe(match));
  }

  /** Logged in again: take the seat that was held, if it was. */
  async comeBack() {
    const { match } = this;
    try {
      const status = await this.#session.takeSeat(match.room);
      if (status) return this.#lose();
    } catch (error) {
      if (error instanceof Lost) return; // and so it begins again
      throw error;
    }
    match.isAway = false;
    match.hasReturned = true;
    this.#render();
    announce(describe(match));
  }

  /** The visitor leaves for good: nobody needs to wait. */
  forfeit() {
    const { match } = this;
    const isSeated = match && match.role !== "viewer" && !match.result && !match.isAway;
    if (isSeated) this.#session.tell("FORFEIT");
  }

  /** Nobody is in a room. */
  close() {
    this.match = null;
    withdraw();
  }

  #place(column, row) {
    if (!this.match.isMyTurn) return;
    this.match.pending = 3 * row + column;
    this.#session.tellInTime("PLACE", column, row);
    this.#render();
  }

  async #giveUp() {
    const isSure = await ask("Give the match up?", "The other player wins then.");
    if (!isSure || !this.isPlaying) return;
    this.match.gaveUp = true;
    this.forfeit();
  }

  #leave(again) {
    this.close();
    remember({ place: undefined });
    this.#left(again);
  }

  #stopWatching() {
    this.#leave(false);
    this.#session.comeBack();
  }

  #lose() {
    this.match.lose();
    this.#render();
    announce(describe(this.match));
    this.#over();
  }

  #show(room, role) {
    this.match = new Match(room, role, this.#session.user);
    remember({ place: { room, role } });
    show("room");
    $("room-title").textContent = room;
    write($("room-role"), role === "viewer" ? "You are watching." : "");
    $("room-title").focus();
    this.#render();
  }

  #over() {
    remember({ place: undefined });
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
      pending: match.pending === null ? null : { cell: match.pending, mark: "XO"[match.seat] },
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
    const { result, role, players, room, isAway } = this.match;
    const isPlayer = role !== "viewer";
    $("back").hidden = !result;
    $("again").hidden = !(result && result.how !== 3 && isPlayer && room.startsWith("computer"));
    $("stop-watching").hidden = Boolean(result) || isPlayer;
    $("close-room").hidden = Boolean(result) || isAway || !isPlayer || Boolean(players);
    $("forfeit").hidden = Boolean(result) || isAway || !isPlayer || !players;
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

/**
 * Whether a match has begun against the one who I was before the connection was lost: the server
 * holds no seats, and hasn't noticed the loss.
 */
function isMyGhost(match, { players }) {
  return match.hasReturned && players.every((name) => name === match.user);
}

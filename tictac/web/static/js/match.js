// What is known of a match, from the messages of the server alone. No document, no socket.

const LINES = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];

const EMPTY = "000000000";
const CELLS = [...Array(EMPTY.length).keys()];

/**
 * `role` is creator, player or viewer, and `user` who that is. `seat` is mine: 0 plays X, 1 plays O;
 * null for a viewer. `players` are the two names, X first, or null while that isn't known; `board`
 * is nine digits, or null when a viewer hasn't seen it yet; `last` the cell that was marked last;
 * `pending` the one that the player has chosen, until the server has answered, or null;
 * `result` what the end was. `isAway`: the player's connection is lost, and the seat perhaps held;
 * `hasReturned`: it was so.
 */
export class Match {
  players = null;
  board = EMPTY;
  last = null;
  pending = null;
  result = null;
  gaveUp = false;
  isAway = false;
  hasReturned = false;
  #viewed = null;

  constructor(room, role, user) {
    this.room = room;
    this.role = role;
    this.user = user;
    this.seat = { creator: 0, player: 1 }[role] ?? null;
  }

  /** The seat whose turn it is, or null. */
  get turn() {
    if (!this.players || !this.board || this.result || this.isAway) return null;
    return countMarks(this.board) % 2;
  }

  get isMyTurn() {
    return this.turn !== null && this.turn === this.seat && this.pending === null;
  }

  /** Who is to move by the server's word, while the seats aren't known. */
  get viewed() {
    return this.players ? null : this.#viewed;
  }

  /** The three cells that win, or none. */
  get winningLine() {
    return this.result?.how === 0 ? winningLine(this.board) : [];
  }

  /** Take what happened (protocol.js). */
  apply(event) {
    this.pending = null;
    switch (event.kind) {
      case "begin":
        // After a way back it may be another match, in a room of the same name.
        this.board = EMPTY;
        this.last = null;
        this.#sit(event.players);
        break;
      case "inprogress":
        // Who plays X isn't said, nor where the marks are: both come with the next board, at once
        // for a player who has come back.
        if (this.role === "viewer") this.board = null;
        this.players = null;
        this.#viewed = [event.turn, event.other];
        break;
      case "board":
        this.#place(event.board, this.role === "viewer");
        break;
      case "end":
        this.#place(event.board, this.role === "viewer" && event.how !== 2);
        this.result = { how: event.how, winner: event.winner };
        break;
    }
  }

  /** The connection of a player is gone, and the seat perhaps held. */
  leave() {
    this.isAway = true;
    this.pending = null;
  }

  /** The connection is gone, and with it, for a player, the match. */
  lose() {
    this.isAway = false;
    this.result = { how: 3, winner: null };
  }

  /** These play, X first. */
  #sit(players) {
    this.players = players;
    // Of two players of the same name I am the one that I was before.
    const isOneOfThem = this.seat !== null && players.includes(this.user);
    if (isOneOfThem && players[0] !== players[1]) this.seat = players.indexOf(this.user);
  }

  /** There is this board; `moved`: since it was said whose turn it is, that one has moved. */
  #place(board, moved) {
    const marks = countMarks(board) - Number(moved);
    if (this.#viewed && !this.players && marks >= 0) {
      const [mover, other] = this.#viewed;
      this.#sit(marks % 2 ? [other, mover] : [mover, other]);
    }
    if (this.board !== null) {
      const changed = CELLS.filter((cell) => board[cell] !== this.board[cell]);
      // Of several, which were marked while I was away, nobody says which was the last.
      if (changed.length) this.last = changed.length === 1 ? changed[0] : null;
    }
    this.board = board;
  }
}

function winningLine(board) {
  const won = ([a, b, c]) => board[a] !== "0" && board[a] === board[b] && board[a] === board[c];
  return LINES.filter(won).flat();
}

function countMarks(board) {
  return [...board].filter((mark) => mark !== "0").length;
}

/** The state of a match as a sentence for whoever sits in that role. */
export function describe(match) {
  if (match.result) return describeEnd(match);
  if (match.isAway) return "The connection was lost. Coming back, if your seat is still held.";
  if (match.viewed) return `It is ${match.viewed[0]}'s turn.`;
  if (!match.players) return "Waiting for a second player.";
  if (match.pending !== null) return "Your move is on its way.";
  if (match.isMyTurn) return "It is your turn.";
  return `It is ${match.players[match.turn]}'s turn.`;
}

function describeEnd({ players, seat, result: { how, winner }, board, gaveUp }) {
  const iWon = seat !== null && winner === players?.[seat];
  if (how === 3) {
    return `The connection was lost, and the ${seat === 0 && !players ? "room" : "match"} with it.`;
  }
  if (how === 1) return board.includes("0") ? "The room was closed." : "A draw.";
  if (how === 0) return iWon ? "You have won." : `${winner} has won.`;
  if (gaveUp) return `You have given up: ${winner} has won.`;
  if (seat === null) return `${winner} has won: the other player has gone.`;
  if (iWon) return `${players[1 - seat]} has gone: you have won.`;
  return `Your time was up: ${winner} has won.`;
}

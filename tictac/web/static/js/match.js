// What is known of a match, from the messages of the server alone. No document, no socket.

const LINES = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];

const EMPTY = "000000000";

/**
 * `role` is creator, player or viewer. `players` are the two names, X first, or null while that
 * isn't known; `board` is nine digits, or null when a viewer hasn't seen it yet; `last` the cell
 * that was marked last; `result` what the end was.
 */
export class Match {
  players = null;
  board = EMPTY;
  last = null;
  result = null;
  gaveUp = false;
  #viewed = null;

  constructor(room, role) {
    this.room = room;
    this.role = role;
  }

  /** My seat: 0 plays X, 1 plays O; null for a viewer. */
  get seat() {
    return { creator: 0, player: 1 }[this.role] ?? null;
  }

  /** The seat whose turn it is, or null. */
  get turn() {
    if (!this.players || !this.board || this.result) return null;
    return countMarks(this.board) % 2;
  }

  get isMyTurn() {
    return this.turn !== null && this.turn === this.seat;
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
    switch (event.kind) {
      case "begin":
        this.players = event.players;
        break;
      case "inprogress":
        // Who plays X isn't said, nor where the marks are: both come with the next move.
        this.board = null;
        this.#viewed = [event.turn, event.other];
        break;
      case "board":
        this.#place(event.board);
        break;
      case "end":
        this.#place(event.board);
        this.result = { how: event.how, winner: event.winner };
        break;
    }
  }

  /** The connection is gone, and with it, for a player, the match. */
  lose() {
    this.result = { how: 3, winner: null };
  }

  #place(board) {
    if (this.#viewed && !this.players && countMarks(board)) {
      const [mover, other] = this.#viewed;
      this.players = countMarks(board) % 2 ? [mover, other] : [other, mover];
    }
    if (this.board !== null) {
      const changed = [...board].findIndex((mark, cell) => mark !== this.board[cell]);
      if (changed >= 0) this.last = changed;
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
  if (match.viewed) return `It is ${match.viewed[0]}'s turn.`;
  if (!match.players) return "Waiting for a second player.";
  if (match.isMyTurn) return "It is your turn.";
  return `It is ${match.players[match.turn]}'s turn.`;
}

function describeEnd({ players, seat, result: { how, winner }, board, gaveUp }) {
  const iWon = seat !== null && winner === players?.[seat];
  if (how === 3) return "The connection was lost, and the match with it.";
  if (how === 1) return board.includes("0") ? "The room was closed." : "A draw.";
  if (how === 0) return iWon ? "You have won." : `${winner} has won.`;
  if (gaveUp) return `You have given up: ${winner} has won.`;
  if (seat === null) return `${winner} has won: the other player has gone.`;
  if (iWon) return `${players[1 - seat]} has gone: you have won.`;
  return `Your time was up: ${winner} has won.`;
}

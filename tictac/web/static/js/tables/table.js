// What is known of a table, from the events of the lobby protocol alone. No document, no socket.

import { sayMove } from "./games.js";

/**
 * What the event `room` says (docs/lobby.md), kept up to date by the others. `last` is the move that
 * was made last, `pending` the one that I have made, until the server has answered; `result` how
 * it has ended; `talk` what was said. `isAway`: my connection is lost. `clocksAt`: when the clocks were told.
 */
export class Table {
  last = null;
  pending = null;
  result = null;
  talk = [];
  isAway = false;

  constructor(room, seat) {
    Object.assign(this, { room, seat, title: room, game: "", options: {}, n: 0 });
    Object.assign(this, { players: [], viewers: [], moves: [], position: "", turn: null });
    Object.assign(this, { begun: false, clocks: null, offer: null, clocksAt: 0 });
  }

  /** Whether I sit in a match that runs. */
  get isPlaying() {
    return this.seat !== null && this.begun && !this.result;
  }

  get isMyTurn() {
    return this.isPlaying && this.turn === this.seat && !this.pending && !this.isAway;
  }

  /** The moves that I can make now. */
  get can() {
    return this.isMyTurn ? this.moves : [];
  }

  /** Take what happened; in words what of it is to be told besides how it stands now. */
  apply(event) {
    this.n = event.n;
    return Object.hasOwn(TAKEN, event.event) ? (TAKEN[event.event](this, event) ?? "") : "";
  }

  /** What that seat's player is called. */
  nameOf(seat) {
    return this.players[seat]?.user ?? "";
  }

  /** The connection is lost. */
  leave() {
    this.isAway = true;
    this.pending = null;
  }

  /** Seconds that a seat has left, or null. */
  secondsLeft(seat, now) {
    if (!this.clocks) return null;
    const runs = this.turn === seat && !this.result;
    return Math.max(0, this.clocks[seat] - (runs ? (now - this.clocksAt) / 1000 : 0));
  }

  /** The game goes on from here. */
  go({ position, turn, moves = [], clocks = null }) {
    Object.assign(this, { position, turn, moves, clocks, clocksAt: performance.now() });
    this.pending = null;
    this.offer = null;
  }
}

const TAKEN = {
  room(table, event) {
    const { game, title, options, seat, players, viewers, begun, record = [], said = [] } = event;
    table.go(event);
    Object.assign(table, { game, title, options, seat, players, viewers, begun });
    table.offer = event.offer ?? null;
    table.talk = said.map(([, user, text]) => ({ user, text }));
    table.last = record.findLast(([, what]) => what === "moved")?.[3] ?? null;
    table.isAway = false;
  },
  joined(table, { user, seat, players }) {
    table.players = players;
    if (seat === null && !table.viewers.includes(user)) table.viewers.push(user);
    return seat === null ? `${user} is watching.` : `${user} is here.`;
  },
  left(table, { user, seat }) {
    if (seat === null) table.viewers = table.viewers.filter((name) => name !== user);
    else if (table.players[seat]) table.players[seat].away = true;
    return seat === null ? "" : `${user} was cut off.`;
  },
  began(table, event) {
    table.begun = true;
    const seated = (user, seat) => ({ user, away: table.players[seat]?.away ?? false });
    table.players = event.players.map(seated);
    table.go(event);
  },
  moved(table, event) {
    table.go(event);
    table.last = event.move;
    return `${table.nameOf(event.seat)}: ${sayMove(table.game, event.move)}.`;
  },
  offered(table, { seat }) {
    table.offer = seat;
    return seat === table.seat ? "" : `${table.nameOf(seat)} offers a draw.`;
  },
  declined(table, { seat }) {
    table.offer = null;
    return `${table.nameOf(seat)} has declined the draw.`;
  },
  said(table, { user, text }) {
    table.talk.push({ user, text });
    return `${user} says: ${text}`;
  },
  ended(table, { how, winner, move, position }) {
    table.go({ position: position ?? table.position, turn: null });
    table.last = move ?? table.last;
    table.result = { how, winner };
  },
};

/** How a table stands, as a sentence for who sits there or watches. */
export function describe(table) {
  if (table.result) return describeEnd(table);
  if (table.isAway) return "The connection was lost. Coming back.";
  if (!table.begun) return "Waiting for a second player.";
  if (table.pending) return "Your move is on its way.";
  const { offer, seat, turn } = table;
  const offered = offer !== null && offer !== seat ? `${table.nameOf(offer)} offers a draw. ` : "";
  const waits = offer !== null && offer === seat ? "You have offered a draw. " : "";
  const whose = table.isMyTurn ? "It is your turn." : `It is ${table.nameOf(turn)}'s turn.`;
  return offered + waits + whose;
}

// By how it has ended: the loser's part in it, in the words for others and for the loser.
const LOST_BY = {
  won: ["", ""],
  forfeited: ["has resigned", "You have resigned"],
  left: ["has gone", "You have gone"],
  "timed out": ["ran out of time", "Your time is up"],
};

function describeEnd(table) {
  const { how, winner } = table.result;
  if (how === "lost") return "The connection was lost, and your place at the table with it.";
  if (how === "closed") return "The table was closed.";
  if (how === "agreed") return "A draw, as both have agreed.";
  if (winner === null || winner === undefined) return "A draw.";
  const [theirs, mine] = LOST_BY[how] ?? LOST_BY.won;
  const loser = 1 - winner;
  const part = theirs && (loser === table.seat ? mine : `${table.nameOf(loser)} ${theirs}`);
  const won = winner === table.seat ? "You have won." : `${table.nameOf(winner)} has won.`;
  if (!part) return won;
  return `${part}: ${won.replace(/^You/, "you")}`;
}

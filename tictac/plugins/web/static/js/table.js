// What is known of a table, from the events of the lobby protocol alone. No document, no socket.

import { countMarks, firstOf, sayMove, sayWarning, sayWhy, strikeOf, tellMove } from "./games.js";
import { castOf, kindOf, nameOf } from "./names.js";
import { hasText, say, sayAll, sayNumber, sayPoints } from "./texts.js";

/**
 * How a match has ended: perhaps by the loss of the connection or the seat, or as others `decided`, with `points` by seat.
 * Under `match` it is kept; `winner` is a seat.
 * @typedef {Wire.How | Wire.Decided | "disconnected" | "lost" | "replaced"} Ending
 * @typedef {{ how: Ending, winner?: Wire.Seat, match?: string | null, points?: Wire.Result }} Result
 */

/**
 * A player, or null for a free seat. Who is `away` is awaited `until` then, in milliseconds of the page; null: nobody knows.
 * @typedef {{ user: string, away: boolean, held?: number, until?: number | null }} Seated
 */

/**
 * What happened to the board: at which number, what, by which seat; the move, or how many were taken back; and the
 * position that a move was made in, if that was seen.
 * @typedef {[number, string, number, any, (string | null)?]} Entry
 */

/**
 * What is needed to say how a match has ended; `winner` is a seat, if somebody has won.
 * @typedef {{ game: string, position?: string | null, result: { how: Ending, winner?: any, points?: Wire.Result }, seat: Wire.Seat, players: ({ user: string } | null)[],
 *   computers: import("./names.js").Computers, isGivingUp?: boolean, hasResigned?: boolean }} End
 * @typedef {Table & { result: Result }} Over a table whose match has ended
 */

/**
 * What is offered, by which seat.
 * @typedef {{ seat: number, what: Wire.What, days?: number }} Offer
 */

/**
 * What somebody has said.
 * @typedef {{ user: string, text: string }} Saying
 */

/**
 * What changes with each event that leads to another position.
 * @typedef {{ position: string, picture?: string[] | null, turn: Wire.Seat, moves?: string[], clocks?: Wire.Clocks }} Position
 */

/**
 * The fields of a table that its constructor sets, or who shows it.
 * @typedef {object} Told
 * @property {string} room
 * @property {Wire.Seat} seat
 * @property {string} [key]
 * @property {string} title
 * @property {string} game
 * @property {string} goal
 * @property {Wire.Options} options
 * @property {number} n
 * @property {(Seated | null)[]} players
 * @property {string[]} viewers
 * @property {string[]} moves
 * @property {Entry[]} record
 * @property {string} position
 * @property {string[] | null} [picture]
 * @property {Wire.Seat} turn
 * @property {boolean} begun
 * @property {Wire.Clocks} clocks
 * @property {TimeControl | null} clock
 * @property {Offer | null} offer
 * @property {number} clocksAt
 * @property {boolean} paused
 * @property {string} [back] the path of the page that one came from, to which the card of the end leads
 * @property {string | null} [best] the best move, in a match that is gone through
 */

/**
 * How a match has ended without the visitor (docs/reference/people.md, "Your seats").
 * @typedef {{ room: string, game: string, seat: Wire.Seat, how: Ending, winner?: Wire.Seat, result?: Wire.Result,
 *   decided?: Wire.Decided, disconnected?: true, match?: string, clocks?: Wire.Clocks, options?: Wire.Options, players?: Wire.Names,
 *   computers?: Wire.Computers, names?: Wire.Called, tournament?: string, round?: number, position?: string }} Ended
 */

/**
 * Whether the others play on without the visitor, who was away for too long.
 * @param {{ room?: string, how?: Ending, result?: Wire.Result }} end
 */
export function goesOn({ how, result }) {
  return how === "left" && result === null;
}

/**
 * What the event `room` says (docs/reference/lobby.md), kept up to date by the others. `last` is the move that
 * was made last, `by` the seat, `before` the position that it was made in, if that was seen; `pending` the move that
 * I have made, until the server has answered; `result` how it has ended, and under which id the match is kept; `talk` what was said.
 * `key` opens it, if it is private. `isAway`: my connection is lost; `hasReturned`: it was so.
 * `clocksAt`: when the clocks were told; `clock`: the time control, if it has more than an increment. `offer` is what is offered, by which seat, `refusal` what came of it, in words; `score` are the points
 * from matches before. `isSought`: for whoever wants the same. `computers` says which players are computers (names.js); so many more are `coming` at once. `lostAt`: when my
 * connection was lost. `ratings` and `gains` say what players are rated, and what the match has made of that, by
 * their names. `isLast`: no rematch can follow, and the room is perhaps gone (`isGone`). `hasResigned`: the others go on without me. A player who is `away` is awaited `until`.
 */
export class Table {
  /** @type {string | null} */
  last = null;
  /** @type {Wire.Seat} */
  by = null;
  /** @type {string | null} */
  before = null;
  /** @type {string | null} */
  pending = null;
  /** Whether my move was lost with the connection, and I have to make it again. */
  isUnsent = false;
  /**
   * What I have asked for besides moves, until the server answers.
   * @type {Set<{ do: string, text?: string }>}
   */
  asked = new Set();
  /** @type {Result | null} */
  result = null;
  /** @type {Saying[]} */
  talk = [];
  /**
   * What was said in the matches before, of which this one is a rematch.
   * @type {Saying[]}
   */
  earlier = [];
  isAway = false;
  hasReturned = false;
  isSought = false;
  /** @type {import("./names.js").Computers} */
  computers = {};
  coming = 0;
  isRated = false;
  /** The id of the tournament whose game this is; "" for none. */
  tournament = "";
  round = 0;
  /**
   * What one is told there as a player (docs/reference/people.md), such as one's `rank`; {}: nothing yet.
   * @type {Partial<Wire.Card>}
   */
  place = {};
  /** @type {Record<string, string>} */
  ratings = {};
  /** @type {Record<string, string>} */
  gains = {};
  lostAt = 0;
  isLast = false;
  isGone = false;
  hasResigned = false;
  /** Whether I have asked the server to take my resignation: the next event of my seat says whether the others go on. */
  isGivingUp = false;
  refusal = "";

  /**
   * @param {string} room
   * @param {Wire.Seat} seat
   * @param {string | null} [key]
   */
  constructor(room, seat, key) {
    Object.assign(this, { room, seat, key, title: room, game: "", goal: "", options: {}, n: 0 });
    Object.assign(this, { players: [], viewers: [], moves: [], record: [], position: "", turn: null });
    Object.assign(this, { begun: false, clocks: null, clock: null, offer: null, clocksAt: 0, paused: false });
    /** @type {number[] | null} */
    this.score = null;
  }

  /** Whether I sit in a match that runs. */
  get isPlaying() {
    return this.seat !== null && this.begun && !this.result;
  }

  get isMyTurn() {
    const mine = this.isPlaying && this.turn === this.seat;
    return mine && !this.pending && !this.isAway && !this.paused;
  }

  /** For each seat, whether a computer has it. */
  get robots() {
    return this.players.map((one) => Boolean(one && kindOf(one.user, this.computers)));
  }

  /** Whether nobody else comes, or is there, but computers. */
  get isForComputer() {
    if (this.coming > 0 && this.coming >= this.players.length - 1) return true;
    const others = othersOf(this);
    const areThere = others.length > 0 && others.every((user) => kindOf(user, this.computers));
    return areThere && this.seat !== null && !this.tournament;
  }

  /**
   * The request for another match like this one, if all others are computers of one level; else null.
   * @returns {import("./state.js").Request | null}
   */
  get again() {
    const { game, options, players, seat, clock, computers } = this;
    const [level, ...more] = new Set(othersOf(this).map((user) => computers[user]?.level));
    if (!this.isForComputer || !level || more.length) return null;
    return { do: "open", game, options, seats: players.length, computer: level, seat, clock: /** @type {Wire.Clock | null} */ (clock) };
  }

  /** Whether I have ended a match of more than two by giving up. */
  get hasQuit() {
    return Boolean(this.result) && quitterOf(/** @type {Over} */ (this)) === "me";
  }

  /** Whether it takes days, so that nobody needs to stay (docs/reference/days.md). */
  get lasts() {
    return Boolean(this.clock?.days);
  }

  /** The moves that I can make now. */
  get can() {
    return this.isMyTurn ? this.moves : [];
  }

  /**
   * Take what happened; in words what of it is to be told besides how it stands now.
   * @param {Happening} event perhaps of a replay
   * @returns {string}
   */
  apply(event) {
    this.n = event.n;
    for (const request of this.asked) if (shows(event, request, this)) this.asked.delete(request);
    return Object.hasOwn(TAKEN, event.event) ? (/** @type {any} */ (TAKEN)[event.event](this, event) ?? "") : "";
  }

  /**
   * What that seat's player is called; "" for none.
   * @param {Wire.Seat} seat
   */
  nameOf(seat) {
    return nameOf(this.players[/** @type {number} */ (seat)]?.user ?? "", this.computers);
  }

  /** My seat is gone, and the others go on. */
  giveUp() {
    /** @type {Seated[]} */ (this.players)[/** @type {{ seat: number }} */ (this).seat].away = true;
    this.seat = null;
    this.moves = [];
  }

  /** I have resigned, and the others go on. */
  quit() {
    if (this.seat !== null) this.giveUp();
    this.hasResigned = true;
  }

  /**
   * The others go on without that seat, whose player isn't awaited any more.
   * @param {number} seat
   */
  drop(seat) {
    if (seat === this.seat) this.giveUp();
    else /** @type {Seated} */ (this.players[seat]).away = false;
  }

  /**
   * Whether the others go on without that seat for good.
   * @param {number} seat
   */
  hasGone(seat) {
    return this.record.some(([, what, by, move]) => what === "moved" && by === seat && GONE.test(move));
  }

  /** The connection is lost, perhaps with a move that is `pending`: what is missed tells whether the server has it. */
  leave() {
    this.isAway = true;
    this.lostAt = Date.now();
  }

  /**
   * All that was missed is told: a move that is still `pending` hasn't reached the server. Whether anything else that I
   * have asked for hasn't happened.
   */
  catchUp() {
    this.isUnsent ||= this.pending !== null;
    this.pending = null;
    this.isGivingUp = false;
    const isUnanswered = this.asked.size > 0;
    this.asked.clear();
    return isUnanswered;
  }

  /**
   * The room is out of reach.
   * @param {"lost" | "replaced"} how
   */
  lose(how) {
    this.result = { how };
    this.pending = null;
    this.isLast = this.isGone = how === "lost";
  }

  /**
   * The match has ended like that, without me.
   * @param {Partial<Omit<Ended, "position">> & { how: Ending, position?: string | null }} end
   */
  meetEnd(end) {
    const { clocks = null, game, players, options, position, tournament = "", round = 0 } = end;
    this.clocks = clocks;
    if (players) {
      Object.assign(this, { game, options, computers: castOf(end), position, tournament, round, begun: true });
      this.meet(/** @type {string[]} */ (players).map((user) => ({ user, away: false })));
    }
    this.result = resultOf(end);
  }

  /** The seat, or the place of a viewer, is mine again. */
  comeBack() {
    this.isAway = false;
    this.hasReturned = true;
  }

  /**
   * Seconds for which a seat is held for its player, who is away; null: nobody knows.
   * @param {number} seat
   * @param {number} now in milliseconds of the page
   */
  heldFor(seat, now) {
    const { until = null } = this.players[seat] ?? {};
    return until === null ? null : Math.max(0, (until - now) / 1000);
  }

  /**
   * These are the players, and those who are away are awaited for so many seconds.
   * @param {(Seated | null)[]} players
   */
  meet(players) {
    this.players = players.map((one) => one && { ...one, ...awaited(one.held) });
  }

  /**
   * Seconds that a seat has left, or null.
   * @param {number} seat
   * @param {number} now in milliseconds of the page
   */
  secondsLeft(seat, now) {
    if (!this.clocks) return null;
    const runs = this.turn === seat && !this.result && !this.paused;
    return Math.max(0, this.clocks[seat] - (runs ? (now - this.clocksAt) / 1000 : 0));
  }

  /**
   * The game goes on from here.
   * @param {Position} told
   */
  go({ position, picture = null, turn, moves = [], clocks = null }) {
    Object.assign(this, { position, picture, turn, moves, clocks, clocksAt: performance.now() });
    this.pending = null;
    this.isUnsent = false;
    this.endOffer();
  }

  /** There is no offer any more; `refusal` says what came of it, as long as nothing else happens. */
  endOffer(refusal = "") {
    this.offer = null;
    this.refusal = refusal;
  }

  /**
   * No rematch can follow, for that reason.
   * @param {string} why in words
   */
  endRematch(why) {
    this.isLast = true;
    this.endOffer(why);
  }
}

/**
 * Who has the other seats; "" for a free one.
 * @param {Table} table
 */
function othersOf({ players, seat }) {
  return players.filter((_, at) => at !== seat).map((one) => one?.user ?? "");
}

/**
 * Until when a player is awaited, for so many seconds.
 * @param {number | null} [held]
 */
function awaited(held) {
  return { until: typeof held === "number" ? performance.now() + 1000 * held : null };
}

/**
 * How a match has ended. What others decide in a tournament has words that come with the tournament.
 * @param {Partial<Omit<Ended, "position" | "seat">> & { how: Ending }} end
 * @returns {Result}
 */
function resultOf({ how, decided, disconnected, winner = null, match, result }) {
  if (decided && hasText(`cup.decided.${decided}`)) return { how: decided, winner, match, points: result };
  return { how: disconnected ? "disconnected" : how, winner, match };
}

/** @typedef {Extract<Wire.Event, { room: string, n: number }>} Happening an event of a room */

/**
 * The events that show that a request has been taken.
 * @type {Record<string, string[]>}
 */
const TAKERS = {
  offer: ["ended", "undone", "retimed"],
  accept: ["ended", "undone", "retimed"],
  decline: ["declined", "withdrawn"],
  resign: ["ended"],
  say: [],
};

/**
 * Whether an event shows that a request has been taken: perhaps a whole room, in which an offer or a text stands.
 * @param {Happening} event
 * @param {{ do: string, text?: string }} request
 * @param {Pick<Table, "seat" | "players">} own
 */
function shows(event, { do: what, text }, { seat, players }) {
  if (event.event === "said") return what === "say" && event.user === players[seat ?? -1]?.user;
  if (event.event === "offered") return what === "offer" && event.seat === seat;
  if (event.event !== "room") return TAKERS[what]?.includes(event.event);
  if (what === "say") return event.said?.some(([, , said]) => said === text);
  return what === "offer" ? event.offer?.seat === event.seat : what !== "resign" && !event.offer;
}

/** In a game of more than two: no move of that seat, which has given up, was cut off or is out of time. */
const GONE = /^drop \d/;

/**
 * What each event does to a table; in words what of it is to be told.
 * @type {{ [E in Happening["event"]]: (table: Table, event: Happening & { event: E }) => string | void }}
 */
const TAKEN = {
  room(table, event) {
    const { game, title, goal, options, seat, players, viewers, begun, record = [] } = event;
    const isUnsent = table.pending !== null && record.length === table.record.length;
    table.go(event);
    Object.assign(table, { game, title, goal, options, seat, viewers, begun });
    table.meet(players);
    table.computers = castOf(event);
    table.isRated = Boolean(event.rated);
    table.tournament = event.tournament ?? "";
    table.round = event.round ?? 0;
    table.offer = event.offer ?? null;
    table.paused = event.paused ?? false;
    table.score = event.score ?? null;
    table.clock = event.clock ?? null;
    table.talk = [...table.earlier, ...(event.said ?? []).map(([, user, text]) => ({ user, text }))];
    Object.assign(table, { record, isUnsent });
    const [, what, by = null, last = null] = table.record.at(-1) ?? [];
    Object.assign(table, what === "moved" ? { by, last } : { by: null, last: null }, { before: null });
  },
  joined(table, { user, seat, players, ...told }) {
    table.meet(players);
    const computers = (table.computers = castOf(told));
    if (seat === null && !table.viewers.includes(user)) table.viewers.push(user);
    return say(seat === null ? "told.watches" : "told.joined", { user: nameOf(user, computers) });
  },
  left(table, { user: name, seat, held }) {
    const user = nameOf(name, table.computers);
    if (table.result) return void (seat !== null && table.endRematch(say("state.gone", { user })));
    if (seat === null) table.viewers = table.viewers.filter((viewer) => viewer !== name);
    else if (table.players[seat]) Object.assign(table.players[seat], { away: true, ...awaited(held) });
    if (seat === null || table.lasts) return "";
    return held ? say("told.leftFor", { user, count: Math.round(held) }) : say("told.left", { user });
  },
  began(table, event) {
    table.begun = true;
    /**
     * @param {string} user
     * @param {number} seat
     */
    const seated = (user, seat) => ({ away: false, ...table.players[seat], user });
    table.players = event.players.map(seated);
    table.go(event);
  },
  moved(table, event) {
    table.before = table.position;
    table.go(event);
    table.record.push([event.n, "moved", event.seat, event.move, table.before]);
    Object.assign(table, { by: event.seat, last: event.move });
    if (GONE.test(event.move)) table.drop(event.seat);
    const move = () => sayMove(table.game, /** @type {string} */ (event.move), table.before, table);
    return tellMove(table) ?? say("told.moved", { user: table.nameOf(event.seat), move: move() });
  },
  paused(table, { user, clocks }) {
    Object.assign(table, { paused: true, clocks, clocksAt: performance.now() });
    return say("told.paused", { user: nameOf(user, table.computers) });
  },
  resumed(table, { user, clocks }) {
    Object.assign(table, { paused: false, clocks, clocksAt: performance.now() });
    return say("told.resumed", { user: nameOf(user, table.computers) });
  },
  undone(table, event) {
    table.go(event);
    table.record.push([event.n, "undone", event.seat, event.count]);
    Object.assign(table, { by: null, last: null, before: null });
    return say("told.undone", { user: table.nameOf(event.seat), count: event.count });
  },
  offered(table, { seat, what, days }) {
    table.endOffer();
    table.offer = { seat, what, days };
  },
  retimed(table, { clock, clocks }) {
    table.endOffer();
    Object.assign(table, { clock, clocks, clocksAt: performance.now() });
    return say("state.retimed", { count: /** @type {TimeControl} */ (clock).days });
  },
  declined(table, { seat, what }) {
    table.endOffer(say(`state.declined.${what}`, { user: table.nameOf(seat) }));
  },
  withdrawn(table, { seat, what }) {
    table.endOffer(say(`state.withdrawn.${what}`, { user: table.nameOf(seat) }));
  },
  expired(table, { what }) {
    const words = say(`state.expired.${what}`);
    if (what === "rematch") table.endRematch(words);
    else table.endOffer(words);
  },
  said(table, { user, text }) {
    table.talk.push({ user, text });
    return say("told.said", { user, text });
  },
  ended(table, event) {
    const { n, move, position, picture, clocks = table.clocks, result } = event;
    const { position: before, turn: by } = table;
    table.go({ position: position ?? before, picture, turn: null, clocks });
    table.result = resultOf(event);
    table.score &&= table.score.map((points, seat) => points + (result?.[seat] ?? 0));
    if (!move) return "";
    table.record.push([n, "moved", /** @type {number} */ (by), move, before]);
    Object.assign(table, { before, by, last: move });
    return tellMove(table) ?? say("told.move", { move: sayMove(table.game, move, before, table) });
  },
};

/**
 * How a table stands, as a sentence for who sits there or watches.
 * @param {Table} table
 */
export function describe(table) {
  if (table.result) return `${describeEnd(/** @type {Over} */ (table))} ${describeOffer(table)}`.trim();
  if (table.isAway) return say("state.away");
  if (!table.begun) {
    const count = Math.max(1, table.players.filter((player) => !player).length);
    if (table.isForComputer) return say("state.computer");
    return say(table.isSought ? "state.seeking" : "state.waiting", { count });
  }
  if (table.paused) return say("state.paused");
  if (table.pending) return say("state.pending");
  return [describeOffer(table), sayWarning(table), describeTurn(table)].filter(Boolean).join(" ");
}

/**
 * How a table stands, for a screen reader. Among more than two nobody hears of each computer that it thinks.
 * @param {Table} table
 */
export function describeAloud(table) {
  const isIdle = table.begun && !table.result && !table.isAway && !table.paused && !table.pending && !table.isMyTurn;
  const { user = "" } = table.players[/** @type {number} */ (table.turn)] ?? {};
  return isIdle && table.players.length > 2 && kindOf(user, table.computers) ? describeOffer(table) : describe(table);
}

/** @param {Table} table */
function describeTurn(table) {
  if (table.isMyTurn) return say(table.isUnsent ? "state.unsent" : "state.mine");
  const { user = "" } = table.players[/** @type {number} */ (table.turn)] ?? {};
  return say(kindOf(user, table.computers) ? "state.thinks" : "state.theirs", { user: table.nameOf(table.turn) });
}

/**
 * What is offered, or what came of it, as a sentence; "" if there is nothing.
 * @param {Table} table
 */
export function describeOffer({ offer, refusal = "", seat, players, computers }) {
  if (!offer) return refusal;
  const user = nameOf(players[offer.seat]?.user ?? "", computers);
  return say(`state.${offer.seat === seat ? "offeredByMe" : "offered"}.${offer.what}`, { user, count: offer.days });
}

/** Ways to lose that have words of their own. */
const LOST_BY = ["forfeited", "left", "disconnected", "timed out"];

/** Ends that are no result. */
const OTHERWISE = ["lost", "replaced", "closed"];

/**
 * Who has ended a match of more than two, which nobody wins then: "me", or "other"; "" if it has ended otherwise. The
 * server doesn't say who it was; computers never give up.
 * @param {End} end
 */
function quitterOf({ result: { how, winner = null }, seat, players, computers, isGivingUp, hasResigned }) {
  if (players.length < 3 || !LOST_BY.includes(how) || winner !== null) return "";
  const isAlone = players.every((one, at) => at === seat || (one && kindOf(one.user, computers)));
  // The seat is gone before the end is told. Where the others went on, it is one of them who ended it later.
  return (isGivingUp && !hasResigned) || (seat !== null && isAlone) ? "me" : "other";
}

/**
 * Who has won, in a few words, for who sits there or watches.
 * @param {End} end
 */
export function sayResult(end) {
  const {
    result: { how, winner, points },
    seat,
    players,
    computers,
  } = end;
  if (points === null) return say("cup.decided.none");
  // Of more than two, as at the terminal: some of them may be equal.
  const isEqual = winner === null && points?.[0];
  if (how === "agreed" || isEqual || (how === "drawn" && players.length === 2)) return say("ends.drawn");
  const quitter = quitterOf(end);
  if (quitter) return say(`ends.quit.${how}.${quitter}`);
  if ((winner ?? null) === null) {
    const names = (points ? [] : firstOf(end)).map((at) => nameOf(players[at]?.user ?? "", computers));
    return names.length ? say("ends.shared", { names: sayAll(names) }) : say("ends.nobody");
  }
  if (winner === seat) return say("ends.won.iWon");
  const isLost = seat !== null && players.length === 2;
  return isLost ? say("ends.youLost") : say("ends.won.theyWon", { winner: nameOf(players[winner]?.user ?? "", computers) });
}

/**
 * How it came to that, as a sentence; "" if nothing is to be said.
 * @param {Over} table
 */
export function sayHow(table) {
  const {
    result: { how, winner, points },
    seat,
    players,
    computers,
  } = table;
  if (points !== undefined)
    return say(`cup.decided.${how}`, { scores: points?.map((each, at) => `${table.nameOf(at)} ${sayPoints(each)}`).join(", ") });
  if (how === "agreed") return say(seat === null ? "ends.theyAgreed" : "ends.agreed");
  if (quitterOf(table)) return say("ends.over");
  if (LOST_BY.includes(how) && players.length === 2 && (winner ?? null) !== null) {
    const who = winner === seat ? "iWon" : seat === null ? "theyWon" : "iLost";
    return say(`ends.${how}.${who}`, { loser: nameOf(players[1 - /** @type {number} */ (winner)]?.user ?? "", computers) });
  }
  return how === "won" || how === "drawn" ? sayPosition(table) : "";
}

/**
 * What of the position has decided.
 * @param {Over} table
 */
function sayPosition(table) {
  const why = sayWhy(table);
  if (why) return why;
  const counts = countMarks(table);
  if (counts) return say("ends.counts", { most: Math.max(...counts), least: Math.min(...counts) });
  const count = strikeOf(table);
  if (!count || table.result.how !== "won") return "";
  const isMine = table.seat === null || table.result.winner === table.seat;
  if (isMine) return say("ends.inARow", { count: sayNumber(count) });
  return say("ends.theyHave", { count: sayNumber(count).toLowerCase(), winner: table.nameOf(/** @type {number} */ (table.result.winner)) });
}

/** @param {Over} table */
function describeEnd(table) {
  const { how } = table.result;
  if (OTHERWISE.includes(how)) return say(`ends.${how}`);
  return `${sayResult(table)}. ${sayHow(table)}`.trim();
}

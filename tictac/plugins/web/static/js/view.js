// A table: the match as it is, for its players and for who watches.
//
// What is known of it is one Sitting (state.js): all that is shown follows from that, in #update(). Whoever waits for
// something waits by the stay (stay.js): what comes after another table is shown, or the connection is lost, has been left.

import { OFFERS, showActions } from "./actions.js";
import { alert, mayNotify, showTurn, sound } from "./alerts.js";
import { read } from "./archive.js";
import { sayTimeControl } from "./clocks.js";
import { $, announce, copyText, entitle, isPassing, pause, report, share, show, write } from "./dom.js";
import { Face, retryFaces } from "./faces.js";
import { EndCard, sayScore, timeToLook } from "./end.js";
import { endHelp, isFirst, isHelped } from "./first.js";
import { goalOf, isNeverDrawn, isOut, sayMove, soundOf, strikeOf } from "./games.js";
import { fetchPast } from "./late.js";
import { castOf, characterOf, nameOf } from "./names.js";
import { Panel } from "./panel.js";
import { HURRY, hasTenths, renderPlayers, sayAway, secondsOf } from "./players.js";
import { ask, withdraw } from "./question.js";
import { offerRules } from "./rules.js";
import { Lost, Refused } from "./session.js";
import { bind, bindAll, chosen } from "./settings.js";
import { sitDown, stateOf } from "./state.js";
import { Stay } from "./stay.js";
import { describe, describeAloud, Table } from "./table.js";
import { Talk } from "./talk.js";
import { capital, say, saySigned } from "./texts.js";

/** Milliseconds between two questions for a seat that the server doesn't hold yet, and of all. */
const SEAT_PAUSE = 250;
const PATIENCE = 70_000;

/** The days for each move with which a match can go on later. */
const LATER = 3;

/** What may still happen when the match is over. */
const AFTERWARDS = ["offered", "declined", "withdrawn", "expired", "left", "said"];

/**
 * @typedef {import("./state.js").Sitting} Sitting
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Way} Way
 * @typedef {import("./table.js").Ended} Ended
 * @typedef {import("./table.js").Over} Over
 * @typedef {import("./after.js").Gain} Gain
 *
 * A table at which one was, and perhaps how the match has ended; when it was `seen`, in milliseconds since 1970.
 * @typedef {Partial<Omit<Ended, "position">> & { room: string, seat: Wire.Seat, key?: string | null, seen?: number,
 *   begun?: boolean, position?: string | null }} Reopened
 *
 * A view while a table is shown.
 * @typedef {{ table: Table }} AtTable
 * @typedef {import("./end.js").Ending} Ending
 *
 * A request about the table that is shown.
 * @typedef {{ do: string, what?: string, text?: string, days?: number, for_good?: boolean, key?: string | null, take?: boolean }} Wanted
 */

/**
 * `entered()` is called when it shows itself, `left(request)` when the visitor goes back: for another
 * match, if there is a request. `ratingOf(room, user)` says what somebody there is rated. `register()` lets a guest
 * make an account. `drop(room)` is called for a room
 * that one has left or lost, and says how a match has ended there without the visitor, if it has.
 */
export class View {
  #session;
  #entered;
  #left;
  #ratingOf;
  #drop;
  #hurrying = 0;
  #talk = new Talk((text) => this.#ask({ do: "say", text }));
  /** @type {Partial<Expected>} */
  #expected = {};
  #updateRules;
  #panel;
  #end = new EndCard((isFolded) => this.#fold(isFolded));
  /** @type {import("./review.js").Review | null} */
  #review = null;
  /** @type {Gain | null} */
  #gain = null;
  /**
   * The tournaments of matches, by their ids; null, while one isn't known.
   * @type {Map<string, Wire.Tournament | null>}
   */
  #cups = new Map();
  /** @type {Sitting | null} */
  #sitting = null;
  #stay = new Stay(); // at the table, with a connection
  /** Whether another view is shown meanwhile. */
  isAside = false;
  /**
   * Called with the table that is shown, whenever that is so; with null, when it is left.
   * @type {(table: Table | null) => void}
   */
  changed = () => {};

  /**
   * @param {Session} session
   * @param {() => void} entered
   * @param {(request?: Way | null) => void} left
   * @param {(room: string, user: string) => string} ratingOf
   * @param {() => void} register
   * @param {(room: string) => Ended | null | undefined} drop
   */
  constructor(session, entered, left, ratingOf, register, drop) {
    this.#drop = drop;
    this.#session = session;
    this.#entered = entered;
    this.#left = left;
    this.#ratingOf = ratingOf;
    this.#updateRules = offerRules(session, () => this.table);
    this.#panel = new Panel(() => this.#updateRules());
    session.addEventListener("event", (event) => this.#heard(event.detail));
    session.addEventListener("lost", () => this.#cut());
    // A room over days waits for the other player, unless one closes it.
    // @ts-expect-error A table is shown.
    const leave = () => this.goBack(null, !this.table.lasts || !this.table.begun);
    /** @type {Record<string, (event: Event) => unknown>} */
    const work = { back: () => this.goBack(), leave, resign: () => this.resign() };
    work.here = () => this.#playHere();
    work.rematch = () => this.#ask({ do: "offer", what: "rematch" });
    work["watch-on"] = () => this.#fold(true);
    for (const [id, what] of Object.entries(OFFERS)) {
      const request = { do: "offer", what, ...(what === "days" && { days: LATER }) };
      work[id] = () => this.#ask(/** @type {Table} */ (this.table).offer ? { do: "decline", what } : request);
    }
    for (const id of ["accept", "decline"]) {
      work[id] = () => this.#ask({ do: id, what: /** @type {Table} */ (this.table).offer?.what });
    }
    for (const id of Object.keys(work)) $(id).addEventListener("click", work[id]);
    $("again").addEventListener("click", () => this.goBack(/** @type {State} */ (this.#state).again));
    $("other").addEventListener("click", () => this.goBack(this.#state.other?.request));
    $("keep-it").addEventListener("click", () => {
      this.close();
      register();
    });
    $("replay").addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // as a page of its own
      event.preventDefault();
      this.#goThrough();
    });
    $("copy").addEventListener("click", () => copyText($("invitation").value));
    $("share").addEventListener("click", () => share({ url: $("invitation").value }));
    bind($("hints"), "hints", (isOn) => {
      $("table").classList.toggle("hints", isOn);
      if (!isOn) endHelp(this.table);
    });
    bind($("sound"), "sound", (isOn) => isOn && sound("place"));
    for (const name of ["motion", "lines"]) bind($(name), name);
    bindAll(/** @type {NodeListOf<HTMLInputElement>} */ (document.getElementsByName("theme")), "theme");
    $("heard").addEventListener("click", () => {
      this.#panel.choose("chat");
      $("pane-chat").scrollIntoView({ block: "nearest" });
    });
    $("gear").addEventListener("click", () => {
      $("hints").checked = $("table").classList.contains("hints");
      $("settings").showModal();
    });
    $("how").addEventListener("click", () => {
      this.#panel.choose("rules");
      $("tab-rules").focus();
    });
    bind($("notify"), "notify", async (isOn) => {
      if (isOn) $("notify").checked = await mayNotify();
    });
    setInterval(() => this.#tick(), 1000);
    addEventListener("beforeunload", (event) => this.isPlaying && event.preventDefault());
  }

  /** The table that is shown; null: none. */
  get table() {
    return this.#sitting?.table ?? null;
  }

  /** Whether a match runs that leaving would lose. */
  get isPlaying() {
    return Boolean(this.table?.isPlaying && !this.table.lasts);
  }

  /** Whether a seat is the visitor's, perhaps one that is held. */
  get isSeated() {
    return Boolean(this.table && this.table.seat !== null && !this.table.result);
  }

  get #state() {
    const { user, isGuest, isAlone } = this.#session;
    const game = { levels: this.#game?.levels ?? [], isNeverDrawn: isNeverDrawn(this.table?.game ?? "") };
    return stateOf(this.#sitting, { user, isGuest, isAlone, isPassing, ...game });
  }

  /** The game of the table, as the server describes it. */
  get #game() {
    return this.#session.games.find(({ name }) => name === this.table?.game);
  }

  /**
   * The table of a `room` is about to be told: its `key`, and how to play `again`.
   * @param {Partial<Expected> & { room: string }} expected
   */
  expect(expected) {
    this.#expected = expected;
  }

  /**
   * Show a table at which one was before a reload, and go back to it, perhaps put `aside`; unless it is known `how` the match
   * has ended.
   * @param {Reopened} reopened
   */
  reopen({ room, seat, key, seen, game, begun = false, how, ...end }, aside = false) {
    this.close();
    const { title = room } = this.#session.games.find(({ name }) => name === game) ?? {};
    this.#show(Object.assign(new Table(room, seat, key), { title, begun }), aside);
    /** @type {Table} */ (this.table).leave();
    /** @type {Table} */ (this.table).lostAt = /** @type {number} */ (seen);
    this.#update();
    if (how) return this.#lose("lost", { game, how, ...end });
    return this.comeBack();
  }

  /** Another view is shown: what leaving would lose, a match or a room that waits, stays, and the bar (seats.js) leads back. */
  putAside() {
    if (!this.isSeated || this.table?.lasts) return this.close();
    this.isAside = true;
    withdraw();
  }

  /** Show again what was put aside. */
  bringBack() {
    this.#enter();
    this.#update();
    report("", describe(/** @type {Table} */ (this.table)));
    return true;
  }

  /** Leave it without a word to the visitor, who goes elsewhere; not `forGood`, if their seat stays theirs for days. */
  close(forGood = !this.table?.lasts || Boolean(this.table.result)) {
    const { table } = this;
    if (!table) return;
    const { room, isGone, isAway } = table;
    this.#drop(room);
    // After the end, too: there may be a rematch.
    /** @type {Asked<"leave">} */
    const leave = { do: "leave", room, for_good: forGood };
    if (!isAway && !isGone) this.#session.ask(leave).catch(ignoreRefusal);
    this.#endReview();
    this.#stay.end();
    this.#sitting = null;
    this.isAside = false;
    this.#panel.own = [];
    $("face").replaceChildren();
    withdraw();
    showTurn(false);
    this.changed(null);
  }

  /**
   * Leave it, and go back; for another match, if there is a `request`.
   * @param {Way | null} [request]
   * @param {boolean} [forGood]
   */
  goBack(request, forGood) {
    this.close(forGood);
    this.#left(request);
  }

  /** Give up, if the visitor is sure. */
  async resign() {
    const answers = { yes: say("table.resign"), no: say("table.playOn") };
    const words = { title: say("table.askTitle"), text: say("table.ask"), ...answers };
    const { table: asked } = /** @type {AtTable} */ (this);
    // Who is out has nothing left to lose.
    const isSure = isOut(asked, /** @type {number} */ (asked.seat)) || (await this.#stay.here(ask(words)));
    // @ts-expect-error A table is shown.
    if (!isSure || !this.table.isPlaying) return;
    const { table } = /** @type {AtTable} */ (this);
    table.isGivingUp = true; // and an event says whether the others go on
    const isTaken = await this.#ask({ do: "resign" });
    table.isGivingUp &&= isTaken;
  }

  /** @param {Events["event"]} event */
  #heard(event) {
    if (["lobby", "closing", "stopping", "announced", "challenge"].includes(event.event)) return;
    if (event.event === "tournament" && event.you && event.tournament === this.table?.tournament) {
      return this.#learnPlace(event.you);
    }
    if (event.room === undefined) return; // such as other news of tournaments
    if (event.event === "room" && event.room !== this.table?.room) {
      this.close();
      const { room, key } = this.#expected;
      this.#show(new Table(event.room, event.seat, room === event.room ? key : undefined));
    } else if (event.event === "room" && /** @type {Table} */ (this.table).result) {
      const { key, ratings, talk, result, earlier: before } = /** @type {Over} */ (this.table);
      const earlier = ["lost", "replaced"].includes(result.how) ? before : talk; // the same match again, or a rematch
      this.#show(Object.assign(new Table(event.room, event.seat, key), { ratings, earlier }));
    }
    const { table } = /** @type {AtTable} */ (this);
    if (event.room !== table?.room || (table.result && !AFTERWARDS.includes(event.event))) return;
    if (event.event === "replaced") return this.#lose("replaced");
    const wasOver = Boolean(table.result);
    const [before, wasMine] = [describeAloud(table), table.isMyTurn];
    const hasGone = table.isGivingUp && event.event === "moved" && event.seat === table.seat;
    const done = table.apply(/** @type {import("./table.js").Happening} */ (event));
    if (hasGone) table.quit();
    const told = hasGone ? say("table.gaveUp") : isOfSelf(event, this.#session.user) ? "" : done;
    if (isMyGhost(table, this.#session.user)) {
      this.#ask({ do: "leave", for_good: true });
      return this.#lose();
    }
    if (event.event === "said" && chosen("mute")) return;
    if (event.event === "said" && event.user !== this.#session.user) this.#talk.flash(event, table);
    write($("table-error"), "");
    if (hasGone || (table.result && !wasOver)) this.#comeToEnd();
    else this.#update();
    const now = describeAloud(table);
    report(told, now === before && told ? undefined : now);
    const isAwaited = (table.isMyTurn && !wasMine) || (table.result && !wasOver) || event.event === "began";
    if (isAwaited && table.seat !== null) alert([told, now].filter(Boolean).join(" "));
    this.#sound(event, wasOver);
    const isIdle = document.activeElement === $("table-title");
    const { face } = /** @type {Sitting} */ (this.#sitting);
    if (table.isMyTurn && !wasMine && face?.panels.length) this.#panel.begin();
    if (table.isMyTurn && !wasMine && isIdle) face?.focus();
    if (table.isRated && table.result?.match && !wasOver) this.#rate(table);
  }

  /**
   * Take what one is told in the tournament of the table.
   * @param {Wire.Card} you
   */
  #learnPlace(you) {
    const { table } = /** @type {AtTable} */ (this);
    const { rank, points, players } = table.place; // not every card tells them
    table.place = { rank, points, players, ...you };
    // The organizer may have renamed a guest.
    if (you.room === table.room) Object.assign(table.computers, castOf({ names: you.names }));
    this.#update();
  }

  /** The match has ended in sight, or the visitor has given up: one looks at the board, then the card comes. */
  async #comeToEnd() {
    const { table } = /** @type {AtTable} */ (this);
    const wait = timeToLook(table, strikeOf(table) > 0);
    withdraw();
    const kept = this.#note(table);
    Object.assign(/** @type {Sitting} */ (this.#sitting), { isDue: !wait, isFresh: true });
    this.#update();
    this.#praise(kept);
    if (!wait) return;
    await this.#stay.here(pause(wait));
    /** @type {Sitting} */ (this.#sitting).isDue = true;
    this.#update();
  }

  /**
   * Keep in this browser what it keeps of matches, where the connection allows it: a promise of the results of a guest before.
   * @param {Table} table
   */
  async #note(table) {
    if (!table.result) return; // who gave up sees the others play on
    const kept = await import("./kept.js").catch(() => null);
    return kept?.noteEnd(this.#session, table);
  }

  /**
   * Find what is to be said of a win: of an account's, where the server knows it.
   * @param {Promise<import("./kept.js").Results[] | undefined>} kept
   */
  async #praise(kept) {
    const { table, since } = /** @type {Sitting} */ (this.#sitting);
    if (table.seat === null || table.result?.winner !== table.seat || table.result.points) return;
    const { other } = this.#state;
    const next = other?.kind === "harder" && other.level ? characterOf(this.#game, other.level) : "";
    const found = Promise.all([import("./joy.js"), kept]).then(([{ praise }, before]) => praise(this.#session, table, next, since, before));
    /** @type {Sitting} */ (this.#sitting).praise = await this.#stay.here(found.catch(() => "")); // it is none of the things that one waits for
    this.#update();
  }

  /**
   * Show what a match has made of the players' ratings, also at the table of a rematch.
   * @param {Table} table
   */
  async #rate(table) {
    const isWanted = () => this.table?.ratings === table.ratings;
    const past = await fetchPast().catch(() => null); // without a connection
    const gain = await past?.after.rate(this.#session, table, isWanted).catch(ignoreRefusal);
    if (!isWanted()) return;
    this.#gain = gain ?? this.#gain;
    this.#update();
    const { rating, change = null } = gain ?? {};
    if (change !== null) announce(say("end.announced", { rating, gain: saySigned(change) }));
  }

  /** Let the table be the view that is shown. */
  #enter() {
    this.isAside = false;
    this.#entered();
    show("table");
    $("table-title").focus();
  }

  /** @param {Table} table */
  #show(table, isAside = false) {
    const { room, again = null, back } = this.#expected;
    const mine = room === table.room ? again : null;
    if (room === table.room) {
      const coming = again?.computer ? (again.computers ?? Infinity) : 0;
      Object.assign(table, { isSought: again?.do === "seek", coming, back });
    }
    this.#endReview();
    this.#stay.begin();
    this.#sitting = sitDown(table, mine);
    this.isAside = isAside;
    this.#panel.own = [];
    retryFaces();
    $("face").replaceChildren();
    write($("table-error"), "");
    if (!isAside) this.#enter();
  }

  /** @param {string} move */
  async #play(move) {
    const { table } = /** @type {AtTable} */ (this);
    if (!table.isMyTurn) return;
    table.pending = move;
    write($("table-error"), "");
    this.#update();
    try {
      await this.#stay.here(this.#session.ask({ do: "move", room: table.room, move, at: table.n }));
    } catch (error) {
      if (error instanceof Lost) return;
      if (!(error instanceof Refused)) throw error;
      table.pending = null;
      this.#update();
      this.#complain(error.message);
    }
  }

  /**
   * Ask for something about the table; whether it is done. What is refused may have crossed something that has happened,
   * such as another offer: then the table shows that, and how it can be answered.
   * @param {Wanted} request
   * @returns {Promise<boolean>}
   */
  async #ask(request) {
    const { table } = /** @type {AtTable} */ (this);
    const { room, offer, result } = table;
    table.asked.add(request);
    try {
      await this.#stay.here(this.#session.ask({ .../** @type {any} */ (request), room }));
      table.asked.delete(request);
      return true;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error; // comeBack() says what became of it
      table.asked.delete(request);
      const hasCrossed = offer !== /** @type {Table} */ (this.table).offer || result !== /** @type {Table} */ (this.table).result;
      if (error instanceof Refused && error.code === "bad-text") this.#complain(say("table.bad-text"));
      else if (request.do === "say" || !hasCrossed) this.#refuse(request, error);
      return false;
    }
  }

  /**
   * @param {Wanted} request
   * @param {Refused | Lost} error
   */
  #refuse({ do: what, what: offered }, error) {
    if (what !== "offer" || offered !== "rematch") return this.#complain(error.message);
    // The other player has gone, or the time for it is up.
    /** @type {Table} */ (this.table).endRematch(say("state.noRematch"));
    this.#update();
    report("", describe(/** @type {Table} */ (this.table)));
  }

  /**
   * Let what happened be heard.
   * @param {{ event: string, user?: string }} event
   * @param {boolean} wasOver
   */
  #sound({ event, user }, wasOver) {
    const { table } = /** @type {AtTable} */ (this);
    if (event === "moved" || event === "undone") sound(soundOf(table.game));
    if (event === "said" && user !== this.#session.user) sound("chat");
    if (event === "began" && table.seat !== null) sound("challenge");
    if (!table.result || wasOver) return;
    const { winner = null } = table.result;
    sound(winner === null ? "draw" : table.seat === null || winner === table.seat ? "win" : "loss");
  }

  /** @param {string} text */
  #complain(text) {
    write($("table-error"), text);
    announce(text);
  }

  // The connection

  #cut() {
    const { table } = this;
    if (!table || table.isAway) return;
    if (table.result) return this.#cutAfter(table);
    this.#stay.begin();
    table.leave();
    withdraw();
    if ($("actions").contains(document.activeElement)) $("table-title").focus();
    this.#update();
    report("", describe(table));
  }

  /**
   * Who isn't in the room after the end gets no rematch.
   * @param {Table} table
   */
  #cutAfter(table) {
    const { shown } = /** @type {State} */ (this.#state);
    if (!shown.rematch && !shown.accept) return;
    table.endRematch(say("state.noRematch"));
    this.#update();
    report("", describe(table));
  }

  /** Logged in again: ask for the seat until the server has noticed that it is free, or just watch. */
  async comeBack() {
    const { table } = /** @type {AtTable} */ (this);
    const until = Date.now() + PATIENCE;
    const { room, key, seat, n } = table;
    /** @type {(Asked<"watch"> & { take?: boolean }) | Asked<"join">} */
    const request = seat === null ? { do: "watch", room, key } : { do: "join", room, key };
    if (seat !== null && n) request.since = n;
    for (;;) {
      // From a connection that is dead, perhaps; but no page takes it whose board nobody looks at.
      if (seat !== null) request.take = !document.hidden && !this.isAside;
      try {
        await this.#stay.here(this.#session.ask(request));
        table.comeBack();
        this.#update();
        // What was missed follows the answer: whether it has what one did last, a second answer tells.
        if (table.pending || table.asked.size) await this.#stay.here(this.#session.ask({ do: "ping" }));
        const words = table.catchUp() ? say("connection.unanswered") : "";
        this.#update();
        write($("table-error"), words);
        return report("", `${describe(table)} ${words}`.trim());
      } catch (error) {
        if (error instanceof Lost) return; // and so it begins again
        if (!(error instanceof Refused)) throw error;
        const isTaken = error.code === "room-full";
        if (!isTaken || Date.now() > until) return this.#lose(isTaken && this.isAside ? "replaced" : "lost");
      }
      await this.#stay.here(pause(SEAT_PAUSE * (1 + Math.random())));
    }
  }

  /** Take the seat from the other tab, or the other device, that it is played from. */
  async #playHere() {
    const { room, key, result } = /** @type {Table} */ (this.table);
    if (!result) await this.#ask({ do: "leave" });
    this.expect({ room, key });
    await this.#ask({ do: "join", key, take: true });
  }

  /**
   * @param {"lost" | "replaced"} [how]
   * @param {Parameters<Table["meetEnd"]>[0] | null} [end]
   */
  #lose(how = "lost", end = this.#drop(/** @type {Table} */ (this.table).room)) {
    const { table } = /** @type {AtTable} */ (this);
    // One plays elsewhere, or nobody has come: that is nothing to be led back to.
    if (this.isAside && (how === "replaced" || !table.begun)) return this.close();
    table.lose(how);
    if (how === "lost" && end) table.meetEnd(end);
    if (table.tournament && table.isGone) this.#askPlace(table.tournament); // no event tells what had happened before
    this.#note(table);
    withdraw();
    this.#update();
    report("", describe(table));
    if (table.isGone && table.seat !== null && table.lostAt) this.#restore();
  }

  /** @param {string} tournament */
  async #askPlace(tournament) {
    const answer = await this.#stay.here(this.#session.ask({ do: "tournament", tournament }).catch(ignoreRefusal));
    if (answer?.you) this.#learnPlace(answer.you);
  }

  /** The match has ended while the visitor was away: show it as it was then, if the server has kept it. */
  async #restore() {
    const { table } = /** @type {AtTable} */ (this);
    const shown = () => {
      this.#update();
      report("", describe(table));
    };
    /** @type {typeof import("./past.js") | null} */
    const past = await this.#stay.here(fetchPast().catch(() => null)); // without a connection
    if (!past) return;
    await past.after.restore(this.#session, table, (promise) => this.#stay.here(promise), shown).catch(ignoreRefusal);
  }

  /** Go through the match here, as a rematch may be offered meanwhile. */
  async #goThrough() {
    const { table } = /** @type {AtTable} */ (this);
    this.#fold(true);
    try {
      /** @type {typeof import("./past.js")} */
      const { newReview } = await this.#stay.here(fetchPast());
      this.#review ??= newReview(this.#session, (was) => this.#look(was));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has arrived
      return this.#complain(say("connection.unreachable"));
    }
    await /** @type {import("./review.js").Review} */ (this.#review).open(table);
  }

  /**
   * The table as it was is looked at.
   * @param {Table} was
   */
  #look(was) {
    const {
      table: { seat, players, clocks },
      looked,
    } = /** @type {Sitting} */ (this.#sitting);
    /** @type {Sitting} */ (this.#sitting).looked = Object.assign(Object.create(was), { seat, players, clocks, paused: true });
    if (looked) return this.#renderPlayers(/** @type {State} */ (this.#state));
    this.#update();
    this.#panel.choose("moves");
  }

  /**
   * The card of the end is put away, or brought back.
   * @param {boolean} isFolded
   */
  #fold(isFolded) {
    this.#endReview();
    /** @type {Sitting} */ (this.#sitting).isFolded = isFolded;
    this.#update();
  }

  #endReview() {
    this.#review?.close();
    if (this.#sitting) this.#sitting.looked = null;
  }

  // What is shown

  /** Show how it stands now. Nothing, if no table is shown. */
  #update() {
    const state = this.#state;
    if (state.kind !== "none") this.#render(state);
  }

  /** @param {State} state */
  #render(state) {
    const { table, kind, mayTalk } = state;
    $("table").classList.toggle("duel", table.players.length === 2);
    $("table-title").textContent = table.title;
    const other = table.seat !== null && table.players.length === 2 && table.players[1 - table.seat];
    const against = other ? say("table.against", { user: nameOf(other.user, table.computers) }) : "";
    const room = kind === "waiting" && !table.tournament ? say("table.table", { room: table.room }) : "";
    const about = [table.tournament ? this.#sayCup(table) : against, table.isRated ? say("table.rated") : "", sayClock(table), room];
    write($("table-about"), capital(about.filter(Boolean).join(" · ")));
    write($("table-goal"), goalOf(table));
    const score = sayScore(table);
    write($("series"), score ? say("table.series", { points: score }) : "");
    const watchers = table.viewers.length
      ? say("table.watching", { names: table.viewers.map((name) => nameOf(name, table.computers)).join(", ") })
      : "";
    write($("watching"), [table.seat === null && table.n > 0 ? say("table.youWatch") : "", watchers].filter(Boolean).join(" "));
    this.#updateRules();
    this.#renderPlayers(state);
    this.#renderFace(state);
    this.#talk.render(table, mayTalk);
    this.#panel.render(table, mayTalk, kind === "review");
    this.#end.render(/** @type {Ending} */ (state), this.#gain?.match === table.result?.match ? this.#gain : null, this.#game);
    showActions(state);
    const whose = table.begun && !table.result ? table.nameOf(table.turn) : "";
    const what = table.isMyTurn ? say("table.yourTurn") : whose ? say("table.theirTurn", { user: whose }) : "";
    if (!this.isAside) entitle(what ? say("table.titled", { what, title: table.title }) : table.title);
    showTurn(table.isMyTurn);
    this.changed(table);
  }

  /**
   * The tournament and the round of a match; until it is known what the tournament is called, its id.
   * @param {Table} table
   */
  #sayCup({ tournament: id, round }) {
    const known = this.#cups.get(id);
    if (known === undefined) {
      this.#cups.set(id, null);
      const asked = read(["tournaments", id]).then(({ tournament }) => this.#cups.set(id, tournament));
      asked.then(
        () => this.#update(),
        () => this.#cups.delete(id), // the id will do until the next look
      );
    }
    return !known || known.system === "arena" ? (known?.name ?? id) : say("table.ofCup", { name: known.name, round });
  }

  /** @param {Pick<State, "table" | "looked">} state */
  #renderPlayers({ table, looked }) {
    // The lobby forgets it at the end.
    /** @param {string} user */
    const rated = (user) => (table.ratings[user] ||= this.#ratingOf(table.room, user));
    renderPlayers(looked ?? table, (user) => table.gains[user] ?? rated(user));
    const away = table.players.map((one, seat) => {
      const words = one?.user !== this.#session.user && sayAway(table, one, seat, performance.now());
      return words && say("table.isAway", { user: table.nameOf(seat), words });
    });
    $("state").textContent = [...away.filter(Boolean), describe(table)].join(" ");
  }

  /** A second has passed. */
  #tick() {
    const { table } = this;
    const isAway = table?.players.some((one) => one?.away);
    if (!table || (!table.clocks && !isAway)) return;
    this.#warn();
    if ($("table").hidden) return;
    this.#renderPlayers(/** @type {State} */ (this.#state));
    if (hasTenths(table) && !this.#hurrying) this.#hurrying = setInterval(() => this.#hurry(), 100);
  }

  /** Say once that one's own time is low. */
  #warn() {
    const { table } = /** @type {AtTable} */ (this);
    const seconds = secondsOf(table);
    if (/** @type {Sitting} */ (this.#sitting).hasHurried || !table.isMyTurn || seconds === null || seconds >= HURRY) return;
    /** @type {Sitting} */ (this.#sitting).hasHurried = true;
    announce(say("table.low", { count: Math.ceil(seconds) }));
    sound("low");
  }

  #hurry() {
    if (this.table && hasTenths(this.table)) return this.#renderPlayers(/** @type {State} */ (this.#state));
    clearInterval(this.#hurrying);
    this.#hurrying = 0;
  }

  /** @param {State} state */
  #renderFace(state) {
    const { table } = state;
    if (!table.game) return;
    const sitting = /** @type {Sitting} */ (this.#sitting);
    if (!sitting.face) {
      const face = new Face(
        table.game,
        (move) => this.#play(move),
        () => face === this.#sitting?.face && this.#update(),
      );
      sitting.face = face;
      $("face").append(face.element);
      this.#panel.isFirst = isFirst(table) && !table.result;
      $("table").classList.toggle("hints", chosen("hints") || (!table.result && isHelped(table)));
      this.#panel.begin();
    }
    const { face, panels: known = [] } = sitting;
    face.render(table);
    const { bar, panels, actions } = face;
    if (bar !== $("own-bar").firstChild) $("own-bar").replaceChildren(...(bar ? [bar] : []));
    if (actions !== $("own-acts").firstChild) $("own-acts").replaceChildren(actions);
    if (panels !== known && panels.length + known.length) this.#panel.own = sitting.panels = panels;
    const { game, by, last, before } = table;
    const told =
      last && !face.tellsMoves ? say("table.lastMove", { user: table.nameOf(by), move: sayMove(game, last, before, table) }) : "";
    $("last").classList.toggle("coming", !face.tellsMoves && table.begun);
    write($("last"), state.kind === "out" ? say("table.gaveUp") : told);
    write($("keys"), table.isPlaying ? face.keys : "");
  }
}

/**
 * Whether a match has begun against the one who I was before the connection was lost: the server
 * holds no seats, and hasn't noticed the loss.
 * @param {Table} table
 * @param {string} user
 */
function isMyGhost({ hasReturned, begun, players }, user) {
  return hasReturned && begun && players.every((player) => player?.user === user);
}

/**
 * Whether it is told of the visitor that they came, or went: after a lost connection that is nothing new to them.
 * @param {{ event: string, user?: string }} event
 * @param {string} me
 */
function isOfSelf({ event, user }, me) {
  return user === me && (event === "joined" || event === "left");
}

/**
 * The time control of a room, in words.
 * @param {Table} table
 */
function sayClock({ clock, clocks, game, isForComputer }) {
  return clock ? sayTimeControl(clock) : clocks || !game || isForComputer ? "" : say("table.noClock");
}

/**
 * What was asked for isn't there any more.
 * @param {unknown} error
 */
function ignoreRefusal(error) {
  if (!(error instanceof Refused || error instanceof Lost)) throw error;
}

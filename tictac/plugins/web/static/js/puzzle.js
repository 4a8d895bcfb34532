// The puzzle of a day: one move alone is right. The server checks each; without it, the page knows the solution, which comes
// along with the puzzle.
//
// A wrong move stays on the board, with the reply to it, until one takes it back. What is shared has signs alone.

import { Missing, read, readGames } from "./archive.js";
import { explain, sayDay } from "./archived.js";
import { sound } from "./alerts.js";
import { $, announce, entitle, icon, make, pause, refill, share, show, write } from "./dom.js";
import { Face, fetchFace, knowsFaces, learnFaces } from "./faces.js";
import { markOf, sayMove, soundOf } from "./games.js";
import { keepSolution, readStreak, solutionOf, solvedDays } from "./kept.js";
import { faceNamed } from "./names.js";
import { drawNothing } from "./nothing.js";
import { sayClock } from "./players.js";
import { pathTo } from "./router.js";
import { Lost, Refused } from "./session.js";
import { Stay } from "./stay.js";
import { askStreak, drawPuzzle, isSolved, makeStreak, sayTask, tick } from "./streak.js";
import { capital, say } from "./texts.js";

/** Milliseconds until the reply to a move. */
const REPLY = 400;

/** Signs of a move that was right at once, later, and with a hint. */
const [AT_ONCE, LATER, HINTED] = ["●", "◐", "○"];

/** Where motion isn't wanted. */
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @typedef {import("./streak.js").Puzzle} Puzzle
 * @typedef {Wire.Answers["puzzle"]["steps"][number]} Step
 *
 * What a move is worth: the `position` is that after the `replies` to it, and `why` says what is wrong with it.
 * @typedef {{ right: boolean, replies: string[], position: string, why?: string | null, streak?: Wire.Streak,
 *   tries?: Wire.Tries }} Verdict
 *
 * How far one is: `done` are the right moves, `wrong` the answer to a wrong one, and `hinted` the hints since the last right
 * one. What starting over keeps: the `signs` of the moves, so far, of a later one, too, and all `hints`.
 * @typedef {{ done: string[], signs: string[], hinted: number, hints: number, wrong: (Verdict & { move: string }) | null,
 *   pending: string | null, said: string, began: number, seconds: number | null, isShown: boolean }} State
 */

const act = (/** @type {string} */ id, /** @type {string} */ sign) =>
  make("button", { type: "button", class: "act", id: `puzzle-${id}` }, icon(sign), say(`puzzle.${id}`));

export class PuzzleView {
  #session;
  #stay = new Stay();
  #day = "";
  #today = "";
  /** @type {Puzzle[]} */
  #puzzles = [];
  /** @type {string[]} */
  #allDays = [];
  /** @type {Puzzle | null} */
  #puzzle = null;
  /** @type {Step[]} */
  #steps = [];
  #state = begin();
  /** @type {Wire.Streak | null} */
  #streak = null;
  /** @type {Face | null} */
  #face = null;
  #clock = 0;
  #title = make("h1", { id: "puzzle-title", tabIndex: -1 }, say("puzzle.title"));
  #date = make("p", { class: "hint" });
  #task = make("p", { class: "goal", id: "puzzle-task" });
  #source = make("p", { class: "hint source" });
  #days = make("div", { id: "puzzle-streak" });
  #dots = make("ol", { class: "step-dots", id: "puzzle-dots" });
  #hints = make("span", { class: "badge", id: "puzzle-hints" });
  #time = make("span", { class: "badge num", id: "puzzle-time" });
  #board = make("div", { class: "face", id: "puzzle-face" });
  #said = make("p", { class: "state", id: "puzzle-state" });
  #more = make("p", { class: "hint", id: "puzzle-more", hidden: true });
  #back = make("button", { type: "button", class: "main less", id: "puzzle-back", hidden: true }, icon("undo"), say("puzzle.back"));
  #acts = { again: act("again", "again"), hint: act("hint", "eye"), solution: act("solution", "book") };
  #ways = make("div", { class: "row", id: "puzzle-ways", hidden: true });
  #share = make("section", { class: "card stack", id: "puzzle-share", "aria-label": say("puzzle.share"), hidden: true });
  #others = make("section", { class: "card stack", id: "puzzle-others", "aria-labelledby": "puzzle-also", hidden: true });
  #earlier = make(
    "details",
    { class: "card", id: "puzzle-earlier", hidden: true },
    make("summary", {}, make("h2", {}, say("puzzle.earlier"))),
    make("ul", {}),
  );
  #none = make("div", { class: "card empty", id: "puzzle-none", hidden: true });
  #parts;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    const about = make("div", { class: "about" }, this.#title, this.#date, this.#task, this.#source, this.#days);
    const bar = make("div", { class: "puzzle-bar" }, this.#dots, make("span", { class: "grow" }), this.#hints, this.#time);
    const status = make("div", { class: "status" }, this.#said, this.#more);
    const acts = make("div", { class: "acts" }, ...Object.values(this.#acts));
    const below = make("div", { class: "below" }, status, this.#back, acts, this.#ways);
    const stage = make("div", { class: "stage" }, bar, make("div", { class: "hold" }, this.#board), below);
    const side = make("aside", { class: "side-col", "aria-label": say("puzzle.beside") }, this.#earlier, this.#share, this.#others);
    this.#parts = [stage, side];
    const names = { class: "view table puzzle", id: "puzzle", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, about, stage, side, this.#none));
    this.#back.addEventListener("click", () => this.#takeBack());
    this.#acts.hint.addEventListener("click", () => this.#hint());
    this.#acts.again.addEventListener("click", () => this.#again());
    this.#acts.solution.addEventListener("click", () => this.#solve());
    this.#board.addEventListener("keydown", ({ key }) => key === "Escape" && this.#state.wrong && this.#takeBack());
    session.addEventListener("ready", () => this.#learn());
  }

  /** Show the puzzle of a day, by default today's; of a game, by default the first that isn't solved. */
  async open(day = "", game = "") {
    this.#stay.begin();
    if (day && !/^\d/.test(day)) [day, game] = ["", day];
    const asked = Promise.all([read(["puzzle", day]), knowsFaces() ? null : readGames().then(learnFaces), this.#learn()]);
    let found;
    try {
      [found] = await this.#stay.here(asked);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      return this.#miss(explain(error));
    }
    [this.#day, this.#puzzles, this.#allDays] = [found.day, found.puzzles, found.days];
    if (!day) this.#today = found.day;
    const puzzle =
      this.#puzzles.find((each) => each.game === game) ?? this.#puzzles.find((each) => !this.#isSolved(each)) ?? this.#puzzles[0];
    if (!puzzle) return this.#isToday ? this.#miss(say("puzzle.none"), say("puzzle.noneHint")) : this.#miss(say("puzzle.noneThen"));
    const [{ steps }] = await this.#stay.here(
      Promise.all([read(["puzzle", this.#day, puzzle.game], { whole: 1 }), fetchFace(puzzle.game)]),
    );
    this.#begin(puzzle, steps);
  }

  close() {
    this.#stay.end();
    clearInterval(this.#clock);
    this.#face = null;
    this.#board.replaceChildren();
  }

  #open() {
    show("puzzle");
    const title = this.#isToday ? say("puzzle.title") : say("puzzle.of", { day: sayDay(this.#day) });
    write(this.#title, title);
    entitle(title);
    this.#title.focus();
    for (const part of [...this.#parts, this.#task]) part.hidden = !this.#none.hidden;
  }

  /**
   * There is no puzzle, and why.
   * @param {string} why
   */
  #miss(why, more = "") {
    const play = make("a", { class: "button", href: "/" }, say("puzzle.play"));
    this.#none.replaceChildren(...drawNothing("ada-think", why, more, play));
    this.#none.hidden = false;
    for (const part of [this.#date, this.#source]) write(part, "");
    this.#days.replaceChildren();
    this.#open();
    announce(why);
  }

  /**
   * @param {Puzzle} puzzle
   * @param {Step[]} steps
   */
  #begin(puzzle, steps) {
    [this.#puzzle, this.#steps, this.#state] = [puzzle, steps, begin()];
    const known = solutionOf(this.#day, puzzle.game);
    if (known) this.#state = { ...begin(), ...known, done: steps.map(({ best }) => best), signs: [...known.signs] };
    this.#none.hidden = true;
    this.#earlier.open = false;
    this.#open();
    write(this.#date, this.#isToday ? sayDay(this.#day) : say("puzzle.earlierHint"));
    write(this.#task, sayTask(puzzle));
    write(this.#source, say(puzzle.match ? "puzzle.fromMatch" : "puzzle.fromComputer"));
    this.#face = new Face(
      puzzle.game,
      (move) => this.#play(move),
      () => this.#render(),
    );
    this.#board.replaceChildren(this.#face.element);
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#tellTime(), 1000);
    this.#render();
    announce(this.#task.textContent);
  }

  /** Ask what the server knows of an account's days. */
  async #learn() {
    const { user, isGuest } = this.#session;
    if (!user || isGuest) return void (this.#streak = null);
    try {
      this.#streak = await askStreak((request) => this.#session.ask(request));
      if (this.#puzzle) this.#render();
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
    }
  }

  get #step() {
    return this.#steps[Math.min(this.#state.done.length, this.#steps.length - 1)];
  }

  get #isOver() {
    return this.#state.done.length === this.#steps.length;
  }

  /** @param {string} move */
  async #play(move) {
    const state = this.#state;
    if (state.wrong || state.pending) return;
    state.pending = move;
    this.#render();
    /** @type {[Verdict, unknown]} */
    const [answer] = await this.#stay.here(Promise.all([this.#check([...state.done, move]), STILL.matches || pause(REPLY)]));
    state.signs[state.done.length] ??= answer.right ? AT_ONCE : LATER;
    if (state !== this.#state) return; // one has begun again
    state.pending = null;
    sound(soundOf(/** @type {Puzzle} */ (this.#puzzle).game));
    if (!answer.right) {
      state.wrong = { ...answer, move };
      state.said = this.#sayWrong(answer, move);
    } else {
      Object.assign(state, { done: [...state.done, move], hinted: 0 });
      const replies = answer.replies.map((reply) => sayMove(/** @type {Puzzle} */ (this.#puzzle).game, reply)).join(", ");
      state.said = replies ? say("puzzle.good", { replies, mark: this.#otherName }) : "";
    }
    if (this.#isOver) this.#finish(answer);
    this.#render();
    announce([this.#said.textContent, this.#more.textContent].join(" "));
  }

  /**
   * What the server says of these moves; without it, what the solution says.
   * @param {string[]} moves
   * @returns {Promise<Verdict>}
   */
  async #check(moves) {
    const { game } = /** @type {Puzzle} */ (this.#puzzle);
    try {
      const { user, isGuest } = this.#session;
      if (user && !isGuest) return await this.#session.ask({ do: "puzzle", day: this.#day, game, moves });
      return await read(["puzzle", this.#day, game], { moves: moves.join() });
    } catch (error) {
      if (!(error instanceof Lost) && /** @type {any} */ (error).code !== "unreachable") throw error;
      const { best, replies, then, others } = this.#step;
      const move = /** @type {string} */ (moves.at(-1));
      if (move === best) return { right: true, replies, position: then };
      const [reply, position, why] = others[move];
      return { right: false, replies: reply ? [reply] : [], position, why };
    }
  }

  /** @param {{ streak?: Wire.Streak | null, tries?: Wire.Tries }} answer */
  #finish({ streak = null, tries = null }) {
    const state = this.#state;
    /** @type {Puzzle} */ (this.#puzzle).tries = tries;
    this.#streak = streak ?? this.#streak;
    sound("win");
    if (state.seconds !== null) return; // the first solution counts
    state.seconds = Math.round((Date.now() - state.began) / 1000);
    const { signs, seconds, hints, done } = state;
    const solution = { signs: signs.join(""), seconds, hints, ...(this.#isToday && !streak && { moves: done }) };
    keepSolution(this.#day, /** @type {Puzzle} */ (this.#puzzle).game, solution, this.#isToday);
  }

  /** @param {{ game: string }} puzzle */
  #isSolved({ game }) {
    return isSolved(this.#day, game, this.#isToday ? this.#streak : null);
  }

  /** Whether it counts for the streak. */
  get #isToday() {
    return this.#day === (this.#today || new Date().toISOString().slice(0, 10));
  }

  get #otherName() {
    const { game, seat, seats } = /** @type {Puzzle} */ (this.#puzzle);
    return capital(markOf(game, (seat + 1) % seats)?.name ?? say("puzzle.opponent"));
  }

  /**
   * @param {Verdict} answer
   * @param {string} move
   */
  #sayWrong({ why, replies }, move) {
    const { game } = /** @type {Puzzle} */ (this.#puzzle);
    const values = {
      move: sayMove(game, move, this.#step.position),
      mark: this.#otherName,
      reply: replies.length ? sayMove(game, replies[0]) : "",
    };
    return say(replies.length ? `puzzle.${why}` : "puzzle.wrong", values);
  }

  #takeBack() {
    Object.assign(this.#state, { wrong: null, said: "" });
    this.#render();
    this.#face?.focus();
  }

  /** From the first position; what one has tried, and the time, stay. */
  #again() {
    this.#state = { ...this.#state, done: [], hinted: 0, wrong: null, pending: null, said: "", isShown: false };
    this.#render();
    this.#face?.focus();
  }

  /** At first in words, then on the board. */
  #hint() {
    const state = this.#state;
    if (state.wrong) this.#takeBack();
    if (state.hinted < 2) {
      state.hinted++;
      this.#count(state.done.length, 1);
    }
    const { hint, best, position } = this.#step;
    // prettier-ignore
    state.said = state.hinted > 1 ? say("puzzle.hintMove", { move: sayMove(/** @type {Puzzle} */ (this.#puzzle).game, best, position) }) : say(`puzzle.hints.${hint}`);
    this.#render();
    announce(state.said);
  }

  /**
   * Note so many hints, for the moves from that one on, unless the puzzle was solved before.
   * @param {number} from
   * @param {number} count
   */
  #count(from, count) {
    const state = this.#state;
    if (state.seconds !== null) return;
    state.hints += count;
    for (let at = from; at < from + count; at++) state.signs[at] = HINTED;
  }

  /** The solution is a hint for each move that is left. */
  #solve() {
    const { length } = this.#state.done;
    this.#count(length, this.#steps.length - length);
    this.#state = { ...this.#state, done: this.#steps.map(({ best }) => best), wrong: null, pending: null, isShown: true };
    this.#render();
    announce(this.#more.textContent);
  }

  #render() {
    const state = this.#state;
    const { game, options, seat, seats } = /** @type {Puzzle} */ (this.#puzzle);
    const { wrong, done, pending, said, hints } = state;
    const at = done.length;
    const isOver = this.#isOver;
    const before = at ? this.#steps[at - 1] : null;
    const replies = wrong ? wrong.replies : (before?.replies ?? []);
    const last = replies.at(-1) ?? wrong?.move ?? done.at(-1) ?? null;
    const position = wrong?.position ?? before?.then ?? this.#step.position;
    const players = Array.from({ length: seats }, () => ({ user: "", away: false }));
    const isFree = !isOver && !wrong && !pending;
    const { best, others } = this.#step;
    const moves = isOver ? [] : [best, ...Object.keys(others)];
    const by = replies.length ? (seat + 1) % seats : seat;
    const result = isOver && /** @type {Puzzle} */ (this.#puzzle).wins ? { how: /** @type {const} */ ("won"), winner: seat } : null;
    /** @type {{ render(told: Partial<Standing>): void } | null} */ (this.#face)?.render({
      game,
      options,
      seat,
      players,
      position,
      turn: seat,
      begun: true,
      isPlaying: !isOver,
      isMyTurn: isFree,
      can: isFree ? moves : [],
      last,
      by,
      record: [],
      pending,
      result,
      n: at,
      best: state.hinted > 1 && isFree ? best : null,
    });
    this.#dots.replaceChildren(...this.#steps.map((_, step) => this.#dot(step)));
    this.#dots.setAttribute("aria-label", say("puzzle.moveOf", { number: Math.min(at + 1, this.#steps.length), of: this.#steps.length }));
    write(this.#said, this.#sayState());
    const shown = () => say("puzzle.shown", { moves: this.#steps.map((step) => sayMove(game, step.best, step.position)).join(", ") });
    write(this.#more, state.isShown ? shown() : isOver ? this.#sayHow() : said);
    write(this.#hints, say("puzzle.hintsUsed", { count: hints }));
    this.#back.hidden = !wrong;
    this.#acts.hint.hidden = this.#acts.solution.hidden = isOver;
    this.#tellTime();
    this.#shareIt();
    this.#showOthers();
    this.#showEarlier();
    const streak = this.#streak ?? readStreak(this.#day);
    this.#days.replaceChildren(...(streak.last.length ? [makeStreak(streak, this.#today || this.#day)] : []));
  }

  #sayState() {
    const { wrong, done, isShown } = this.#state;
    if (isShown) return say("puzzle.solution");
    if (this.#isOver) return say("puzzle.solved");
    if (wrong) return say("puzzle.notThis");
    return done.length ? say("puzzle.next", { number: done.length + 1, of: this.#steps.length }) : say("puzzle.first");
  }

  /** How one has solved it. */
  #sayHow() {
    const { signs, hints } = this.#state;
    const { days } = this.#streak ?? readStreak(this.#day);
    return [
      say("puzzle.went", { right: signs.filter((sign) => sign === AT_ONCE).length, of: signs.length }),
      say("puzzle.hintsUsed", { count: hints }),
      ...(days > 1 ? [say("puzzle.streak", { count: days })] : []),
    ].join(" · ");
  }

  /** @param {number} step */
  #dot(step) {
    const { done, isShown } = this.#state;
    const isDone = step < done.length;
    const kind = isDone ? "ok" : step === done.length ? "now" : "";
    const words = make("span", { class: "visually-hidden" }, isDone && !isShown ? say("puzzle.solved") : "");
    return make("li", { class: kind }, isDone ? tick() : String(step + 1), words);
  }

  #tellTime() {
    const { began, seconds, isShown } = this.#state;
    write(this.#time, isShown ? "" : sayClock(seconds ?? Math.floor((Date.now() - began) / 1000)));
  }

  /** What can be shared: nothing of it gives the solution away. */
  #shareIt() {
    const { signs, seconds, hints, isShown } = this.#state;
    this.#share.hidden = this.#ways.hidden = !this.#isOver || isShown;
    if (this.#share.hidden) return;
    const line = signs.map((sign, at) => `${at + 1} ${sign}`).join(" ");
    const { days } = this.#streak ?? readStreak(this.#day);
    const text = [
      say("puzzle.shareTitle", { day: sayDay(this.#day) }),
      sayTask(/** @type {Puzzle} */ (this.#puzzle)),
      say("puzzle.in", { line, time: sayClock(/** @type {number} */ (seconds)), hints: say("puzzle.hintsUsed", { count: hints }) }),
      ...(days > 1 ? [say("puzzle.streak", { count: days })] : []),
      location.origin + pathTo("puzzle", this.#day, /** @type {Puzzle} */ (this.#puzzle).game),
    ].join("\n");
    const button = make("button", { type: "button", class: "main less" }, icon("copy"), say("puzzle.share"));
    button.addEventListener("click", () => share({ text }));
    const next = this.#next;
    const another = next ? [make("a", { class: "button less", href: pathTo("puzzle", ...next) }, say("puzzle.another"))] : [];
    const play = make("a", { class: "button less", href: pathTo("game", /** @type {Puzzle} */ (this.#puzzle).game) }, say("puzzle.play"));
    refill(this.#ways, button, ...another, play);
    const guest = !this.#session.user || this.#session.isGuest ? [make("p", { class: "hint" }, say("puzzle.keptHere"))] : [];
    const { tries } = /** @type {Puzzle} */ (this.#puzzle);
    const how = tries ? [make("p", { id: "puzzle-tries" }, say("puzzle.tries", tries))] : [];
    refill(this.#share, make("h2", {}, say("puzzle.shareHead")), ...how, make("pre", { id: "puzzle-text" }, text), ...guest);
  }

  /**
   * The day and the game of the next puzzle that one hasn't solved: of this day, or of the last days.
   * @returns {string[] | null}
   */
  get #next() {
    const other = this.#puzzles.find((each) => !this.#isSolved(each));
    const day = this.#allDays.find((each) => each !== this.#day && !solvedDays().has(each));
    return other ? [this.#day, other.game] : day ? [day] : null;
  }

  /** The other puzzles of the day. */
  #showOthers() {
    const others = this.#puzzles.filter(({ game }) => game !== /** @type {Puzzle} */ (this.#puzzle).game);
    this.#others.hidden = !others.length;
    const items = others.map((puzzle) => {
      const link = make(
        "a",
        { class: "button less", href: pathTo("puzzle", this.#day, puzzle.game) },
        say("puzzle.solve"),
        make("span", { class: "visually-hidden" }, `: ${puzzle.title}`),
      );
      const done = make(
        "a",
        { class: "badge good", href: link.getAttribute("href") },
        tick(),
        say("puzzle.solved"),
        make("span", { class: "visually-hidden" }, `: ${puzzle.title}`),
      );
      return make(
        "li",
        {},
        make("span", { class: "picture" }, drawPuzzle(puzzle)),
        make("span", {}, sayTask(puzzle)),
        this.#isSolved(puzzle) ? done : link,
      );
    });
    refill(
      this.#others,
      make("h2", { id: "puzzle-also" }, say(this.#isToday ? "puzzle.alsoToday" : "puzzle.also")),
      make("ul", {}, ...items),
    );
  }

  /** The puzzles of other days. */
  #showEarlier() {
    const days = this.#allDays.filter((day) => day !== this.#day);
    const solved = solvedDays();
    this.#earlier.hidden = !days.length;
    const items = days.map((day) => {
      const done = solved.has(day) ? [tick(), make("span", { class: "visually-hidden" }, say("puzzle.solved"))] : [];
      return make("li", {}, make("a", { href: pathTo("puzzle", day) }, sayDay(day)), ...done);
    });
    /** @type {Element} */ (this.#earlier.lastElementChild).replaceChildren(...items);
  }
}

/**
 * A puzzle that isn't begun.
 * @returns {State}
 */
function begin() {
  return {
    done: [],
    signs: [],
    hinted: 0,
    hints: 0,
    wrong: null,
    pending: null,
    said: "",
    began: Date.now(),
    seconds: null,
    isShown: false,
  };
}

// Going through a match that has ended: its board, the buttons, the list of moves, and a sentence for each step.
// Who uses them places the parts.

import { sayVerdict } from "./analysis.js";
import { read, readGames } from "./archive.js";
import { Controls } from "./controls.js";
import { announce, make, pause, write } from "./dom.js";
import { drawn, Face, fetchFace, knowsFaces, learnFaces, needsPicture } from "./faces.js";
import { sayMove } from "./games.js";
import { MoveList } from "./moves.js";
import { castOf } from "./names.js";
import { Replay } from "./replay.js";
import { ARCHIVE_PAUSE, ARCHIVE_TRIES, readCupGames } from "./archived.js";
import { describe } from "./table.js";
import { say } from "./texts.js";

/**
 * Read a match as a seat has seen it, or (null) a viewer, while it `isWanted()`. Rejects with Missing, Refused or Lost.
 * @param {Session} session
 * @param {string} id
 * @param {number | null} seat
 * @param {() => boolean} isWanted
 */
export async function readReplay(session, id, seat, isWanted) {
  const learning = knowsFaces() ? null : readGames().then(learnFaces);
  /** @type {{ seat: number | null, draws?: string[] }} */
  const about = { seat };
  /** @param {{ first?: number }} [more] */
  const readSome = (more) => readPart(session, id, { ...about, ...more }, isWanted);
  let answer = await readSome();
  const cups = readCupGames([answer]); // the match is in the archive now
  await learning;
  await fetchFace(answer.game);
  if (needsPicture(answer.game)) {
    about.draws = drawn();
    answer = await readSome();
  }
  const cup = (await cups).get(id);
  if (cup?.names) {
    answer.computers = castOf({ ...answer, names: cup.names });
    for (const event of answer.events) if (event.event === "room") event.names = cup.names;
  }
  const replay = new Replay({ ...answer, cup });
  for (let { next } = answer; next !== null;) {
    const more = await readSome({ first: next });
    replay.add(more.events);
    next = more.next;
  }
  if (answer.judgement) replay.judge(answer.judgement);
  return replay;
}

/**
 * Strangers ask over HTTP; who is logged in may see private ones.
 * @param {Session} session
 * @param {string} id
 * @param {{ seat: number | null, draws?: string[], first?: number }} about
 * @param {() => boolean} isWanted
 */
async function readPart(session, id, { seat, draws, first = 0 }, isWanted) {
  for (let left = ARCHIVE_TRIES; ; left--) {
    try {
      if (!session.user) return await read(["matches", id, "replay"], { seat, first, draws: draws?.join() });
      await session.connect(); // who comes back by a token is known before the connection is there
      return (await session.ask({ do: "replay", match: id, seat, first, draws })).replay;
    } catch (error) {
      if (/** @type {any} */ (error).code !== "no-such-match" || left === 1 || !isWanted()) throw error;
    }
    await pause(ARCHIVE_PAUSE);
  }
}

/** The ids of its parts begin with `name`; `went(step, text)` is called when another step is shown. */
export class Steps {
  board = make("div", { class: "face steps" });
  state;
  controls;
  moves;
  /** The number of the step that is shown. */
  at = 0;
  #went;
  /** @type {Replay | null} */
  #replay = null;
  /** @type {Face | null} */
  #face = null;

  /**
   * @param {string} name
   * @param {(step: number, text: string) => void} went
   */
  constructor(name, went) {
    this.#went = went;
    this.state = make("p", { class: "state", id: `${name}-state` });
    this.controls = new Controls(name, (step, isByItself) => this.#go(step, isByItself));
    this.moves = new MoveList(name, (step) => this.jump(step));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Show a Replay; `reload()` is called when the game is shown by pictures from now on.
   * @param {import("./replay.js").Replay} replay
   * @param {() => void} reload
   */
  show(replay, reload) {
    this.#replay = replay;
    this.#face = new Face(replay.game, () => {}, reload);
    this.board.replaceChildren(this.#face.element, ...this.#face.panels.map(({ element }) => element));
    this.controls.last = replay.steps.length - 1;
    this.moves.show(replay);
    this.moves.judge(replay);
  }

  /** Forget what was shown. */
  close() {
    this.controls.pause();
    this.#replay = this.#face = null;
    this.board.replaceChildren();
  }

  /**
   * Go to a step, at most to the last.
   * @param {number} step
   */
  jump(step) {
    this.controls.jump(step);
  }

  /**
   * @param {number} step
   * @param {boolean} isByItself
   */
  #go(step, isByItself) {
    const { table, judged, length } = /** @type {Replay} */ (this.#replay).steps[step];
    this.at = step;
    const best = judged && judged.best !== judged.move ? judged.best : null;
    /** @type {Face} */ (this.#face).render(Object.assign(Object.create(table), { best, record: table.record.slice(0, length) }));
    const text = this.#describe(step);
    write(this.state, text);
    for (const part of [this.controls, this.moves]) part.mark(step, text);
    if (!isByItself) announce(text);
    this.#went(step, text);
  }

  /** @param {KeyboardEvent & { target: HTMLElement }} event */
  #key(event) {
    const isOther = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey;
    if (!this.#replay || isOther || !this.controls.press(event)) return;
    event.preventDefault();
    if (this.moves.element.contains(event.target)) this.moves.focus();
  }

  /**
   * A step in words.
   * @param {number} step
   */
  #describe(step) {
    const shown = /** @type {Replay} */ (this.#replay).steps[step];
    const { event, seat, move, number, count, table, how } = shown;
    const { game } = /** @type {Replay} */ (this.#replay);
    if (event === "room") return say("match.beginning");
    if (event === "undone") return say("told.undone", { user: table.nameOf(seat), count });
    const user = table.nameOf(seat);
    const words = move ? [say("match.moved", { number, user, move: sayMove(game, move, table.before, shown.told()) })] : [];
    if (shown.judged) words.push(sayVerdict(game, shown));
    if (how) words.push(describe(table));
    return words.join(" ");
  }
}

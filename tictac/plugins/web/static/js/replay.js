// A match that has ended, as the server tells it again (docs/reference/matches.md): a step for each board, and what
// was said and judged of it. No document, no socket.

import { Table } from "./table.js";

/**
 * `steps` are the boards in their order, the first is the beginning. Each has the `table` as it was; `at`,
 * the seconds since the beginning; `seat` and `move`, what led there; `number`, which move that is, from 1;
 * `undone`, whether it was taken back later; `judged`, what it was worth; `length`, of the record then; `told(other)` is
 * what happened up to its move, or up to another one in its place. `talk` is
 * what was said, each with the last `step` before it.
 */
export class Replay {
  /** @type {Step[]} */
  steps = [];
  /** @type {{ user: string, text: string, step: number }[]} */
  talk = [];
  /** @type {Wire.Judgement | null} */
  judgement = null;
  /**
   * How it is told to strangers but for what happened.
   * @type {any}
   */
  about;
  #table;
  /** @type {number[]} */
  #line = [];

  /** @param {any} answer */
  constructor(answer) {
    const { events, ...about } = answer;
    this.about = about;
    this.#table = new Table(about.id, null);
    this.add(events);
  }

  get game() {
    return this.about.game;
  }

  get isOfTwo() {
    return this.about.players.length === 2;
  }

  /**
   * Take more of its events.
   * @param {any[]} events
   */
  add(events) {
    for (const event of events) {
      this.#table.apply(event);
      if (event.event === "said") this.#say(event);
      else if ("position" in event) this.#step(event);
    }
  }

  /**
   * Take what the moves were worth.
   * @param {Wire.Judgement} judgement
   */
  judge(judgement) {
    this.judgement = judgement;
    for (const judged of judgement.moves) {
      const step = this.steps[this.#line[judged.number]];
      if (step) step.judged = judged;
    }
  }

  /**
   * What the graph shows, a list for each line: of two players the score that the first could expect
   * after each step, else that of each.
   */
  get values() {
    const seats = this.isOfTwo ? [null] : [...this.about.players.keys()];
    return seats.map((only) => {
      const moves = /** @type {Wire.Judgement} */ (this.judgement).moves.filter(({ seat }) => only === null || seat === only);
      /**
       * @param {number} seat
       * @param {number} score
       */
      const value = (seat, score) => (this.isOfTwo && seat === 1 ? 1 - score : score);
      const begin = moves.slice(0, 1).map(({ seat, before }) => ({ step: 0, value: value(seat, before) }));
      /** @param {Judged} judged */
      const after = ({ number, seat, after: score, verdict }) => {
        return { step: this.#line[number], value: value(seat, score), verdict };
      };
      return [...begin, ...moves.map(after)];
    });
  }

  /** @param {{ user: string, text: string }} event */
  #say({ user, text }) {
    this.talk.push({ user, text, step: this.steps.length - 1 });
  }

  /** @param {any} event */
  #step({ event, at, seat = null, move = null, count, how }) {
    if (event === "undone") for (const step of this.#line.splice(-count)) this.steps[step].undone = true;
    if (move) this.#line.push(this.steps.length);
    const by = event === "ended" && move ? this.#table.by : seat;
    const { length } = /** @type {any} */ (this.#table).record;
    const table = Object.assign(Object.create(Table.prototype), this.#table);
    const number = move ? this.#line.length : null;
    /** @param {string} [other] */
    const told = (other) => {
      const { record, options, position } = table;
      const made = record.slice(0, length);
      if (other) made.splice(-1, 1, [0, "moved", by, other]);
      return { record: made, options, position };
    };
    this.steps.push({ event, at, seat: by, move, count, how, number, table, length, told });
  }
}

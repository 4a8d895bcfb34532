// A match that has just ended, step by step in its room: the board in its place, the moves in the panel.

import { dress, explain } from "./archived.js";
import { $, announce, make, write } from "./dom.js";
import { hasSecrets } from "./games.js";
import { Steps, readReplay } from "./steps.js";
import { say } from "./texts.js";

export class Review {
  #session;
  #went;
  /** @type {Table | null} */
  #table = null;
  /** @type {Replay | null} */
  #replay = null;
  #steps = new Steps("review", (step) => this.#went(/** @type {Replay} */ (this.#replay).steps[step].table));
  #page = make("a", { target: "_blank" }, say("match.page"));
  #pane;

  /**
   * `went(table)` is called with the table as it was when a step is shown.
   * @param {Session} session
   * @param {(table: Table) => void} went
   */
  constructor(session, went) {
    this.#session = session;
    this.#went = went;
    const page = make("p", { class: "hint" }, this.#page);
    const { state, moves, controls } = this.#steps;
    this.#pane = make("div", { class: "review" }, state, moves.element, controls.element, page);
  }

  /**
   * Go through the match of a table, from its end.
   * @param {Table} table
   */
  async open(table) {
    this.#table = table;
    const { match } = /** @type {any} */ (table.result);
    this.#page.href = `/match/${encodeURIComponent(match)}`;
    await dress();
    try {
      const seat = hasSecrets(table.game) ? table.seat : null;
      const replay = await readReplay(this.#session, match, seat, () => table === this.#table);
      if (table !== this.#table) return;
      this.#show(replay);
    } catch (error) {
      const text = explain(error);
      if (table !== this.#table) return;
      write($("table-error"), text);
      announce(text);
    }
  }

  /** Show the table as it is again. */
  close() {
    if (!this.#table) return;
    this.#table = this.#replay = null;
    this.#steps.close();
    this.#steps.board.remove();
    this.#pane.remove();
    $("face").hidden = $("made").hidden = false;
  }

  /** @param {import("./replay.js").Replay} replay */
  #show(replay) {
    const isNew = !this.#replay;
    this.#replay = replay;
    $("face").hidden = $("made").hidden = true;
    $("face").after(this.#steps.board);
    $("made").after(this.#pane);
    this.#steps.show(replay, () => this.#table && this.open(this.#table));
    this.#steps.jump(isNew ? Infinity : this.#steps.at);
    if (isNew) $("pane-moves").focus();
  }
}

// The moves of a match that has ended, as a list that leads to each board.

import { make } from "./dom.js";
import { sayMove } from "./games.js";
import { nameOf } from "./names.js";
import { describe } from "./table.js";
import { say } from "./texts.js";

/**
 * What chess players write behind a move.
 * @type {Record<string, string>}
 */
export const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** `choose(step)` is called for a step of the replay. The id begins with `name`. */
export class MoveList {
  element;
  #choose;
  /** @type {(HTMLElement | null)[]} */
  #buttons = [];
  #step = 0;

  /**
   * @param {string} name
   * @param {(step: number) => void} choose
   */
  constructor(name, choose) {
    this.element = make("ol", { class: "moves-made", id: `${name}-moves`, "aria-label": say("match.moves") });
    this.#choose = choose;
    // It gets its height after its moves, and another one when the screen is turned.
    new ResizeObserver(() => this.#reveal(this.#buttons[this.#step] ?? null)).observe(this.element);
  }

  /**
   * Show all moves of a Replay: of two players, the moves of a round in a row.
   * @param {Replay} replay
   */
  show({ steps, game, isOfTwo }) {
    this.#buttons = [];
    const rows = [];
    /** @type {HTMLElement | null} */
    let free = null;
    for (const [at, step] of steps.entries()) {
      const button = step.move || step.event === "undone" ? this.#button(at, step, game) : null;
      if (button && free && step.seat === 1 && step.move) {
        free.replaceWith(button);
        free = null;
      } else if (button) {
        free = isOfTwo && step.move && step.seat === 0 ? make("span") : null;
        const skipped = isOfTwo && step.seat === 1 && step.move ? [make("span", { class: "skipped" }, "…")] : [];
        const by = isOfTwo || !step.move ? [] : [make("span", { class: "by" }, step.table.nameOf(step.seat))];
        const row = make("li", step.move ? {} : { class: "told" }, ...by, ...skipped, button, ...(free ? [free] : []));
        rows.push(row);
      }
      if (step.how) rows.push(make("li", { class: "end" }, describe(step.table)));
    }
    this.element.classList.toggle("many", !isOfTwo);
    this.element.replaceChildren(...rows);
  }

  /**
   * Show the moves of a match that can't be gone through, as they were sent, each with its player, and how it ended.
   * @param {[number, string, ...any[]][]} events as the archive keeps them (docs/reference/matches.md)
   * @param {Wire.Who[]} players
   * @param {string} end
   */
  tell(events, players, end) {
    this.#buttons = [];
    /** @type {{ seat: number | null, move: string }[]} */
    const moves = [];
    for (const [, what, ...fields] of events) {
      if (what === "moved") moves.push({ seat: fields[0], move: fields[1] });
      else if (what === "ended" && fields[2])
        moves.push({ seat: null, move: fields[2] }); // the archive doesn't say whose
      else if (what === "undone") moves.splice(-fields[1]);
    }
    const rows = moves.map(({ seat, move }) =>
      make("li", {}, make("span", { class: "by" }, nameOf(players[seat ?? -1]?.name ?? "")), make("span", {}, move)),
    );
    this.element.classList.add("many");
    this.element.replaceChildren(...rows, make("li", { class: "end" }, end));
  }

  /**
   * Show what the moves were worth.
   * @param {Replay} replay
   */
  judge({ steps, game }) {
    for (const [at, button] of this.#buttons.entries()) {
      if (!button || !steps[at].judged) continue;
      const { verdict } = /** @type {Judged} */ (steps[at].judged);
      button.classList.add(verdict);
      /** @type {HTMLElement} */ (button.querySelector(".glyph")).textContent = GLYPHS[verdict] ?? "";
      button.setAttribute("aria-label", this.#label(steps[at], game));
    }
  }

  /**
   * Show which step is looked at.
   * @param {number} step
   */
  mark(step) {
    this.#step = step;
    const here = this.#buttons[step] ?? null;
    const reached = here ?? this.#buttons.find(Boolean);
    for (const button of this.#buttons) {
      if (!button) continue;
      button.tabIndex = button === reached ? 0 : -1;
      if (button === here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    this.#reveal(here);
  }

  /** Put the focus on the move that is looked at. */
  focus() {
    this.#buttons[this.#step]?.focus({ preventScroll: true });
  }

  /**
   * @param {number} at
   * @param {Step} step
   * @param {string} game
   */
  #button(at, step, game) {
    const text = step.move ? sayMove(game, step.move, step.table.before, step.told()) : say("match.undone", step);
    const glyph = make("span", { class: "glyph" });
    const label = step.move ? this.#label(step, game) : text;
    const button = make("button", { type: "button", "aria-label": label }, text, glyph);
    if (step.undone) button.classList.add("undone");
    button.addEventListener("click", () => this.#choose(at));
    return (this.#buttons[at] = button);
  }

  /**
   * @param {Step} step
   * @param {string} game
   */
  #label(step, game) {
    const { number, seat, table, judged, undone } = step;
    const move = sayMove(game, /** @type {string} */ (step.move), table.before, step.told());
    const words = say("match.moved", { number, user: table.nameOf(seat), move });
    const more = [judged && say(`match.verdicts.${judged.verdict}`), undone && say("match.takenBack")];
    return [words, ...more].filter(Boolean).join(" ");
  }

  /**
   * Scroll the list, and not the page.
   * @param {HTMLElement | null} button
   */
  #reveal(button) {
    const list = this.element;
    if (!button) {
      if (this.#step === 0) list.scrollTop = 0;
      else list.scrollTop = list.scrollHeight;
      return;
    }
    const [at, box] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
    if (at.top < box.top) list.scrollTop -= box.top - at.top + 8;
    else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom + 8;
  }
}

// What the moves of a match were worth: the accuracy of the players, and the value as a graph.

import { explain } from "./archived.js";
import { ValueGraph } from "./chart.js";
import { announce, make, whileBusy, write } from "./dom.js";
import { sayMove } from "./games.js";
import { GLYPHS } from "./moves.js";
import { nameOf } from "./names.js";
import { say } from "./texts.js";

/**
 * In words what a move was worth.
 * @param {string} game
 * @param {Step} step
 */
export function sayVerdict(game, step) {
  const { verdict, best, before, after, note } = /** @type {Judged} */ (step.judged);
  const values = { best: sayMove(game, best, step.table.before, step.told(best)), before: percent(before), after: percent(after) };
  return [say(`match.verdict.${verdict}`, values), note && say("match.note", { note })].filter(Boolean).join(" ");
}

/** `ask()` lets the server judge the match; `choose(step)` is called for a step of the graph. */
export class Analysis {
  #choose;
  /** @type {ValueGraph | null} */
  #graph = null;
  #content = make("div", { class: "judged", hidden: true });
  #button = make("button", { type: "button", class: "main", id: "match-analyse" }, say("match.analyse"));
  #note = make("p", { class: "hint", hidden: true });
  #offer = make("div", { class: "offer" }, this.#button, this.#note);
  element = make("div", { class: "card analysis" }, make("h2", {}, say("match.analysis")), this.#content, this.#offer);

  /**
   * @param {() => Promise<void>} ask
   * @param {(step: number) => void} choose
   */
  constructor(ask, choose) {
    this.#choose = choose;
    this.#button.addEventListener("click", () => whileBusy(this.#button, () => this.#ask(ask)));
  }

  /**
   * Show how a Replay is judged, or that it can be.
   * @param {import("./replay.js").Replay} replay
   */
  show(replay) {
    const { judgement } = replay;
    this.#graph = null;
    this.#offer.hidden = Boolean(judgement);
    this.#content.hidden = !judgement;
    write(this.#note, say("match.analyseHint"));
    if (!judgement) return;
    if (!judgement.moves.length) {
      this.#content.replaceChildren(make("p", { class: "hint" }, say("match.nothingJudged")));
      return;
    }
    const { players } = replay.about;
    const label = replay.isOfTwo ? say("match.graph", { user: players[0].name }) : say("match.graphOfAll");
    this.#graph = new ValueGraph(replay.values, replay.steps.length - 1, label, this.#choose);
    this.#content.replaceChildren(this.#graph.element, make("p", { class: "hint" }, label), summary(replay));
  }

  /**
   * Show which step is looked at.
   * @param {number} step
   */
  mark(step) {
    this.#graph?.mark(step);
  }

  /** @param {() => Promise<void>} ask */
  async #ask(ask) {
    write(this.#note, say("match.thinking"));
    try {
      await ask();
    } catch (error) {
      write(this.#note, explain(error));
      announce(explain(error));
    }
  }
}

/**
 * How accurate each player was, and how often which fault was made.
 * @param {Replay} replay
 */
function summary({ about, judgement, isOfTwo }) {
  const seats = [...about.players.keys()];
  /**
   * @param {Child} head
   * @param {string[]} cells
   */
  const row = (head, cells) => {
    return make("tr", {}, make("th", { scope: "row" }, head), ...cells.map((cell) => make("td", {}, cell)));
  };
  const rows = Object.entries(GLYPHS).map(([verdict, glyph]) => {
    const sign = make("span", { class: `glyph ${verdict}`, "aria-hidden": "true" }, glyph);
    /** @param {number} seat */
    const count = (seat) =>
      /** @type {Wire.Judgement} */ (judgement).moves.filter((move) => move.seat === seat && move.verdict === verdict).length;
    return row(
      make("span", {}, sign, say(`match.counted.${verdict}`)),
      seats.map((seat) => String(count(seat))),
    );
  });
  const accurate = seats.map((seat) => {
    const value = /** @type {Wire.Judgement} */ (judgement).accuracy[seat];
    return value === null ? "–" : say("match.percent", { value: Math.round(value) });
  });
  // The colour of the line in the graph, if each has one.
  const names = about.players.map((/** @type {Wire.Who} */ { name }, /** @type {number} */ seat) => {
    return make("th", { scope: "col", class: isOfTwo ? "" : `seat-${seat}` }, nameOf(name, about.computers));
  });
  const head = make("thead", {}, make("tr", {}, make("td"), ...names));
  const body = make("tbody", {}, row(say("match.accuracy"), accurate), ...rows);
  const region = { class: "scroll", role: "region", "aria-label": say("match.summary"), tabIndex: 0 };
  return make("div", region, make("table", {}, head, body));
}

/** @param {number} score */
function percent(score) {
  return say("match.percent", { value: Math.round(score * 100) });
}

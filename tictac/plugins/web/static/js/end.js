// The end of a match, as a card over the board: the result in the person's words, and what comes next.

import { $, make, write } from "./dom.js";
import { sayHow, sayResult } from "./table.js";
import { say } from "./texts.js";

/** Ends that are no result. */
const NO_RESULT = ["lost", "replaced", "closed"];

export class EndCard {
  #seen = null; // the result whose card the visitor has put away
  #shown = null;
  #changed;

  /** `changed()` is called when the visitor has put it away, or brought it back. */
  constructor(changed) {
    this.#changed = changed;
    $("end-close").addEventListener("click", () => this.putAway());
    $("over").addEventListener("keydown", ({ key }) => key === "Escape" && this.putAway());
    $("result").addEventListener("click", () => {
      this.#seen = null;
      this.#changed();
      $("end-title").focus();
    });
  }

  /** Show how a match has ended; `offered` says what the players want, `gain` what became of the rating. */
  render(table, { offered, gain, isGuest }) {
    const { result, seat } = table;
    const has = Boolean(result) && !NO_RESULT.includes(result.how);
    this.#shown = result;
    $("over").hidden = !has || this.#seen === result;
    $("result").hidden = !has || this.#seen !== result;
    if (!has) return;
    const { winner = null } = result;
    const kind = winner === null ? "drawn" : seat === null || winner === seat ? "won" : "lost";
    $("end").className = `end ${kind}`;
    $("medal").setAttribute("href", `#medal-${kind}`);
    $("end-title").textContent = sayResult(table);
    write($("end-how"), sayHow(table));
    write($("end-more"), offered || sayScore(table));
    // A guest who makes an account is another player.
    $("keep").hidden = !(isGuest && kind === "won" && seat !== null && !table.tournament);
    this.#rate(table, gain);
  }

  #rate({ isRated, seat }, gain) {
    const place = $("end-rating");
    place.hidden = !isRated || seat === null;
    if (place.hidden) return;
    if (!gain) return place.replaceChildren(make("span", { class: "hint" }, say("end.counting")));
    const { rating, change } = gain;
    const number = make("span", { class: "num" }, String(rating));
    const unit = make("span", { class: "hint" }, say("end.rating"));
    const parts = change === null ? [] : [make("span", { class: `num ${change < 0 ? "down" : "up"}` }, saySigned(change))];
    place.replaceChildren(number, ...parts, unit);
  }

  /** Show the board. */
  putAway() {
    const had = $("over").contains(document.activeElement);
    this.#seen = this.#shown;
    this.#changed();
    if (had) $("result").focus();
  }
}

/** A number with its sign. */
export function saySigned(number) {
  return `${number < 0 ? "−" : "+"}${Math.abs(number)}`;
}

/** The points of a series of matches, from the side of who looks; "" if there is none. */
export function sayScore(table) {
  const { score, seat, players } = table;
  if (!score) return "";
  if (players.length !== 2) return score.map((points, at) => say("table.points", { user: table.nameOf(at), score: sayPoints(points) })).join(", ");
  const near = seat ?? 0;
  const one = seat === null ? table.nameOf(0) : say("end.you");
  const values = { one, mine: sayPoints(score[near]), theirs: sayPoints(score[1 - near]), other: table.nameOf(1 - near) };
  return say("end.score", values);
}

function sayPoints(points) {
  const half = points % 1 ? "½" : "";
  return `${Math.floor(points) || (half ? "" : 0)}${half}`;
}

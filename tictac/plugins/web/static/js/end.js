// The end of a match, as a card beside the board: the result in the person's words, and what comes next.

import { $, make, write } from "./dom.js";
import { characterOf, faceNamed, faceOf } from "./names.js";
import { sayRating } from "./players.js";
import { fetchCups } from "./summons.js";
import { describeOffer, sayHow, sayResult } from "./table.js";
import { say, sayPoints, saySigned } from "./texts.js";

/** Milliseconds in which the last piece lands, and a row is drawn over the pieces (games.css); and then until the card comes. */
const DRAWN = 960;
const LOOKED = 1000;

/**
 * Milliseconds for which one looks at the board before the card comes; none for who wants no motion.
 * @param {Pick<Table, "result">} table
 * @param {boolean} hasRow
 */
export function timeToLook({ result }, hasRow) {
  const isCalm = document.documentElement.dataset.motion === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;
  return isCalm ? 0 : LOOKED + (hasRow && /** @type {import("./table.js").Result} */ (result)?.how === "won" ? DRAWN : 0);
}

/**
 * @typedef {import("./after.js").Gain} Gain
 * @typedef {import("./state.js").Outcome} Outcome
 *
 * A match that has ended, unless its visitor has resigned, and the others play on. Who watches has null as the seat.
 * @typedef {Omit<import("./table.js").Over, "players" | "seat"> & { players: import("./table.js").Seated[], seat: number }} Played
 * @typedef {Omit<import("./state.js").State, "table"> & { table: Played }} Ending
 *
 * What hears where the focus comes from.
 * @typedef {{ addEventListener(type: "focusin", listener: (event: { target: HTMLElement, relatedTarget: Node | null }) => void): void }} Focused
 */

export class EndCard {
  /**
   * `fold(isFolded)` is called when the visitor has put it away, or brought it back.
   * @param {(isFolded: boolean) => void} fold
   */
  constructor(fold) {
    const putAway = () => {
      const had = $("over").contains(document.activeElement);
      fold(true);
      if (had) $("result").focus();
    };
    $("end-close").addEventListener("click", putAway);
    $("table").addEventListener("keydown", ({ key }) => key === "Escape" && !$("over").hidden && putAway());
    $("result").addEventListener("click", () => {
      fold(false);
      $("end-title").focus();
    });
    // It is what comes after the board for the keyboard, too.
    /** @type {Focused} */ ($("below").nextElementSibling).addEventListener("focusin", ({ target, relatedTarget }) => {
      if (!$("over").hidden && $("face").contains(relatedTarget) && target.matches(":focus-visible")) $("end-close").focus();
    });
  }

  /**
   * Show how a match has ended: a state (state.js), what became of the rating, and how the server describes the game.
   * @param {Ending} state
   * @param {Gain | null} gain
   * @param {Wire.Game} [game]
   */
  render({ table, kind, outcome, hasCard, shown, other, primary, isFresh, again, praise }, gain, game) {
    const isNew = hasCard && $("over").hidden;
    $("over").hidden = !hasCard;
    if (!hasCard) return;
    const { rank, players: count, points = 0, state } = table.place;
    // Whoever is first at the end of a tournament has gold, however the last match went.
    const look = state === "over" && rank === 1 && points ? "won" : outcome;
    // Who has lost on the board hasn't given up: the face of the winner stands in the place of the flag.
    const { how, winner = null } = table.result ?? {};
    const beaten = look === "lost" && how === "won" && winner !== null ? table.players[winner].user : "";
    $("over").className = `end ${look}${beaten ? " beaten" : ""}`;
    /** @type {Element} */ ($("medal")).setAttribute("href", `#medal-${look}`);
    const isFirst = state === "over" && rank === 1 && points > 0;
    const reason = table.result ? sayHow(table) : "";
    $("end-title").textContent = kind === "out" ? say("end.resigned") : isFirst ? say("end.place", { rank, count }) : sayResult(table);
    const against = table.players.length === 2 ? table.players[1 - (table.seat ?? 0)]?.user : "";
    const isComputer = Boolean(against && table.computers[against]);
    const mood = outcome === "won" ? "lost" : outcome === "lost" ? "won" : "";
    const shownFace = beaten || (isComputer ? against : "");
    if (isNew) $("end-face").replaceChildren(...(shownFace ? [faceOf(shownFace, table.computers, beaten ? "won" : mood, "large")] : []));
    if (isNew) $("over").querySelector(".confetti")?.remove();
    if (isNew && isFresh && outcome === "won" && table.seat !== null) this.#celebrate(table);
    write($("end-praise"), praise);
    if (again?.computer) $("again").textContent = this.#sayAgain(isComputer && table.nameOf(1 - table.seat), outcome, other);
    // What comes next says the place at the end of the tournament.
    const place = rank && count && state !== "over" ? say("end.points", { rank, count, points: sayPoints(points) }) : "";
    const parts = isFirst ? [`${sayResult(table)}.`, reason] : [reason, place];
    const left = table.players.filter((_, seat) => !table.hasGone(seat)).length;
    write($("end-how"), kind === "out" ? say("end.goesOn", { count: left }) : parts.filter(Boolean).join(" "));
    write($("end-more"), describeOffer(table) || sayScore(table));
    this.#tellNext(table);
    $("keep").hidden = !shown["keep-it"];
    if (other) this.#nameOther(other.level ? characterOf(game, other.level) : "", primary === "other" && Boolean(game?.characters?.length));
    this.#rate(table, gain);
  }

  /**
   * What the button says that leads to another opponent: the large one has the face of a computer.
   * @param {string} name "" for a person
   * @param {boolean} hasFace
   */
  #nameOther(name, hasFace) {
    const [words, wanted] = [name ? say("end.play", { name }) : say("end.opponent"), name && hasFace ? name : ""];
    if ($("other").textContent === words && $("other").dataset.face === wanted) return;
    $("other").dataset.face = wanted;
    $("other").replaceChildren(...(wanted ? [faceNamed(wanted, "", "small")] : []), words);
  }

  /**
   * In a tournament, tell what comes next for its player: that is known a moment after the end, and has its place before.
   * @param {Pick<Table, "tournament" | "room" | "seat" | "place">} table
   */
  async #tellNext({ tournament, room, seat, place }) {
    const next = $("end-next");
    const isKnown = Boolean(place.state) && place.room !== room;
    next.hidden = !tournament || (seat === null && !isKnown);
    $("over").classList.toggle("of-cup", !next.hidden);
    if (!isKnown) delete next.dataset.shown;
    if (!isKnown) return next.replaceChildren();
    const cup = await fetchCups(); // without a connection a later event tells it
    if (cup && place.state) cup.showNext(next, /** @type {import("./cup.js").Card} */ (place));
  }

  /**
   * @param {string | false} name
   * @param {Outcome | null} outcome
   * @param {object | null} other
   */
  #sayAgain(name, outcome, other) {
    if (outcome === "lost") return say("end.tryAgain");
    return name && other ? say("end.again", { name }) : say("table.again");
  }

  /**
   * Once, for who has seen the win.
   * @param {Pick<Table, "game" | "players">} table
   */
  async #celebrate(table) {
    const joy = await import("./joy.js").catch(() => null); // without a connection
    if (joy && !$("over").hidden) $("over").prepend(joy.throwConfetti(table));
  }

  /**
   * @param {Pick<Table, "isRated" | "seat">} table
   * @param {Gain | null} gain
   */
  #rate({ isRated, seat }, gain) {
    const place = $("end-rating");
    place.hidden = !isRated || seat === null;
    if (place.hidden) return;
    if (!gain) return place.replaceChildren(make("span", { class: "hint" }, say("end.counting")));
    const { rating, change, progress } = gain;
    const number = make("span", { class: "num" }, sayRating({ rating, provisional: Boolean(progress) }));
    const unit = make("span", { class: "hint" }, progress || say("end.rating"));
    const parts = change === null ? [] : [make("span", { class: `num ${change < 0 ? "down" : "up"}` }, saySigned(change))];
    place.replaceChildren(number, ...parts, unit);
  }
}

/**
 * The points of a series of matches, from the side of who looks; "" if there is none.
 * @param {Pick<Table, "score" | "seat" | "players" | "nameOf">} table
 */
export function sayScore(table) {
  const { score, seat, players } = table;
  if (!score) return "";
  if (players.length !== 2)
    return score.map((points, at) => say("table.points", { user: table.nameOf(at), score: sayPoints(points) })).join(", ");
  const near = seat ?? 0;
  const one = seat === null ? table.nameOf(0) : say("end.you");
  const values = { one, mine: sayPoints(score[near]), theirs: sayPoints(score[1 - near]), other: table.nameOf(1 - near) };
  return say("end.score", values);
}

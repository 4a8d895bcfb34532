// The front page, for visitors who aren't logged in: each game is a click away.

import { served } from "./archive.js";
import { QUICK } from "./clocks.js";
import { $, entitle, icon, make, show, whileBusy, write } from "./dom.js";
import { learnFaces } from "./faces.js";
import { PAUSE, showPlayed } from "./live.js";
import { drawGame } from "./mini.js";
import { chosen } from "./settings.js";
import { showCups, showPuzzle } from "./summons.js";
import { areMany, fetchShelves } from "./late.js";
import { hasText, say } from "./texts.js";

/** So many rooms are shown. */
const MOST = 5;

/**
 * A game, as the page brings it along: where that is known, its `rank` among the most played, and the usual `minutes` of
 * a match (docs/reference/web.md).
 * @typedef {Wire.Game & { rank?: number, minutes?: number }} Served
 *
 * What leads to a match.
 * @typedef {Asked<"open"> | Asked<"seek">} RoomRequest
 */

export class Front {
  #play;
  #timer = 0;
  /** @type {Served[]} */
  #games = served.games;
  #isDrawn = false;

  /**
   * `play(request)` asks for a room as a guest; without a request the visitor logs in. A promise of what is wrong, in
   * words, if anything is.
   * @param {(request: RoomRequest) => Promise<string | void>} play
   */
  constructor(play) {
    this.#play = play;
    write($("front-hint"), say(served.guests ? "front.hint" : "front.hintAlone"));
  }

  async open() {
    show("front");
    entitle(say("page.play"));
    $("front-title").focus();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE);
    const puzzle = showPuzzle($("front-puzzle"));
    const cups = /** @type {(list: HTMLElement) => Promise<void>} */ (showCups)($("front-cups"));
    await Promise.all([this.#draw(puzzle), puzzle, this.#look(), cups]);
    $("front-below").hidden = false; // not before, or what stands above would move it
  }

  /**
   * Draw the games, which the page has brought along: without waiting, unless there are many. What stands below
   * today's puzzle waits for it.
   * @param {Promise<void>} puzzle
   */
  async #draw(puzzle) {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    learnFaces(this.#games);
    const shelves =
      areMany(this.#games) && (await fetchShelves())?.newShelves(this.#games, (button, request) => this.#offer(button, request), puzzle);
    const cards = shelves ? shelves.cards : this.#games;
    $("front-games").replaceChildren(...cards.map((game) => this.#card(game)));
  }

  close() {
    clearInterval(this.#timer);
  }

  /** @param {Served} game */
  #card(game) {
    const { name, title, goal, seats } = game;
    const { computer, others } = requestsFor(game);
    const about = hasText(`front.about.${name}`) ? say(`front.about.${name}`) : goal;
    const go = make(
      "div",
      { class: "go" },
      ...(computer ? [this.#button("robot", "computer", computer, title, "main")] : []),
      this.#button("people", Math.max(...seats) > 2 ? "others" : "somebody", others, title, ""),
    );
    const body = make("div", { class: "body" }, make("div", {}, make("h2", {}, title), make("p", {}, about)), go);
    return make("li", { class: "game" }, drawGame(game), body);
  }

  /**
   * @param {string} sign
   * @param {"computer" | "others" | "somebody"} against
   * @param {RoomRequest} request
   * @param {string} title
   * @param {string} kind
   */
  #button(sign, against, request, title, kind) {
    const words = say(`front.${against}`);
    const spans = [make("span", { class: "long" }, words), make("span", { class: "short" }, say(`front.short.${against}`))];
    const button = make("button", { type: "button", class: kind, "aria-label": `${words}: ${title}` }, icon(sign), ...spans);
    return this.#offer(button, request);
  }

  /**
   * Let a button ask for a room.
   * @param {HTMLElement} button
   * @param {RoomRequest} request
   */
  #offer(button, request) {
    button.addEventListener("click", () =>
      whileBusy(button, async () => {
        write($("front-note"), say("front.playing"));
        write($("front-note"), (await this.#play(request)) ?? "");
      }),
    );
    return button;
  }

  /** Show what is being played, the most watched first. */
  async #look() {
    const count = await showPlayed($("front-rooms"), this.#games, MOST);
    if (count !== null) $("front-rooms-title").hidden = !count;
  }
}

/**
 * The options that suit people, where the defaults of a game are for programs: the usual ones, or any of them.
 * @param {{ options?: Wire.Option[] }} game
 * @param {boolean} [isAny]
 * @returns {Wire.Options}
 */
export function usualOptions({ options = [] }, isAny = false) {
  const pick = (/** @type {(number | boolean | string)[]} */ all) => all[isAny ? Math.floor(all.length * Math.random()) : 0];
  return Object.fromEntries(options.flatMap(({ name, suggested }) => (suggested ? [[name, pick(suggested)]] : [])));
}

/**
 * The requests for a room of a game: against the `computer`, if that plays it, and against `others`.
 * @param {Wire.Game} game
 * @returns {{ computer: Asked<"open"> | null, others: Asked<"seek"> }}
 */
export function requestsFor(game) {
  const { name, seats, levels } = game;
  const usual = seats.includes(2) ? 2 : seats[0];
  const terms = { game: name, options: usualOptions(game, true), ...(seats.length > 1 && { seats: usual }) };
  const clock = /** @type {Wire.Clock | undefined} */ (QUICK[chosen("clock")]);
  /** @type {Asked<"open"> | null} */
  const computer = levels.length ? { do: "open", ...terms, computer: levels[0], seat: 0 } : null;
  return { computer, others: { do: "seek", game: name, options: usualOptions(game), ...(clock && { clock }) } };
}

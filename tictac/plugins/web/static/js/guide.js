// How to play: each game in three pictures, three tips, and its rules, for everybody.

import { has, read, readGames } from "./archive.js";
import { askAsGuest, dress, explain } from "./archived.js";
import { $, entitle, icon, make, show, whileBusy, write } from "./dom.js";
import { fetchFace, learnFaces } from "./faces.js";
import { requestsFor } from "./front.js";
import { guideOf } from "./games.js";
import { areMany } from "./late.js";
import { sayLine } from "./lines.js";
import { drawGame, drawPosition } from "./mini.js";
import { characterOf, faceNamed } from "./names.js";
import { saySeats } from "./range.js";
import { pathTo } from "./router.js";
import { say, translate } from "./texts.js";

/**
 * Three positions of games that the page itself draws, as they come about; their sentences are in the catalogue.
 * @type {Record<string, string[]>}
 */
const STEPS = {
  tictactoe: ["000010000", "102012001", "121122211"],
  connectfour: [
    "......./......./......./......./...Y.../..RRY.. R",
    "......./......./...R.../..RY.../.RYY.../RYYR..R Y",
    "......./......./......./....Y../...YR../..YRR.. R",
  ],
  reversi: [
    "......../......../......../...OX.../...XO.../......../......../........ X",
    "......../......../...X..../...XX.../...XO.../......../......../........ O",
    "XOOOOOOO/XOOXXXXX/OOOOOOXX/OOXOOXOX/OOOXXXOX/OXOXXOOO/OOXXXXOO/OOOOOOOO -",
  ],
};

/** Boards of usual sizes. */
const OPTIONS = { columns: 3 };

/** Of many games so many are named at once, and the one that is shown. */
const NAMED = 8;

/**
 * @typedef {import("./front.js").RoomRequest} RoomRequest
 * @typedef {import("./front.js").Served} Served
 */

export class GuideView {
  /** @type {Session} */
  #session;
  /** @type {(request: RoomRequest | null) => Promise<string | void>} */
  #play;
  /** @type {AbortController | null} */
  #stop = null;
  #title = make("h1", { id: "guide-title", tabIndex: -1 });
  #facts = make("p", { class: "hint" });
  #goal = make("p", { id: "guide-goal" });
  #games = make("nav", { class: "guide-games", "aria-label": say("form.game") });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #inSteps = make("h2", { class: "visually-hidden" }, say("guide.inSteps"));
  #steps = make("ol", { class: "guide-steps", id: "guide-steps" });
  #tips = make("section", { class: "card stack", "aria-labelledby": "guide-tips" });
  #try = make("section", { class: "card stack guide-try", "aria-labelledby": "guide-try" });
  #rules = make("ol", { class: "guide-rules", id: "guide-rules" });
  #ways = make("div", { class: "row" });

  /**
   * `play(request)` opens a room.
   * @param {Session} session
   * @param {unknown} shut
   * @param {unknown} at
   * @param {unknown} watch
   * @param {unknown} enter
   * @param {unknown} challenge
   * @param {unknown} replace
   * @param {(request: RoomRequest | null) => Promise<string | void>} play
   */
  constructor(session, shut, at, watch, enter, challenge, replace, play) {
    [this.#session, this.#play] = [session, play];
    const names = { class: "view guide", id: "guide", "aria-labelledby": this.#title.id, hidden: true };
    const rules = make("section", { class: "card stack" }, make("h2", {}, say("guide.all")), this.#rules);
    const head = make("div", {}, this.#title, this.#facts, this.#goal);
    const beside = make("div", { class: "guide-beside" }, this.#tips, this.#try);
    const article = make("div", { class: "stack" }, head, this.#note, this.#inSteps, this.#steps, beside, rules);
    $("main").append(make("section", names, this.#games, article));
  }

  /** Show the rules of a game, by default of the first one. */
  async open(name = "") {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    /** @type {[Served[], unknown]} */
    const [games] = await Promise.all([readGames(), dress()]);
    if (signal.aborted) return;
    learnFaces(games);
    const game = games.find((each) => each.name === name) ?? games[0];
    write(this.#title, say("table.how"));
    for (const part of [this.#steps, this.#tips, this.#rules, this.#ways, this.#try]) part.replaceChildren();
    if (game) this.#describe(game, games);
    show("guide");
    this.#games.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    entitle(this.#title.textContent);
    this.#title.focus();
    await Promise.all([this.#draw(game, signal), this.#ask(game?.name, signal), this.#offerPuzzle(game?.name, signal)]);
  }

  close() {
    this.#stop?.abort();
  }

  /**
   * @param {Served} game
   * @param {Served[]} games
   */
  #describe(game, games) {
    const { seats, minutes: count } = game;
    write(this.#title, say("guide.title", game));
    const players = say("guide.players", { count: Math.max(...seats), seats: saySeats(seats) });
    write(this.#facts, [players, ...(count ? [say("guide.minutes", { count })] : [])].join(" · "));
    this.#name(game, areMany(games) ? games.filter((each, at) => at < NAMED || each === game) : games, games);
    const { computer } = requestsFor(game);
    const character = characterOf(game, game.levels[0]);
    const play = make("button", { type: "button", class: "main", id: "guide-play" }, icon("robot"), say("guide.play", { name: character }));
    play.addEventListener("click", () => whileBusy(play, async () => write(this.#note, (await this.#play(computer)) ?? "")));
    const person = make("a", { class: "button", href: pathTo("game", game.name, "anybody") }, icon("people"), say("guide.anybody"));
    this.#ways.replaceChildren(...(computer ? [play] : []), person);
    const said = make("span", { class: "line-said" }, make("span", {}, sayLine(character, game.name, "start")));
    this.#try.replaceChildren(
      ...(computer ? [make("div", { class: "row" }, faceNamed(character, "", "mid"), said)] : []),
      make("h2", { id: "guide-try" }, computer ? say("guide.try", { name: character }) : say("guide.tryIt")),
      this.#ways,
    );
  }

  /**
   * Name some games, and the others after a click.
   * @param {Served} game
   * @param {Served[]} some
   * @param {Served[]} games
   */
  #name(game, some, games) {
    const links = some.map((each) => {
      const current = each === game ? { "aria-current": "page" } : {};
      return make("a", { href: pathTo("rules", each.name), ...current }, drawGame(each), each.title);
    });
    const every = make("button", { type: "button", class: "quiet" }, say("shelves.every", { count: games.length }));
    every.addEventListener("click", () => {
      this.#name(game, games, games);
      this.#games.querySelector(`a:nth-of-type(${NAMED + 1})`)?.focus();
    });
    this.#games.replaceChildren(...links, ...(some.length < games.length ? [every] : []));
  }

  /**
   * Offer today's puzzle of the game, if there is one.
   * @param {string} game
   * @param {AbortSignal} signal
   */
  async #offerPuzzle(game, signal) {
    /** @type {{ puzzles: import("./streak.js").Puzzle[] }} */
    const { puzzles } = (await has("puzzle")) ? await read(["puzzle"]).catch(() => ({ puzzles: [] })) : { puzzles: [] };
    if (signal.aborted || !puzzles.some((puzzle) => puzzle.game === game)) return;
    this.#ways.append(make("a", { class: "button", href: pathTo("puzzle", game) }, icon("eye"), say("guide.puzzle")));
  }

  /**
   * Draw the pictures, and say the tips; of games that bring their own modules, what these have.
   * @param {Wire.Game | undefined} game
   * @param {AbortSignal} signal
   */
  async #draw(game, signal) {
    if (!game) return;
    const { name } = game;
    await fetchFace(name);
    if (signal.aborted) return;
    const { steps, tips } = Object.hasOwn(STEPS, name) ? ownGuide(name) : guideOf(name);
    this.#steps.hidden = this.#inSteps.hidden = !steps.length;
    write(this.#goal, steps.length ? "" : game.goal); // the pictures say it
    this.#steps.replaceChildren(
      ...steps.map(({ position, title, text }) => {
        const board = drawPosition(name, { position, options: OPTIONS }) ?? drawGame(game);
        return make("li", {}, board, make("h3", {}, title), make("p", {}, text));
      }),
    );
    this.#tips.hidden = !tips.length;
    this.#tips.replaceChildren(
      make("h2", { id: "guide-tips" }, say("guide.tipsTitle")),
      make("ul", {}, ...tips.map((tip) => make("li", {}, tip))),
    );
  }

  /**
   * Ask for the rules: a stranger does that as a guest.
   * @param {string} game
   * @param {AbortSignal} signal
   */
  async #ask(game, signal) {
    try {
      /** @type {Asked<"rules">} */
      const request = { do: "rules", game };
      const { rules } = await (this.#session.user ? this.#session.ask(request) : askAsGuest(request, signal));
      if (signal.aborted) return;
      const told = rules.map(translate).filter((/** @type {string} */ rule) => rule !== this.#goal.textContent);
      this.#rules.replaceChildren(...told.map((/** @type {string} */ rule) => make("li", {}, rule)));
      write(this.#note, "");
    } catch (error) {
      if (!signal.aborted) write(this.#note, explain(error));
    }
  }
}

/**
 * The guide of a game that the page draws.
 * @param {string} name
 */
function ownGuide(name) {
  const steps = STEPS[name].map((position, at) => {
    const step = `guide.steps.${name}.${at + 1}`;
    return { position, title: say(`${step}.title`), text: say(`${step}.text`) };
  });
  return { steps, tips: [1, 2, 3].map((at) => say(`guide.tips.${name}.${at}`)) };
}

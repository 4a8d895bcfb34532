// How to play: each game in three pictures, three tips, and its rules, for everybody.

import { has, read, readGames } from "./archive.js";
import { askAsGuest, dress, explain } from "./archived.js";
import { $, entitle, icon, make, show, whileBusy, write } from "./dom.js";
import { fetchFace, learnFaces } from "./faces.js";
import { requestsFor } from "./front.js";
import { guideOf } from "./games.js";
import { drawGame, drawPosition } from "./mini.js";
import { characterOf } from "./names.js";
import { pathTo } from "./router.js";
import { choose } from "./settings.js";
import { say, translate } from "./texts.js";

/**
 * Three positions of games that the page itself draws, as they come about; their sentences are in the catalogue.
 * @type {Record<string, string[]>}
 */
const STEPS = {
  tictactoe: ["000010000", "102012001", "121122211"],
  connectfour: [
    "......./......./......./......./......./...R... Y",
    "......./......./......./......./..YY.../.YRRRR. Y",
    "......./......./......./......./..Y..../.YRRRY. R",
  ],
  reversi: [
    "......../......../......../...OX.../...XO.../......../......../........ X",
    "......../......../...X..../...XX.../...XO.../......../......../........ O",
    "XOOOOOOO/XOOXXXXX/OOOOOOXX/OOXOOXOX/OOOXXXOX/OXOXXOOO/OOXXXXOO/OOOOOOOO -",
  ],
};

/** Boards of usual sizes. */
const OPTIONS = { columns: 3 };

/** @typedef {import("./front.js").RoomRequest} RoomRequest */

export class GuideView {
  /** @type {Session} */
  #session;
  /** @type {(request: RoomRequest | null) => Promise<string | void>} */
  #play;
  /** @type {AbortController | null} */
  #stop = null;
  #title = make("h1", { id: "guide-title", tabIndex: -1 });
  #goal = make("p", { class: "hint" });
  #games = make("nav", { class: "guide-games", "aria-label": say("form.game") });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #steps = make("ol", { class: "guide-steps", id: "guide-steps" });
  #tips = make("section", { class: "card stack", "aria-labelledby": "guide-tips" });
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
    const head = make("div", {}, this.#title, this.#goal);
    const article = make("div", { class: "stack" }, head, this.#note, this.#steps, this.#tips, this.#ways, rules);
    $("main").append(make("section", names, this.#games, article));
  }

  /** Show the rules of a game, by default of the first one. */
  async open(name = "") {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    /** @type {[Wire.Game[], unknown]} */
    const [games] = await Promise.all([readGames(), dress()]);
    if (signal.aborted) return;
    learnFaces(games);
    const game = games.find((each) => each.name === name) ?? games[0];
    write(this.#title, say("table.how"));
    for (const part of [this.#steps, this.#tips, this.#rules, this.#ways]) part.replaceChildren();
    if (game) this.#describe(game, games);
    show("guide");
    entitle(this.#title.textContent);
    this.#title.focus();
    await Promise.all([this.#draw(game, signal), this.#ask(game?.name, signal), this.#offerPuzzle(game?.name, signal)]);
  }

  close() {
    this.#stop?.abort();
  }

  /**
   * @param {Wire.Game} game
   * @param {Wire.Game[]} games
   */
  #describe(game, games) {
    write(this.#title, say("guide.title", game));
    write(this.#goal, game.goal);
    this.#games.replaceChildren(
      ...games.map((each) => {
        const current = each === game ? { "aria-current": "page" } : {};
        return make("a", { href: pathTo("rules", each.name), ...current }, drawGame(each), each.title);
      }),
    );
    const { computer } = requestsFor(game);
    const play = make(
      "button",
      { type: "button", class: "main", id: "guide-play" },
      icon("robot"),
      say("guide.play", { name: characterOf(game, game.levels[0]) }),
    );
    play.addEventListener("click", () => whileBusy(play, async () => write(this.#note, (await this.#play(computer)) ?? "")));
    const person = make("a", { class: "button", href: pathTo("game", game.name) }, icon("people"), say("guide.anybody"));
    person.addEventListener("click", () => choose("way", "anybody"));
    this.#ways.replaceChildren(...(computer ? [play] : []), person);
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
    this.#steps.hidden = !steps.length;
    this.#steps.replaceChildren(
      ...steps.map(({ position, title, text }) => {
        const board = drawPosition(name, { position, options: OPTIONS }) ?? drawGame(game);
        return make("li", {}, board, make("h2", {}, title), make("p", {}, text));
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

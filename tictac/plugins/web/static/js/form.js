// The form that leads to a match: a game, whom against, and what only that choice needs.

import { adaptClock, fillClock, findQuick, QUICK, readClock, sayTimeControl } from "./clocks.js";
import { $, make, markField, walkTabs, write } from "./dom.js";
import { fetchFace } from "./faces.js";
import { faultOf, idOf, makeField, valueOf } from "./fields.js";
import { usualOptions } from "./front.js";
import { markOf } from "./games.js";
import { areMany, fetchShelves } from "./late.js";
import { drawGame } from "./mini.js";
import { characterOf, faceNamed } from "./names.js";
import { pathTo } from "./router.js";
import { bind, choose, chosen } from "./settings.js";
import { capital, say, translate } from "./texts.js";

/** Whom against: each is a tab. */
const WAYS = ["computer", "anybody", "friend"];

/** What a seat against the computer may be, besides its number. */
const ANY = "any";

/** In the lobby; `games` come from the server. `waiting(game)` is how many players wait for one of that name. */
export class OpenForm {
  /** @type {Wire.Game[]} */
  #games = [];
  #name = chosen("play");
  /** Whom against, by a link; that isn't kept. */
  #linked = "";
  #isAlone = false;
  #isGuest = false;
  #waiting;
  /** The chips of clocks over days, behind their label. */
  #days;

  /** @param {(game?: string) => number} waiting */
  constructor(waiting) {
    this.#waiting = waiting;
    /** @type {any} */
    const clocks = Object.entries(QUICK).map(([value, clock]) => [value, clock.days ?? sayTimeControl(clock)]);
    $("open-clocks").append(...makeChips("time", [["", say("form.noClock")], ...clocks]));
    this.#days = [...$("open-clocks").querySelectorAll("[value$=d]")].map((/** @type {any} */ input) => {
      input.ariaLabel = sayTimeControl(QUICK[input.value]);
      return /** @type {HTMLElement} */ (input.parentElement);
    });
    this.#days.unshift(make("span", { class: "label" }, say("form.overDays")));
    this.#days[1].before(this.#days[0]);
    bind($("open-rated"), "rated");
    walkTabs($("open-ways"));
    for (const way of WAYS) $(`way-${way}`).addEventListener("click", () => this.turn(way));
    $("open").addEventListener("change", (/** @type {any} */ { target: { name, value } }) => {
      if (name === "game") {
        choose("play", value);
        return this.choose(value);
      }
      if (name === "time") {
        choose("clock", value);
        fillClock(value);
      }
      this.#adapt();
    });
    $("open").addEventListener("input", ({ target }) => {
      if ($(`${target.id}-error`)) markField(target, "");
      this.tell();
    });
  }

  /**
   * Offer these games, to who `isAlone` only against the computer; what is chosen stays.
   * @param {Wire.Game[]} all
   * @param {{ isAlone: boolean, isGuest: boolean }} who
   */
  set(all, { isAlone, isGuest }) {
    const games = isAlone ? all.filter(({ levels }) => levels.length) : all;
    this.#isGuest = isGuest;
    if (isAlone === this.#isAlone && JSON.stringify(games) === JSON.stringify(this.#games)) return this.#adapt();
    [this.#games, this.#isAlone] = [games, isAlone];
    const pictures = games.map((game) => makeChoice("game", game.name, drawGame(/** @type {any} */ (game)), game.title));
    $("open-games").replaceChildren(...pictures);
    if (areMany(games)) fetchShelves().then((shelves) => shelves?.shorten($("open-games"), games));
    if (games.length) this.choose(this.#name);
    fillClock(this.#usualClock);
    this.#adapt();
  }

  /**
   * Choose a game, if there is one of that name; whether there is.
   * @param {string} name
   */
  choose(name) {
    const isThere = this.#games.some((game) => game.name === name);
    if (isThere) this.#name = name;
    this.#name = (this.#game ?? this.#games[0])?.name;
    for (const input of $("open-games").querySelectorAll("input")) input.checked = input.value === this.#name;
    const { goal = "", options = [], seats = [2] } = this.#game ?? {};
    $("open-goal").textContent = goal;
    $("open-rules").href = pathTo("rules", this.#name);
    /** @type {Field} */
    const players = {
      name: "seats",
      label: say("form.players"),
      kind: "choice",
      choices: seats,
      help: "",
      default: seats.includes(2) ? 2 : seats[0],
    };
    const fields = seats.length > 1 ? [players, ...options] : options;
    $("open-fields").replaceChildren(...fields.map((field) => makeField(field)));
    const before = this.#levels.findIndex(({ checked }) => checked);
    $("open-levels").replaceChildren(...makeLevels(this.#game));
    const [first] = this.#levels;
    if (first) (this.#levels[before] ?? first).checked = true;
    for (const id of ["open-side", "open-computers"]) $(id).replaceChildren();
    this.#adapt();
    fetchFace(this.#name)?.then(() => this.#adapt()); // which knows the names of the sides, and is needed soon
    return isThere;
  }

  /** Begin with the game that was played last: where it is chosen, what else is chosen stays. */
  recall() {
    const last = chosen("play");
    if (last !== this.#name && this.#games.some(({ name }) => name === last)) this.choose(last);
  }

  /**
   * Choose what a link names: a game, and a way or a level of the computer; whether there is such a game.
   * @param {string} name
   * @param {string} [against]
   */
  follow(name, against = "") {
    const isThere = this.choose(name);
    this.#linked = WAYS.includes(against) ? against : WAYS[0];
    for (const input of this.#levels) input.checked ||= input.value === against;
    fillClock(this.#usualClock);
    this.#adapt();
    return isThere;
  }

  /**
   * Choose whom to play against.
   * @param {string} way
   */
  turn(way) {
    this.#linked = "";
    choose("way", way);
    fillClock(this.#usualClock);
    $("open").dispatchEvent(new Event("change"));
  }

  /** What a challenge to a player is for, by what is chosen. */
  get terms() {
    const clock = this.#way === "computer" ? QUICK[chosen("clock")] : readClock();
    const rated = isShown("open-rated") && $("open-rated").checked;
    return {
      title: /** @type {Wire.Game} */ (this.#game).title,
      // @ts-expect-error who challenges has chosen a game
      request: { game: this.#name, options: usualOptions(this.#game), ...(clock && { clock }), ...(rated && { rated }) },
    };
  }

  /** The request for such a room, or null when something is wrong: then it says so. */
  read() {
    const game = this.#game;
    if (!game) return null;
    const inputs = [...$("open-more").querySelectorAll(/** @type {"input"} */ ("input[type=number]"))];
    const wrong = inputs
      .filter((input) => !input.closest("[hidden]"))
      .filter((input) => {
        const fault = faultOf(input);
        markField(input, fault);
        return fault;
      });
    if (wrong.length) {
      $("open-more").open = true;
      wrong[0].focus();
      return null;
    }
    const [way, level] = [this.#way, this.#levels.find(({ checked }) => checked)?.value];
    /** @type {any} */
    const request = { do: this.#seeks ? "seek" : "open", game: game.name, options: {} };
    for (const option of game.options) request.options[option.name] = valueOf(option);
    if (game.seats.length > 1) request.seats = Number($(idOf({ name: "seats" })).value);
    const clock = readClock();
    if (clock) request.clock = clock;
    if (isShown("open-side")) {
      const [side, all] = [$("open-side").value, $("open-side").options.length - 1];
      request.computer = level;
      request.seat = side === ANY ? Math.floor(all * Math.random()) : Number(side);
    }
    if (this.#computers) {
      request.computer = level;
      request.computers = this.#computers;
    }
    if (way === "friend") request.private = true;
    if (isShown("open-rated") && $("open-rated").checked) request.rated = true;
    const name = $("open-name").value.trim();
    if (name) request.room = name;
    return request;
  }

  /** Say what the button does, and how many players wait for the same. */
  tell() {
    const way = this.#way;
    const does = way === "anybody" ? (this.#seeks ? "find" : "open") : way === "friend" ? "link" : "play";
    $("open-go").textContent = say(`form.${does}`);
    const { name, title } = this.#game ?? {};
    const count = way === "anybody" ? this.#waiting(name) : 0;
    const hint =
      way === "anybody" ? say("form.findHint") : way === "friend" ? say("table.inviteHint") : this.#isAlone ? say("form.alone") : "";
    write($("open-hint"), count ? say("form.waiting", { count, title }) : hint);
  }

  get #game() {
    return this.#games.find(({ name }) => name === this.#name);
  }

  /** The way that is chosen, or the first that there is. */
  get #way() {
    const ways = this.#ways;
    return [this.#linked, chosen("way")].find((way) => ways.includes(way)) ?? ways[0];
  }

  get #ways() {
    return WAYS.filter((way) => (way === "computer" ? this.#game?.levels.length : !this.#isAlone));
  }

  /** Against the computer there is none, unless one asks for it. */
  get #usualClock() {
    return this.#way === "computer" || (this.#isGuest && /d$/.test(chosen("clock"))) ? "" : chosen("clock");
  }

  /** So many computers play along with others. */
  get #computers() {
    return isShown("open-computers") ? Number($("open-computers").value) : 0;
  }

  /** Whether another player's room is as good: one that has a name, or computers, is one's own. */
  get #seeks() {
    return this.#way === "anybody" && !$("open-name").value.trim() && !this.#computers;
  }

  get #levels() {
    return [...$("open-levels").querySelectorAll("input")];
  }

  /** Ask only for what fits to what is chosen. */
  #adapt() {
    const game = this.#game;
    if (!game) return;
    const [way, computers] = [this.#way, $("open-computers")];
    for (const each of WAYS) {
      const tab = $(`way-${each}`);
      tab.hidden = !this.#ways.includes(each);
      tab.setAttribute("aria-selected", String(each === way));
      tab.tabIndex = each === way ? 0 : -1;
    }
    $("open-panel").setAttribute("aria-labelledby", `way-${way}`);
    const { seats: numbers, levels } = game;
    const seats = numbers.length > 1 ? Number($(idOf({ name: "seats" })).value) : numbers[0];
    // Alone one needs no computer.
    const sides = Array.from({ length: seats }, (_, seat) => saySide(game, seat));
    const [side] = $("open-side").options;
    if ($("open-side").options.length !== seats + 1 || side.text !== sides[0]) {
      const { value } = $("open-side");
      /** @type {any[]} */
      const choices = [...sides.map((words, seat) => [seat, words]), [ANY, say("form.anySide")]];
      $("open-side").replaceChildren(...choices.map(([value, words]) => make("option", { value }, words)));
      if (side) $("open-side").value = value;
    }
    if (computers.options.length !== seats - 1) {
      const counts = Array.from({ length: Math.max(0, seats - 1) }, (_, count) => make("option", { value: count }, String(count)));
      computers.replaceChildren(...counts);
    }
    const mayCome = way !== "computer" && seats > 2 && levels.length > 0;
    const shown = {
      "open-computers": mayCome,
      "open-levels": way === "computer" || (mayCome && Number(computers.value) > 0),
      "open-side": way === "computer" && seats > 1,
      "open-clocks": way !== "computer",
      "open-rated": way === "anybody" && !this.#isGuest,
    };
    for (const [id, is] of Object.entries(shown)) $(`${id}-field`).hidden = !is;
    $("private").hidden = way !== "friend";
    for (const chip of this.#days) chip.hidden = this.#isGuest;
    adaptClock();
    const quick = findQuick(readClock());
    for (const input of $("open-clocks").querySelectorAll("input")) input.checked = input.value === quick;
    this.tell();
  }
}

/** @param {string} id */
const isShown = (id) => !$(`${id}-field`).hidden;

/**
 * A side of a game: its mark, and when it moves, where no option says so.
 * @param {Wire.Game} game
 * @param {number} seat
 */
function saySide({ name, options }, seat) {
  const number = [say("form.first"), say("form.second")][seat] ?? say("form.seat", { number: seat + 1 });
  const when = options.some((option) => option.name === "first") ? "" : number;
  return capital([markOf(name, seat)?.name, when].filter(Boolean).join(", "));
}

/**
 * A choice among several, by its picture or words.
 * @param {string} name
 * @param {string} value
 * @param {...Child} shown
 */
function makeChoice(name, value, ...shown) {
  return make("label", {}, make("input", { type: "radio", class: "visually-hidden", name, value }), ...shown);
}

/**
 * The levels of a game, each by who plays it.
 * @param {Wire.Game | undefined} game
 */
function makeLevels(game) {
  return (game?.levels ?? []).map((level) => {
    const name = characterOf(game, level);
    const words = make("span", {}, name, " ", make("small", {}, capital(translate(level))));
    return Object.assign(makeChoice("level", level, faceNamed(name), words), { className: "chip level" });
  });
}

/**
 * @param {string} name
 * @param {[value: string, words: string][]} choices
 */
function makeChips(name, choices) {
  return choices.map(([value, words]) => Object.assign(makeChoice(name, value, words), { className: "chip" }));
}

// The form that opens a table: a game, whom against, its options as the server describes them.

import { adaptClock, readClock } from "./clocks.js";
import { $, make, markField, write } from "./dom.js";
import { fetchFace } from "./faces.js";
import { markOf } from "./games.js";
import { pathTo } from "./router.js";
import { capital, say, translate } from "./texts.js";

/** Ways to play besides the computer's levels. */
const WAYS = ["seek", "open", "private"];

/** What a seat against the computer may be, besides its number. */
const ANY = "any";

/** In the lobby; `games` come from the server. */
export class OpenForm {
  #games = [];
  #isAlone = false;
  #isGuest = false;

  constructor() {
    $("open-game").addEventListener("change", () => this.choose($("open-game").value));
    $("open").addEventListener("change", () => this.#adapt());
    $("open").addEventListener("input", ({ target }) => {
      if ($(`${target.id}-error`)) markField(target, "");
    });
  }

  /** Offer these games, to who `isAlone` only against the computer; what is chosen stays. */
  set(all, { isAlone, isGuest }) {
    const games = isAlone ? all.filter(({ levels }) => levels.length) : all;
    this.#isGuest = isGuest;
    if (isAlone === this.#isAlone && JSON.stringify(games) === JSON.stringify(this.#games)) return this.#adapt();
    const before = $("open-game").value;
    [this.#games, this.#isAlone] = [games, isAlone];
    const choices = games.map(({ name, title }) => make("option", { value: name }, title));
    $("open-game").replaceChildren(...choices);
    this.choose(before);
  }

  /** Choose a game, if there is one of that name; whether there is. */
  choose(name) {
    const isThere = this.#games.some((game) => game.name === name);
    if (isThere) $("open-game").value = name;
    const { goal = "", options = [], levels = [], seats = [2] } = this.#game ?? {};
    $("open-goal").textContent = goal;
    $("open-leaders").href = pathTo("ratings", $("open-game").value);
    const computer = levels.map((level) => ["computer", say("form.computer", { level: translate(level) }), level]);
    const before = $("open-against").selectedIndex;
    write($("open-against-hint"), this.#isAlone ? say("form.alone") : "");
    const others = this.#isAlone ? [] : WAYS.map((way) => [way, say(`form.${way}`)]);
    const ways = [...computer, ...others].map(([way, words, level = ""]) =>
      make("option", { value: way, "data-level": level }, words),
    );
    $("open-against").replaceChildren(...ways);
    $("open-against").selectedIndex = before >= 0 && before < ways.length ? before : 0;
    const players = { name: "seats", label: say("form.players"), kind: "choice", choices: seats, help: "", default: seats.includes(2) ? 2 : seats[0] };
    const fields = seats.length > 1 ? [players, ...options] : options;
    $("open-fields").replaceChildren(...fields.map(makeField));
    $("open-level").replaceChildren(...levels.map((level) => make("option", { value: level }, translate(level))));
    for (const id of ["open-side", "open-computers"]) $(id).replaceChildren();
    this.#adapt();
    fetchFace(name)?.then(() => this.#adapt()); // which knows the names of the sides, and is needed soon
    return isThere;
  }

  /** The request for such a table, or null when something is wrong: then it says so. */
  read() {
    const game = this.#game;
    if (!game) return null;
    const inputs = [...$("open-more").querySelectorAll("input[type=number]")];
    const wrong = inputs.filter((input) => !input.closest("[hidden]")).filter((input) => {
      const fault = faultOf(input);
      markField(input, fault);
      return fault;
    });
    if (wrong.length) {
      $("open-more").open = true;
      wrong[0].focus();
      return null;
    }
    const { value: way, selectedOptions } = $("open-against");
    const request = { do: way === "seek" ? "seek" : "open", game: game.name, options: {} };
    for (const option of game.options) request.options[option.name] = valueOf(option);
    if (game.seats.length > 1) request.seats = Number($(idOf({ name: "seats" })).value);
    const clock = readClock();
    if (clock) request.clock = clock;
    if (isShown("open-side")) {
      const [side, all] = [$("open-side").value, $("open-side").options.length - 1];
      request.computer = selectedOptions[0].dataset.level;
      request.seat = side === ANY ? Math.floor(all * Math.random()) : Number(side);
    }
    if (isShown("open-level")) {
      request.computer = $("open-level").value;
      request.computers = Number($("open-computers").value);
    }
    if (way === "private") request.private = true;
    if (isShown("open-rated") && $("open-rated").checked) request.rated = true;
    const name = $("open-name").value.trim();
    if (name && isShown("open-name")) request.room = name;
    return request;
  }

  get #game() {
    return this.#games.find(({ name }) => name === $("open-game").value);
  }

  /** Ask only for what fits to what is chosen. */
  #adapt() {
    const game = this.#game;
    if (!game) return;
    const [way, computers] = [$("open-against").value, $("open-computers")];
    const { seats: numbers, levels } = game;
    const seats = numbers.length > 1 ? Number($(idOf({ name: "seats" })).value) : numbers[0];
    // Alone one needs no computer.
    const sides = Array.from({ length: seats }, (_, seat) => saySide(game, seat));
    const [side] = $("open-side").options;
    if ($("open-side").options.length !== seats + 1 || side.text !== sides[0]) {
      const { value } = $("open-side");
      const choices = [...sides.map((words, seat) => [seat, words]), [ANY, say("form.anySide")]];
      $("open-side").replaceChildren(...choices.map(([value, words]) => make("option", { value }, words)));
      if (side) $("open-side").value = value;
    }
    if (computers.options.length !== seats - 1) {
      const counts = Array.from({ length: Math.max(0, seats - 1) }, (_, count) => make("option", { value: count }, String(count)));
      computers.replaceChildren(...counts);
    }
    const isOpen = ["open", "private"].includes(way);
    const mayCome = isOpen && seats > 2 && levels.length > 0;
    const shown = {
      "open-side": way === "computer" && seats > 1,
      "open-computers": mayCome,
      "open-level": mayCome && Number(computers.value) > 0,
      "open-rated": ["seek", "open"].includes(way) && !this.#isGuest && !this.#isAlone,
      "open-name": way !== "seek", // who seeks comes to a table of any name
    };
    for (const [id, is] of Object.entries(shown)) $(`${id}-field`).hidden = !is;
    adaptClock();
  }
}

const isShown = (id) => !$(`${id}-field`).hidden;

/** A side of a game: its mark, and when it moves, where no option says so. */
function saySide({ name, options }, seat) {
  const number = [say("form.first"), say("form.second")][seat] ?? say("form.seat", { number: seat + 1 });
  const when = options.some((option) => option.name === "first") ? "" : number;
  return capital([markOf(name, seat)?.name, when].filter(Boolean).join(", "));
}

const idOf = ({ name }) => `option-${name}`;

function makeField(option) {
  const id = idOf(option);
  const about = { id, "aria-describedby": `${id}-hint ${id}-error` };
  const input = makeInput(option, about);
  const label = make("label", { htmlFor: id }, option.label ?? capital(translate(option.name)));
  const hint = make("p", { class: "hint", id: `${id}-hint` }, hintOf(option));
  const error = make("p", { class: "error", id: `${id}-error`, hidden: true });
  return make("div", { class: option.kind === "flag" ? "field flag" : "field" }, label, input, hint, error);
}

function makeInput({ kind, default: usual, lowest, highest, choices }, about) {
  if (kind === "flag") return make("input", { ...about, type: "checkbox", checked: usual });
  if (kind === "number") {
    const range = { min: lowest, max: highest, step: 1, value: usual };
    return make("input", { ...about, type: "number", inputMode: "numeric", ...range });
  }
  const select = make("select", about, ...choices.map((one) => make("option", { value: one }, String(one))));
  select.value = usual;
  return select;
}

function hintOf({ help, kind, lowest, highest }) {
  return kind === "number" ? say("form.range", { help, lowest, highest }) : help;
}

function faultOf({ value, min, max }) {
  const number = value === "" ? NaN : Number(value);
  const fits = Number.isInteger(number) && Number(min) <= number && number <= Number(max);
  return fits ? "" : say("form.wrongNumber", { min, max });
}

function valueOf(option) {
  const input = $(idOf(option));
  if (option.kind === "flag") return input.checked;
  return option.kind === "number" ? Number(input.value) : input.value;
}

/** What is unusual of these options, as words, by the description of their game. */
export function sayOptions(game, options) {
  const unusual = (game?.options ?? []).filter(
    ({ name, default: usual }) => name in options && options[name] !== usual,
  );
  const words = unusual.map(({ name, kind }) => {
    if (kind === "flag") return options[name] ? name : say("form.without", { name });
    return say("form.with", { name, value: options[name] });
  });
  return words.join(", ");
}

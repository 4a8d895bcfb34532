// The form that opens a table: a game, its options as the server describes them, and who plays.

import { $, make, markField } from "../dom.js";

/** In the lobby; `games` come from the server. */
export class OpenForm {
  #games = [];

  constructor() {
    $("table-game").addEventListener("change", () => this.#choose());
  }

  /** Offer these games; what is chosen stays. */
  set(games) {
    if (JSON.stringify(games) === JSON.stringify(this.#games)) return;
    const before = $("table-game").value;
    this.#games = games;
    const choices = games.map(({ name, title }) => make("option", { value: name }, title));
    $("table-game").replaceChildren(...choices);
    if (games.some(({ name }) => name === before)) $("table-game").value = before;
    this.#choose();
  }

  /** The request for such a table, or null when something is wrong: then it says so. */
  read() {
    const game = this.#game;
    if (!game) return null;
    const request = { do: "open", game: game.name, options: {} };
    for (const option of game.options) {
      const input = $(idOf(option));
      const fault = faultOf(option, input);
      markField(input, fault);
      if (fault) {
        $("table-options").open = true;
        input.focus();
        return null;
      }
      request.options[option.name] = valueOf(option, input);
    }
    const level = $("table-against").value;
    return level ? { ...request, computer: level } : request;
  }

  get #game() {
    return this.#games.find(({ name }) => name === $("table-game").value);
  }

  #choose() {
    const { goal = "", options = [], levels = [] } = this.#game ?? {};
    $("table-goal").textContent = goal;
    const against = levels.map((level) => make("option", { value: level }, `Computer, ${level}`));
    $("table-against").replaceChildren(make("option", { value: "" }, "Somebody"), ...against);
    $("table-fields").replaceChildren(...options.map(makeField));
    $("table-options").hidden = options.length === 0;
  }
}

const idOf = ({ name }) => `table-option-${name}`;

function makeField(option) {
  const id = idOf(option);
  const about = { id, "aria-describedby": `${id}-hint ${id}-error` };
  const input = makeInput(option, about);
  const label = make("label", { htmlFor: id }, name(option.name));
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
  const select = make("select", about, ...choices.map((one) => make("option", { value: one }, one)));
  select.value = usual;
  return select;
}

function hintOf({ help, kind, lowest, highest }) {
  return kind === "number" ? `${help} From ${lowest} to ${highest}.` : help;
}

function faultOf({ kind, lowest, highest }, input) {
  if (kind !== "number") return "";
  const number = input.value === "" ? NaN : Number(input.value);
  const fits = Number.isInteger(number) && lowest <= number && number <= highest;
  return fits ? "" : `This is a number from ${lowest} to ${highest}.`;
}

function valueOf({ kind }, input) {
  if (kind === "flag") return input.checked;
  return kind === "number" ? Number(input.value) : input.value;
}

function name(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** What is unusual of these options, as words, by the description of their game. */
export function sayOptions(game, options) {
  const unusual = (game?.options ?? []).filter(
    ({ name, default: usual }) => name in options && options[name] !== usual,
  );
  const words = unusual.map(({ name, kind }) => {
    if (kind === "flag") return options[name] ? name : `no ${name}`;
    return `${name} ${options[name]}`;
  });
  return words.join(", ");
}

// The fields of a game's options, in the forms of rooms and tournaments, and what options are in words.

import { $, make } from "./dom.js";
import { capital, say, translate } from "./texts.js";

/**
 * The id of the field of an option, in the form of that `form`.
 * @param {{ name: string }} option
 * @param {string} [form]
 */
export const idOf = ({ name }, form = "option") => `${form}-${name}`;

/**
 * The field of an option of a game.
 * @param {Field} option
 * @param {string} [form]
 */
export function makeField(option, form) {
  const id = idOf(option, form);
  const about = { id, "aria-describedby": `${id}-hint ${id}-error` };
  const input = makeInput(option, about);
  const label = make("label", { htmlFor: id }, option.label ?? capital(translate(option.name)));
  const hint = make("p", { class: "hint", id: `${id}-hint` }, hintOf(option));
  const error = make("p", { class: "error", id: `${id}-error`, hidden: true });
  return make("div", { class: option.kind === "flag" ? "field flag" : "field" }, label, input, hint, error);
}

/**
 * What an option is, if nothing else is chosen.
 * @param {Field} option
 */
const usualOf = ({ suggested, default: usual }) => suggested?.[0] ?? usual;

/**
 * @param {Field} option
 * @param {{ id: string, "aria-describedby": string }} about
 */
function makeInput(option, about) {
  const { kind, lowest, highest, choices } = /** @type {Required<Field>} */ (option);
  const usual = usualOf(option);
  if (kind === "flag") return make("input", { ...about, type: "checkbox", checked: usual });
  if (kind === "number") {
    const range = { min: lowest, max: highest, step: 1, value: usual };
    return make("input", { ...about, type: "number", inputMode: "numeric", ...range });
  }
  const select = make("select", about, ...choices.map((one) => make("option", { value: one }, String(one))));
  select.value = /** @type {string} */ (usual);
  return select;
}

/** @param {Field} option */
function hintOf({ help, kind, lowest, highest }) {
  return kind === "number" ? say("form.range", { help, lowest, highest }) : /** @type {string} */ (help);
}

/**
 * What is wrong with a number; "" if nothing is.
 * @param {Pick<HTMLInputElement, "value" | "min" | "max">} input
 */
export function faultOf({ value, min, max }) {
  const number = value === "" ? NaN : Number(value);
  const fits = Number.isInteger(number) && Number(min) <= number && number <= Number(max);
  return fits ? "" : say("form.wrongNumber", { min, max });
}

/**
 * What is chosen for an option of a game.
 * @param {Field} option
 * @param {string} [form]
 * @returns {boolean | number | string}
 */
export function valueOf(option, form) {
  const input = $(idOf(option, form));
  if (option.kind === "flag") return input.checked;
  return option.kind === "number" ? Number(input.value) : input.value;
}

/**
 * What is unusual of these options, as words, by the description of their game.
 * @param {Pick<Wire.Game, "options"> | null | undefined} game
 * @param {Wire.Options} options
 */
export function sayOptions(game, options) {
  const usual = (/** @type {Wire.Option} */ option) => [option.default, ...(option.suggested ?? [])];
  const unusual = (game?.options ?? []).filter((option) => option.name in options && !usual(option).includes(options[option.name]));
  const words = unusual.map(({ name, kind }) => {
    if (kind === "flag") return options[name] ? name : say("form.without", { name });
    return say("form.with", { name, value: options[name] });
  });
  return words.join(", ");
}

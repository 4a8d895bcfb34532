// What the visitor has chosen once for all visits. This browser keeps it, if it may.

const KEY = "tictac.settings";

/** @type {Record<string, any>} */
const USUAL = {
  sound: true,
  notify: false,
  hints: false,
  mute: false,
  motion: true,
  lines: true,
  theme: "",
  hidden: false,
  play: "",
  way: "computer",
  clock: "",
  rated: false,
  game: "",
  sort: "newest",
  played: "",
};

/** @type {Record<string, unknown>} */
let kept = {};
try {
  kept = JSON.parse(/** @type {string} */ (localStorage.getItem(KEY))) ?? {};
} catch {
  // It keeps nothing, or what others have put there.
}
show();

/**
 * What is chosen under that name; what is `usual`, if nothing of that type is.
 * @param {string} name
 * @param {any} usual
 * @returns {any}
 */
export function chosen(name, usual = USUAL[name]) {
  return typeof kept[name] === typeof usual ? kept[name] : usual;
}

/**
 * Choose it.
 * @param {string} name
 * @param {unknown} value
 */
export function choose(name, value) {
  kept = { ...kept, [name]: value };
  show();
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // For this page alone, then.
  }
}

/** What the style sheet must know. */
function show() {
  const { dataset } = document.documentElement;
  for (const [name, value] of Object.entries({ theme: chosen("theme"), motion: chosen("motion") ? "" : "off" })) {
    if (value) dataset[name] = value;
    else delete dataset[name];
  }
}

/**
 * Let an input or a select stand for what is chosen; `changed(value)` is called when that changes.
 * @param {any} input
 * @param {string} name
 * @param {(value: any) => void} changed
 */
export function bind(input, name, changed = () => {}) {
  const property = input.type === "checkbox" ? "checked" : "value";
  input[property] = chosen(name);
  input.addEventListener("change", () => {
    choose(name, input[property]);
    changed(input[property]);
  });
}

/**
 * The same of radio buttons.
 * @param {Iterable<HTMLInputElement>} inputs
 * @param {string} name
 */
export function bindAll(inputs, name) {
  for (const input of inputs) {
    input.checked = input.value === chosen(name);
    input.addEventListener("change", () => choose(name, input.value));
  }
}

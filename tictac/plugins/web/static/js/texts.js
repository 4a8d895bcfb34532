// The texts of the page for people. The server puts those of the visitor's language into index.html
// (../texts, a file for each language), and fills the rest of that page from them.

const element = document.getElementById("texts");
/** @type {Catalogue} */
const texts = JSON.parse(element.textContent);
const { dataset } = document.documentElement;
/** @type {Promise<unknown> | null} */
let more = null;

/** Fetch the texts that few need (assets.py has their list), once. Rejects with a TypeError, as import() does. */
export function addTexts() {
  more ??= fetch(/** @type {string} */ (element.dataset.more))
    .then((response) => response.json())
    .then((found) => Object.assign(texts, found))
    .catch((error) => {
      more = null;
      throw error instanceof SyntaxError ? new TypeError(error.message) : error;
    });
  return more;
}

const PLURAL = new Intl.PluralRules(/** @type {string} */ (texts.language));

/**
 * A text of the catalogue, by its key such as "table.viewers", with values in the place of names in
 * braces. A text with plural forms is chosen by the value `count`.
 */
export const say = speaker(texts);

/**
 * Let a select offer the languages, if there are some: the page comes again in the chosen one.
 * @param {HTMLSelectElement} select
 */
export function offerLanguages(select) {
  for (const each of /** @type {string} */ (dataset.languages).split(" ")) {
    const name = new Intl.DisplayNames([each], { type: "language" }).of(each);
    select.add(new Option(capital(/** @type {string} */ (name)), each, false, each === texts.language));
  }
  /** @type {HTMLElement} */ (select.parentElement).hidden = select.length < 2;
  select.addEventListener("change", () => {
    document.cookie = `language=${select.value}; path=/; max-age=${365 * 86400}; samesite=lax`;
    location.reload();
  });
}

/**
 * A text of the server's, such as the title of a game, in the visitor's language; as it is, if the catalogue
 * doesn't have it. Numbers in it are values named 1, 2 and so on.
 * @param {string} text
 * @returns {string}
 */
export function translate(text) {
  /** @type {string[]} */
  const numbers = [];
  const key = text.replaceAll(/\d+/g, (number) => `{${numbers.push(number)}}`);
  /** @type {Record<string, string>} */
  const { [key]: found = key } = { .../** @type {any} */ (texts.server), .../** @type {any} */ (texts.rules) };
  return found.replaceAll(/\{(\d+)\}/g, (_, at) => numbers[at - 1]);
}

const TRANSLATED = new Set(["title", "goal", "help", "label"]);

/**
 * Read a message of the server's, with what it says of games in the visitor's language. Throws SyntaxError.
 * @param {string} text
 * @returns {any}
 */
export function readMessage(text) {
  return JSON.parse(text, (key, value) => (typeof value === "string" && TRANSLATED.has(key) ? translate(value) : value));
}

/**
 * What says the texts of a catalogue.
 * @param {Catalogue} texts
 * @returns {(key: string, values?: any) => string}
 */
export function speaker(texts) {
  return (key, values = {}) => {
    const found = find(texts, key);
    const text = found?.[PLURAL.select(/** @type {number} */ (values.count))] ?? found?.other ?? found;
    if (typeof text !== "string") throw new Error(`no text ${key}`);
    // A value such as the name "Nele K." ends a sentence itself.
    return text.replaceAll(/\{(\w+)\}(\.?)/g, (_, name, stop) => {
      const value = String(fill(key, name, values[name]));
      return value.endsWith(".") ? value : value + stop;
    });
  };
}

/**
 * A value as it stands in a text. One that is missing is a fault of the program: nobody is to read it.
 * @param {string} key
 * @param {string} name
 * @param {any} value
 */
function fill(key, name, value) {
  if (value !== undefined && value !== null && !Number.isNaN(value)) return value;
  console.error(`no value ${name} for ${key}`);
  return "";
}

/**
 * Whether the catalogue has that key: what the server says may be newer than the page.
 * @param {string} key
 */
export function hasText(key) {
  return find(texts, key) !== undefined;
}

/**
 * A small number as a word, with a capital; others as they are.
 * @param {number} number
 */
export function sayNumber(number) {
  return hasText(`numbers.${number}`) ? say(`numbers.${number}`) : String(number);
}

/**
 * Points, with halves as people write them.
 * @param {number} points
 */
export function sayPoints(points) {
  const whole = Math.trunc(points);
  if (points - whole !== 0.5) return new Intl.NumberFormat(document.documentElement.lang).format(points);
  return whole ? `${whole}½` : "½";
}

/**
 * A number with its sign.
 * @param {number} number
 */
export function saySigned(number) {
  return `${number < 0 ? "−" : "+"}${Math.abs(number)}`;
}

/**
 * Names as they stand in a sentence; of the type "unit": without "and".
 * @param {string[]} names
 * @param {"conjunction" | "unit"} type
 */
export function sayAll(names, type = "conjunction") {
  return new Intl.ListFormat(document.documentElement.lang, { type }).format(names);
}

/**
 * What the server says, as a sentence.
 * @param {string} text
 */
export function sentence(text) {
  return capital(/[.!?…]$/.test(text) ? text : `${text}.`);
}

/**
 * A text, perhaps an empty one, with a capital in front.
 * @param {string} text
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {Catalogue} texts
 * @param {string} key
 * @returns {any}
 */
function find(texts, key) {
  /** @type {any} */
  let found = texts;
  for (const name of key.split(".")) found = found && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

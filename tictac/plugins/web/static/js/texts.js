// The texts of the page for people. The server puts those of the visitor's language into index.html
// (../texts, a file for each language), and fills the rest of that page from them.

const element = document.getElementById("texts");
const texts = JSON.parse(element.textContent);
const { dataset } = document.documentElement;
let more = null;

/** Fetch the texts that few need (assets.py has their list), once. Rejects with a TypeError, as import() does. */
export function addTexts() {
  more ??= fetch(element.dataset.more)
    .then((response) => response.json())
    .then((found) => Object.assign(texts, found))
    .catch((error) => {
      more = null;
      throw error instanceof SyntaxError ? new TypeError(error.message) : error;
    });
  return more;
}

const PLURAL = new Intl.PluralRules(texts.language);

/**
 * A text of the catalogue, by its key such as "table.viewers", with values in the place of names in
 * braces. A text with plural forms is chosen by the value `count`.
 */
export const say = speaker(texts);

/** Let a select offer the languages, if there are some: the page comes again in the chosen one. */
export function offerLanguages(select) {
  for (const each of dataset.languages.split(" ")) {
    const name = new Intl.DisplayNames([each], { type: "language" }).of(each);
    select.add(new Option(capital(name), each, false, each === texts.language));
  }
  select.parentElement.hidden = select.length < 2;
  select.addEventListener("change", () => {
    document.cookie = `language=${select.value}; path=/; max-age=${365 * 86400}; samesite=lax`;
    location.reload();
  });
}

/**
 * A text of the server's, such as the title of a game, in the visitor's language; as it is, if the catalogue
 * doesn't have it. Numbers in it are values named 1, 2 and so on.
 */
export function translate(text) {
  const numbers = [];
  const key = text.replaceAll(/\d+/g, (number) => `{${numbers.push(number)}}`);
  const { [key]: found = key } = { ...texts.server, ...texts.rules };
  return found.replaceAll(/\{(\d+)\}/g, (_, at) => numbers[at - 1]);
}

const TRANSLATED = new Set(["title", "goal", "help", "label"]);

/** Read a message of the server's, with what it says of games in the visitor's language. Throws SyntaxError. */
export function readMessage(text) {
  return JSON.parse(text, (key, value) => (typeof value === "string" && TRANSLATED.has(key) ? translate(value) : value));
}

/** What says the texts of a catalogue. */
export function speaker(texts) {
  return (key, values = {}) => {
    const found = find(texts, key);
    const text = found?.[PLURAL.select(values.count)] ?? found?.other ?? found;
    if (typeof text !== "string") throw new Error(`no text ${key}`);
    return text.replaceAll(/\{(\w+)\}/g, (_, name) => fill(key, name, values[name]));
  };
}

/** A value as it stands in a text. One that is missing is a fault of the program: nobody is to read it. */
function fill(key, name, value) {
  if (value !== undefined && value !== null && !Number.isNaN(value)) return value;
  console.error(`no value ${name} for ${key}`);
  return "";
}

/** Whether the catalogue has that key: what the server says may be newer than the page. */
export function hasText(key) {
  return find(texts, key) !== undefined;
}

/** A small number as a word, with a capital; others as they are. */
export function sayNumber(number) {
  return hasText(`numbers.${number}`) ? say(`numbers.${number}`) : String(number);
}

/** What the server says, as a sentence. */
export function sentence(text) {
  return capital(/[.!?…]$/.test(text) ? text : `${text}.`);
}

/** A text with a capital in front. */
export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function find(texts, key) {
  let found = texts;
  for (const name of key.split(".")) found = found && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

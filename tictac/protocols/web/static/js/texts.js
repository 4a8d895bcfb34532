// The texts of the page for people. All of them are in the catalogue, ../texts/en.json, which the server
// also fills index.html from. So another language is another such file.

import texts from "../texts/en.json" with { type: "json" };

const PLURAL = new Intl.PluralRules(texts.language);

/**
 * A text of the catalogue, by its key such as "rooms.count", with values in the place of names in
 * braces. A text with plural forms is chosen by the value `count`.
 */
export const say = speaker(texts);

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

/** A text with a capital in front. */
export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function find(texts, key) {
  let found = texts;
  for (const name of key.split(".")) found = found && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

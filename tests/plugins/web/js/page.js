// As much of a page as the modules take for granted that know no document: texts, and elements that keep what they are
// given. Import it before them.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const STATIC = resolve(import.meta.dirname, "../../../../tictac/plugins/web/static");
const LANGUAGE = process.env.PAGE_LANGUAGE ?? "en";

/** An element that keeps its attributes and children. */
class Kept {
  attributes = {};
  children = [];
  style = { setProperty() {} };
  heard = {};

  constructor(name) {
    this.name = name;
  }

  setAttribute(key, value) {
    this.attributes[key] = String(value);
  }

  append(...children) {
    this.children.push(...children);
  }

  addEventListener(type, work) {
    this.heard[type] = work;
  }

  /** All elements inside, of that class. */
  find(kind) {
    const elements = this.children.filter((each) => each instanceof Kept);
    const all = elements.flatMap((each) => [each, ...each.find(kind)]);
    return all.filter(({ attributes }) => attributes.class?.split(" ").includes(kind));
  }
}

const texts = new Kept("script");
texts.textContent = readFileSync(`${STATIC}/texts/${LANGUAGE}.json`, "utf8");
texts.dataset = {};
const served = new Kept("script");
served.textContent = "{}";

globalThis.document = {
  documentElement: { lang: LANGUAGE, dataset: { languages: "" } },
  getElementById: (id) => ({ texts, served })[id] ?? null,
  createElement: (name) => new Kept(name),
  createElementNS: (_, name) => new Kept(name),
};
globalThis.localStorage = { getItem: () => null, setItem() {} };

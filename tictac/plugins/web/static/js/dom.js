// The few things that every view does with the document.

import { say } from "./texts.js";

/**
 * The element with that id.
 * @type {Document["getElementById"]}
 */
export const $ = (/** @type {string} */ id) => document.getElementById(id);

/**
 * A new element with these properties (`class` and `aria-...` too) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Properties<HTMLElementTagNameMap[K]>} properties
 * @param {...Child} children
 * @returns {Made<K>}
 */
export function make(name, properties = {}, ...children) {
  /** @type {any} */
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/**
 * A new SVG element with these attributes and children.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number>} attributes
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, /** @type {string} */ (value));
  element.append(...children);
  return element;
}

/**
 * A sign, by its name in index.html.
 * @param {string} name
 */
export function icon(name) {
  return draw("svg", { class: "icon", "aria-hidden": "true" }, draw("use", { href: `#i-${name}` }));
}

/** Grounds of letters; the last one is for guests. */
const GROUNDS = 7;

/**
 * Whether somebody of that name has no account.
 * @param {string} name
 */
export const isPassing = (name) => /^(guest-|computer\b)/.test(name);

/**
 * The first letter of a name, on a ground that the name chooses.
 * @param {string} name
 */
export function makeAvatar(name, kind = "") {
  const sum = [...name].reduce((found, sign) => (31 * found + /** @type {number} */ (sign.codePointAt(0))) >>> 0, 7);
  const ground = isPassing(name) ? GROUNDS : sum % GROUNDS;
  return make("span", { class: `avatar ${kind} av-${ground}`, "aria-hidden": "true" }, [...name][0] ?? "");
}

/**
 * Show one view and hide the others.
 * @param {string} id
 */
export function show(id) {
  for (const view of document.querySelectorAll(".view")) view.hidden = view.id !== id;
}

/**
 * Let the keyboard walk through the tabs of a list; each is chosen by a click.
 * @param {HTMLElement} list
 */
export function walkTabs(list) {
  list.addEventListener("keydown", (event) => {
    /** @type {any[]} */
    const shown = [...list.children].filter((tab) => tab.checkVisibility());
    const at = shown.indexOf(document.activeElement);
    const right = document.dir === "rtl" ? -1 : 1;
    const next = { ArrowLeft: at - right, ArrowRight: at + right, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = shown.at(next % shown.length);
    tab.focus();
    tab.click();
  });
}

/**
 * Write a text, and hide the element when there is none.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = !text;
}

/**
 * What a link or a button is, whichever element it is drawn as.
 * @param {Element} element
 */
const likeness = (element) => [element.localName, element.getAttribute("href"), element.textContent].join();

/** Milliseconds for which what is pressed is kept at most. */
const PRESS = 1000;

/**
 * What is to be done with elements that are pressed.
 * @type {Map<Element, () => void>}
 */
const late = new Map();

/**
 * Do `work()` with an element, which may replace or move what is in it; after the press while it, or one of the `others`, is
 * pressed: what a press begins on has to be there when it ends, or that is no click. Of several works the last one is done.
 * @param {Element} element
 * @param {() => void} work
 * @param {any[]} others may lack some
 */
export function afterPress(element, work, others = []) {
  const isWaiting = late.has(element);
  late.set(element, work);
  const end = () => {
    const last = late.get(element);
    late.delete(element);
    last?.();
  };
  if (![element, ...others].some((each) => each?.matches?.(":active"))) return end();
  if (isWaiting) return;
  // A click comes behind the release, and one by the keyboard without one.
  for (const type of ["pointerup", "click"]) addEventListener(type, () => setTimeout(end, 0), { once: true });
  setTimeout(end, PRESS);
}

/**
 * Put other children into an element of a view, after a press on it. If one there has the focus, its like gets it, or the title.
 * @param {HTMLElement} element
 * @param {...Child} children
 */
export function refill(element, ...children) {
  afterPress(element, () => {
    const had = element.contains(document.activeElement) && element !== document.activeElement;
    const wanted = had && likeness(/** @type {Element} */ (document.activeElement));
    element.replaceChildren(...children);
    if (!had) return;
    const like = [...element.querySelectorAll("a,button")].find((each) => likeness(each) === wanted);
    /** @type {any} */ (like ?? /** @type {HTMLElement} */ (element.closest(".view")).querySelector("h1")).focus();
  });
}

/** @type {Map<string, Promise<unknown>>} */
const styles = new Map();

/**
 * Add a style sheet that the first sight does without, once. Rejects with a TypeError, as import() does.
 * @param {string} href
 */
export function addStyle(href) {
  if (!styles.has(href)) {
    const link = make("link", { rel: "stylesheet", href });
    const added = new Promise((resolve, reject) => {
      link.addEventListener("load", resolve);
      link.addEventListener("error", () => reject(new TypeError(href)));
    });
    styles.set(
      href,
      added.catch((error) => {
        styles.delete(href);
        throw error;
      }),
    );
    document.head.append(link);
  }
  return /** @type {Promise<unknown>} */ (styles.get(href));
}

/**
 * Say in place what is wrong with a field, or that nothing is ("" as the fault).
 * @param {HTMLElement} input
 * @param {string} fault
 */
export function markField(input, fault) {
  write($(`${input.id}-error`), fault);
  if (fault) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/**
 * Keep a form from being sent twice while `work` runs.
 * @param {HTMLElement} button
 * @param {() => unknown} work
 */
export async function whileBusy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}

let [title, waiting] = ["", 0];

/**
 * What the title of the page says besides its name.
 * @param {string} what
 */
export function entitle(what) {
  title = say("page.title", { what });
  count(waiting);
}

/**
 * Let the title say, too, how many matches wait for the visitor.
 * @param {number} matches
 */
export function count(matches) {
  waiting = matches;
  if (title) document.title = waiting ? `(${waiting}) ${title}` : title;
}

/**
 * Let a screen reader say it, when it has said what it is at.
 * @param {string} text
 */
export function announce(text) {
  const announcer = $("announcer");
  // The same words twice are two things that happened.
  announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text;
  clearTimeout(speaking);
  speaking = setTimeout(speak, Math.min(LONGEST, SIGN * text.length));
}

/** Milliseconds in which a screen reader says a sign, and for which it says a text at most. */
const [SIGN, LONGEST] = [40, 3000];

let speaking = 0;
/** @type {string[]} */
let told = [];
let standing = "";

/**
 * Let a screen reader say what happened, and how it stands now. What comes while it still speaks waits, and is said at
 * once: all that happened, and how it stands then.
 * @param {string} text
 * @param {string} [state] none: it is as it was told before
 */
export function report(text, state = standing) {
  if (text) told.push(text);
  standing = state;
  if (!speaking) return speak();
  $("announcer").dataset.waiting = "";
}

function speak() {
  const text = [...told, standing].filter(Boolean).join(" ");
  [told, standing, speaking] = [[], "", 0];
  delete $("announcer").dataset.waiting;
  if (text) announce(text);
}

/**
 * Put a text into the clipboard, and say so.
 * @param {string} text
 */
export async function copyText(text) {
  await navigator.clipboard.writeText(text);
  announce(say("table.copied"));
}

/**
 * Share a text or a link as the device does, or else copy it.
 * @param {{ text?: string, url?: string }} what
 */
export async function share(what) {
  if (!navigator.share) return copyText(Object.values(what).join("\n"));
  await navigator.share(what).catch(() => {}); // one doesn't want to, after all
}

/**
 * Let so many milliseconds pass.
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// Going through the steps of a replay: by buttons, by a slider, by keys, or by itself.

import { draw, make } from "./dom.js";
import { say } from "./texts.js";

/** Milliseconds that a step is shown while it plays by itself. */
const PACE = 1000;

/**
 * By the key that is pressed anywhere but in a field or on a board.
 * @type {Record<string, string>}
 */
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

/** @type {Record<string, string>} */
const ICONS = {
  first: "M5 5v14M19 5v14L8 12z",
  back: "M17 5v14L6 12z",
  play: "M12 3a9 9 0 1 0 .01 0zM9 6.5v11l9-5.5z",
  pause: "M8 5v14M16 5v14",
  next: "M7 5v14l11-7z",
  last: "M19 5v14M5 5v14l11-7z",
};

/** `go(step, isByItself)` is called for a step from 0 to `last`. */
export class Controls {
  element = make("div", { class: "controls" });
  #go;
  #step = 0;
  #last = 0;
  #timer = 0;
  /** @type {Record<string, HTMLElement>} */
  #buttons = {};
  #slider;

  /**
   * The ids of its parts begin with `name`.
   * @param {string} name
   * @param {(step: number, isByItself: boolean) => void} go
   */
  constructor(name, go) {
    this.#go = go;
    this.#slider = make("input", { type: "range", id: `${name}-slider`, min: 0, step: 1, "aria-label": say("match.step") });
    this.#slider.addEventListener("input", () => this.jump(Number(this.#slider.value)));
    const group = make("div", { class: "buttons", role: "group", "aria-label": say("match.controls.name") });
    for (const what of ["first", "back", "play", "next", "last"]) {
      const button = (this.#buttons[what] = make("button", { type: "button", class: "quiet", id: `${name}-${what}` }));
      button.addEventListener("click", () => button.getAttribute("aria-disabled") !== "true" && this.#do(what));
      group.append(button);
      this.#show(what, what);
    }
    this.element.append(this.#slider, group);
  }

  /**
   * There are so many steps besides the first.
   * @param {number} last
   */
  set last(last) {
    this.#last = last;
    /** @type {any} */ (this.#slider).max = last;
  }

  /**
   * Show which step is looked at, and what it is.
   * @param {number} step
   * @param {string} text
   */
  mark(step, text) {
    this.#step = step;
    /** @type {any} */ (this.#slider).value = step;
    this.#slider.setAttribute("aria-valuetext", text);
    const ends = { first: 0, back: 0, next: this.#last, last: this.#last };
    for (const [name, end] of Object.entries(ends)) {
      this.#buttons[name].setAttribute("aria-disabled", String(step === end));
    }
  }

  /**
   * Go to a step, and play no further.
   * @param {number} step
   */
  jump(step) {
    this.pause();
    this.#go(Math.max(0, Math.min(step, this.#last)), false);
  }

  /**
   * Do what a key stands for; whether it stands for anything.
   * @param {{ key: string, target: HTMLElement }} event
   */
  press({ key, target }) {
    const what = KEYS[key];
    const isTaken = target.closest(what === "play" ? "input,select,textarea,button,a,summary" : "input,select,textarea");
    if (!what || isTaken || target.closest("dialog")) return false;
    this.#do(what);
    return true;
  }

  /** Play no further. */
  pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#show("play", "play");
  }

  /** @param {string} what */
  #do(what) {
    if (what === "play") return this.#timer ? this.pause() : this.#play();
    this.jump(/** @type {any} */ ({ first: 0, back: this.#step - 1, next: this.#step + 1, last: this.#last })[what]);
  }

  #play() {
    if (this.#step === this.#last) this.#go(0, true);
    this.#timer = setInterval(() => {
      if (this.#step < this.#last) this.#go(this.#step + 1, true);
      if (this.#step === this.#last) this.pause();
    }, PACE);
    this.#show("play", "pause");
  }

  /**
   * @param {string} name
   * @param {string} what
   */
  #show(name, what) {
    const button = this.#buttons[name];
    const label = say(`match.controls.${what}`);
    button.title = label;
    button.setAttribute("aria-label", label);
    const icon = draw("path", { d: ICONS[what] });
    button.replaceChildren(draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, icon));
  }
}

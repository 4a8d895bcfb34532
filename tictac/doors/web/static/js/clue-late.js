// Clue's face, which is fetched when a table needs it: few do, and it is as large as the rest of the page's boards.

import { $, addStyle, make } from "./dom.js";
import { say } from "./texts.js";

/** A face as view.js has them. */
export class LateClue {
  element = make("div", { class: "clue" });
  #choose;
  #face = null;
  #table = null;
  #isLoading = false;
  #isAwaited = false;

  constructor(choose) {
    this.#choose = choose;
  }

  get keys() {
    return this.#face?.keys ?? "";
  }

  render(table) {
    this.#table = table;
    if (this.#face) this.#face.render(table);
    else if (!this.#isLoading) this.#load();
  }

  focus() {
    this.#isAwaited = true;
    this.#face?.focus();
  }

  async #load() {
    this.#isLoading = true;
    try {
      const [{ Clue }, answer] = await Promise.all([import("./clue.js"), fetch("/api/games/clue"), addStyle("/css/clue.css")]);
      if (!answer.ok) throw new TypeError(answer.status);
      this.#face = new Clue(this.element, this.#choose, await answer.json());
      this.#face.render(this.#table);
      if (this.#isAwaited && document.activeElement === $("table-title")) this.#face.focus();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has arrived
      this.element.replaceChildren(make("p", { class: "error" }, say("clue.notLoaded")));
    } finally {
      this.#isLoading = false;
    }
  }
}

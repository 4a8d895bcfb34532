// The list of tournaments: those that run or can be entered, and those that are over.

import { dress, explain, has, read } from "./archive.js";
import { entryOf } from "./cup.js";
import { $, entitle, make, show, write } from "./dom.js";
import { say } from "./texts.js";

/** So many of them. */
const MOST = 50;

/** Milliseconds until the list is asked for again. */
const PAUSE = 10_000;

export class CupsView {
  #title = make("h1", { id: "tournaments-title", tabIndex: -1 }, say("cup.title"));
  #note = make("p", { class: "note", id: "tournaments-note", hidden: true });
  #lists = make("div", { class: "cups" });
  #timer = null;

  constructor() {
    const names = { class: "view cups-page", id: "tournaments", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#note, this.#lists));
  }

  async open() {
    this.close();
    const timer = (this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE));
    await dress();
    if (timer !== this.#timer) return;
    show("tournaments");
    entitle(say("cup.title"));
    this.#title.focus();
    await this.#look();
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look() {
    try {
      if (!(await has("tournaments"))) return write(this.#note, say("cup.unknownHere"));
      const { tournaments } = await read(["tournaments"], { limit: MOST });
      this.#render(tournaments);
      write(this.#note, tournaments.length ? "" : say("cup.none"));
    } catch (error) {
      write(this.#note, explain(error));
    }
  }

  #render(tournaments) {
    const parts = [
      ["running", tournaments.filter(({ state }) => state !== "over")],
      ["past", tournaments.filter(({ state }) => state === "over")],
    ];
    this.#lists.replaceChildren(
      ...parts.filter(([, some]) => some.length).map(([name, some]) =>
        make("section", { class: "card" }, make("h2", {}, say(`cup.${name}`)), make("ul", {}, ...some.map(entryOf)))),
    );
  }
}

// The list of tournaments: those that run or can be entered, and those that are over.

import { has, read } from "./archive.js";
import { dress, explain } from "./archived.js";
import { entryOf, ladderEntryOf, readLadders } from "./cup.js";
import { CupForm } from "./cupform.js";
import { $, entitle, make, refill, show, write } from "./dom.js";
import { drawNothing } from "./nothing.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

/** So many of them. */
const MOST = 50;

/** Milliseconds until the list is asked for again. */
const PAUSE = 10_000;

export class CupsView {
  #title = make("h1", { id: "tournaments-title", tabIndex: -1 }, say("cup.title"));
  #note = make("p", { class: "note", id: "tournaments-note", hidden: true });
  #lists = make("div", { class: "cups" });
  #makers = make("p", { class: "hint", id: "cup-makers", hidden: true }, say("cup.makers"));
  #none = make(
    "div",
    { class: "card empty", hidden: true },
    ...drawNothing(
      "vega",
      say("cup.none"),
      say("cup.noneHint"),
      make("a", { class: "button main", href: "/" }, say("page.play")),
      make("a", { class: "button", href: "/watch" }, say("lobby.watch")),
    ),
    this.#makers,
  );
  #session;
  #form;
  #new = make("button", { type: "button", class: "main", id: "cup-new", hidden: true }, say("cup.form.title"));
  #stay = new Stay();
  #timer = 0;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.#form = new CupForm(session);
    session.addEventListener("ready", () => this.#timer && this.#offer());
    session.addEventListener("ended", () => this.#timer && this.#offer());
    const names = { class: "view cups-page", id: "tournaments", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(
      make(
        "section",
        names,
        make("div", { class: "cup-head" }, this.#title, this.#new),
        this.#form.element,
        this.#note,
        this.#none,
        this.#lists,
      ),
    );
  }

  async open() {
    this.close();
    this.#stay.begin();
    this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE);
    await this.#stay.here(dress());
    show("tournaments");
    entitle(say("cup.title"));
    this.#title.focus();
    await Promise.all([this.#look(), this.#offer()]);
  }

  /** Offer to make one to who may. */
  async #offer() {
    this.#form.element.hidden = this.#new.hidden = this.#makers.hidden = true;
    if (!this.#session.user || this.#session.isGuest) return;
    const asked = this.#session.ask({ do: "tournaments", limit: 1, rights: true }).catch(() => ({}));
    /** @type {{ rights?: Wire.Rights }} */
    const { rights } = await this.#stay.here(asked);
    this.#new.hidden = !rights;
    this.#makers.hidden = rights !== null;
    /** @param {string} [group] */
    const show = (group) => {
      this.#new.hidden = true;
      this.#form.element.hidden = false;
      this.#form.show(rights, group);
    };
    this.#new.onclick = () => show();
    const group = new URLSearchParams(location.hash.slice(1)).get("new"); // as the desk links to it
    if (rights && group) show(group);
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#stay.end();
  }

  async #look() {
    try {
      if (!(await this.#stay.here(has("tournaments")))) {
        await this.#stay.here(read(["lobby"])); // or the server is down
        return write(this.#note, say("cup.unknownHere"));
      }
      const asked = Promise.all([read(["tournaments"], { limit: MOST }), readLadders()]);
      const [{ tournaments }, ladders] = await this.#stay.here(asked);
      this.#render(tournaments, ladders);
      write(this.#note, "");
      this.#none.hidden = tournaments.length + ladders.length > 0;
    } catch (error) {
      write(this.#note, explain(error));
    }
  }

  /**
   * @param {Wire.Tournament[]} tournaments
   * @param {Wire.Series[]} ladders
   */
  #render(tournaments, ladders) {
    /** @type {[name: string, some: any[], entry?: (head: any) => HTMLElement][]} */
    const parts = [
      ["ladders", ladders, ladderEntryOf],
      ["running", tournaments.filter(({ state }) => state !== "over")],
      ["past", tournaments.filter(({ state }) => state === "over")],
    ];
    refill(
      this.#lists,
      ...parts
        .filter(([, some]) => some.length)
        .map(([name, some, entry = entryOf]) =>
          make("section", { class: "card" }, make("h2", {}, say(`cup.${name}`)), make("ul", {}, ...some.map(entry))),
        ),
    );
  }
}

// One's own programs: an upload, and of each version its state, the report, standard error, and losses (docs/guides/programs.md).

import { attempt } from "./about.js";
import { dress, sayTime } from "./archived.js";
import { $, entitle, make, refill, show, whileBusy, write } from "./dom.js";
import { drawNothing } from "./nothing.js";
import { pathToMatch } from "./share.js";
import { Stay } from "./stay.js";
import { hasText, say } from "./texts.js";

/** States in which a version goes on by itself; the view asks again. */
const MOVING = new Set(["received", "checked", "trial"]);

/** @type {Record<string, string>} */
const LOOKS = { ladder: "good", refused: "bad" };

const EVERY = 5_000;

export class ProgramsView {
  #session;
  #logIn;
  #form;
  #stay = new Stay();
  #timer = 0;
  #title = make("h1", { id: "programs-title", tabIndex: -1 }, say("programs.title"));
  #note = make("p", { class: "note", id: "programs-note", role: "status", hidden: true });
  #file = make("input", { type: "file", id: "programs-file", accept: ".zip,application/zip", required: true });
  #list = make("ul", { id: "programs-list" });
  #detail = make("div", { class: "card stack", id: "programs-detail", hidden: true });

  /**
   * @param {Session} session
   * @param {(why: string) => void} logIn
   */
  constructor(session, logIn) {
    this.#session = session;
    this.#logIn = logIn;
    const button = make("button", { class: "main" }, say("programs.push"));
    const hint = make("p", { class: "hint", id: "programs-hint" }, say("programs.hint"));
    this.#form = make(
      "form",
      { class: "card field", noValidate: true },
      make("label", { htmlFor: this.#file.id }, say("programs.file")),
      this.#file,
      hint,
      button,
    );
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(button, () => attempt(this.#note, () => this.#push()));
    });
    const names = { class: "view stack", id: "programs", "aria-labelledby": this.#title.id, hidden: true };
    const section = make("section", names, this.#title, this.#note, this.#form, make("div", { class: "card" }, this.#list), this.#detail);
    $("main").append(section);
    session.addEventListener("ready", () => section.hidden || this.#load());
  }

  async open() {
    const { user, isGuest } = this.#session;
    if (!user || isGuest) return this.#logIn(say("programs.logIn"));
    this.#stay.begin();
    await this.#stay.here(dress());
    show("programs");
    entitle(say("programs.title"));
    this.#title.focus();
    await this.#load();
  }

  close() {
    clearTimeout(this.#timer);
    this.#stay.end();
    this.#detail.hidden = true;
    write(this.#note, "");
  }

  async #load() {
    clearTimeout(this.#timer);
    await attempt(this.#note, async () => {
      await this.#stay.here(this.#session.connect());
      const { programs } = await this.#stay.here(this.#session.ask({ do: "programs" }));
      refill(
        this.#list,
        ...(programs.length
          ? programs.map((/** @type {Wire.Version} */ one) => this.#row(one))
          : [make("li", { class: "empty" }, ...drawNothing("ada", say("programs.none"), say("programs.noneHint")))]),
      );
      if (programs.some((/** @type {Wire.Version} */ { state }) => MOVING.has(state))) this.#timer = setTimeout(() => this.#load(), EVERY);
    });
  }

  /** @param {Wire.Version} version */
  #row({ number, name, series, state, changed, games, lost }) {
    const open = make("button", { type: "button", class: "less" }, say("programs.version", { number }));
    open.addEventListener("click", () => whileBusy(open, () => attempt(this.#note, () => this.#open(number))));
    const about = [name, series, sayTime(changed), ...(games ? [say("programs.games", { count: games, lost })] : [])]
      .filter(Boolean)
      .join(" · ");
    return make(
      "li",
      {},
      make("div", { class: "row" }, open, make("span", { class: `badge ${LOOKS[state] ?? ""}` }, say(`programs.is.${state}`))),
      make("p", { class: "hint" }, about),
    );
  }

  /** @param {number} number */
  async #open(number) {
    const { report, stderr, losses } = await this.#stay.here(this.#session.ask({ do: "programs", number }));
    /** @type {HTMLElement[]} */
    const parts = [make("h2", { id: "programs-version", tabIndex: -1 }, say("programs.version", { number }))];
    for (const [name, text] of [
      ["report", report],
      ["stderr", stderr],
    ])
      if (text) parts.push(make("h3", {}, say(`programs.${name}`)), make("pre", { tabIndex: 0 }, text));
    if (losses.length)
      parts.push(
        make("h3", {}, say("programs.losses")),
        make("ul", {}, ...losses.toReversed().map((/** @type {object} */ loss) => this.#loss(loss))),
      );
    if (parts.length === 1) parts.push(make("p", {}, say("programs.nothing")));
    this.#detail.replaceChildren(...parts);
    this.#detail.hidden = false;
    parts[0].focus();
  }

  /** @param {any} loss */
  #loss({ match, at, how, against, words }) {
    const when = at ? sayTime(at) : "";
    const game = match ? make("a", { href: pathToMatch(match) }, when || match) : when;
    const why = hasText(`ends.${how}.iLost`) ? say(`ends.${how}.iLost`) : "";
    return make("li", {}, game, " ", [against, why, words].filter(Boolean).join(" · "));
  }

  async #push() {
    const [file] = /** @type {FileList} */ (this.#file.files);
    if (!file) return;
    const { upload, largest } = await this.#stay.here(this.#session.ask({ do: "push" }));
    if (file.size > largest) return write(this.#note, say("programs.large", { count: largest >> 10 }));
    const answer = await this.#stay.here(
      fetch(upload, { method: "POST", body: file, headers: { "content-type": "application/zip" } }).catch(() => null),
    );
    const found = await this.#stay.here(answer?.json().catch(() => null));
    write(this.#note, answer?.ok && found ? say("programs.pushed", { number: found.number }) : (found?.message ?? say("programs.failed")));
    this.#form.reset();
    await this.#load();
  }
}

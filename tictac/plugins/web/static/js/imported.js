// A game of another program, from a file or pasted text, step by step. The server reads it, and keeps nothing.

import { readGames } from "./archive.js";
import { dress, sayDay } from "./archived.js";
import { $, announce, entitle, make, show, write } from "./dom.js";
import { drawn, fetchFace, knowsFaces, learnFaces } from "./faces.js";
import { Replay } from "./replay.js";
import { Steps } from "./steps.js";
import { readMessage, say } from "./texts.js";

/** The most bytes that the server takes. */
const MOST = 64 << 10;

/** A match that began before this has no date. */
const UNKNOWN = Date.UTC(1970, 0, 3);

export class ImportView {
  #steps = new Steps("import", () => {});
  #title = make("h1", { id: "import-title", tabIndex: -1 }, say("import.name"));
  #text = make("textarea", { id: "import-text", rows: 8, spellcheck: false, autocomplete: "off", "aria-describedby": "import-hint" });
  #file = make("input", { type: "file", id: "import-file", accept: ".pgn,.sgf,text/plain" });
  #note = make("p", { class: "note", id: "import-note", role: "alert" });
  #about = make("p", { class: "hint", id: "import-about" });
  /** The matches of a file that has several, and why there aren't more. */
  #list = make("ol", { id: "import-list", "aria-labelledby": "import-count" });
  #count = make("h2", { id: "import-count" });
  #rest = make("p", { class: "hint", id: "import-rest" });
  #picker = make("section", { class: "card field", "aria-labelledby": "import-count", hidden: true }, this.#count, this.#list, this.#rest);
  /** @type {HTMLElement[]} */
  #parts;
  #asked = 0;

  constructor() {
    const form = make(
      "form",
      { class: "card field import", noValidate: true },
      make("label", { htmlFor: this.#text.id }, say("import.text")),
      this.#text,
      make("label", { htmlFor: this.#file.id }, say("import.file")),
      this.#file,
      make("p", { class: "hint", id: "import-hint" }, say("import.hint", { count: MOST >> 10 })),
      make("button", { class: "main", id: "import-go" }, say("import.go")),
      this.#note,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#read(this.#text.value);
    });
    this.#file.addEventListener("change", async () => {
      const [file] = /** @type {FileList} */ (this.#file.files);
      if (!file) return;
      if (file.size > MOST) return this.#complain(say("import.large", { count: MOST >> 10 }));
      this.#text.value = await file.text();
      this.#read(this.#text.value);
    });
    const stage = make("div", { class: "stage" }, this.#steps.board, this.#steps.controls.element, this.#steps.state);
    const side = make("div", { class: "beside" }, this.#picker, this.#steps.moves.element);
    this.#parts = [stage, side];
    for (const part of this.#parts) part.hidden = true;
    const head = make("div", { class: "head" }, this.#title, this.#about);
    const names = { class: "view replay", id: "import", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, head, ...this.#parts, form));
  }

  /** Show the form. */
  async open() {
    await dress();
    show("import");
    entitle(say("import.name"));
    this.#title.focus();
  }

  /** Forget the game. */
  close() {
    this.#asked += 1;
    this.#steps.close();
    for (const part of [...this.#parts, this.#picker]) part.hidden = true;
    write(this.#title, say("import.name"));
    write(this.#about, "");
  }

  /** @param {string} text */
  #complain(text) {
    write(this.#note, text);
  }

  /** @param {string} text */
  async #read(text) {
    if (!text.trim()) return this.#complain(say("import.none"));
    if (new Blob([text]).size > MOST) return this.#complain(say("import.large", { count: MOST >> 10 }));
    const asked = (this.#asked += 1);
    this.#complain(say("import.reading"));
    try {
      const response = await fetch("/import", { method: "POST", body: text });
      const answer = readMessage(await response.text());
      if (!knowsFaces()) learnFaces(await readGames());
      for (const game of new Set(answer.matches?.map((/** @type {any} */ match) => match.game))) await fetchFace(game);
      if (asked !== this.#asked) return;
      if (!response.ok) return this.#complain(say(answer.error === "bad-file" ? "import.bad" : "import.busy", { why: answer.message }));
      this.#offer(answer);
      this.#show(answer.matches[0]);
    } catch {
      if (asked === this.#asked) this.#complain(say("connection.unreachable"));
    }
  }

  /**
   * List the matches of a file, if it has several.
   * @param {{ matches: any[], rest: string }} told
   */
  #offer({ matches, rest }) {
    this.#picker.hidden = matches.length < 2 && !rest;
    write(this.#count, say("import.matches", { count: matches.length }));
    write(this.#rest, rest && say("import.rest", { why: rest }));
    this.#list.replaceChildren(
      ...matches.map((match) => {
        const { players, began, winner } = match;
        const names = players.map((/** @type {Wire.Who} */ { name }) => name).join(" – ");
        const result = winner === null ? say("import.even") : say("import.won", { user: players[winner].name });
        const day = Date.parse(began) < UNKNOWN ? [] : [sayDay(began)];
        const button = make("button", { type: "button", class: "quiet" }, make("b", {}, names), ` ${[result, ...day].join(" · ")}`);
        button.addEventListener("click", () => this.#show(match));
        return make("li", {}, button);
      }),
    );
  }

  /** @param {any} match */
  #show(match) {
    if (!drawn().includes(match.game)) return;
    const replay = new Replay(match);
    this.#complain("");
    const { players } = replay.about;
    const { title } = replay.steps[0].table;
    const names = players.map((/** @type {Wire.Who} */ { name }) => name).join(", ");
    write(this.#title, title);
    write(this.#about, names);
    entitle(say("match.title", { title, names }));
    for (const part of this.#parts) part.hidden = false;
    this.#steps.show(replay, () => {});
    this.#steps.jump(Infinity);
    this.#title.focus();
    announce(say("match.title", { title, names }));
  }
}

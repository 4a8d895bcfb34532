// Codes of eight letters: one for another terminal of the own account; or the one on a slip, which sets a password.

import { attempt } from "./about.js";
import { $, addStyle, copyText, entitle, make, show, whileBusy, write } from "./dom.js";
import { Refused } from "./session.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

export class CodeView {
  #session;
  #replace;
  #stay = new Stay();
  #title = make("h1", { id: "code-title", tabIndex: -1 });
  #note = make("p", { class: "note", id: "code-note", role: "status", hidden: true });
  #own = make("div", { class: "card stack", id: "code-own" });
  #made = make("p", { class: "code-made", id: "code-made", hidden: true });
  #ends = make("p", { class: "hint", hidden: true });
  #form = make("form", { class: "card stack", id: "code-use", noValidate: true });
  #code = make("input", {
    id: "code-typed",
    autocomplete: "one-time-code",
    autocapitalize: "none",
    spellcheck: false,
    maxLength: 20,
    required: true,
  });
  #password = make("input", { id: "code-password", type: "password", autocomplete: "new-password" });
  #choose = make("div", { class: "field", id: "code-choose", hidden: true });

  /**
   * @param {Session} session
   * @param {(why?: string) => void} shut
   * @param {unknown} at
   * @param {(room: string) => void} watch
   * @param {unknown} play
   * @param {unknown} challenge
   * @param {(path: string) => void} replace
   */
  constructor(session, shut, at, watch, play, challenge, replace) {
    this.#session = session;
    this.#replace = replace;
    const get = make("button", { type: "button", class: "main", id: "code-get" }, say("desk.codeGet"));
    const copy = make("button", { type: "button", class: "quiet" }, say("desk.copy"));
    copy.addEventListener("click", () => copyText(`code ${this.#made.textContent}`));
    get.addEventListener("click", () => whileBusy(get, () => attempt(this.#note, () => this.#make(copy))));
    copy.hidden = true;
    this.#own.append(
      make("p", {}, say("desk.codeHint")),
      make("div", { class: "row" }, get),
      this.#made,
      make("div", { class: "row" }, copy),
      this.#ends,
    );
    this.#choose.append(
      make("label", { htmlFor: this.#password.id }, say("desk.codePassword")),
      this.#password,
      make("p", { class: "hint" }, say("desk.codeKeep")),
    );
    const send = make("button", { class: "main" }, say("signIn.logIn"));
    const typed = make("div", { class: "field" }, make("label", { htmlFor: this.#code.id }, say("desk.codeLabel")), this.#code);
    this.#form.append(make("p", { class: "hint" }, say("desk.codeUse")), typed, this.#choose, send);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(send, () => attempt(this.#note, () => this.#use()));
    });
    const section = make(
      "section",
      { class: "view stack narrow-view", id: "code-view", "aria-labelledby": this.#title.id, hidden: true },
      this.#title,
      this.#note,
      this.#own,
      this.#form,
    );
    $("main").append(section);
    session.addEventListener("ready", () => section.hidden || this.#show());
  }

  async open() {
    this.#stay.begin();
    // What a QR code of a slip adds to the address isn't sent to the server, and shan't stay in the history.
    if (location.hash.length > 1) {
      this.#code.value = decodeURIComponent(location.hash.slice(1));
      history.replaceState(null, "", location.pathname);
    }
    await this.#stay.here(addStyle("/css/desk.css"));
    show("code-view");
    this.#show();
    this.#title.focus();
  }

  close() {
    this.#stay.end();
    for (const input of [this.#code, this.#password]) input.value = "";
    for (const part of [this.#made, this.#ends, this.#choose]) part.hidden = true;
    write(this.#note, "");
  }

  /** A code for another terminal, to who is logged in; otherwise a form. A slip comes first. */
  #show() {
    const { user, isGuest } = this.#session;
    const isOwn = Boolean(user) && !isGuest && !this.#code.value;
    this.#own.hidden = !isOwn;
    this.#form.hidden = isOwn;
    const title = say(isOwn ? "desk.code" : "desk.codeTitle");
    write(this.#title, title);
    entitle(title);
  }

  /** @param {HTMLElement} copy */
  async #make(copy) {
    const { code, seconds } = await this.#stay.here(this.#session.ask({ do: "code" }));
    write(this.#made, code);
    write(this.#ends, say("desk.codeEnds", { count: Math.round(seconds / 60) }));
    copy.hidden = false;
  }

  async #use() {
    const password = this.#choose.hidden ? {} : { password: this.#password.value };
    if (this.#session.user) await this.#session.leave(); // the slip is for somebody else, perhaps
    await this.#stay.here(this.#session.connect());
    let told;
    try {
      told = await this.#stay.here(this.#session.ask({ do: "code", code: this.#code.value, ...password }));
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "password-needed") throw error;
      this.#choose.hidden = false;
      this.#password.focus();
      return write(this.#note, error.message);
    }
    const { user, token } = told;
    await this.#session.enter(token ? { do: "login", user, token } : { do: "login", user, ...password }, true);
    this.#replace("/");
  }
}

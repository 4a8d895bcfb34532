// What the server keeps, and for how long; and the data of an account: as files, or deleted (docs/guides/privacy.md).

import { attempt } from "./about.js";
import { read } from "./archive.js";
import { dress, saveFile } from "./archived.js";
import { $, entitle, make, show, whileBusy, write } from "./dom.js";
import { ask } from "./question.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

export class PrivacyView {
  #session;
  #stay = new Stay();
  #title = make("h1", { id: "privacy-title", tabIndex: -1 }, say("privacy.title"));
  #facts = make("ul", { id: "privacy-facts" });
  #contact = make("p", { id: "privacy-contact" });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #own = make("div", { class: "card stack", id: "privacy-own" });
  #blocked = make("ul", { id: "privacy-blocked" });

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    const download = make("button", { type: "button", id: "privacy-export" }, say("privacy.export"));
    const password = make("input", { id: "privacy-password", type: "password", autocomplete: "current-password", required: true });
    const remove = make("button", { class: "danger" }, say("privacy.delete"));
    const form = make(
      "form",
      { class: "stack", id: "privacy-delete" },
      make("p", { class: "hint" }, say("privacy.deleteHint")),
      make("label", { htmlFor: password.id }, say("signIn.password")),
      password,
      remove,
    );
    this.#own.append(
      make("h2", {}, say("privacy.own")),
      this.#note,
      make("p", { class: "hint" }, say("privacy.exportHint")),
      make("div", { class: "row" }, download),
      make("h3", {}, say("privacy.blocked")),
      this.#blocked,
      make("h3", {}, say("privacy.delete")),
      form,
    );
    download.addEventListener("click", () => whileBusy(download, () => attempt(this.#note, () => this.#export())));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(remove, () => this.#delete(password));
    });
    const rights = make("p", {}, say("privacy.rights"));
    const section = make(
      "section",
      { class: "view stack", id: "privacy", "aria-labelledby": this.#title.id, hidden: true },
      this.#title,
      make("div", { class: "card stack" }, make("p", {}, say("privacy.intro")), this.#facts, rights, this.#contact),
      this.#own,
    );
    $("main").append(section);
    session.addEventListener("ready", () => section.hidden || this.#show());
  }

  async open() {
    this.#stay.begin();
    await this.#stay.here(dress());
    const facts = await this.#stay.here(read(["privacy"]).catch(() => null));
    if (facts) this.#facts.replaceChildren(...sayFacts(facts).map((text) => make("li", {}, text)));
    const { contact } = facts ?? {};
    this.#contact.replaceChildren(
      ...(contact
        ? [say("privacy.contact"), " ", make("a", { href: contact }, contact.replace(/^mailto:/, ""))]
        : [say("privacy.noContact")]),
    );
    show("privacy");
    entitle(say("privacy.title"));
    this.#title.focus();
    await this.#show();
  }

  close() {
    this.#stay.end();
    write(this.#note, "");
  }

  /** Show what an account can do; nothing to others. */
  async #show() {
    const { user, isGuest } = this.#session;
    this.#own.hidden = !user || isGuest;
    if (this.#own.hidden) return;
    await attempt(this.#note, async () => {
      await this.#stay.here(this.#session.connect());
      this.#render((await this.#stay.here(this.#session.ask({ do: "block" }))).blocks);
    });
  }

  /** @param {Record<string, string>} blocks */
  #render(blocks) {
    const rows = Object.entries(blocks).map(([user, how]) => {
      const button = make("button", { type: "button", "aria-label": `${say("privacy.end")}: ${user}` }, say("privacy.end"));
      button.addEventListener("click", () =>
        whileBusy(button, () =>
          attempt(this.#note, async () => this.#render((await this.#session.ask({ do: "block", user, how: "off" })).blocks)),
        ),
      );
      return make("li", {}, make("bdi", {}, user), " · ", say(`privacy.is.${how}`), " ", button);
    });
    this.#blocked.replaceChildren(...(rows.length ? rows : [make("li", {}, say("privacy.nobody"))]));
  }

  /** Offer all that the server keeps as two files. */
  async #export() {
    /** @type {Record<string, any>} */
    const found = {};
    for (let first = /** @type {number | null} */ (0); first !== null;) {
      const { export: more, next } = await this.#stay.here(this.#session.ask({ do: "export", first }));
      merge(found, more);
      first = next;
    }
    /** @type {Wire.Match[]} */
    const matches = [];
    for (const match of found.matches?.ids ?? []) matches.push((await this.#stay.here(this.#session.ask({ do: "match", match }))).match);
    if (matches.length) found.matches = matches;
    saveFile("tictac.json", JSON.stringify(found, null, 1), "application/json");
    saveFile("tictac.txt", spell(found), "text/plain");
    write(this.#note, say("privacy.exported"));
  }

  /** @param {HTMLInputElement} password */
  async #delete(password) {
    const answers = { yes: say("privacy.delete"), no: say("privacy.keep") };
    if (!(await ask({ title: say("privacy.delete"), text: say("privacy.deleteHint"), ...answers }))) return;
    /** @type {Asked<"delete">} */
    const request = { do: "delete", password: password.value };
    if (!(await attempt(this.#note, () => this.#session.ask(request)))) return;
    password.value = "";
    await this.#session.leave();
    write(this.#note, "");
    location.assign("/");
  }
}

/**
 * What is kept, and for how long, in sentences.
 * @param {any} facts
 */
function sayFacts({ visitors, days, logs, notices }) {
  /**
   * @param {string} what
   * @param {number | null} count
   */
  const during = (what, count) => say(`privacy.${what}${count === 0 ? "None" : count === null ? "Always" : ""}`, { count: count ?? 0 });
  return [
    say("privacy.account"),
    during("token", days.token),
    during("match", days.match),
    say("privacy.ratings"),
    say("privacy.kept"),
    during("tournament", days.tournament),
    ...(notices ? [say("privacy.addresses")] : []),
    say("privacy.texts"),
    during("logs", logs),
    say("privacy.backups"),
    say("privacy.browser"),
    say(`privacy.visitors.${visitors}`),
  ];
}

/**
 * Add a further part of an export, whose lists go on.
 * @param {Record<string, any>} found
 * @param {Record<string, object>} more
 */
function merge(found, more) {
  for (const [name, section] of Object.entries(more)) {
    const known = (found[name] ??= {});
    for (const [field, value] of Object.entries(section)) known[field] = Array.isArray(value) ? [...(known[field] ?? []), ...value] : value;
  }
}

/**
 * JSON as lines for people.
 * @param {any} value
 * @param {string} [indent]
 * @returns {string}
 */
function spell(value, indent = "") {
  /** @param {any} each */
  const isDeep = (each) => each && typeof each === "object" && Object.keys(each).length;
  const entries = Array.isArray(value) ? value.map((each) => ["-", each]) : Object.entries(value).map(([name, each]) => [`${name}:`, each]);
  return entries
    .map(([name, each]) =>
      isDeep(each) ? `${indent}${name}\n${spell(each, `${indent}  `)}` : `${indent}${name} ${typeof each === "object" ? "" : each}\n`,
    )
    .join("");
}

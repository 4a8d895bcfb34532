// Looking after the server (docs/guides/accounts.md): who is on, the rooms, bans; for admins, who are told apart by
// the server.

import { dress, readTitles, sayTime } from "./archived.js";
import { $, announce, entitle, make, show, whileBusy, write } from "./dom.js";
import { nameOf } from "./names.js";
import { ask } from "./question.js";
import { Lost, Refused } from "./session.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

/** For how long one may be banned, in hours; 0: for ever. */
const HOURS = [1, 24, 168, 0];

/**
 * What the lists tell; in the last column are the buttons.
 * @type {Record<string, string[]>}
 */
const COLUMNS = {
  on: ["user", "address", "door", "since", "acts"],
  rooms: ["room", "game", "players", "acts"],
  bans: ["whom", "until", "acts"],
};

/**
 * How long a ban is.
 * @param {number} hours
 */
function spell(hours) {
  return hours ? say("admin.hours", { count: hours }) : say("admin.forEver");
}

export class AdminView {
  #session;
  #watch;
  #titles = new Map();
  #title = make("h1", { id: "admin-title", tabIndex: -1 }, say("admin.title"));
  #note = make("p", { class: "note", id: "admin-note", role: "status" });
  #text = make("input", { id: "admin-text", maxLength: 500, autocomplete: "off" });
  #hours = make("select", { id: "admin-hours" });
  #lists = make("div", { id: "admin-lists" });
  #parts;
  #stay = new Stay();

  /**
   * `watch` shows a room.
   * @param {Session} session
   * @param {unknown} leave
   * @param {unknown} at
   * @param {(room: string) => void} watch
   */
  constructor(session, leave, at, watch) {
    this.#session = session;
    this.#watch = watch;
    session.addEventListener("ready", () => /** @type {HTMLElement} */ (this.#title.closest(".view")).hidden || this.#look());
    const send = make("button", {}, say("admin.announce"));
    const label = make("label", { htmlFor: "admin-text" }, say("admin.text"));
    const form = make("form", { id: "admin-announce", class: "card" }, label, this.#text, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(send, async () => {
        if (await this.#act({ act: "announce", text: this.#text.value })) form.reset();
      });
    });
    const again = make("button", { type: "button", id: "admin-again" }, say("admin.again"));
    again.addEventListener("click", () => whileBusy(again, () => this.#look()));
    this.#hours.append(...HOURS.map((value) => make("option", { value }, spell(value))));
    const choice = make("label", { class: "check", htmlFor: this.#hours.id }, say("admin.howLong"), " ", this.#hours);
    const desk = make("a", { class: "button", href: "/desk" }, say("desk.title"));
    const tools = make("div", { class: "row" }, again, desk, choice);
    this.#parts = [tools, form, this.#lists];
    const names = { class: "view admin", id: "admin", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#note, tools, form, this.#lists));
  }

  async open() {
    this.#stay.begin();
    this.#show(false);
    await this.#stay.here(dress());
    show("admin");
    entitle(say("admin.title"));
    this.#title.focus();
    write(this.#note, "");
    await this.#look();
  }

  close() {
    this.#stay.end();
  }

  /**
   * Show the controls, to admins.
   * @param {boolean} isAdmin
   */
  #show(isAdmin) {
    for (const part of this.#parts) part.hidden = !isAdmin;
  }

  /** Ask for everything there is to see. */
  async #look() {
    const lists = [];
    if (!this.#titles.size) this.#titles = await this.#stay.here(readTitles());
    for (const act of ["on", "rooms", "bans"]) {
      const found = await this.#ask({ act });
      if (!found) return this.#show(false);
      const heads = COLUMNS[act].map((name) => make("th", { scope: "col" }, say(`admin.heads.${name}`)));
      const rows = found[act].map((/** @type {any} */ one) => make("tr", {}, ...this.#cells(act, one)));
      const title = say(`admin.${act}`, { number: found.count });
      const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
      lists.push(make("section", { class: "card" }, make("h2", {}, title), ...(rows.length ? [table] : [])));
    }
    this.#lists.replaceChildren(...lists);
    this.#show(true);
  }

  /**
   * @param {string} act
   * @param {any} one
   */
  #cells(act, one) {
    /** @param {...Child} parts */
    const cell = (...parts) => make("td", {}, ...parts);
    if (act === "rooms") {
      const players = one.players
        .map((/** @type {string | null} */ player) => (player ? nameOf(player, one.computers) : say("admin.nobody")))
        .join(", ");
      return [cell(one.room), cell(this.#titles.get(one.game) ?? one.game), cell(players), cell(this.#link(one.room))];
    }
    const who = one.user ?? one.address;
    const whom = one.user ? { user: one.user } : { address: one.address };
    if (act === "bans") {
      const until = one.until ? sayTime(one.until) : say("admin.forEver");
      return [cell(who), cell(until), cell(this.#button("unban", whom))];
    }
    const ban = this.#button("ban", whom, () => ({ seconds: Number(this.#hours.value) * 3600 }));
    // An address may be that of the whole class, so it isn't a click away; nor can guests be known again.
    const isOther = one.user && one.user !== this.#session.user && one.door !== "operator";
    const acts = isOther ? [this.#button("kick", whom), ban] : [];
    if (one.user?.startsWith("guest-")) acts.pop();
    return [cell(one.user ?? ""), cell(one.address), cell(one.door), cell(sayTime(one.since)), cell(...acts)];
  }

  /** @param {string} room */
  #link(room) {
    const button = make("button", { type: "button", class: "quiet" }, say("lobby.watch"));
    button.addEventListener("click", () => this.#watch(room));
    return button;
  }

  /**
   * @param {string} act
   * @param {Whom} whom
   * @param {() => object} [more]
   */
  #button(act, whom, more = () => ({})) {
    const name = { who: whom.user ?? whom.address };
    const button = make("button", { type: "button", class: "quiet", "aria-label": say(`admin.doTo.${act}`, name) }, say(`admin.do.${act}`));
    const work = async () => {
      const request = { act, ...whom, ...more() };
      if (act === "unban" || (await this.#isSure(request))) await this.#act(request);
    };
    button.addEventListener("click", () => whileBusy(button, work));
    return button;
  }

  /**
   * Whether the admin means it.
   * @param {any} request
   */
  #isSure({ act, user, seconds }) {
    const words = { who: user, time: spell(seconds / 3600) };
    const answers = { yes: say(`admin.do.${act}`), no: say("admin.cancel") };
    return ask({ title: say(`admin.askTitle.${act}`, words), text: say(`admin.ask.${act}`, words), ...answers });
  }

  /**
   * Do something, and look again; whether it was done.
   * @param {object} request
   */
  async #act(request) {
    const done = await this.#ask(request);
    if (!done) return false;
    write(this.#note, say("admin.done"));
    announce(say("admin.done"));
    await this.#look();
    return true;
  }

  /**
   * @param {any} request
   * @returns {Promise<any>}
   */
  async #ask(request) {
    try {
      return await this.#stay.here(this.#session.ask({ do: "admin", ...request }));
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      write(this.#note, error.message);
      return null;
    }
  }
}

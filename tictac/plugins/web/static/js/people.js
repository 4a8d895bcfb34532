// Who is online, and challenges: fetched when somebody comes to the lobby, or is challenged.

import { sayTimeControl } from "./clocks.js";
import { $, announce, make, makeAvatar, whileBusy, write } from "./dom.js";
import { MOST } from "./boards.js";
import { nameOf } from "./names.js";
import { showAll } from "./rooms.js";
import { Lost, Refused } from "./session.js";
import { choose } from "./settings.js";
import { say } from "./texts.js";

/**
 * What a challenge is for.
 * @typedef {{ game: string, options?: Wire.Options, clock?: TimeControl | null, rated?: boolean }} Terms
 *
 * What the server tells of a challenge: that somebody is challenged, and what has become of it.
 * @typedef {Extract<Wire.Event, { event: "challenge", state: "open" }>} Challenge
 * @typedef {Exclude<Extract<Wire.Event, { event: "challenge" }>, Challenge>} Outcome
 *
 * A row of the list, with the person that it shows as JSON.
 * @typedef {HTMLElement & { dataset: { person: string } }} Row
 */

/**
 * An answer; null if the request is refused, undefined without a connection.
 * @template {keyof Wire.Requests} D
 * @typedef {Wire.Answers[D] | null | undefined} Answer
 */

export class People {
  #session;
  #expect;
  #watch;
  #terms;
  /** @type {Map<string, Wire.Person>} */
  #people = new Map();
  #more = 0;
  /** @type {Map<string, { user: string, box: HTMLElement, back: string }>} */
  #challenges = new Map();
  #about = make("p", { class: "hint" });
  #hidden = make("input", { id: "people-hidden", type: "checkbox" });
  #list = make("ul", { class: "people-list" });
  #all = make("button", { type: "button", class: "link" });
  #note = make("p", { class: "hint", role: "status", hidden: true });

  /**
   * `expect` is told of a room that will come; `watch(room)` goes there; `terms()` are those of a challenge.
   * @param {Session} session
   * @param {(expected: Expected) => void} expect
   * @param {(room: string) => void} watch
   * @param {() => { title: string, request: Terms }} terms
   */
  constructor(session, expect, watch, terms) {
    this.#session = session;
    this.#expect = expect;
    this.#watch = watch;
    this.#terms = terms;
    showAll(this.#all, this.#list);
    $("open").addEventListener("change", () => this.#say());
    const hidden = make("div", { class: "check" }, this.#hidden, make("label", { htmlFor: "people-hidden" }, say("people.hide")));
    $("people-body").replaceChildren(this.#about, this.#list, this.#all, this.#note, hidden);
    this.#hidden.addEventListener("change", () => {
      choose("hidden", this.#hidden.checked);
      this.#ask({ do: "account", hidden: this.#hidden.checked });
    });
  }

  /** Ask who is there, and hear of changes from now on. */
  async open() {
    /** @type {[Promise<Answer<"people">>, Promise<Answer<"account">>]} */
    const answers = [this.#ask({ do: "people" }), this.#ask({ do: "account" })];
    const [told, settings] = await Promise.all(answers);
    if (!told || !settings) return; // such as by a server without them
    $("people").hidden = $("open-challenge").hidden = false;
    this.#hidden.checked = settings.hidden;
    this.#people = new Map((told.people ?? []).map((person) => [person.user, person]));
    this.#more = told.more ?? told.counts.people - 1;
    this.#render();
  }

  /** Hear of changes no more. */
  close() {
    this.#ask({ do: "people", follow: false });
  }

  /**
   * Take an event `people` or `challenge`.
   * @param {Challenge | Outcome | Extract<Wire.Event, { event: "people" }>} event
   */
  heard(event) {
    if (event.event === "challenge") return event.state === "open" ? this.#challenged(event) : this.#ended(event);
    if ($("lobby").hidden) return this.close();
    for (const user of event.gone) this.#people.delete(user);
    for (const person of event.changed) this.#people.set(person.user, person);
    this.#more = event.more;
    this.#render();
  }

  /** Nobody is logged in, or somebody anew: what stood is over. */
  forget() {
    for (const { box } of this.#challenges.values()) box?.remove();
    this.#challenges.clear();
    $("challenges").hidden = true;
  }

  /** Say what a challenge is for. */
  #say() {
    const {
      title,
      request: { clock, rated },
    } = this.#terms();
    const about = [title, clock ? sayTimeControl(clock) : say("table.noClock"), rated && say("rooms.rated")];
    write(this.#about, say("people.terms", { about: about.filter(Boolean).join(", ") }));
  }

  #render() {
    this.#say();
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.user;
    const others = [...this.#people.values()].filter(({ user }) => user !== this.#session.user);
    others.sort((one, other) => one.user.localeCompare(other.user));
    const rows = new Map(others.map((person) => [JSON.stringify(person), person]));
    // A row that stays isn't touched: it may have the focus, or be about to be clicked on.
    for (const row of /** @type {Row[]} */ ([...this.#list.children])) rows.has(row.dataset.person) || row.remove();
    let next = /** @type {Row | null} */ (this.#list.firstElementChild);
    for (const [key, person] of rows) {
      if (next?.dataset.person === key) next = /** @type {Row | null} */ (next.nextElementSibling);
      else this.#list.insertBefore(this.#row(key, person), next);
    }
    if (focused) [...this.#list.querySelectorAll("button")].find(({ dataset }) => dataset.user === focused)?.focus();
    const count = others.length + this.#more;
    $("people-count").textContent = /** @type {string} */ (count || "");
    this.#all.hidden = others.length <= MOST || !this.#list.classList.contains("few");
    this.#all.textContent = say("people.all", { count: others.length });
    const more = this.#more ? say("people.more", { count: this.#more }) : "";
    write(this.#note, others.length || more ? more : say("people.nobody"));
  }

  /**
   * @param {string} key
   * @param {Wire.Person} person
   */
  #row(key, { user, state, room, challenge }) {
    const what = make("span", { class: "what" }, make("bdi", {}, nameOf(user)), make("span", { class: "hint" }, say(`people.${state}`)));
    const row = make("li", {}, makeAvatar(user, "small"), what);
    row.dataset.person = key;
    if (room) row.append(this.#button("watch", user, () => this.#watch(room)));
    else if (challenge && state === "free") row.append(this.#button("challenge", user, () => this.challenge(user)));
    return row;
  }

  /**
   * @param {string} what
   * @param {string} user
   * @param {() => unknown} work
   */
  #button(what, user, work) {
    const button = make(
      "button",
      { type: "button", "aria-label": say(`people.label.${what}`, { user: nameOf(user) }) },
      say(`people.${what}`),
    );
    button.dataset.user = user;
    button.addEventListener("click", () => whileBusy(button, work));
    return button;
  }

  /**
   * Challenge somebody to what the `request` says, after which the path `back` is offered; a promise of why that is
   * refused, in words, if it is.
   * @param {string} user
   * @param {Terms} [request]
   * @param {string} [back]
   */
  async challenge(user, request = this.#terms().request, back = "") {
    const answer = await this.#ask({ do: "challenge", user, .../** @type {Terms & { clock: Wire.Clock }} */ (request) });
    if (answer?.room) this.#expect({ room: answer.room, key: null, again: null, back });
    else if (answer) {
      const withdraw = { name: "withdraw", work: () => this.#respond(answer.challenge, "withdraw") };
      this.#show(answer.challenge, user, say("people.asked", { user }), [withdraw], back);
    }
    return answer === null ? this.#note.textContent : "";
  }

  /** @param {Challenge} event */
  #challenged({ challenge, by, title, clock, rated, side }) {
    const about = [title, clock && sayTimeControl(clock), rated && say("form.rated")].filter(Boolean).join(", ");
    const seat = side === null ? "" : say(`people.seat${side}`);
    const answers = ["accept", "decline"].map((/** @type {any} */ name) => ({ name, work: () => this.#respond(challenge, name) }));
    this.#show(challenge, by, `${say("people.challenged", { user: by, about })} ${seat}`.trim(), answers);
  }

  /**
   * Show a challenge above every view, and let a screen reader say it.
   * @param {string} challenge
   * @param {string} user
   * @param {string} text
   * @param {{ name: string, work: () => unknown }[]} answers
   * @param {string} [back]
   */
  #show(challenge, user, text, answers, back = "") {
    const buttons = answers.map(({ name, work }) => {
      const button = make("button", { type: "button", class: name === "accept" ? "main" : "" }, say(`people.${name}`));
      button.addEventListener("click", () => whileBusy(button, work));
      return button;
    });
    const box = make("div", { class: "banner said challenge" }, make("span", {}, text), make("span", { class: "buttons" }, ...buttons));
    this.#challenges.set(challenge, { user, box, back });
    $("challenges").append(box);
    $("challenges").hidden = false;
    announce(text);
  }

  /**
   * @param {string} challenge
   * @param {"accept" | "decline" | "withdraw"} how
   */
  async #respond(challenge, how) {
    const answer = await this.#ask({ do: "respond", challenge, how });
    if (answer?.room) this.#expect({ room: answer.room, key: null, again: null });
    if (!answer) announce(this.#note.textContent);
    this.#drop(challenge);
  }

  /** @param {Outcome} event */
  #ended({ challenge, state, room }) {
    const { user, back } = this.#challenges.get(challenge) ?? {};
    this.#drop(challenge);
    if (room) this.#expect({ room, key: null, again: null, back });
    else if (user) announce(say(`people.${state}`, { user }));
  }

  /** @param {string} challenge */
  #drop(challenge) {
    this.#challenges.get(challenge)?.box.remove();
    this.#challenges.delete(challenge);
    $("challenges").hidden = !this.#challenges.size;
  }

  /**
   * Send a request; its answer, or nothing if it is refused, which is said.
   * @template {keyof Wire.Requests} D
   * @param {Asked<D>} request
   * @returns {Promise<Answer<D>>}
   */
  async #ask(request) {
    try {
      return await this.#session.ask(request);
    } catch (error) {
      // What the page asks by itself, it asks again.
      if (error instanceof Lost && ["people", "account"].includes(request.do)) return undefined;
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      write(this.#note, error.message);
      return null;
    }
  }
}

// The form that makes a tournament, for those who may: an admin, or any account where the server says so.

import { readGames } from "./archive.js";
import { QUICK, sayTimeControl } from "./clocks.js";
import { pathToCup, sayRefusal } from "./cup.js";
import { $, make, markField, refill, whileBusy, write } from "./dom.js";
import { faultOf, makeField, valueOf } from "./fields.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

const SYSTEMS = ["swiss", "arena", "round-robin", "knock-out"];

/** Minutes that an arena usually takes, and the usual clock; minutes and seconds of another one; seconds between two rounds. */
const USUAL = { minutes: 40, clock: "180+2", initial: 15, increment: 10, rest: 20 };

/** The numbers of rounds to choose among; and for their length: moves of a player. */
const ROUNDS = [3, 4, 5, 6, 7, 8, 9, 11, 13];
const MOVES = 20;

/**
 * An element that is made here.
 * @param {string} name
 */
const part = (name) => $(`cup-${name}`);

/**
 * The plan of a tournament (docs/reference/people.md).
 * @typedef {object} Plan
 * @property {string} name
 * @property {string} system
 * @property {string} game
 * @property {Record<string, boolean | number | string>} options
 * @property {TimeControl} clock
 * @property {boolean} rated
 * @property {boolean} guests
 * @property {string} [begins]
 * @property {string} [ends]
 * @property {number} [length] seconds of an arena that is started by hand
 * @property {number} [rounds]
 * @property {number} [rest] seconds between two rounds
 * @property {string} [fill] the level of computers that make the number even
 * @property {string} [group]
 */

const LONGEST_ID = 13;

/** So many ids are tried that are like the name. */
const TRIES = 20;

export class CupForm {
  element = make("form", { class: "card stack cup-form", id: "cup-form", noValidate: true, "aria-labelledby": "cup-form-title" });
  #session;
  /** @type {Wire.Game[]} */
  #games = [];
  #note = make("p", { class: "error", id: "cup-form-note", role: "alert", hidden: true });
  #options = make("div", { class: "fields" });
  #more = make("details", { class: "cup-more", id: "cup-more" }, make("summary", {}, say("cup.form.more")));
  #button = make("button", { class: "main" }, say("cup.form.make"));
  #done = make("a", { hidden: true });

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.element.addEventListener("change", ({ target }) => this.#adapt(target.id));
    this.element.addEventListener("input", ({ target }) => $(`${target.id}-error`) && markField(target, ""));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(this.#button, () => this.#make());
    });
  }

  /**
   * Show it to who has such `rights`, perhaps for a group.
   * @param {Wire.Rights | undefined} rights
   */
  async show(rights, group = "") {
    if (!this.#games.length) this.#games = await readGames();
    /** @type {(id: string, choices: string[][]) => HTMLSelectElement} */
    const select = (id, choices) => make("select", { id }, ...choices.map(([value, words]) => make("option", { value }, words)));
    /** @type {(id: string, value: number, min: number, max: number) => HTMLInputElement} */
    const number = (id, value, min, max) => make("input", { id, type: "number", inputMode: "numeric", step: 1, min, max, value });
    /** @param {string} id */
    const flag = (id) => make("input", { id, type: "checkbox" });
    const clocks = [...Object.entries(QUICK).map(([value, clock]) => [value, sayTimeControl(clock)]), ["", say("cup.form.anotherClock")]];
    const fields = [
      field(
        "game",
        select(
          "cup-game",
          this.#games.map(({ name, title }) => [name, title]),
        ),
      ),
      makeSystems(),
      field("name", make("input", { id: "cup-name", maxLength: 40, autocomplete: "off", required: true })),
      field("begins", make("input", { id: "cup-begins", type: "datetime-local" }), say("cup.form.beginsHint")),
      field("clockOf", select("cup-quick", clocks)),
      field("clock", number("cup-clock", USUAL.initial, 1, 180)),
      field("increment", number("cup-increment", USUAL.increment, 0, 180)),
      field("minutes", number("cup-minutes", USUAL.minutes, 1, 1440), say("cup.form.minutesHint")),
      field("rounds", select("cup-rounds", [["", say("cup.form.roundsAuto")], ...ROUNDS.map((count) => Array(2).fill(String(count)))])),
    ];
    const checks = [...(this.#session.guests ? [field("guests", flag("cup-guests"))] : []), field("fill", flag("cup-fill"))];
    const rare = [
      field("group", make("input", { id: "cup-group", maxLength: 40, autocomplete: "off" }), say("cup.form.groupHint")),
      field("rest", number("cup-rest", USUAL.rest, 0, 3600)),
      ...(rights === "all" ? [field("rated", flag("cup-rated"))] : []),
    ];
    const title = make("h2", { id: "cup-form-title" }, say("cup.form.title"));
    const grid = make("div", { class: "fields" }, ...fields);
    this.#more.replaceChildren(/** @type {Node} */ (this.#more.firstChild), make("div", { class: "fields" }, ...rare), this.#options);
    this.element.replaceChildren(title, this.#note, grid, ...checks, this.#more, this.#button, this.#done);
    write(this.#note, "");
    part("quick").value = USUAL.clock;
    for (const name of ["guests", "fill"]) if (part(name)) part(name).checked = true;
    part("group").value = group;
    this.#more.open = Boolean(group);
    this.#adapt("cup-game");
    part("name").focus();
  }

  /** The game that is chosen. */
  get #game() {
    return /** @type {Wire.Game} */ (this.#games.find(({ name }) => name === part("game").value));
  }

  get #system() {
    return /** @type {HTMLInputElement} */ (this.element.querySelector("[name=cup-system]:checked")).value;
  }

  /**
   * The clock that is chosen.
   * @returns {TimeControl}
   */
  get #clock() {
    return QUICK[part("quick").value] ?? { initial: 60 * Number(part("clock").value), increment: Number(part("increment").value) };
  }

  /**
   * Ask only for what fits to what is chosen.
   * @param {string} changed the id of the field that has changed
   */
  #adapt(changed) {
    const [system, { levels }] = [this.#system, this.#game];
    const isArena = system === "arena";
    for (const option of part("quick").options) option.hidden = isArena && Boolean(QUICK[option.value]?.days);
    if (isArena && this.#clock.days) part("quick").value = USUAL.clock;
    const { days, initial, increment } = /** @type {Required<TimeControl>} */ (this.#clock);
    const isRated = Boolean(part("rated")?.checked);
    const isOpen = !isRated && !days && !part("group").value.trim();
    const shown = {
      minutes: isArena,
      rounds: system === "swiss",
      rest: !isArena,
      clock: !part("quick").value,
      increment: !part("quick").value,
      guests: isOpen,
      fill: !isArena && !isRated && !days && levels.length > 0,
    };
    for (const [name, is] of Object.entries(shown)) if (part(name)) part(`${name}-field`).hidden = !is;
    const round = (2 * (initial + MOVES * increment) + Number(part("rest").value)) / 60;
    ROUNDS.forEach((count, at) => {
      const minutes = Math.max(5, 5 * Math.round((count * round) / 5));
      part("rounds").options[at + 1].textContent = days ? String(count) : say("cup.form.roundsOf", { count, minutes });
    });
    if (changed === "cup-game") refill(this.#options, ...(this.#game?.options ?? []).map((option) => makeField(option, "cup-option")));
  }

  async #make() {
    write(this.#note, "");
    const faults = [...this.element.querySelectorAll("input")].filter((input) => {
      const isIdle = input.closest("[hidden]") || !$(`${input.id}-error`);
      const fault = isIdle
        ? ""
        : input.id === "cup-name" && !input.value.trim()
          ? say("cup.fault.name")
          : input.type === "number"
            ? faultOf(input)
            : "";
      if ($(`${input.id}-error`)) markField(input, fault);
      return fault;
    });
    if (faults.length) return this.#goTo(faults[0]);
    try {
      const id = await this.#send(this.#read());
      this.#done.href = pathToCup(id);
      this.#done.click();
    } catch (error) {
      if (error instanceof Lost) return write(this.#note, error.message);
      if (!(error instanceof Refused)) throw error;
      if (error.code === "tournament-full") return write(this.#note, say("cup.fault.many"));
      this.#complain(error);
    }
  }

  /** What the form says, as a plan. */
  #read() {
    /** @param {string} name */
    const isShown = (name) => part(name) && !part(`${name}-field`).hidden;
    const { levels } = this.#game;
    const [system, begins] = [this.#system, part("begins").value && new Date(part("begins").value)];
    /** @type {Plan} */
    const plan = {
      name: part("name").value.trim(),
      system,
      game: this.#game.name,
      options: Object.fromEntries(this.#game.options.map((option) => [option.name, valueOf(option, "cup-option")])),
      clock: this.#clock,
      rated: Boolean(part("rated")?.checked),
      guests: Boolean(isShown("guests") && part("guests").checked),
    };
    const length = 60 * Number(part("minutes").value);
    if (begins) plan.begins = begins.toISOString();
    if (begins && system === "arena") plan.ends = new Date(begins.getTime() + 1000 * length).toISOString();
    else if (system === "arena") plan.length = length;
    if (system === "swiss" && part("rounds").value) plan.rounds = Number(part("rounds").value);
    if (isShown("fill") && part("fill").checked) plan.fill = levels[Math.floor(levels.length / 2)];
    if (part("group").value.trim()) plan.group = part("group").value.trim();
    if (isShown("rest")) plan.rest = Number(part("rest").value);
    return plan;
  }

  /**
   * Make it under an id that is like its name, and free; gives back that id.
   * @param {Plan} plan
   */
  async #send(plan) {
    const word =
      plan.name
        .normalize("NFKD")
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^-|-$/g, "") || plan.system;
    for (let number = 1; ; number++) {
      const end = number > 1 ? `-${number}` : "";
      const id = word.slice(0, LONGEST_ID - end.length).replace(/-$/, "") + end;
      try {
        await this.#session.ask({ do: "admin", act: "tournament", tournament: id, plan, new: true });
        return id;
      } catch (/** @type {any} */ error) {
        const isTaken = error.code === "tournament-exists" || (error.code === "not-an-admin" && number > 1);
        if (!isTaken || number === TRIES) throw error;
      }
    }
  }

  /**
   * Say what the server refuses, at the field if it names one: its messages begin with that.
   * @param {Refused} error
   */
  #complain(error) {
    const [name] = /** @type {("ends" | "length" | "clock")[]} */ (error.said.split(/[\s:]/));
    const input = $(`cup-${{ ends: "minutes", length: "minutes", clock: "quick" }[name] ?? name}`) ?? $(`cup-option-${name}`);
    if (error.code !== "bad-option" || !input || input.closest("[hidden]") || !$(`${input.id}-error`))
      return write(this.#note, sayRefusal(error));
    markField(input, input.id.startsWith("cup-option-") ? error.message : say(`cup.fault.${input.id.slice(4)}`));
    this.#goTo(input);
  }

  /**
   * Go to what is wrong, which may be among the options that are folded.
   * @param {HTMLElement} input
   */
  #goTo(input) {
    if (this.#more.contains(input)) this.#more.open = true;
    input.focus();
  }
}

/** The systems, each with what it is about; the first one is chosen. */
function makeSystems() {
  const chips = SYSTEMS.map((system, at) => {
    const input = make("input", {
      type: "radio",
      class: "visually-hidden",
      name: "cup-system",
      value: system,
      id: `cup-system-${system}`,
      checked: !at,
    });
    return make(
      "label",
      { class: "chip" },
      input,
      make("span", {}, say(`cup.systems.${system}`), make("small", {}, say(`cup.form.about.${system}`))),
    );
  });
  return make(
    "fieldset",
    { class: "field wide systems", id: "cup-system-field" },
    make("legend", {}, say("cup.form.system")),
    make("div", { class: "chips" }, ...chips),
  );
}

/**
 * A field with its label, hint and error.
 * @param {string} name
 * @param {HTMLInputElement | HTMLSelectElement} input
 * @param {string} [hint]
 */
function field(name, input, hint) {
  const hints = hint ? [make("p", { class: "hint", id: `${input.id}-hint` }, hint)] : [];
  const error = make("p", { class: "error", id: `${input.id}-error`, hidden: true });
  input.setAttribute("aria-describedby", [...hints.map(({ id }) => id), error.id].join(" "));
  const label = make("label", { htmlFor: input.id }, say(`cup.form.${name}`));
  return make("div", { class: input.type === "checkbox" ? "field flag" : "field", id: `${input.id}-field` }, label, input, ...hints, error);
}

// The form that makes a tournament, for those who may: an admin, or any account where the server says so.

import { readGames } from "./archive.js";
import { pathToCup, sayRefusal } from "./cup.js";
import { $, make, markField, refill, whileBusy, write } from "./dom.js";
import { faultOf, makeField, valueOf } from "./fields.js";
import { Lost, Refused } from "./session.js";
import { say } from "./texts.js";

const SYSTEMS = ["arena", "swiss", "round-robin", "knock-out"];

/** Minutes that an arena usually takes, and a player has; seconds added for each move. */
const USUAL = { minutes: 40, clock: 5, increment: 3 };

/** Days that a move can take; 0: the match is played at once. */
const DAYS = Array.from({ length: 15 }, (_, days) => days);

/** An element that is made here. */
const part = (name) => $(`cup-${name}`);

const LONGEST_ID = 13;

/** So many ids are tried that are like the name. */
const TRIES = 20;

export class CupForm {
  element = make("form", { class: "card stack cup-form", id: "cup-form", noValidate: true, "aria-labelledby": "cup-form-title" });
  #session;
  #games = [];
  #note = make("p", { class: "error", id: "cup-form-note", role: "alert", hidden: true });
  #options = make("div", { class: "fields" });
  #button = make("button", { class: "main" }, say("cup.form.make"));
  #done = make("a", { hidden: true });

  constructor(session) {
    this.#session = session;
    this.element.addEventListener("change", ({ target }) => this.#adapt(target.id));
    this.element.addEventListener("input", ({ target }) => $(`${target.id}-error`) && markField(target, ""));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(this.#button, () => this.#make());
    });
  }

  /** Show it to who has such `rights`. */
  async show(rights) {
    if (!this.#games.length) this.#games = await readGames();
    const select = (id, choices) => make("select", { id }, ...choices.map(([value, words]) => make("option", { value }, words)));
    const number = (id, value, min, max) => make("input", { id, type: "number", inputMode: "numeric", step: 1, min, max, value });
    const flag = (id) => make("input", { id, type: "checkbox" });
    const systems = SYSTEMS.map((system) => [system, say(`cup.systems.${system}`)]);
    const fields = [
      field("name", make("input", { id: "cup-name", maxLength: 40, autocomplete: "off", required: true })),
      field("game", select("cup-game", this.#games.map(({ name, title }) => [name, title]))),
      field("system", select("cup-system", systems), say(`cup.form.about.${SYSTEMS[0]}`)),
      field("minutes", number("cup-minutes", USUAL.minutes, 1, 1440), say("cup.form.minutesHint")),
      field("rounds", number("cup-rounds", "", 1, 199), say("cup.form.roundsHint")),
      field("days", select("cup-days", DAYS.map((count) => [count, count ? say("rooms.days", { count }) : say("cup.form.atOnce")])), say("cup.form.daysHint")),
      field("clock", number("cup-clock", USUAL.clock, 1, 180)),
      field("increment", number("cup-increment", USUAL.increment, 0, 180)),
      field("begins", make("input", { id: "cup-begins", type: "datetime-local" }), say("cup.form.beginsHint")),
      field("group", make("input", { id: "cup-group", maxLength: 40, autocomplete: "off" }), say("cup.form.groupHint")),
      ...(rights === "all" ? [field("rated", flag("cup-rated"))] : []),
      ...(this.#session.guests ? [field("guests", flag("cup-guests"), say("cup.form.guestsHint"))] : []),
    ];
    const title = make("h2", { id: "cup-form-title" }, say("cup.form.title"));
    const grid = make("div", { class: "fields" }, ...fields);
    this.element.replaceChildren(title, this.#note, grid, this.#options, this.#button, this.#done);
    write(this.#note, "");
    this.#adapt("cup-game");
    part("name").focus();
  }

  get #game() {
    return this.#games.find(({ name }) => name === part("game").value);
  }

  get #days() {
    return part("system").value === "arena" ? 0 : Number(part("days").value);
  }

  /** Ask only for what fits to what is chosen. */
  #adapt(changed) {
    const system = part("system").value;
    part("minutes-field").hidden = system !== "arena";
    part("rounds-field").hidden = system !== "swiss";
    part("days-field").hidden = system === "arena";
    for (const name of ["clock", "increment"]) part(`${name}-field`).hidden = this.#days > 0;
    part("system-hint").textContent = say(`cup.form.about.${system}`);
    if (changed === "cup-game") refill(this.#options, ...(this.#game?.options ?? []).map((option) => makeField(option, "cup-option")));
  }

  async #make() {
    write(this.#note, "");
    const faults = [...this.element.querySelectorAll("input")].filter((input) => {
      const isIdle = input.closest("[hidden]") || !$(`${input.id}-error`) || (input.type === "number" && !input.value && input.id === "cup-rounds");
      const fault = isIdle ? "" : input.id === "cup-name" && !input.value.trim() ? say("cup.fault.name") : input.type === "number" ? faultOf(input) : "";
      if ($(`${input.id}-error`)) markField(input, fault);
      return fault;
    });
    if (faults.length) return faults[0].focus();
    try {
      const id = await this.#send(this.#read());
      this.#done.href = pathToCup(id);
      this.#done.click();
    } catch (error) {
      if (error instanceof Lost) return write(this.#note, say("connection.none"));
      if (!(error instanceof Refused)) throw error;
      this.#complain(error);
    }
  }

  /** What the form says, as a plan. */
  #read() {
    const [system, begins] = [part("system").value, part("begins").value && new Date(part("begins").value)];
    const plan = {
      name: part("name").value.trim(), system, game: this.#game.name,
      options: Object.fromEntries(this.#game.options.map((option) => [option.name, valueOf(option, "cup-option")])),
      clock: this.#days ? { days: this.#days } : { initial: 60 * Number(part("clock").value), increment: Number(part("increment").value) },
      rated: Boolean(part("rated")?.checked), guests: Boolean(part("guests")?.checked),
    };
    if (begins) plan.begins = begins.toISOString();
    if (system === "arena") plan.ends = new Date((begins ? begins.getTime() : Date.now()) + 60_000 * Number(part("minutes").value)).toISOString();
    if (system === "swiss" && part("rounds").value) plan.rounds = Number(part("rounds").value);
    if (part("group").value.trim()) plan.group = part("group").value.trim();
    return plan;
  }

  /** Make it under an id that is like its name, and free; gives back that id. */
  async #send(plan) {
    const word = plan.name.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || plan.system;
    for (let number = 1; ; number++) {
      const end = number > 1 ? `-${number}` : "";
      const id = word.slice(0, LONGEST_ID - end.length).replace(/-$/, "") + end;
      try {
        await this.#session.ask({ do: "admin", act: "tournament", tournament: id, plan, new: true });
        return id;
      } catch (error) {
        const isTaken = error.code === "tournament-exists" || (error.code === "not-an-admin" && number > 1);
        if (!isTaken || number === TRIES) throw error;
      }
    }
  }

  /** Say what the server refuses, at the field if it names one: its messages begin with that. */
  #complain(error) {
    const [name] = error.said.split(/[\s:]/);
    const input = $(`cup-${{ ends: "minutes" }[name] ?? name}`) ?? $(`cup-option-${name}`);
    if (error.code !== "bad-option" || !input || input.closest("[hidden]") || !$(`${input.id}-error`)) return write(this.#note, sayRefusal(error));
    markField(input, input.id.startsWith("cup-option-") ? error.message : say(`cup.fault.${input.id.slice(4)}`));
    input.focus();
  }
}

/** A field with its label, hint and error. */
function field(name, input, hint) {
  const hints = hint ? [make("p", { class: "hint", id: `${input.id}-hint` }, hint)] : [];
  const error = make("p", { class: "error", id: `${input.id}-error`, hidden: true });
  input.setAttribute("aria-describedby", [...hints.map(({ id }) => id), error.id].join(" "));
  const label = make("label", { htmlFor: input.id }, say(`cup.form.${name}`));
  return make("div", { class: input.type === "checkbox" ? "field flag" : "field", id: `${input.id}-field` }, label, input, ...hints, error);
}

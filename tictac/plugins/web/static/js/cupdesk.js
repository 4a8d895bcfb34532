// What an organiser does in a tournament: begins and ends it, adds and removes players, extends an arena, and sets
// results.

import { read } from "./archive.js";
import { isGuestName, sayRefusal, takesPlayers } from "./cup.js";
import { $, announce, make, markField, whileBusy, write } from "./dom.js";
import { castOf, characterOf, nameOf } from "./names.js";
import { ask } from "./question.js";
import { Lost, Refused } from "./session.js";
import { say, sayPoints, translate } from "./texts.js";

/**
 * An element that is made here.
 * @param {string} name
 */
const part = (name) => $(`cup-${name}`);

/**
 * What an organiser asks for, with the fields of that `act`.
 * @typedef {object} Act
 * @property {Wire.Requests["admin"]["act"]} act
 * @property {string} [user]
 * @property {string} [name]
 * @property {string} [computer] a level
 * @property {number} [seconds]
 * @property {number} [game]
 * @property {number[]} [scores]
 */

/** What equal shares of a point can add up to more than it. */
const ROUNDED = 1e-9;

/** Minutes by which an arena is usually extended. */
const LONGER = 10;

export class CupDesk {
  element = make("details", { class: "card cup-desk", id: "cup-desk", hidden: true });
  #session;
  #changed;
  #id = "";
  #shown = "";
  /** @type {Wire.Game | null | undefined} */
  #about = null;
  /** @type {Wire.Cupgame[]} */
  #games = [];
  #cast = castOf({});
  #body = make("div", { class: "stack" });
  /**
   * Those who take part: what they are called, by their names.
   * @type {[name: string, words: string][]}
   */
  #players = [];
  #scores = make("div", { class: "row", id: "cup-scores" });
  #note = make("p", { class: "note", id: "cup-desk-note", role: "status", hidden: true });

  /**
   * `changed()` is called when something has been done.
   * @param {Session} session
   * @param {() => unknown} changed
   */
  constructor(session, changed) {
    this.#session = session;
    this.#changed = changed;
    this.element.append(make("summary", {}, say("cup.desk.title")), this.#note, this.#body);
  }

  /**
   * Show what can be done now; nothing, without `rights`.
   * @param {import("./cup.js").Told} told
   * @param {Wire.Rights} rights
   */
  render(told, rights) {
    const {
      tournament: { id },
      state,
      round,
      standings,
    } = told;
    const isOver = state === "over";
    this.element.hidden = !rights || (isOver && !round);
    if (this.element.hidden) return;
    // What was done before another state is no news there.
    if (!this.#shown.startsWith([id, state, ""].join())) write(this.#note, "");
    this.#id = id;
    const cast = castOf(told);
    this.#players = standings.filter((place) => place.state !== "out").map(({ name }) => [name, nameOf(name, cast)]);
    for (const select of this.#body.querySelectorAll(/** @type {"select"} */ ("select.cup-players"))) this.#offer(select);
    const guests = this.#players.some(isGuest);
    const [isOpen, mayEnter] = [state === "open", takesPlayers({ ...told.tournament, ...told })];
    const players = this.#players.length > 0;
    const wanted = [id, state, guests, players, mayEnter, round > 0].join();
    if (wanted === this.#shown) return; // what is being typed stays
    const had = this.element.contains(document.activeElement);
    // Before it begins, this is what is next; then the standings are.
    if (!this.#shown.startsWith([id, state, ""].join())) this.element.open = isOpen;
    this.#shown = wanted;
    this.#body.replaceChildren(...this.#draw(told, mayEnter));
    if (had) /** @type {HTMLElement} */ (this.element.firstElementChild).focus();
    if (!isOpen && round > 0) this.#offerGames();
  }

  /**
   * What can be done now: what is next comes first, and all else is folded.
   * @param {import("./cup.js").Told} told
   * @param {boolean} mayEnter
   */
  #draw({ tournament: { system, game, rated }, state, round }, mayEnter) {
    const isOpen = state === "open";
    const players = this.#players.length > 0;
    const guests = this.#players.some(isGuest);
    const about = (this.#about = this.#session.games.find(({ name }) => name === game));
    const { levels = [] } = about ?? {};
    const add = mayEnter && this.#act("add", [text("cup-add")], () => ({ user: part("add").value.trim() }));
    const computer =
      mayEnter &&
      !rated &&
      levels.length > 0 &&
      this.#act(
        "computer",
        [
          choice(
            "cup-level",
            levels.map((level) => [level, `${characterOf(about, level)}, ${translate(level)}`]),
          ),
        ],
        () => ({ act: "add", computer: part("level").value }),
      );
    const rename =
      guests &&
      this.#act("rename", [this.#pick("cup-rename"), text("cup-called", 20)], () => ({
        user: part("rename").value,
        name: part("called").value.trim(),
      }));
    const remove = players && this.#act("remove", [this.#pick("cup-remove")], () => ({ user: part("remove").value }));
    const end = this.#act("end", [], () => ({}), "danger", isOpen ? "callOff" : "end");
    const parts = isOpen
      ? [this.#act("begin", [], () => ({}), "main"), add, computer]
      : this.#makeLate(state === "running" && system === "arena", round > 0);
    const others = isOpen ? [rename, remove, end] : [add, computer, rename, remove, end];
    const more = make("details", { class: "cup-more", id: "cup-desk-more" }, make("summary", {}, say("cup.form.more")));
    more.append(make("div", { class: "stack" }, .../** @type {HTMLElement[]} */ (others.filter(Boolean))));
    return /** @type {HTMLElement[]} */ ([...parts, state !== "over" && more].filter(Boolean));
  }

  /** What can be done from the begin on; results can be set as soon as there are games, and also when it is over. */
  #makeLate(isArena = false, hasGames = false) {
    const score = hasGames && this.#act("score", [this.#pick("cup-of"), choice("cup-played", []), this.#scores], () => this.#score());
    if (!isArena) return [score];
    const minutes = make("input", { id: "cup-extend", type: "number", inputMode: "numeric", min: 1, max: 1440, value: LONGER });
    return [this.#act("extend", [minutes], () => ({ seconds: Math.round(60 * Number(part("extend").value)) })), score];
  }

  /**
   * A choice among those who take part: to rename only among guests.
   * @param {string} id
   */
  #pick(id) {
    const select = make("select", { id, class: "cup-players" });
    this.#offer(select);
    return select;
  }

  /** @param {HTMLSelectElement} select */
  #offer(select) {
    const { value } = select;
    const shown = this.#players.filter((each) => select.id !== "cup-rename" || isGuest(each));
    if (JSON.stringify(shown) === select.dataset.shown) return;
    select.dataset.shown = JSON.stringify(shown);
    select.replaceChildren(make("option", { value: "" }, "…"), ...shown.map(([name, words]) => make("option", { value: name }, words)));
    select.value = shown.some(([name]) => name === value) ? value : "";
  }

  /**
   * A row with fields and a button, which sends what `read()` gives.
   * @param {any} act an act, or another name, if `read()` gives the act
   * @param {HTMLElement[]} inputs
   * @param {() => Partial<Act>} read
   * @param {string} [kind]
   * @param {string} [words]
   */
  #act(act, inputs, read, kind = "", words = act) {
    const button = make("button", { class: kind }, say(`cup.desk.${words}`));
    const fields = inputs.map((input) =>
      input === this.#scores
        ? input
        : make("div", { class: "field" }, make("label", { htmlFor: input.id }, say(`cup.desk.of.${input.id.slice(4)}`)), input),
    );
    const error = make("p", { class: "error", id: `cup-do-${act}-error`, hidden: true });
    const about = make("p", { class: "hint", id: `cup-do-${act}-about` }, say(`cup.desk.about.${words}`));
    button.setAttribute("aria-describedby", about.id);
    const form = make("form", { class: "row", id: `cup-do-${act}`, noValidate: true }, ...fields, button, about, error);
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => markField(form, ""));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      write(this.#note, "");
      whileBusy(button, () => this.#send(form, { act, ...read() }, words));
    });
    return form;
  }

  /**
   * @param {HTMLFormElement} form
   * @param {Act} request
   * @param {string} words
   */
  async #send(form, request, words) {
    markField(form, "");
    const isScore = request.act === "score";
    const fault = this.#faultOf(request);
    if (fault) return markField(form, fault);
    const isLoss = isScore ? !this.#game?.scores : ["remove", "end"].includes(request.act);
    const what = isScore ? `${this.#sayPlayers()}, ${sayScores(/** @type {number[]} */ (request.scores))}` : this.#sayName(request.user);
    if (isLoss && !(await isSure(words, what))) return;
    try {
      const answer = await this.#session.ask({ do: "admin", tournament: this.#id, ...request });
      const name = request.computer ? characterOf(this.#about, request.computer) : this.#sayName(answer.user ?? request.user ?? "");
      const done = say(`cup.desk.done.${words}`, { name });
      // Everything shows the other state.
      if (!["begin", "end"].includes(request.act)) write(this.#note, done);
      announce(done);
      for (const input of form.querySelectorAll(/** @type {"input"} */ ("input:not([type=number])"))) input.value = "";
      if (isScore) part("of").dispatchEvent(new Event("change"));
      this.#changed();
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
      markField(form, error instanceof Lost ? error.message : sayRefusal(error, true));
    }
  }

  /**
   * What is missing; "" if nothing is.
   * @param {Act} request
   */
  #faultOf({ act, user, name, scores }) {
    if (user === "" || name === "") return say("cup.fault.user");
    if (act === "score" && !this.#game) return say("cup.fault.game");
    if (scores?.some(Number.isNaN)) return say("cup.fault.score");
    const sum = scores?.reduce((all, each) => all + each, 0) ?? 0;
    return sum > 1 + ROUNDED ? say("cup.fault.sum") : "";
  }

  /** @param {string | undefined} user */
  #sayName(user) {
    return this.#players.find(([name]) => name === user)?.[1] ?? nameOf(/** @type {string} */ (user));
  }

  // Results

  #offerGames() {
    const [who, games] = [part("of"), part("played")];
    this.#games = [];
    /** @type {HTMLElement} */ (games.parentElement).hidden = true;
    this.#showScores();
    who.addEventListener("change", async () => {
      const { value } = who;
      /** @type {Pick<import("./cup.js").Told, "games" | "computers" | "names">} */
      const found = value ? await read(["tournaments", this.#id, "players", value]).catch(() => ({ games: [] })) : { games: [] };
      if (who.value !== value) return;
      this.#games = found.games;
      this.#cast = castOf(found);
      games.replaceChildren(
        ...found.games.map((game) =>
          make("option", { value: game.number }, `${this.#sayPlayers(game)} (${game.scores ? sayScores(game.scores) : say("cup.being")})`),
        ),
      );
      /** @type {HTMLElement} */ (games.parentElement).hidden = !found.games.length;
      if (found.games.length) games.value = /** @type {Wire.Cupgame} */ (found.games.at(-1)).number;
      this.#showScores();
    });
    games.addEventListener("change", () => this.#showScores());
  }

  get #game() {
    return this.#games.find(({ number }) => String(number) === part("played")?.value);
  }

  /** Ask for the points of each player; none are there before. */
  #showScores() {
    const { players = [] } = this.#game ?? {};
    const shares = [1, 0.5, ...(players.length > 2 ? [1 / players.length] : []), 0];
    const fields = players.map((_, seat) =>
      choice(`cup-score-${seat}`, [
        ["", say("cup.desk.choose")],
        ...shares.map((each) => /** @type {[string, string]} */ ([String(each), sayPoints(each)])),
      ]),
    );
    if (fields.length === 2) for (const [one, other] of [fields, [...fields].reverse()]) fillAfter(one, other);
    this.#scores.replaceChildren(
      ...fields.map((points, seat) =>
        make("div", { class: "field" }, make("label", { htmlFor: points.id }, this.#sayName(players[seat])), points),
      ),
    );
  }

  /** @returns {Partial<Act>} */
  #score() {
    const points = [...this.#scores.querySelectorAll("select")];
    return { game: this.#game?.number, scores: points.map(({ value }) => (value ? Number(value) : NaN)) };
  }

  #sayPlayers({ players } = /** @type {Wire.Cupgame} */ (this.#game)) {
    return players.map((name) => nameOf(name, this.#cast)).join(say("rooms.against"));
  }
}

/** @param {[name: string, words: string]} player */
const isGuest = ([name]) => isGuestName(name);

/** @param {number[]} scores */
function sayScores(scores) {
  return scores.map(sayPoints).join(" : ");
}

/**
 * Whether the organiser means it: to do that with `name`.
 * @param {string} what
 */
function isSure(what, name = "") {
  const answers = { yes: say(`cup.desk.${what}`), no: say("admin.cancel") };
  return ask({ title: say(`cup.desk.sure.${what}`, { name }), text: say(`cup.desk.then.${what}`, { name }), ...answers });
}

/**
 * Fill in what is left of the point when another player's points are chosen, unless these were chosen, too.
 * @param {HTMLSelectElement} chosen
 * @param {HTMLSelectElement} other
 */
function fillAfter(chosen, other) {
  chosen.addEventListener("change", () => {
    delete chosen.dataset.filled;
    if (other.value && !other.dataset.filled) return;
    other.value = chosen.value && String(1 - Number(chosen.value));
    other.dataset.filled = "yes";
  });
}

/** @param {string} id */
function text(id, maxLength = 40) {
  return make("input", { id, autocomplete: "off", autocapitalize: "none", spellcheck: false, maxLength });
}

/**
 * @param {string} id
 * @param {[value: string, words: string][]} choices
 */
function choice(id, choices) {
  return make("select", { id }, ...choices.map(([value, words]) => make("option", { value }, words)));
}

// The desk of a teacher (docs/guides/desk.md): who of a group is there, pairs, marks; and slips to print.
//
// The page asks every few seconds while it is in sight. What stands in rows keeps its place, so that nothing jumps.

import { attempt, openDialog } from "./about.js";
import { dress, saveFile, sayTime } from "./archived.js";
import { $, addStyle, announce, entitle, make, makeAvatar, refill, show, whileBusy, write } from "./dom.js";
import { drawPicture } from "./qr.js";
import { ask } from "./question.js";
import { pathTo } from "./router.js";
import { Stay } from "./stay.js";
import { say, translate } from "./texts.js";

/** Milliseconds between two questions, and when the marks aren't complete yet. */
const [EVERY, SOON] = [5000, 700];

/** Pupils of one request. */
const MOST = 100;

/** Clocks to choose from: minutes, and seconds for each move. */
const CLOCKS = [null, [3, 2], [5, 3], [10, 5], [20, 10]];

const SHORT = new Intl.DateTimeFormat(document.documentElement.lang, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

/**
 * @param {string} words
 * @param {Properties<HTMLButtonElement>} [properties]
 */
const button = (words, properties = {}) => make("button", { type: "button", ...properties }, words);

export class DeskView {
  #session;
  #stay = new Stay();
  #group = "";
  /** @type {Wire.Answers["desk"]} */
  #told = /** @type {any} */ (null);
  #first = 0;
  #timer = 0;
  /** @type {number | null} */
  #rule = null;
  #title = make("h1", { id: "desk-title", tabIndex: -1 });
  #about = make("p", { class: "hint", id: "desk-about" });
  #note = make("p", { class: "note", id: "desk-note", role: "status", hidden: true });
  #groups = make("ul", { class: "card stack", id: "desk-groups", hidden: true });
  #ways = make("div", { class: "row" });
  #numbers = make("div", { class: "desk-numbers" });
  #rows = make("tbody", {});
  #find = make("input", { type: "search", id: "desk-find", autocomplete: "off", placeholder: say("desk.find") });
  #noSuch = make("p", { class: "hint", role: "status", hidden: true });
  #more = make("div", { class: "row" });
  #wait = make("p", { id: "desk-wait" });
  #game = make("select", { id: "desk-game" });
  #clock = make("select", { id: "desk-clock" });
  #odd = make("select", { id: "desk-odd" });
  #pairing = button(say("desk.pair"), { class: "main", id: "desk-pair" });
  #rules = make("select", { id: "desk-rules" });
  #marks = make("ul", { class: "desk-marks", id: "desk-marks" });
  #sentence = make("p", { class: "hint", id: "desk-sentence" });
  #drop = button(say("desk.drop"), { id: "desk-drop" });
  #board;
  #slips;
  #element;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    this.#slips = new Slips(session, this.#stay, this.#note);
    const heads = ["pupil", "now", "recent", "act"].map((name) =>
      make(
        "th",
        { scope: "col", class: `desk-${name}` },
        name === "act" ? make("span", { class: "visually-hidden" }, say("desk.heads.act")) : say(`desk.heads.${name}`),
      ),
    );
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.#rows);
    const pupils = make(
      "section",
      { class: "card", "aria-labelledby": "desk-pupils" },
      make(
        "div",
        { class: "desk-pupils-head" },
        make("h2", { id: "desk-pupils" }, say("desk.pupils")),
        make("div", {}, make("label", { htmlFor: this.#find.id, class: "visually-hidden" }, say("desk.find")), this.#find),
      ),
      make("div", { class: "scroll", tabIndex: 0, role: "region", "aria-labelledby": "desk-pupils" }, table),
      this.#noSuch,
      this.#more,
    );
    const aside = make("aside", { class: "stack" }, this.#pairCard(), this.#markCard());
    this.#board = make("div", { class: "stack" }, this.#numbers, make("div", { class: "desk-grid" }, pupils, aside));
    const head = make("div", { class: "desk-head" }, make("div", {}, this.#title, this.#about), this.#ways);
    this.#element = make(
      "section",
      { class: "view stack", id: "desk", "aria-labelledby": this.#title.id, hidden: true },
      head,
      this.#note,
      this.#groups,
      this.#board,
      this.#slips.element,
    );
    $("main").append(this.#element);
    this.#find.addEventListener("input", () => this.#renderPupils());
    session.addEventListener("ready", () => this.#element.hidden || this.#look());
    document.addEventListener("visibilitychange", () => document.hidden || this.#element.hidden || this.#look());
  }

  /** Show one's groups, the one of that name, or its slips. */
  async open(group = "", part = "") {
    this.#stay.begin();
    if (group !== this.#group) [this.#told, this.#first, this.#rule] = [/** @type {any} */ (null), 0, null];
    this.#group = group;
    this.#find.value = "";
    write(this.#note, "");
    await this.#stay.here(Promise.all([dress(), addStyle("/css/desk.css")]));
    const isSlips = part === "slips";
    const title = group ? say(isSlips ? "desk.slipsOf" : "desk.of", { group }) : say("desk.title");
    write(this.#title, title);
    entitle(title);
    write(this.#about, "");
    this.#board.hidden = this.#groups.hidden = this.#slips.element.hidden = true;
    this.#ways.replaceChildren();
    if (group) await this.#ask({}, isSlips);
    else await this.#askGroups();
    show("desk");
    this.#title.focus();
  }

  close() {
    clearTimeout(this.#timer);
    this.#stay.end();
    this.#slips.forget();
  }

  async #askGroups() {
    await attempt(this.#note, async () => {
      const { groups } = await this.#stay.here(this.#session.ask({ do: "desk" }));
      const links = groups.map((/** @type {string} */ name) => make("li", {}, make("a", { href: pathTo("desk", name) }, name)));
      this.#groups.replaceChildren(...(links.length ? links : [make("li", {}, say("desk.noGroups"))]));
      this.#groups.hidden = false;
    });
  }

  /**
   * Ask for the group, and show it.
   * @param {object} more
   * @param {boolean} [isSlips]
   */
  async #ask(more, isSlips = false) {
    /** @type {Asked<"desk">} */
    const request = { do: "desk", group: this.#group, ...(this.#first && { first: this.#first }), ...more };
    await attempt(this.#note, async () => {
      this.#told = await this.#stay.here(this.#session.ask(request));
      if (isSlips) return this.#showSlips();
      this.#render();
      this.#board.hidden = false;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), this.#told.complete ? EVERY : SOON);
    });
  }

  #look() {
    clearTimeout(this.#timer);
    if (!document.hidden && this.#told && !this.#board.hidden) this.#ask({}).catch(() => {});
  }

  /**
   * Do something with the group, and look again; its answer, or nothing.
   * @param {any} fields
   */
  async #act(fields) {
    /** @type {any} */
    let answer;
    const isDone = await attempt(this.#note, async () => {
      answer = await this.#stay.here(this.#session.ask({ group: this.#group, do: "desk", ...fields }));
    });
    if (!isDone) return null;
    write(this.#note, "");
    await this.#ask({});
    return answer;
  }

  /** @param {string} text */
  #say(text) {
    write(this.#note, text);
    announce(text);
  }

  // Who is there

  #render() {
    const { counts, teachers, pupils, rules, next } = this.#told;
    const by = teachers.length ? say("desk.teachers", { names: teachers.join(", ") }) : "";
    write(this.#about, [say("desk.count", { count: counts.pupils }), by].filter(Boolean).join(" · "));
    /** @type {[keyof typeof counts, string][]} */
    const numbers = [
      ["online", say("desk.online", { count: counts.pupils })],
      ["playing", say("desk.playing")],
      ["waiting", say("desk.waiting")],
    ];
    this.#numbers.replaceChildren(
      ...numbers.map(([name, words]) => make("div", { class: "card" }, make("b", {}, String(counts[name])), make("span", {}, words))),
    );
    if (!this.#ways.children.length) this.#ways.append(...this.#makeWays());
    this.#renderPupils();
    const steps = /** @type {[boolean, string, number][]} */ ([
      [this.#first > 0, "earlier", this.#first - MOST],
      [next !== null, "further", next],
    ]).filter(([is]) => is);
    refill(
      this.#more,
      ...steps.map(([, name, first]) => {
        const step = button(say(`desk.${name}`));
        step.addEventListener("click", () =>
          whileBusy(step, () => {
            this.#first = Math.max(0, first);
            return this.#ask({});
          }),
        );
        return step;
      }),
    );
    this.#renderPairing(counts.waiting);
    this.#renderMarks(rules, pupils);
  }

  /** Show the pupils, or those whose names have the letters to find. Of more than an answer has, the page doesn't know all. */
  #renderPupils() {
    const { pupils, next } = this.#told;
    /** @type {HTMLElement} */ (this.#find.parentElement).hidden = this.#first > 0 || next !== null;
    const text = this.#find.value.trim().toLowerCase();
    const found = pupils.filter(({ user }) => user.toLowerCase().includes(text));
    refill(this.#rows, ...found.map((one) => this.#row(one)));
    write(this.#noSuch, text && !found.length ? say("desk.noSuch") : "");
  }

  #makeWays() {
    const add = button(say("desk.add"), { id: "desk-add" });
    add.addEventListener("click", () => this.#add());
    const slips = make("a", { class: "button", href: pathTo("desk", this.#group, "slips") }, say("desk.slips"));
    const cup = make("a", { class: "button main", href: `/tournaments#${new URLSearchParams({ new: this.#group })}` }, say("desk.cup"));
    return [add, slips, cup];
  }

  /** @param {any} pupil */
  #row({ user, state, room, game, with: others = [], since, seen, special, recent }) {
    const dot = make("span", { class: `dot ${state}`, "aria-hidden": "true" });
    const title = this.#titleOf(game);
    const names = others.join(", ");
    const words = say(`desk.state.${state}${state === "playing" && names ? "With" : ""}`, {
      game: title,
      names,
      time: seen ? SHORT.format(new Date(seen)) : "",
    });
    const now = make("td", { class: "desk-now", title: since ? say("desk.since", { time: sayTime(since) }) : "" }, dot, words);
    const act = make("td", { class: "desk-act" });
    if (room && state === "playing")
      act.append(
        make("a", { class: "button less", href: pathTo("room", room), "aria-label": say("desk.watchOf", { user }) }, say("lobby.watch")),
      );
    else if (!special) {
      const slip = button(say("desk.slip"), { class: "less", "aria-label": say("desk.slipOf", { user }) });
      slip.addEventListener("click", () => this.#showSlips([user]));
      act.append(slip);
    }
    const name = make("span", { class: "desk-name" }, makeAvatar(user, "small"), make("bdi", {}, user));
    return make(
      "tr",
      {},
      make("th", { scope: "row", class: "desk-pupil" }, name),
      now,
      make("td", { class: "desk-recent" }, String(recent)),
      act,
    );
  }

  /** @param {string | undefined} game */
  #titleOf(game) {
    return this.#session.games?.find(({ name }) => name === game)?.title ?? game ?? "";
  }

  /** Ask for names, a line each, and add accounts. */
  #add() {
    const text = make("textarea", { id: "desk-names", rows: 8, required: true });
    const send = make("button", { class: "main" }, say("desk.addThem"));
    const note = make("p", { class: "note", role: "status", hidden: true });
    const form = make(
      "form",
      { class: "stack" },
      make("label", { htmlFor: text.id }, say("desk.names")),
      text,
      make("p", { class: "hint" }, say("desk.namesHint")),
      note,
      send,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(send, () =>
        attempt(note, async () => {
          const names = text.value
            .split("\n")
            .map((name) => name.trim())
            .filter(Boolean);
          for (let from = 0; from < names.length; from += MOST)
            await this.#session.ask({ do: "desk", group: this.#group, act: "add", users: names.slice(from, from + MOST) });
          dialog.close();
          await this.#ask({});
          this.#say(say("desk.added", { count: names.length }));
        }),
      );
    });
    const dialog = openDialog("desk-add-title", say("desk.add"), form);
  }

  /** @param {string[] | null} [users] */
  async #showSlips(users = null) {
    this.#board.hidden = true;
    this.#ways.replaceChildren();
    clearTimeout(this.#timer);
    if (users) {
      const path = pathTo("desk", this.#group, "slips");
      history.pushState(null, "", path);
    }
    const title = say("desk.slipsOf", { group: this.#group });
    write(this.#title, title);
    write(this.#about, "");
    entitle(title);
    const all = [...this.#told.pupils];
    for (let { next } = this.#told; next !== null;) {
      const told = await this.#stay.here(this.#session.ask({ do: "desk", group: this.#group, first: next }));
      all.push(...told.pupils);
      next = told.next;
    }
    this.#slips.show(
      this.#group,
      all.filter(({ special }) => !special),
      users,
    );
    if (users) await this.#slips.make();
  }

  // Pairs

  #pairCard() {
    /**
     * @param {string} name
     * @param {HTMLSelectElement} select
     */
    const field = (name, select) => make("div", { class: "field" }, make("label", { htmlFor: select.id }, say(`desk.${name}`)), select);
    this.#clock.append(
      ...CLOCKS.map((clock, at) =>
        make("option", { value: at }, clock ? say("desk.clockOf", { minutes: clock[0], seconds: clock[1] }) : say("table.noClock")),
      ),
    );
    this.#game.addEventListener("change", () => this.#fillLevels());
    this.#pairing.addEventListener("click", () => whileBusy(this.#pairing, () => this.#pair()));
    return make(
      "section",
      { class: "card stack", "aria-labelledby": "desk-pair-title" },
      make("h2", { id: "desk-pair-title" }, say("desk.pairTitle")),
      this.#wait,
      field("game", this.#game),
      field("clock", this.#clock),
      field("odd", this.#odd),
      this.#pairing,
    );
  }

  /** @param {number} waiting */
  #renderPairing(waiting) {
    write(this.#wait, say("desk.wait", { count: waiting }));
    if (this.#game.options.length) return;
    const games = (this.#session.games ?? []).filter(({ seats = [2] }) => seats.includes(2));
    this.#game.append(...games.map(({ name, title }) => make("option", { value: name }, title)));
    this.#fillLevels();
  }

  #fillLevels() {
    const { levels = [] } = this.#session.games?.find(({ name }) => name === this.#game.value) ?? {};
    const options = [["", say("desk.oddWaits")], ...levels.map((level) => [level, say("desk.oddPlays", { level: translate(level) })])];
    this.#odd.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
  }

  async #pair() {
    const clock = CLOCKS[Number(this.#clock.value)];
    const request = {
      do: "pair",
      game: this.#game.value,
      ...(clock && { clock: { initial: 60 * clock[0], increment: clock[1] } }),
      ...(this.#odd.value && { odd: this.#odd.value }),
    };
    const told = await this.#act(request);
    if (!told) return;
    const left = told.left.length ? ` ${say("desk.left", { names: told.left.join(", ") })}` : "";
    this.#say(`${say("desk.paired", { count: told.rooms.length })}${left}`);
  }

  // Marks

  #markCard() {
    const csv = button(say("desk.csv"), { id: "desk-csv" });
    const add = button(say("desk.newRule"), { id: "desk-new-rule" });
    this.#rules.addEventListener("change", () => {
      this.#rule = Number(this.#rules.value);
      this.#render();
    });
    csv.addEventListener("click", () => whileBusy(csv, () => attempt(this.#note, () => this.#export())));
    add.addEventListener("click", () => this.#addRule());
    this.#drop.addEventListener("click", () => whileBusy(this.#drop, () => this.#dropRule()));
    const choice = make(
      "div",
      { class: "field" },
      make("label", { htmlFor: this.#rules.id, class: "visually-hidden" }, say("desk.rule")),
      this.#rules,
    );
    return make(
      "section",
      { class: "card stack", "aria-labelledby": "desk-marks-title" },
      make("h2", { id: "desk-marks-title" }, say("desk.marks")),
      choice,
      this.#sentence,
      this.#marks,
      make("div", { class: "row" }, add, csv, this.#drop),
    );
  }

  /**
   * @param {Wire.Rule[]} rules
   * @param {Wire.Pupil[]} pupils
   */
  #renderMarks(rules, pupils) {
    const at = Math.max(
      0,
      rules.findIndex(({ number }) => number === this.#rule),
    );
    const rule = rules[at];
    this.#rule = rule?.number ?? null;
    const options = rules.map(({ number, title }) => make("option", { value: number, selected: number === this.#rule }, title));
    if (document.activeElement !== this.#rules) this.#rules.replaceChildren(...options);
    /** @type {HTMLElement} */ (this.#rules.parentElement).hidden = this.#drop.hidden = !rule;
    write(this.#sentence, rule ? `${this.#spell(rule)} ${say("desk.sinceRule", { time: sayTime(rule.since) })}` : say("desk.noRule"));
    this.#marks.replaceChildren(...(rule ? pupils.map(({ user, marks }) => mark(user, marks[at], rule)) : []));
  }

  /** @param {Wire.Rule} rule */
  #spell({ kind, need, of, level, game, series, company }) {
    const name = kind === "play" && !game ? "playAny" : kind;
    const words = say(`desk.is.${name}`, { need, of, series, level: translate(level ?? ""), game: this.#titleOf(game), count: need });
    return company ? `${words} ${say("desk.is.company", { who: say(`desk.company.${company}`) })}` : words;
  }

  async #dropRule() {
    const words = { yes: say("desk.drop"), no: say("admin.cancel") };
    if (await ask({ title: say("desk.drop"), text: say("desk.dropHint"), ...words })) await this.#act({ act: "drop", number: this.#rule });
  }

  /** Compose a rule of its parts. */
  #addRule() {
    const kinds = ["beat", "play", "rating", "rank", "check"];
    const kind = make("select", { id: "rule-kind" }, ...kinds.map((name) => make("option", { value: name }, say(`desk.kind.${name}`))));
    const game = make(
      "select",
      { id: "rule-game" },
      ...(this.#session.games ?? []).map(({ name, title }) => make("option", { value: name }, title)),
    );
    const level = make("select", { id: "rule-level" });
    /**
     * @param {string} id
     * @param {number} value
     * @param {number} max
     */
    const number = (id, value, max) => make("input", { id, type: "number", min: 1, max, value, required: true });
    const need = number("rule-need", 8, 9999);
    const of = number("rule-of", 10, 1000);
    const companies = ["any", "people", "classmates"].map((value) => make("option", { value }, say(`desk.company.${value}`)));
    const company = make("select", { id: "rule-company" }, ...companies);
    const series = make("input", { id: "rule-series", maxLength: 5, autocomplete: "off" });
    const title = make("input", { id: "rule-title", maxLength: 60, autocomplete: "off", placeholder: say("desk.titleHint") });
    /**
     * @param {string} name
     * @param {HTMLElement} input
     */
    const field = (name, input) => make("div", { class: "field" }, make("label", { htmlFor: input.id }, say(`desk.field.${name}`)), input);
    /** @type {Record<string, HTMLElement>} */
    const fields = {
      kind: field("kind", kind),
      game: field("game", game),
      level: field("level", level),
      need: field("need", need),
      of: field("of", of),
      company: field("company", company),
      series: field("series", series),
      title: field("title", title),
    };
    /** @type {Record<string, string[]>} */
    const shown = {
      beat: ["game", "level", "need", "of"],
      play: ["game", "need", "company"],
      rating: ["game", "need"],
      rank: ["series", "need"],
      check: [],
    };
    const send = make("button", { class: "main" }, say("desk.newRule"));
    const note = make("p", { class: "note", role: "status", hidden: true });
    const form = make("form", { class: "stack" }, ...Object.values(fields), note, send);
    const fill = () => {
      const { levels = [] } = this.#session.games?.find(({ name }) => name === game.value) ?? {};
      level.replaceChildren(...levels.map((each) => make("option", { value: each }, translate(each))));
    };
    const choose = () => {
      for (const name of ["game", "level", "need", "of", "company", "series"]) fields[name].hidden = !shown[kind.value].includes(name);
      need.value = /** @type {any} */ ({ beat: 8, play: 20, rating: 1500, rank: 3, check: 1 })[kind.value];
    };
    game.addEventListener("change", fill);
    kind.addEventListener("change", choose);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(send, () =>
        attempt(note, async () => {
          /** @type {Record<string, string>} */
          const texts = {
            beat: `beat ${level.value} of ${game.value} in ${need.value} of ${of.value}`,
            play: `play ${need.value} matches of ${game.value}${company.value === "any" ? "" : ` with ${company.value}`}`,
            rating: `rating ${need.value} in ${game.value}`,
            rank: `rank ${need.value} in ${series.value}`,
            check: "check",
          };
          /** @type {Asked<"desk">} */
          const request = {
            do: "desk",
            group: this.#group,
            act: "rule",
            rule: texts[kind.value],
            ...(title.value.trim() && { title: title.value.trim() }),
          };
          this.#rule = (await this.#session.ask(request)).number;
          dialog.close();
          await this.#ask({});
        }),
      );
    });
    fill();
    choose();
    const dialog = openDialog("rule-head", say("desk.newRule"), form);
  }

  /** Offer the whole table as a file. */
  async #export() {
    let text = "\ufeff"; // spreadsheets read UTF-8 only behind it
    for (let first = /** @type {number | null} */ (0); first !== null;) {
      const { csv, next } = await this.#stay.here(this.#session.ask({ do: "desk", group: this.#group, act: "export", first }));
      text += csv;
      first = next;
    }
    saveFile(`${this.#group}.csv`, text, "text/csv");
    this.#say(say("desk.exported"));
  }
}

/**
 * A pupil's progress by a rule: the last results, and the number.
 * @param {string} user
 * @param {any} mark
 * @param {Wire.Rule} rule
 */
function mark(user, { have, passed, last = "" }, { kind, need }) {
  const letters = [...last].map((letter) => make("i", { class: letter }, say(`desk.letter.${letter}`)));
  const results = make(
    "span",
    { class: "desk-results", role: "img", "aria-label": say("desk.results", { count: last.length }) },
    ...letters,
  );
  results.hidden = !letters.length;
  const number = kind === "rank" ? say(have ? "desk.place" : "desk.noPlace", { have, need }) : kind === "check" ? "" : `${have} / ${need}`;
  const state = make("span", { class: passed ? "badge good" : "badge" }, say(passed ? "desk.passed" : "desk.open"));
  return make("li", {}, make("bdi", {}, user), results, make("b", {}, number), state);
}

/** The slips of a group: for whom, and what to print. */
class Slips {
  element = make("div", { class: "stack", id: "slips", hidden: true });
  /** @type {Session} */
  #session;
  /** @type {Stay} */
  #stay;
  /** @type {HTMLElement} */
  #note;
  #group = "";
  /** @type {Wire.Pupil[]} */
  #pupils = [];
  /** @type {string[] | null} */
  #users = null;
  #who = make("select", { id: "slips-who" });
  #qr = make("input", { id: "slips-qr", type: "checkbox", checked: true });
  #list = make("ol", { class: "slips", id: "slips-list" });
  #until = make("p", { class: "hint", id: "slips-until", hidden: true });
  #print = button(say("desk.print"), { class: "main", id: "slips-print", hidden: true });
  #new = button(say("desk.newCodes"), { id: "slips-new" });

  /**
   * @param {Session} session
   * @param {Stay} stay
   * @param {HTMLElement} note
   */
  constructor(session, stay, note) {
    [this.#session, this.#stay, this.#note] = [session, stay, note];
    this.#new.addEventListener("click", () => whileBusy(this.#new, () => this.make()));
    this.#print.addEventListener("click", () => print());
    this.#qr.addEventListener("change", () => this.#list.classList.toggle("no-codes", !this.#qr.checked));
    const who = make("div", { class: "field" }, make("label", { htmlFor: this.#who.id }, say("desk.slipsFor")), this.#who);
    const check = make("label", { class: "check" }, this.#qr, " ", say("desk.withQr"));
    this.element.append(
      make(
        "div",
        { class: "card stack no-print" },
        make("p", {}, say("desk.slipsHint")),
        who,
        make("div", { class: "row" }, this.#new, check, this.#print),
        this.#until,
      ),
      this.#list,
    );
  }

  /**
   * Offer slips for the pupils, or for those users.
   * @param {string} group
   * @param {Wire.Pupil[]} pupils
   * @param {string[] | null} users
   */
  show(group, pupils, users) {
    [this.#group, this.#pupils, this.#users] = [group, pupils, users];
    const never = pupils.filter(({ state }) => state === "never").length;
    const options = [
      ["never", say("desk.slipsNever", { count: never })],
      ["all", say("desk.slipsAll", { count: pupils.length })],
    ];
    if (users) options.unshift(["users", users.join(", ")]);
    for (const { user } of pupils) options.push([`user ${user}`, user]);
    this.#who.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
    if (!users && !never) this.#who.value = "all";
    this.element.hidden = false;
  }

  /** Forget the codes, which are on the slips alone. */
  forget() {
    this.#list.replaceChildren();
    this.#print.hidden = true;
    write(this.#until, "");
    this.element.hidden = true;
  }

  /** Make new codes, and show them. */
  async make() {
    await attempt(this.#note, async () => {
      write(this.#note, "");
      const users = this.#chosen();
      const slips = [];
      let until = "";
      for (let from = 0; from < users.length; from += MOST) {
        const told = await this.#stay.here(
          this.#session.ask({ do: "desk", group: this.#group, act: "slips", users: users.slice(from, from + MOST) }),
        );
        slips.push(...told.slips);
        until = told.until;
      }
      const made = await this.#stay.here(Promise.all(slips.map((one) => this.#slip(one))));
      this.#list.replaceChildren(...made);
      this.#print.hidden = !made.length;
      write(this.#until, made.length ? say("desk.slipsUntil", { count: made.length, time: sayTime(until) }) : say("desk.slipsNone"));
      announce(this.#until.textContent);
    });
  }

  #chosen() {
    const { value } = this.#who;
    if (value === "users") return /** @type {string[]} */ (this.#users);
    if (value.startsWith("user ")) return [value.slice(5)];
    return this.#pupils.filter(({ state }) => value === "all" || state === "never").map(({ user }) => user);
  }

  /** @param {{ user: string, code: string }} slip */
  async #slip({ user, code }) {
    const picture = await drawPicture(`${location.origin}/code#${code.replace("-", "")}`);
    picture.setAttribute("aria-label", say("desk.qrOf", { user }));
    const facts = [
      ["desk.address", `${location.host}/code`],
      ["desk.code8", code],
    ].flatMap(([key, value]) => [make("dt", {}, say(key)), make("dd", {}, value)]);
    return make(
      "li",
      { class: "slip" },
      make("p", { class: "slip-head" }, make("b", {}, "tictac"), make("span", {}, this.#group)),
      make("h2", {}, make("bdi", {}, user)),
      make("dl", {}, ...facts),
      picture,
      make("p", { class: "hint" }, say("desk.slipText")),
    );
  }
}

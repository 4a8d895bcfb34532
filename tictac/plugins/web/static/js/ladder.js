// A ladder: the standings of a series by rating, what is played now, and each player's matches. The server tells it over
// HTTP; who is there, and takes challenges, comes by the session.

import { read, readGames } from "./archive.js";
import { drawChange, drawLast, dress, explain, sayDay } from "./archived.js";
import { boardOf, readBoards } from "./boards.js";
import { ratingSpark } from "./chart.js";
import { sayTimeControl } from "./clocks.js";
import { drawPlace, pathToCup, sayWhen } from "./cup.js";
import { $, copyText, entitle, make, makeAvatar, refill, show, whileBusy, write } from "./dom.js";
import { knowsFaces, learnFaces } from "./faces.js";
import { faceOf, kindAt, nameOf } from "./names.js";
import { drawNothing } from "./nothing.js";
import { boardedOf, gameOf } from "./tournament.js";
import { hasPage, pathTo } from "./router.js";
import { capital, say } from "./texts.js";

/** Milliseconds until it is asked for again. */
const PAUSE = 10_000;

/** So many places come at once, and so many games have a small board. */
const [PAGE, MOST] = [100, 3];

/**
 * What the table can be sorted by: for each two players, which is first; `of` says a player's name.
 * @type {Record<string, (one: Wire.Ranked, other: Wire.Ranked, of: (row: Wire.Ranked) => string) => number>}
 */
const ORDERS = {
  rank: () => 0,
  player: (one, other, of) => of(one).localeCompare(of(other)),
  /**
   * @param {Wire.Ranked} one
   * @param {Wire.Ranked} other
   */
  games: (one, other) => other.games - one.games,
  /**
   * @param {Wire.Ranked} one
   * @param {Wire.Ranked} other
   */
  week: (one, other) => (other.week ?? -Infinity) - (one.week ?? -Infinity) || 0,
};

export class LadderView {
  #session;
  #asGuest;
  #challenge;
  /** @type {string} */
  #id = /** @type {any} */ (null);
  /** @type {any} */
  #told = null;
  /** @type {Wire.Ranked[]} */
  #more = [];
  /** @type {Set<string>} */
  #free = new Set();
  /** @type {Map<string, any>} */
  #open = new Map();
  #order = "rank";
  #shown = "";
  #gamesShown = "";
  #timer = 0;
  #title = make("h1", { id: "ladder-title", tabIndex: -1 });
  #terms = make("p", { class: "hint" });
  #state = make("p", { class: "cup-state", id: "ladder-state" });
  #note = make("p", { class: "note", id: "ladder-note", role: "status", hidden: true });
  #acts = make("div", { class: "row cup-acts" });
  #search = make("input", { type: "search", id: "ladder-search", autocomplete: "off" });
  #table = make("div", { class: "cup-table", id: "ladder-table", role: "group", "aria-label": say("ladder.standings"), tabIndex: 0 });
  #all = make("button", { type: "button", class: "link", id: "ladder-all", hidden: true });
  #code = make("code", {});
  #send = make("a", { href: "/programs", hidden: true }, say("programs.title"));
  #now = make("section", { class: "card cup-games", hidden: true });

  /**
   * @param {Session} session
   * @param {() => void} logIn
   * @param {unknown} at
   * @param {unknown} watch
   * @param {() => Promise<string | undefined>} asGuest
   * @param {(user: string, terms: object, back: string) => Promise<string>} challenge
   */
  constructor(session, logIn, at, watch, asGuest, challenge) {
    this.#session = session;
    this.#asGuest = asGuest;
    this.#challenge = challenge;
    this.#build();
    const changed = () => this.#id && this.#look();
    for (const event of ["ready", "ended"]) session.addEventListener(event, changed);
    this.#search.addEventListener("input", () => this.#render());
    this.#all.addEventListener("click", () => whileBusy(this.#all, () => this.#readAll()));
  }

  async open(id = "") {
    this.close();
    this.#id = id;
    [this.#told, this.#more, this.#order] = [null, [], "rank"];
    this.#shown = this.#gamesShown = this.#search.value = "";
    this.#open.clear();
    await Promise.all([dress(), knowsFaces() || readGames().then(learnFaces)]);
    if (this.#id !== id) return;
    this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE);
    write(this.#title, say("ladder.title"));
    for (const part of [this.#terms, this.#state, this.#note, this.#now, this.#all]) part.hidden = true;
    this.#table.replaceChildren();
    show("ladder");
    this.#title.focus();
    await this.#look();
  }

  close() {
    this.#id = /** @type {any} */ (null);
    clearInterval(this.#timer);
  }

  /** Read it again, and who is there. */
  async #look() {
    const id = this.#id;
    try {
      const [told, people] = await Promise.all([read(["series", id]), this.#readPeople()]);
      if (this.#id !== id) return;
      [this.#told, this.#free] = [told, people];
      write(this.#note, this.#session.isAlone ? say("ladder.alone") : "");
      await Promise.all([...this.#open.keys()].map((name) => this.#readPlayer(name)));
      if (this.#id !== id) return;
      this.#render();
      await this.#renderGames();
    } catch (error) {
      if (this.#id === id) write(this.#note, /** @type {any} */ (error).code === "no-such-series" ? say("ladder.unknown") : explain(error));
    }
  }

  /** The players who are there and take challenges; nobody, for strangers. */
  async #readPeople() {
    if (!this.#session.user || this.#session.isAlone) return new Set();
    const { people = [] } = await this.#session.ask({ do: "people", follow: false }).catch(() => /** @type {any} */ ({}));
    return new Set(
      people.filter((/** @type {Wire.Person} */ { challenge }) => challenge).map((/** @type {Wire.Person} */ { user }) => user),
    );
  }

  /** Read the places after the first ones. */
  async #readAll() {
    const [id, found] = [this.#id, /** @type {Wire.Ranked[]} */ ([])];
    while (PAGE + found.length < this.#told.players + this.#told.plan.levels.length) {
      const { standings } = await read(["series", id], { first: PAGE + found.length + 1 }).catch(() => ({ standings: [] }));
      if (this.#id !== id || !standings.length) break;
      found.push(...standings);
    }
    if (this.#id !== id) return;
    this.#more = found;
    this.#render();
  }

  /** @param {string} name */
  async #readPlayer(name) {
    const found = await read(["series", this.#id, "players", name]).catch(() => null);
    if (this.#open.has(name)) this.#open.set(name, found);
  }

  // Drawing

  #build() {
    const head = make("div", { class: "cup-head" }, make("div", { class: "grow" }, this.#title, this.#terms, this.#state), this.#acts);
    const label = make("label", { htmlFor: this.#search.id, class: "visually-hidden" }, say("ladder.search"));
    this.#search.placeholder = say("ladder.search");
    const ranks = make(
      "section",
      { class: "card ladder-ranks" },
      make("div", { class: "ladder-head" }, make("h2", {}, say("ladder.standings")), make("div", {}, label, this.#search)),
      this.#table,
      this.#all,
      make("p", { class: "hint" }, say("ladder.meaning")),
    );
    const copy = make("button", { type: "button", class: "less" }, say("ladder.copy"));
    copy.setAttribute("aria-label", say("ladder.copyCode"));
    copy.addEventListener("click", () => copyText(this.#code.textContent));
    const enter = make(
      "section",
      { class: "card stack ladder-enter" },
      make("h2", {}, say("ladder.enter")),
      make("p", { class: "hint" }, say("ladder.enterHint")),
      make("div", { class: "ladder-code" }, make("pre", {}, this.#code), copy),
      this.#send,
    );
    const names = { class: "view cup-page ladder-page", id: "ladder", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(
      make(
        "section",
        names,
        head,
        this.#note,
        make("div", { class: "cup-grid" }, ranks, make("div", { class: "stack ladder-beside" }, enter, this.#now)),
      ),
    );
  }

  #render() {
    const { name, title, plan, standings, players } = this.#told;
    const wanted = JSON.stringify([
      this.#told,
      this.#more,
      [...this.#free],
      [...this.#open],
      this.#order,
      this.#search.value,
      this.#session.user,
    ]);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    write(this.#title, name);
    entitle(name);
    write(this.#terms, [title, sayTimeControl(plan.clock), say("ladder.players", { count: players })].join(" · "));
    this.#renderState();
    this.#code.textContent = `play(choose, "${location.hostname}", PORT, "my-bot", series="${this.#id}")`;
    const rows = [...new Map([...standings, ...this.#more].map((row) => [keyOf(row), row])).values()];
    const text = this.#search.value.trim().toLowerCase();
    const found = rows
      .filter((row) => this.#nameOf(row).toLowerCase().includes(text))
      .sort((one, other) => ORDERS[this.#order](one, other, (row) => this.#nameOf(row)));
    const empty = found.length ? [] : [this.#drawEmpty(rows.length > 0)];
    const table = make("table", {}, this.#head(), make("tbody", {}, ...found.flatMap((row) => this.#rowsOf(row))));
    refill(this.#table, table, ...empty);
    const left = players + plan.levels.length - rows.length;
    write(this.#all, left > 0 ? say("ladder.all", { count: left }) : "");
  }

  /** @param {boolean} isSearch whether there are players, but none of that name */
  #drawEmpty(isSearch) {
    if (isSearch) return make("p", { class: "hint" }, say("ladder.noSuch"));
    return make("div", { class: "empty" }, ...drawNothing("vega", say("ladder.none"), say("ladder.noneHint")));
  }

  #renderState() {
    const { state, kind, until, opens, tournament } = this.#told;
    const badge = make("span", { class: `badge ${kind ? "live-now" : ""}` }, say(`ladder.states.${kind ?? state}`));
    const words =
      kind === "day" && until
        ? say("ladder.until", { when: sayWhen(until) })
        : state === "open" && !kind
          ? say("ladder.opens", { when: sayWhen(opens) })
          : say(`ladder.now.${kind ?? state}`);
    this.#state.hidden = false;
    this.#state.replaceChildren(badge, " ", words);
    const copy = make("button", { type: "button" }, say("cup.act.copy"));
    copy.addEventListener("click", () => copyText(`${location.origin}${pathTo("ladder", this.#id)}`));
    const watch = tournament ? [make("a", { class: "button", href: pathToCup(tournament) }, say("ladder.watch"))] : [];
    const enter = make("button", { type: "button", class: "main", id: "ladder-guest" }, say("ladder.asGuest"));
    enter.addEventListener("click", () => whileBusy(enter, async () => write(this.#note, (await this.#asGuest()) ?? "")));
    const { user, programs } = this.#session;
    refill(this.#acts, copy, ...watch, ...(user ? [] : [enter]));
    this.#send.hidden = !user || !programs;
  }

  #head() {
    /**
     * @param {string} key
     * @param {string} kind
     */
    const sortable = (key, kind) => {
      const isIt = key === this.#order;
      const button = make("button", { type: "button", class: "quiet less" }, say(`ladder.heads.${key}`));
      button.addEventListener("click", () => {
        this.#order = key;
        this.#render();
      });
      return make(
        "th",
        { scope: "col", class: kind, ...(isIt ? { "aria-sort": ["games", "week"].includes(key) ? "descending" : "ascending" } : {}) },
        button,
      );
    };
    /**
     * @param {string} key
     * @param {string} kind
     */
    const plain = (key, kind) => make("th", { scope: "col", class: kind }, say(`ladder.heads.${key}`));
    const act = make("th", { scope: "col", class: "ladder-play" }, make("span", { class: "visually-hidden" }, say("ladder.play")));
    return make(
      "thead",
      {},
      make(
        "tr",
        {},
        sortable("rank", "no"),
        sortable("player", "player"),
        plain("rating", "elo"),
        plain("form", "last-ten"),
        sortable("games", "sums"),
        sortable("week", "week"),
        act,
      ),
    );
  }

  /**
   * A player's row, and the one below with the matches, if that is open.
   * @param {Wire.Ranked} row
   */
  #rowsOf(row) {
    const { rank, user, level, rating, error, form, won, drawn, lost, games, version, week, climbed } = row;
    const key = keyOf(row);
    const isMe = user !== null && user === this.#session.user;
    const isOpen = this.#open.has(key);
    const about = level ? `${kindAt(level)}, ${say("ladder.mark")}` : version ? say("ladder.version", { version }) : "";
    const name = make("button", { type: "button", class: "link", "aria-expanded": String(isOpen) }, this.#nameOf(row));
    name.addEventListener("click", () => this.#toggle(key));
    const badge = isMe ? [make("span", { class: "badge" }, say("table.you"))] : [];
    const who = make("span", { class: "grow" }, name, ...badge, make("span", { class: "hint ladder-about" }, about));
    const line = make(
      "tr",
      { class: isMe ? "me" : level ? "computer" : "" },
      make("td", { class: "no" }, ...drawPlace(rank)),
      make(
        "th",
        { scope: "row", class: "player" },
        make(
          "span",
          { class: "row" },
          level ? faceOf(level, this.#told.computers, "", "small") : makeAvatar(/** @type {string} */ (user), "small"),
          who,
        ),
      ),
      make(
        "td",
        { class: "elo" },
        ...(rating === null
          ? ["–"]
          : [make("b", {}, String(rating)), ...(error ? [" ", make("span", { class: "hint" }, `± ${error}`)] : [])]),
      ),
      make("td", { class: "last-ten" }, ...drawLast(form)),
      make("td", { class: "sums" }, String(games), " ", make("span", { class: "hint" }, games ? `${won} – ${drawn} – ${lost}` : "")),
      make("td", { class: "week" }, ...(level ? [] : [drawChange(week), drawClimb(climbed)])),
      make("td", { class: "ladder-play" }, ...this.#actOf(user)),
    );
    return isOpen ? [line, make("tr", { class: "opened" }, make("td", { colSpan: 7 }, this.#detailsOf(row)))] : [line];
  }

  /**
   * A player's name; a level is a computer.
   * @param {{ user: string | null, level: string | null }} row
   */
  #nameOf({ user, level }) {
    return user ?? nameOf(/** @type {string} */ (level), this.#told.computers);
  }

  /** @param {string | null} user */
  #actOf(user) {
    if (user === null || user === this.#session.user || !this.#free.has(user)) return [];
    const button = make(
      "button",
      { type: "button", class: "less" },
      say("ladder.play"),
      make("span", { class: "visually-hidden" }, ` ${user}`),
    );
    button.addEventListener("click", () =>
      whileBusy(button, async () => {
        const { game, options, clock } = this.#told.plan;
        write(this.#note, await this.#challenge(user, { game, options, clock }, pathTo("ladder", this.#id)));
      }),
    );
    return [button];
  }

  /** @param {string} key */
  async #toggle(key) {
    if (this.#open.delete(key)) return this.#render();
    this.#open.set(key, null);
    this.#render();
    await this.#readPlayer(key);
    this.#render();
  }

  /** @param {Wire.Ranked} row */
  #detailsOf({ user, level, rating, week }) {
    const told = this.#open.get(keyOf({ user, level }));
    const against = (told?.against ?? []).map((/** @type {any} */ each) =>
      make(
        "li",
        {},
        make("span", { class: "grow" }, this.#nameOf(each)),
        make("span", { class: "score" }, `${each.won} – ${each.drawn} – ${each.lost}`),
      ),
    );
    const matches = (told?.matches ?? []).map((/** @type {any} */ each) => {
      const how = /** @type {any} */ ({ 1: "w", 0: "l" })[each.score] ?? "d";
      const review = each.match
        ? [
            make(
              "a",
              { href: pathTo("match", each.match) },
              say("ladder.review"),
              make("span", { class: "visually-hidden" }, ` ${this.#nameOf(each)}, ${each.match}`),
            ),
          ]
        : [];
      return make(
        "li",
        {},
        make("span", { class: `result tile-${how}` }, capital(say(`cup.results.${how}`))),
        make("span", { class: "grow" }, this.#nameOf(each)),
        ...review,
      );
    });
    const page = user !== null && hasPage(user) ? [make("a", { href: pathTo("player", user) }, say("ladder.page"))] : [];
    /**
     * @param {string} title
     * @param {Child[]} items
     * @param {...Child} rest
     */
    const part = (title, items, ...rest) =>
      make(
        "section",
        {},
        make("h3", {}, title),
        items.length ? make("ul", { class: "cup-list" }, ...items) : make("p", { class: "hint" }, told ? say("ladder.noGames") : "…"),
        ...rest,
      );
    const parts = [part(say("ladder.last"), matches, ...page), part(say("ladder.against"), against)];
    if (told?.history.length && rating !== null) {
      const now = make("p", {}, make("b", {}, String(rating)), ...(week ? [" ", drawChange(week), ` ${say("ladder.thisWeek")}`] : []));
      const since = make("p", { class: "hint" }, say("ladder.since", { day: sayDay(told.history[0].day) }));
      parts.unshift(
        make("section", {}, make("h3", {}, say("ladder.heads.rating")), ratingSpark([...told.history, { rating }]), now, since),
      );
    }
    return make("div", { class: "ladder-more" }, ...parts);
  }

  /** The games that are being played, the first with small boards. */
  async #renderGames() {
    const {
      tournament,
      plan: { game, options },
    } = this.#told;
    const id = this.#id;
    const found = tournament ? await read(["tournaments", tournament]).catch(() => null) : null;
    const games = (found && found.state !== "over" && found.games) || [];
    const drawn = games
      .slice(0, MOST)
      .map((/** @type {Wire.Cupgame} */ { room }) => room)
      .filter(Boolean);
    const boards = await readBoards(drawn, [game]);
    const wanted = JSON.stringify([games.slice(0, 2 * MOST), boards]);
    if (this.#id !== id || wanted === this.#gamesShown) return;
    this.#gamesShown = wanted;
    this.#now.hidden = !games.length;
    const items = games
      .slice(0, 2 * MOST)
      .map((/** @type {any} */ each) =>
        drawn.includes(each.room)
          ? boardedOf(each, boardOf({ name: game }, { position: boards[each.room], options }), found.computers)
          : gameOf(each, found.computers),
      );
    refill(this.#now, make("h2", {}, say("cup.stillPlayed")), make("ul", { class: "cup-list" }, ...items));
  }
}

/**
 * How many ranks a player climbed, with an arrow; empty, if none, or if that isn't known.
 * @param {number | null} ranks
 */
function drawClimb(ranks) {
  if (!ranks) return "";
  const [kind, arrow] = ranks < 0 ? ["fell", "▼"] : ["rose", "▲"];
  const count = Math.abs(ranks);
  return make(
    "span",
    { class: `climb ${ranks < 0 ? "down" : "up"}` },
    make("span", { "aria-hidden": "true" }, `${arrow} ${count}`),
    make("span", { class: "visually-hidden" }, `, ${say(`ladder.${kind}`, { count })}`),
  );
}

/**
 * What a row is known by: the name of an account, or a level's behind a colon.
 * @param {{ user: string | null, level: string | null }} row
 */
function keyOf({ user, level }) {
  return user ?? `:${level}`;
}

// The view of a tournament, for everybody: what it is to me, the standings, and the rounds. The server tells the
// table over HTTP; what it is to me comes by the session.

import { read, readGames } from "./archive.js";
import { dress, explain } from "./archived.js";
import { boardOf, readBoards } from "./boards.js";
import {
  byeOf,
  drawPlace,
  isGuestName,
  isUp,
  makeTiles,
  measuresOf,
  pathToCup,
  sayCard,
  sayLeft,
  sayPause,
  sayRefusal,
  sayState,
  sayTerms,
  sayUnknown,
  sayWhen,
  takesPlayers,
} from "./cup.js";
import { CupDesk } from "./cupdesk.js";
import { drawMark } from "./board.js";
import { $, copyText, entitle, make, markField, refill, show, walkTabs, whileBusy, write } from "./dom.js";
import { fetchFace, knowsFaces, learnFaces } from "./faces.js";
import { markOf } from "./games.js";
import { castOf, faceOf, kindOf, nameOf } from "./names.js";
import { drawAwards, drawPodium } from "./podium.js";
import { hasPage, pathTo } from "./router.js";
import { BigScreen } from "./screen.js";
import { Lost, Refused } from "./session.js";
import { capital, say, sayPoints, translate } from "./texts.js";

/** @typedef {import("./cup.js").Card} Card */
/** @typedef {import("./cup.js").Rounds} Rounds */
/** @typedef {import("./cup.js").Told} Told */
/** @typedef {import("./names.js").Computers} Computers */

/**
 * What a player does in a tournament.
 * @typedef {{ do: "enter", name?: string } | { do: "pause", pause: boolean } | { do: "withdraw" }} Deed
 */

/** @typedef {Wire.Cupgame & { scores: number[] }} Ended a game with a result */

/** Milliseconds until it is asked for again. */
const PAUSE = 3000;

/** So many games have a small board. */
const MOST = 3;

class TournamentView {
  #session;
  #shut;
  /** @type {string | null} */
  #id = null;
  /** @type {Told | null} */
  #told = null;
  /** @type {Card | null} */
  #you = null;
  #tab = "standings";
  #shown = "";
  #gamesShown = "";
  #cardShown = "";
  /** @type {number[]} */
  #timers = [];
  /** @type {Wire.Tournament | null} */
  #now = null;
  /**
   * One's own games, `of` whom, and after which line.
   * @type {Pick<Told, "games" | "names" | "computers"> & { of?: string }}
   */
  #own = { games: [] };
  #asGuest;
  /** @type {Wire.Rights} */
  #rights = null;
  #desk;
  #title = make("h1", { id: "tournament-title", tabIndex: -1 });
  #terms = make("p", { class: "hint" });
  #state = make("p", { class: "cup-state", id: "tournament-state" });
  #note = make("p", { class: "note", id: "tournament-note", role: "status", hidden: true });
  #acts = make("div", { class: "row cup-acts" });
  #end = make("section", { class: "card cup-end", id: "cup-end", "aria-label": say("cup.podium"), hidden: true });
  #card = make("section", { class: "card cup-card", id: "cup-card", role: "status", hidden: true });
  #tabs = make("div", { class: "tabs", role: "tablist", "aria-label": say("cup.parts") });
  #table = make("div", { class: "cup-table", id: "cup-table", role: "tabpanel", tabIndex: 0 });
  #games = make("section", { class: "card cup-games", hidden: true });

  #join = new JoinForm(
    (name) => this.#act({ do: "enter", name }, true),
    () => this.#shut(say("cup.logIn")),
  );

  /**
   * `asGuest()` lets a stranger in as a guest; it gives back why, if that can't be.
   * @param {Session} session
   * @param {(why: string) => void} shut
   * @param {() => Promise<string | undefined>} asGuest
   */
  constructor(session, shut, asGuest) {
    this.#session = session;
    this.#shut = shut;
    this.#asGuest = asGuest;
    this.#desk = new CupDesk(session, () => this.#look());
    const head = make("div", { class: "cup-head" }, make("div", { class: "grow" }, this.#title, this.#terms, this.#state), this.#acts);
    const grid = make("div", { class: "cup-grid" }, make("section", { class: "card" }, this.#tabs, this.#table), this.#games);
    const names = { class: "view cup-page", id: "tournament", "aria-labelledby": this.#title.id, hidden: true };
    const parts = [head, this.#note, this.#end, this.#card, this.#join.element, this.#desk.element, grid];
    $("main").append(make("section", names, ...parts));
    session.addEventListener("event", ({ detail }) => this.#heard(detail));
    session.addEventListener("ready", () => this.#id && this.#ask());
    walkTabs(this.#tabs);
  }

  /** @param {string} id */
  async open(id) {
    this.close();
    this.#id = id;
    [this.#told, this.#you, this.#rights] = [null, null, null];
    this.#shown = this.#cardShown = this.#gamesShown = "";
    this.#own = { games: [] };
    this.#tab = "standings";
    await Promise.all([dress(), knowsFaces() || readGames().then(learnFaces)]);
    if (this.#id !== id) return;
    this.#timers = [setInterval(() => document.hidden || this.#look(), PAUSE), setInterval(() => this.#tick(), 1000)];
    write(this.#title, say("cup.title"));
    for (const part of [this.#terms, this.#state, this.#note, this.#end, this.#card, this.#join.element, this.#desk.element, this.#games])
      part.hidden = true;
    this.#table.replaceChildren();
    this.#tabs.replaceChildren();
    this.#acts.replaceChildren();
    show("tournament");
    this.#title.focus();
    await Promise.all([this.#look(), this.#ask()]);
  }

  close() {
    this.#id = null;
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#now = null;
  }

  /** Read it again. */
  async #look() {
    const id = /** @type {string} */ (this.#id);
    try {
      const told = await read(["tournaments", id]);
      if (this.#id !== id) return;
      this.#told = told;
      write(this.#note, "");
      await this.#render();
    } catch (error) {
      if (this.#id !== id) return;
      write(this.#note, sayUnknown(error) || explain(error));
    }
  }

  /** Ask what it is to me, and what I may do; to strangers it is nothing. */
  async #ask() {
    const id = /** @type {string} */ (this.#id);
    if (!this.#session.user) return;
    const answer = await this.#session.ask({ do: "tournament", tournament: id, rights: true }).catch(() => null);
    if (!answer || this.#id !== id) return;
    this.#rights = answer.rights ?? null;
    this.#take(answer.you ?? null);
    if (this.#told) this.#desk.render(this.#told, this.#rights);
  }

  /** @param {Events["event"]} event */
  #heard({ event, tournament, you }) {
    if (event !== "tournament" || tournament !== this.#id) return;
    if (you) this.#take(you);
    this.#look();
  }

  /** @param {Wire.Card | null} you */
  #take(you) {
    this.#you = /** @type {Card | null} */ (you);
    this.#renderState();
    this.#renderCard();
    this.#renderActs();
  }

  /** Who are computers, and what guests are called. */
  get #cast() {
    return castOf(this.#told ?? {});
  }

  async #render() {
    const { tournament: head, n } = /** @type {Told} */ (this.#told);
    write(this.#title, head.name);
    entitle(head.name);
    write(this.#terms, sayTerms(head));
    const now = { ...head, ...some(/** @type {Told} */ (this.#told), ["state", "round", "rounds", "players", "ended"]) };
    this.#now = now;
    this.#renderState();
    this.#renderCard();
    this.#renderActs();
    this.#desk.render(/** @type {Told} */ (this.#told), this.#rights);
    this.#renderTabs(head);
    const wanted = JSON.stringify([n, this.#tab, /** @type {Told} */ (this.#told).left]);
    this.#renderGames();
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    this.#renderEnd();
    if (this.#tab !== "standings") await this.#showGames();
    else this.#showStandings();
  }

  /** The time goes on. When that of an arena is up, its end comes in a moment. */
  #tick() {
    this.#renderState();
    if (this.#now?.state === "running" && !this.#told?.left && isUp(this.#now.ends) && !document.hidden) this.#look();
  }

  /** How far it is; in an arena the time goes on. */
  #renderState() {
    if (!this.#now) return;
    const runs = this.#now.state === "running";
    const isArena = runs && this.#now.system === "arena";
    const count = { count: this.#now.players };
    const isIn = this.#you && this.#now.state === "open";
    const words =
      isArena || isIn
        ? [
            isArena ? make("b", { class: "cup-left" }, sayLeft(this.#now.ends)) : sayState(this.#now, true),
            ` · ${say("cup.players", count)}${this.#told?.closed ? ` · ${say("cup.closed")}` : ""}`,
          ]
        : [sayPause(/** @type {Told} */ (this.#told)) || sayState(this.#now), ...this.#sayMore()];
    const badge = runs ? [make("span", { class: "badge live-now" }, say("cup.live")), " "] : [];
    this.#state.hidden = false;
    this.#state.replaceChildren(...badge, ...words);
  }

  /** Who comes now has no game; and what was corrected when it was over. */
  #sayMore() {
    const { corrected } = this.#told ?? {};
    const head = /** @type {Wire.Tournament} */ (this.#now);
    const isLate = !this.#you && head.state === "running" && head.system === "swiss" && !takesPlayers(head);
    return [isLate && say("cup.closed"), corrected && say("cup.corrected", { when: sayWhen(corrected) })]
      .filter(Boolean)
      .map((words) => ` · ${words}`);
  }

  // What it is to me

  #renderCard() {
    const you = this.#you;
    this.#card.hidden = !you;
    if (!you) return;
    const words = sayCard(you);
    // Events come more often than news. A screen reader says the card whenever it is drawn.
    const wanted = JSON.stringify([words, you.state === "playing" && you.room, you.rank, you.points, this.#told?.names]);
    if (this.#cardShown === wanted) return;
    this.#cardShown = wanted;
    const links = you.state === "playing" ? [make("a", { class: "button main", href: pathTo("room", you.room) }, say("cup.toBoard"))] : [];
    const name = nameOf(this.#session.user, this.#cast); // a guest's comes a moment after the seat
    const isShaky = this.#session.isGuest && name !== nameOf(this.#session.user) && !["out", "over"].includes(you.state);
    const hint = isShaky ? [make("p", { class: "hint" }, say("cup.asGuest", { name }))] : [];
    const place =
      you.state === "waiting" && you.rank
        ? [make("p", { class: "hint" }, say("cup.placed", { rank: you.rank, count: you.points, points: sayPoints(you.points) }))]
        : [];
    refill(this.#card, make("div", { class: "grow" }, make("p", {}, words), ...place, ...hint), ...links);
  }

  /** The podium and the awards, when it is over. */
  #renderEnd() {
    const { state, standings, awards = [] } = /** @type {Told} */ (this.#told);
    const podium = state === "over" && drawPodium(standings, this.#cast);
    this.#end.hidden = !podium;
    if (!podium) return;
    const found = drawAwards(awards, this.#cast);
    this.#end.replaceChildren(podium, ...(found.length ? [make("p", { class: "awards" }, ...found)] : []));
  }

  #renderActs() {
    /** @type {{ tournament?: Wire.Tournament, state?: any, closed?: true }} */
    const { tournament: head, state, closed } = this.#told ?? {};
    if (!head) return;
    const you = this.#you;
    const isIn = you && !["out", "over"].includes(you.state);
    const mayEnter = !isIn && takesPlayers({ ...head, state, closed });
    /** @type {[name: string, kind: string, work: () => unknown][]} */
    const acts = [];
    const isPassing = !this.#session.user || this.#session.isGuest;
    const asks = mayEnter && head.guests && isPassing && !you; // who comes back has a name
    this.#join.element.hidden = !asks;
    // What the organizer wants most is at hand below.
    if (mayEnter && !asks) acts.push(["enter", this.#rights ? "" : "main", () => this.#act({ do: "enter" })]);
    if (isIn && head.system === "arena" && state === "running") {
      acts.push(
        you.paused
          ? ["back", "main", () => this.#act({ do: "pause", pause: false })]
          : ["pause", "", () => this.#act({ do: "pause", pause: true })],
      );
    }
    if (isIn && state !== "over") acts.push(["withdraw", "", () => this.#act({ do: "withdraw" })]);
    acts.push(["copy", "quiet", () => copyText(`${location.origin}${pathToCup(head.id)}`)]);
    const wanted = [...acts.map(([name, kind]) => name + kind), state === "over", Boolean(this.#rights)].join();
    if (this.#acts.dataset.shown === wanted && this.#acts.childElementCount) return;
    this.#acts.dataset.shown = wanted;
    const buttons = acts.map(([name, kind, work]) => {
      const button = make("button", { type: "button", class: kind }, say(`cup.act.${name}`));
      button.addEventListener("click", () => whileBusy(button, work));
      return button;
    });
    refill(this.#acts, ...buttons, ...linksOf(head, state, Boolean(this.#rights)));
  }

  /**
   * Do that; `isTold`: whoever asked says what is refused.
   * @param {Deed} request
   */
  async #act(request, isTold = false) {
    const mayGuest = /** @type {Told} */ (this.#told).tournament.guests;
    if (!mayGuest && (!this.#session.user || this.#session.isGuest)) return this.#shut(say("cup.logIn"));
    if (!this.#session.user) {
      const fault = await this.#asGuest();
      if (fault) return write(this.#note, fault);
    }
    if (!this.#session.user) return; // it was shown to the login
    try {
      const { you } = await this.#session.ask({ ...request, tournament: /** @type {string} */ (this.#id) });
      this.#take(you ?? null);
      await this.#look();
    } catch (error) {
      const words = error instanceof Refused ? sayRefusal(error) : error instanceof Lost ? error.message : "";
      if (!words || isTold) throw error;
      write(this.#note, words);
    }
  }

  // The parts

  /** @param {Wire.Tournament} head */
  #renderTabs({ system, seats }) {
    const more = system === "round-robin" && seats === 2 ? ["crosstable"] : system === "arena" ? [] : ["rounds"];
    const names = ["standings", ...more];
    if (this.#tabs.childElementCount !== names.length) {
      this.#tabs.replaceChildren(
        ...names.map((name) => {
          const tab = make(
            "button",
            { type: "button", class: "tab", role: "tab", id: `cup-tab-${name}`, "aria-controls": "cup-table" },
            say(`cup.tabs.${name}`),
          );
          tab.addEventListener("click", () => this.#choose(name));
          return tab;
        }),
      );
    }
    for (const tab of /** @type {Iterable<HTMLElement>} */ (this.#tabs.children)) {
      const isChosen = tab.id === `cup-tab-${this.#tab}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    this.#table.setAttribute("aria-labelledby", `cup-tab-${this.#tab}`);
    this.#tabs.hidden = names.length < 2;
  }

  /** @param {string} name */
  #choose(name) {
    this.#tab = name;
    this.#render();
  }

  #showStandings() {
    const { standings } = /** @type {Told} */ (this.#told);
    const measures = measuresOf(standings);
    const hasRatings = standings.some(({ rating }) => rating);
    const columns = ["place", "player", ...(hasRatings ? ["rating"] : []), "results", "points"];
    const heads = columns.map((name) => [say(`cup.heads.${name}`), name === "place" ? "no" : name]);
    const more = measures.map((name) => [capital(translate(name)), "measure"]);
    const head = make("tr", {}, ...[...heads, ...more].map(([words, look]) => make("th", { scope: "col", class: look }, words)));
    const rows = standings.map((place) => this.#row(place, measures, hasRatings));
    const isLong = /** @type {Told} */ (this.#told).players > standings.length;
    // @ts-expect-error it has been told
    const rest = isLong ? [make("p", { class: "hint" }, say("cup.first", { count: standings.length, of: this.#told.players }))] : [];
    const empty = standings.length ? [] : [make("p", { class: "hint" }, say("cup.empty"))];
    refill(
      this.#table,
      ...(standings.length ? [make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))] : []),
      ...empty,
      ...rest,
    );
  }

  /**
   * @param {Wire.Place} place
   * @param {string[]} measures
   * @param {boolean} hasRatings
   */
  #row({ rank, name, rating, points, measures: found, results, state }, measures, hasRatings) {
    const isMe = name === this.#session.user;
    return make(
      "tr",
      isMe ? { class: "me" } : {},
      make("td", { class: "no" }, ...drawPlace(rank, points)),
      this.#whoOf(name, state),
      ...(hasRatings ? [make("td", { class: "rating" }, rating ? String(rating) : "")] : []),
      make("td", { class: "results" }, makeTiles(results.slice(-12), this.#now?.system)),
      make("td", { class: "points" }, sayPoints(points)),
      ...measures.map((measure) => make("td", { class: "measure" }, sayPoints(found[measure] ?? 0))),
    );
  }

  /**
   * A player at the head of a row.
   * @param {string} user
   * @param {Wire.Place["state"]} state
   */
  #whoOf(user, state) {
    const cast = this.#cast;
    // Where all are guests, it says nothing.
    const { standings } = /** @type {Told} */ (this.#told);
    const isMixed = standings.some(({ name }) => !isGuestName(name) && !kindOf(name, cast));
    const badges = [
      user === this.#session.user ? say("table.you") : "",
      isGuestName(user) ? (isMixed ? say("cup.guest") : "") : kindOf(user, cast),
      state === "out" ? say("cup.gone") : "",
    ].filter(Boolean);
    const name = nameOf(user, cast);
    const who =
      isGuestName(user) || kindOf(user, cast) || !hasPage(user)
        ? make("span", {}, name)
        : make("a", { href: pathTo("player", user) }, name);
    return make(
      "th",
      { scope: "row", class: "player" },
      make(
        "span",
        { class: "row" },
        faceOf(user, cast, "", "small"),
        make("span", { class: "grow" }, who, ...badges.map((words) => make("span", { class: "badge" }, words))),
      ),
    );
  }

  /** The games of each player: by rounds, or against each other one. */
  async #showGames() {
    const [id, tab, { game }] = [/** @type {string} */ (this.#id), this.#tab, /** @type {Told} */ (this.#told).tournament];
    // @ts-expect-error it has been told
    if (!this.#told.round) return refill(this.#table, make("p", { class: "hint" }, say("cup.noRounds")));
    const asked = read(["tournaments", id, "rounds"]).catch(() => ({ standings: [], games: [], byes: [] }));
    const [found] = await Promise.all([asked, fetchFace(game)]); // it knows the colors
    if (this.#id !== id || this.#tab !== tab) return;
    const isCross = tab === "crosstable";
    const table = isCross ? this.#crossOf(found) : this.#matrixOf(found);
    const scroll = make(
      "div",
      { class: "cup-scroll", role: "region", tabIndex: 0, "aria-label": say(isCross ? "cup.cross" : "cup.matrix") },
      table,
    );
    const { players } = /** @type {Told} */ (this.#told);
    const isLong = players > found.standings.length;
    const rest = isLong ? [make("p", { class: "hint" }, say("cup.first", { count: found.standings.length, of: players }))] : [];
    const marks = isCross ? [] : /** @type {Mark[]} */ ([0, 1].map((seat) => markOf(game, seat)).filter(Boolean));
    const legend = marks.map((mark, seat) =>
      make("span", {}, drawMark(mark), seat ? mark.name : say("cup.movesFirst", { mark: mark.name })),
    );
    const isOver = this.#told?.state === "over";
    const open = isOver ? { sign: "*", look: "n", words: "cup.results.n" } : { sign: "…", look: "p", words: "cup.being" };
    if (!isOver || found.games.some((/** @type {Wire.Cupgame} */ { scores }) => !scores))
      legend.push(make("span", {}, make("span", { class: `r ${open.look}` }, open.sign), say(open.words)));
    if (found.games.some((/** @type {Wire.Cupgame} */ { how }) => how === "set"))
      legend.push(make("span", {}, make("span", { class: "r set", "aria-hidden": "true" }), say("cup.set")));
    const before = this.#table.querySelector(".cup-scroll");
    const [from, columns] = [before?.scrollLeft ?? 0, before?.querySelectorAll("thead th").length];
    refill(this.#table, scroll, ...(legend.length ? [make("p", { class: "legend hint" }, ...legend)] : []), ...rest);
    const rounds = table.querySelectorAll("thead .round");
    const isNew = rounds.length && columns !== table.querySelectorAll("thead th").length;
    scroll.scrollLeft = isNew ? wayTo(rounds[rounds.length - 1], scroll) : from;
  }

  /**
   * The head, and the rows of players, with what `cellsOf(name)` gives for each.
   * @param {Rounds} found
   * @param {HTMLElement[]} heads
   * @param {(name: string) => HTMLElement[]} cellsOf
   * @param {string} kind
   */
  #gridOf({ standings }, heads, cellsOf, kind) {
    const columns = [
      ["place", "no"],
      ["player", "player"],
    ].map(([name, look]) => make("th", { scope: "col", class: look }, say(`cup.heads.${name}`)));
    const head = make("tr", {}, ...columns, ...heads, make("th", { scope: "col", class: "points" }, say("cup.heads.points")));
    const rows = standings.map(({ rank, name, points, state }) =>
      make(
        "tr",
        name === this.#session.user ? { class: "me" } : {},
        make("td", { class: "no" }, ...drawPlace(rank, points)),
        this.#whoOf(name, state),
        ...cellsOf(name),
        make("td", { class: "points" }, sayPoints(points)),
      ),
    );
    return make("table", { class: kind }, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  /** @param {Rounds} found */
  #matrixOf(found) {
    const { game, rounds, system } = /** @type {Told} */ (this.#told).tournament;
    const cast = castOf(found);
    const numbers = Array.from({ length: Math.min(rounds ?? Infinity, /** @type {Told} */ (this.#told).round) }, (_, at) => at + 1);
    const heads = numbers.map((round) => make("th", { scope: "col", class: "round" }, say("cup.heads.round", { round })));
    /** @param {string} name */
    const cellsOf = (name) =>
      numbers.map((round) => {
        const games = found.games.filter((each) => each.round === round && each.players.includes(name));
        const isFree = found.byes.some(([at, who]) => at === round && who === name);
        const cells = games.map((each) => {
          const seat = each.players.indexOf(name);
          const others = each.players.filter((_, at) => at !== seat).map((other) => nameOf(other, cast));
          const mark = each.players.length === 2 ? markOf(game, seat) : null;
          const colour = mark ? [drawMark(mark), make("span", { class: "visually-hidden" }, `, ${mark.name}`)] : [];
          return linkTo(each, [resultOf(each, seat), " ", make("bdi", {}, others.join(", ")), ...colour]);
        });
        const bye = isFree
          ? [make("span", { class: "of-game hint" }, make("span", { class: "r b" }, byeOf(system)), " ", say("cup.results.b"))]
          : [];
        return make("td", { class: "round" }, ...cells, ...bye);
      });
    return this.#gridOf(found, heads, cellsOf, "rounds");
  }

  /** @param {Rounds} found */
  #crossOf(found) {
    const cast = castOf(found);
    const names = found.standings.map(({ name }) => name);
    const heads = names.map((name) =>
      make(
        "th",
        { scope: "col", class: "x", title: nameOf(name, cast) },
        faceOf(name, cast, "", "small"),
        make("span", { class: "visually-hidden" }, nameOf(name, cast)),
      ),
    );
    /** @param {string} name */
    const cellsOf = (name) =>
      names.map((other) => {
        if (other === name) return make("td", { class: "x self" }, make("span", { class: "visually-hidden" }, say("cup.self")));
        const games = found.games.filter(({ players }) => players.includes(name) && players.includes(other));
        const cells = games.map((each) => {
          const words = { name: nameOf(name, cast), other: nameOf(other, cast) };
          const link = linkTo(each, [resultOf(each, each.players.indexOf(name))]);
          if (link.href) link.setAttribute("aria-label", say("cup.cell", { result: link.textContent, ...words }));
          return link;
        });
        return make("td", { class: "x" }, ...cells);
      });
    return this.#gridOf(found, heads, cellsOf, "cross");
  }

  /** The games that are being played, the first with small boards, and one's own. */
  async #renderGames() {
    const {
      games,
      n,
      state,
      tournament: { game, options },
    } = /** @type {Told} */ (this.#told);
    const [id, user, cast] = [/** @type {string} */ (this.#id), this.#session.user, this.#cast];
    const playing = state === "over" ? [] : (games ?? []);
    const drawn = playing.slice(0, MOST).map(({ room }) => room);
    const of = this.#you ? `${n} ${user}` : undefined;
    const isKnown = !of || of === this.#own.of;
    const [boards, found] = await Promise.all([
      readBoards(/** @type {string[]} */ (drawn), [game]),
      isKnown ? null : read(["tournaments", id, "players", user]).catch(() => null),
    ]);
    if (this.#id !== id) return;
    if (found) this.#own = { ...found, of };
    const mine = of ? this.#own : { games: [] };
    const own = /** @type {Ended[]} */ (mine.games.filter(({ scores }) => scores).reverse());
    this.#games.hidden = !playing.length && !own.length;
    /** @type {[title: string, items: HTMLElement[]][]} */
    const lists = [
      [
        say("cup.stillPlayed"),
        playing.map((each) =>
          drawn.includes(each.room)
            ? boardedOf(each, boardOf({ name: game }, { position: boards[/** @type {string} */ (each.room)], options }), cast)
            : gameOf(each, cast),
        ),
      ],
      [say("cup.yourGames"), own.map((each) => ownOf(each, user, castOf(mine)))],
    ];
    const shown = lists.filter(([, items]) => items.length);
    const wanted = JSON.stringify([drawn, boards, playing.length, own, /** @type {Told} */ (this.#told).names]);
    if (wanted === this.#gamesShown) return;
    this.#gamesShown = wanted;
    refill(this.#games, ...shown.flatMap(([title, items]) => [make("h2", {}, title), make("ul", { class: "cup-list" }, ...items)]));
  }
}

/**
 * A game: to watch while it is played, to go through when it is over.
 * @param {Wire.Cupgame} game
 * @param {Computers} cast
 */
export function gameOf({ players, room, scores, match }, cast) {
  const names = players.map((name) => nameOf(name, cast)).join(say("rooms.against"));
  const path = room ? pathTo("room", room) : match ? pathTo("match", match) : "";
  const result = scores ? scores.map(sayPoints).join(" : ") : room ? "…" : "";
  const words = path ? make("a", { href: path }, names) : make("span", {}, names);
  return make("li", {}, words, make("span", { class: "score" }, result));
}

/**
 * A game that is being played, with a small board.
 * @param {Wire.Cupgame} game
 * @param {Child} board
 * @param {Computers} cast
 */
export function boardedOf({ players, room }, board, cast) {
  const names = make("b", {}, players.map((name) => nameOf(name, cast)).join(say("rooms.against")));
  return make("li", {}, make("a", { class: "live", href: pathTo("room", room) }, board, make("span", { class: "what" }, names)));
}

/**
 * A game of somebody who takes part: how it went, and against whom.
 * @param {Ended} game
 * @param {string} user
 * @param {Computers} cast
 */
function ownOf({ round, players, scores, match }, user, cast) {
  const seat = players.indexOf(user);
  const how = { 1: "w", 0: "l" }[/** @type {0 | 1} */ (scores[seat])] ?? "d";
  const others = players
    .filter((_, at) => at !== seat)
    .map((name) => nameOf(name, cast))
    .join(", ");
  const words = match ? make("a", { href: pathTo("match", match) }, others) : make("span", {}, others);
  return make(
    "li",
    {},
    make("span", { class: `result tile-${how}` }, capital(say(`cup.results.${how}`))),
    make("span", { class: "grow" }, words),
    make("span", { class: "hint" }, say("cup.heads.round", { round })),
  );
}

/**
 * How a game went for a seat, or that it is being played, or was when the tournament ended; with a mark, if the organizer set it.
 * @param {Wire.Cupgame} game
 * @param {number} seat
 */
function resultOf({ scores, room, how }, seat) {
  const score = scores?.[seat];
  const look = score === undefined ? (room ? "p" : "n") : ({ 1: "w", 0: "l" }[/** @type {0 | 1} */ (score)] ?? "d");
  const sign = score === undefined ? (room ? "…" : "*") : sayPoints(score);
  if (how !== "set") return make("span", { class: `r ${look}`, title: say(`cup.results.${look}`) }, sign);
  const title = `${say(`cup.results.${look}`)}, ${say("cup.set")}`;
  return make("span", { class: `r ${look} set`, title }, sign, make("span", { class: "visually-hidden" }, ` (${say("cup.set")})`));
}

/**
 * How far a table that begins at its first column is to be scrolled, so that a column is beside that of the players, which stays.
 * @param {Element} column
 * @param {Element} scroll
 */
function wayTo(column, scroll) {
  const [at, box] = [column, scroll].map((each) => each.getBoundingClientRect());
  const { width } = /** @type {Element} */ (scroll.querySelector("thead .player")).getBoundingClientRect();
  const isRtl = document.documentElement.dir === "rtl";
  return isRtl ? Math.min(0, at.right - box.right + width) : Math.max(0, at.left - box.left - width);
}

/**
 * A game as a link: to the board, or to the match when it is over.
 * @param {Wire.Cupgame} game
 * @param {Child[]} words
 * @returns {HTMLElement & { href?: string }}
 */
function linkTo({ room, match }, words) {
  const path = room ? pathTo("room", room) : match ? pathTo("match", match) : "";
  return path ? make("a", { class: "of-game", href: path }, ...words) : make("span", { class: "of-game" }, ...words);
}

/** Where a guest says by what name they take part. */
class JoinForm {
  element = make("form", { class: "card stack cup-join", id: "cup-join", noValidate: true, hidden: true });
  #input = make("input", {
    id: "cup-nick",
    maxLength: 20,
    autocomplete: "nickname",
    spellcheck: false,
    "aria-describedby": "cup-nick-hint cup-nick-error",
  });
  #error = make("p", { class: "error", id: "cup-nick-error", role: "alert", hidden: true });
  #button = make("button", { class: "main" }, say("cup.act.enter"));
  #enter;

  /**
   * `enter(name)` takes part, and `logIn()` is for whoever has an account.
   * @param {(name: string) => Promise<void>} enter
   * @param {() => void} logIn
   */
  constructor(enter, logIn) {
    this.#enter = enter;
    const account = make("button", { type: "button", class: "quiet" }, say("cup.haveAccount"));
    account.addEventListener("click", logIn);
    const field = make(
      "div",
      { class: "field" },
      make("label", { htmlFor: "cup-nick" }, say("cup.nick")),
      this.#input,
      make("p", { class: "hint", id: "cup-nick-hint" }, say("cup.nickHint")),
      this.#error,
    );
    this.element.append(field, make("div", { class: "row" }, this.#button, account));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      whileBusy(this.#button, () => this.#send());
    });
    this.#input.addEventListener("input", () => markField(this.#input, ""));
  }

  async #send() {
    const name = this.#input.value.trim();
    markField(this.#input, name ? "" : say("cup.fault.user"));
    if (!name) return this.#input.focus();
    try {
      await this.#enter(name);
    } catch (/** @type {any} */ error) {
      const words = error instanceof Refused ? sayRefusal(error) : error instanceof Lost ? error.message : "";
      if (!words) throw error;
      markField(this.#input, error.free ? say("cup.taken", { name }) : words);
      if (error.free) this.#offer(error.free);
      this.#input.focus();
    }
  }

  /**
   * Offer a name that isn't taken.
   * @param {string} name
   */
  #offer(name) {
    const take = make("button", { type: "button", class: "link", id: "cup-free" }, say("cup.howAbout", { name }));
    take.addEventListener("click", () => {
      this.#input.value = name;
      markField(this.#input, "");
      this.element.requestSubmit();
    });
    this.#error.append(" ", take);
  }
}

/**
 * Those of the fields that are there.
 * @param {Record<string, any>} from
 * @param {string[]} names
 */
function some(from, names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

/**
 * Return the links to the results, when it is over, and to the big screen; an organizer can also send a Swiss system to FIDE.
 * @param {Wire.Tournament} head
 * @param {string | undefined} state
 * @param {boolean} isOrganizer
 */
function linksOf({ id, system }, state, isOrganizer) {
  const kinds = state !== "over" ? [] : isOrganizer && system === "swiss" ? ["csv", "trf"] : ["csv"];
  return [
    ...kinds.map((kind) => {
      const file = { href: `/api/tournaments/${id}/results.${kind}`, download: `${id}.${kind}` };
      return make("a", { class: "button quiet", ...file }, say(kind === "csv" ? "cup.download" : "cup.report"));
    }),
    make("a", { class: "button quiet", href: `${pathToCup(id)}/screen` }, say("cup.screen")),
  ];
}

/** A tournament's views, by the second part of their paths. */
export class TournamentViews {
  #view;
  #screen;
  /** @type {TournamentView | BigScreen | undefined} */
  #current;

  /**
   * @param {Session} session
   * @param {(why: string) => void} shut
   * @param {unknown} at
   * @param {unknown} watch
   * @param {() => Promise<string | undefined>} asGuest
   */
  constructor(session, shut, at, watch, asGuest) {
    this.#view = new TournamentView(session, shut, asGuest);
    this.#screen = new BigScreen();
  }

  open(id = "", part = "") {
    this.close();
    this.#current = part === "screen" ? this.#screen : this.#view;
    return this.#current.open(id);
  }

  close() {
    this.#current?.close();
  }
}

// The view of a tournament, for everybody: what it is to me, the standings, and the rounds. The server tells the
// table over HTTP; what it is to me comes by the session.

import { read, readGames } from "./archive.js";
import { dress, explain, signOf } from "./archived.js";
import { boardOf, readBoards } from "./boards.js";
import { pathToCup, sayCard, sayLeft, sayPoints, sayRefusal, sayState, sayTerms, sayUnknown, takesPlayers } from "./cup.js";
import { CupDesk } from "./cupdesk.js";
import { $, copyText, entitle, make, refill, show, walkTabs, whileBusy, write } from "./dom.js";
import { knowsFaces, learnFaces } from "./faces.js";
import { faceOf, kindOf, nameOf } from "./names.js";
import { hasPage, pathTo } from "./router.js";
import { BigScreen } from "./screen.js";
import { Lost, Refused } from "./session.js";
import { capital, say, translate } from "./texts.js";

/** Milliseconds until it is asked for again. */
const PAUSE = 3000;

/** So many games have a small board. */
const MOST = 3;

/** Signs of results in the standings, each with its look. */
const LOOKS = { "1": "w", "½": "d", "0": "l", "+": "w", "-": "l", bye: "b", "…": "p" };

class TournamentView {
  #session;
  #shut;
  #id = null;
  #told = null;
  #you = null;
  #tab = "standings";
  #round = 0;
  #shown = "";
  #gamesShown = "";
  #cardShown = "";
  #timers = [];
  #now = null;
  #asGuest;
  #rights = null;
  #desk;
  #title = make("h1", { id: "tournament-title", tabIndex: -1 });
  #terms = make("p", { class: "hint" });
  #state = make("p", { class: "cup-state", id: "tournament-state" });
  #note = make("p", { class: "note", id: "tournament-note", role: "status", hidden: true });
  #acts = make("div", { class: "row cup-acts" });
  #card = make("section", { class: "card cup-card", id: "cup-card", role: "status", hidden: true });
  #tabs = make("div", { class: "tabs", role: "tablist", "aria-label": say("cup.parts") });
  #table = make("div", { class: "cup-table", id: "cup-table", role: "tabpanel", tabIndex: 0 });
  #games = make("section", { class: "card cup-games", hidden: true });

  /** `asGuest()` lets a stranger in as a guest; it gives back why, if that can't be. */
  constructor(session, shut, asGuest) {
    this.#session = session;
    this.#shut = shut;
    this.#asGuest = asGuest;
    this.#desk = new CupDesk(session, () => this.#look());
    const head = make("div", { class: "cup-head" }, make("div", { class: "grow" }, this.#title, this.#terms, this.#state), this.#acts);
    const grid = make("div", { class: "cup-grid" }, make("section", { class: "card" }, this.#tabs, this.#table), this.#games);
    const names = { class: "view cup-page", id: "tournament", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, head, this.#note, this.#card, this.#desk.element, grid));
    session.addEventListener("event", ({ detail }) => this.#heard(detail));
    session.addEventListener("ready", () => this.#id && this.#ask());
    walkTabs(this.#tabs);
  }

  async open(id) {
    this.close();
    this.#id = id;
    [this.#told, this.#you, this.#rights] = [null, null, null];
    this.#shown = this.#cardShown = this.#gamesShown = "";
    [this.#tab, this.#round] = ["standings", 0];
    await Promise.all([dress(), knowsFaces() || readGames().then(learnFaces)]);
    if (this.#id !== id) return;
    this.#timers = [setInterval(() => document.hidden || this.#look(), PAUSE), setInterval(() => this.#renderState(), 1000)];
    write(this.#title, say("cup.title"));
    for (const part of [this.#terms, this.#state, this.#note, this.#card, this.#desk.element, this.#games]) part.hidden = true;
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
    const id = this.#id;
    try {
      const told = await read(["tournaments", id]);
      if (this.#id !== id) return;
      this.#told = told;
      write(this.#note, "");
      // A link that somebody clicks on isn't drawn anew meanwhile; it is looked at again soon.
      if (!this.#table.matches(":active")) await this.#render();
    } catch (error) {
      if (this.#id !== id) return;
      write(this.#note, sayUnknown(error) || explain(error));
    }
  }

  /** Ask what it is to me, and what I may do; to strangers it is nothing. */
  async #ask() {
    const id = this.#id;
    if (!this.#session.user) return;
    const answer = await this.#session.ask({ do: "tournament", tournament: id, rights: true }).catch(() => null);
    if (!answer || this.#id !== id) return;
    this.#rights = answer.rights ?? null;
    this.#take(answer.you ?? null);
    if (this.#told) this.#desk.render(this.#told, this.#rights);
  }

  #heard({ event, tournament, you }) {
    if (event !== "tournament" || tournament !== this.#id) return;
    if (you) this.#take(you);
    this.#look();
  }

  #take(you) {
    this.#you = you;
    this.#renderState();
    this.#renderCard();
    this.#renderActs();
  }

  async #render() {
    const { tournament: head, n } = this.#told;
    write(this.#title, head.name);
    entitle(head.name);
    write(this.#terms, sayTerms(head));
    const now = { ...head, ...some(this.#told, ["state", "round", "rounds", "players", "ended"]) };
    this.#now = now;
    this.#renderState();
    this.#renderActs();
    this.#desk.render(this.#told, this.#rights);
    this.#renderTabs(head);
    const wanted = JSON.stringify([n, this.#tab, this.#round, this.#told.left]);
    this.#renderGames();
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    if (this.#tab === "rounds") await this.#showRound();
    else if (this.#tab === "crosstable") await this.#showCross();
    else this.#showStandings();
  }

  /** How far it is; in an arena the time goes on. */
  #renderState() {
    if (!this.#now) return;
    const runs = this.#now.state === "running";
    const isArena = runs && this.#now.system === "arena";
    const count = { count: this.#now.players };
    const isIn = this.#you && this.#now.state === "open";
    const words = isArena || isIn ? [isArena ? make("b", { class: "cup-left" }, sayLeft(this.#now.ends)) : sayState(this.#now, true), ` · ${say("cup.players", count)}`] : [sayState(this.#now)];
    const badge = runs ? [make("span", { class: "badge live-now" }, say("cup.live")), " "] : [];
    this.#state.hidden = false;
    this.#state.replaceChildren(...badge, ...words);
  }

  // What it is to me

  #renderCard() {
    const you = this.#you;
    this.#card.hidden = !you;
    if (!you) return;
    const words = sayCard(you);
    // Events come more often than news. A screen reader says the card whenever it is drawn.
    const wanted = JSON.stringify([words, you.state === "playing" && you.room, you.rank, you.points]);
    if (this.#cardShown === wanted) return;
    this.#cardShown = wanted;
    const links = you.state === "playing" ? [make("a", { class: "button main", href: pathTo("room", you.room) }, say("cup.toBoard"))] : [];
    const isShaky = this.#session.isGuest && !["out", "over"].includes(you.state);
    const hint = isShaky ? [make("p", { class: "hint" }, say("cup.asGuest", { name: this.#session.user }))] : [];
    const place = you.state === "waiting" && you.rank ? [make("p", { class: "hint" }, say("cup.placed", { rank: you.rank, count: you.points, points: sayPoints(you.points) }))] : [];
    refill(this.#card, make("div", { class: "grow" }, make("p", {}, words), ...place, ...hint), ...links);
  }

  #renderActs() {
    const { tournament: head, state } = this.#told ?? {};
    if (!head) return;
    const you = this.#you;
    const isIn = you && !["out", "over"].includes(you.state);
    const mayEnter = !isIn && takesPlayers({ ...head, state });
    const acts = [];
    if (mayEnter) acts.push(["enter", "main", () => this.#act({ do: "enter" })]);
    if (isIn && head.system === "arena" && state === "running") {
      acts.push(you.paused ? ["back", "main", () => this.#act({ do: "pause", pause: false })] : ["pause", "", () => this.#act({ do: "pause", pause: true })]);
    }
    if (isIn && state !== "over") acts.push(["withdraw", "", () => this.#act({ do: "withdraw" })]);
    acts.push(["copy", "quiet", () => copyText(`${location.origin}${pathToCup(head.id)}`)]);
    const wanted = acts.map(([name]) => name).join();
    if (this.#acts.dataset.shown === wanted && this.#acts.childElementCount) return;
    this.#acts.dataset.shown = wanted;
    const buttons = acts.map(([name, kind, work]) => {
      const button = make("button", { type: "button", class: kind }, say(`cup.act.${name}`));
      button.addEventListener("click", () => whileBusy(button, work));
      return button;
    });
    refill(this.#acts, ...buttons, make("a", { class: "button quiet", href: `${pathToCup(head.id)}/screen` }, say("cup.screen")));
  }

  async #act(request) {
    const mayGuest = this.#told.tournament.guests;
    if (!mayGuest && (!this.#session.user || this.#session.isGuest)) return this.#shut(say("cup.logIn"));
    if (!this.#session.user) {
      const fault = await this.#asGuest();
      if (fault) return write(this.#note, fault);
    }
    if (!this.#session.user) return; // it was shown to the login
    try {
      const { you } = await this.#session.ask({ ...request, tournament: this.#id });
      this.#take(you ?? null);
      await this.#look();
    } catch (error) {
      const words = error instanceof Refused ? sayRefusal(error) : error instanceof Lost ? say("connection.none") : "";
      if (!words) throw error;
      write(this.#note, words);
    }
  }

  // The parts

  #renderTabs({ system, seats }) {
    const hasRounds = system !== "arena";
    const names = ["standings", ...(hasRounds ? ["rounds"] : []), ...(system === "round-robin" && seats === 2 ? ["crosstable"] : [])];
    if (this.#tabs.childElementCount !== names.length) {
      this.#tabs.replaceChildren(...names.map((name) => {
        const tab = make("button", { type: "button", class: "tab", role: "tab", id: `cup-tab-${name}`, "aria-controls": "cup-table" }, say(`cup.tabs.${name}`));
        tab.addEventListener("click", () => this.#choose(name));
        return tab;
      }));
    }
    for (const tab of this.#tabs.children) {
      const isChosen = tab.id === `cup-tab-${this.#tab}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    this.#table.setAttribute("aria-labelledby", `cup-tab-${this.#tab}`);
    this.#tabs.hidden = names.length < 2;
  }

  #choose(name) {
    this.#tab = name;
    this.#render();
  }

  #showStandings() {
    const { standings } = this.#told;
    const measures = Object.keys(standings[0]?.measures ?? {}).filter((name) => {
      const values = standings.map((place) => place.measures[name]);
      return new Set(values).size > 1 && standings.some(({ points }, at) => points !== values[at]);
    });
    const hasRatings = standings.some(({ rating }) => rating);
    const columns = ["place", "player", ...(hasRatings ? ["rating"] : []), "results", "points"];
    const heads = columns.map((name) => [say(`cup.heads.${name}`), name === "place" ? "no" : name]);
    const more = measures.map((name) => [capital(translate(name)), "measure"]);
    const head = make("tr", {}, ...[...heads, ...more].map(([words, look]) => make("th", { scope: "col", class: look }, words)));
    const rows = standings.map((place) => this.#row(place, measures, hasRatings));
    const isLong = this.#told.players > standings.length;
    const rest = isLong ? [make("p", { class: "hint" }, say("cup.first", { count: standings.length, of: this.#told.players }))] : [];
    const empty = standings.length ? [] : [make("p", { class: "hint" }, say("cup.empty"))];
    refill(this.#table, ...(standings.length ? [make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))] : []), ...empty, ...rest);
  }

  #row({ rank, name, rating, level, points, measures: found, results, state }, measures, hasRatings) {
    const isMe = name === this.#session.user;
    const badges = [isMe ? say("table.you") : "", state === "out" ? say("cup.gone") : ""].filter(Boolean);
    const { computers } = this.#told;
    const who = level ? signOf(nameOf(name, computers), kindOf(name, computers)) : name.startsWith("guest-") || !hasPage(name) ? make("span", {}, name) : make("a", { href: pathTo("player", name) }, name);
    const tiles = results.map((sign) => make("span", { class: `tile-${LOOKS[sign] ?? "b"}` }, make("span", { "aria-hidden": "true" }, sign === "bye" ? "–" : sign), make("span", { class: "visually-hidden" }, say(`cup.results.${LOOKS[sign] ?? "b"}`))));
    return make(
      "tr",
      isMe ? { class: "me" } : {},
      make("td", { class: "no" }, ...(rank ? [make("span", { class: points ? `place p${rank}` : "place" }, String(rank))] : [])),
      make("th", { scope: "row", class: "player" }, make("span", { class: "row" }, faceOf(name, computers, "", "small"), make("span", { class: "grow" }, who, ...badges.map((words) => make("span", { class: "badge" }, words))))),
      ...(hasRatings ? [make("td", { class: "rating" }, rating ? String(rating) : "")] : []),
      make("td", { class: "results" }, make("span", { class: "tiles" }, ...tiles.slice(-12))),
      make("td", { class: "points" }, sayPoints(points)),
      ...measures.map((measure) => make("td", { class: "measure" }, sayPoints(found[measure] ?? 0))),
    );
  }

  async #showRound() {
    const id = this.#id;
    const last = this.#told.round;
    const round = this.#round || last;
    if (!last) return refill(this.#table, make("p", { class: "hint" }, say("cup.noRounds")));
    const found = await read(["tournaments", id, "rounds", String(round)]).catch(() => ({ games: [], byes: [] }));
    if (this.#id !== id || this.#tab !== "rounds") return;
    const { computers } = this.#told;
    const pages = Array.from({ length: last }, (_, at) => at + 1).map((number) => {
      const button = make("button", { type: "button", class: "quiet less", "aria-label": say("cup.heads.round", { round: number }), "aria-pressed": String(number === round) }, String(number));
      button.addEventListener("click", () => {
        this.#round = number;
        this.#render();
      });
      return button;
    });
    const byes = found.byes.map((name) => make("li", {}, say("cup.hasBye", { name: nameOf(name, computers) })));
    refill(
      this.#table,
      make("div", { class: "row cup-rounds", role: "group", "aria-label": say("cup.tabs.rounds") }, ...pages),
      make("ul", { class: "cup-list" }, ...found.games.map((each) => gameOf(each, computers)), ...byes),
    );
  }

  async #showCross() {
    const id = this.#id;
    const found = await read(["tournaments", id, "crosstable"]).catch(() => null);
    if (this.#id !== id || this.#tab !== "crosstable") return;
    if (!found) return refill(this.#table, make("p", { class: "hint" }, say("cup.noCross")));
    const { scores } = found;
    const names = found.names.map((name) => nameOf(name, this.#told.computers));
    const head = make("tr", {}, make("th", { scope: "col" }, say("cup.heads.player")), ...names.map((name, at) => make("th", { scope: "col", title: name }, make("span", { "aria-hidden": "true" }, String(at + 1)), make("span", { class: "visually-hidden" }, name))));
    const rows = names.map((name, at) => make("tr", {}, make("th", { scope: "row", class: "player" }, `${at + 1}. ${name}`), ...scores[at].map((score) => make("td", {}, score === null ? "" : sayPoints(score)))));
    refill(this.#table, make("table", { class: "cross" }, make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  /** The games that are being played, the first with small boards, and one's own. */
  async #renderGames() {
    const { games, computers, state, tournament: { game, options } } = this.#told;
    const [id, user] = [this.#id, this.#session.user];
    const playing = state === "over" ? [] : (games ?? []);
    const drawn = playing.slice(0, MOST).map(({ room }) => room);
    const [boards, mine] = await Promise.all([
      readBoards(drawn, [game]),
      this.#you ? read(["tournaments", id, "players", user]).catch(() => ({ games: [] })) : { games: [] },
    ]);
    if (this.#id !== id) return;
    const own = mine.games.filter(({ scores }) => scores).reverse();
    this.#games.hidden = !playing.length && !own.length;
    const lists = [
      [say("cup.stillPlayed"), playing.map((each) => (drawn.includes(each.room) ? boardedOf(each, boardOf({ name: game }, { position: boards[each.room], options }), computers) : gameOf(each, computers)))],
      [say("cup.yourGames"), own.map((each) => ownOf(each, user, computers))],
    ];
    const shown = lists.filter(([, items]) => items.length);
    const wanted = JSON.stringify([drawn, boards, playing.length, own]);
    if (wanted === this.#gamesShown) return;
    this.#gamesShown = wanted;
    refill(this.#games, ...shown.flatMap(([title, items]) => [make("h2", {}, title), make("ul", { class: "cup-list" }, ...items)]));
  }
}

/** A game: to watch while it is played, to go through when it is over. */
export function gameOf({ players, room, scores, match }, computers) {
  const names = players.map((name) => nameOf(name, computers)).join(say("rooms.against"));
  const path = room ? pathTo("room", room) : match ? pathTo("match", match) : "";
  const result = scores ? scores.map(sayPoints).join(" : ") : room ? "…" : "";
  const words = path ? make("a", { href: path }, names) : make("span", {}, names);
  return make("li", {}, words, make("span", { class: "score" }, result));
}

/** A game that is being played, with a small board. */
export function boardedOf({ players, room }, board, computers) {
  const names = make("b", {}, players.map((name) => nameOf(name, computers)).join(say("rooms.against")));
  return make("li", {}, make("a", { class: "live", href: pathTo("room", room) }, board, make("span", { class: "what" }, names)));
}

/** A game of somebody who takes part: how it went, and against whom. */
function ownOf({ round, players, scores, match }, user, computers) {
  const seat = players.indexOf(user);
  const how = { 1: "w", 0: "l" }[scores[seat]] ?? "d";
  const others = players.filter((_, at) => at !== seat).map((name) => nameOf(name, computers)).join(", ");
  const words = match ? make("a", { href: pathTo("match", match) }, others) : make("span", {}, others);
  return make("li", {}, make("span", { class: `result tile-${how}` }, capital(say(`cup.results.${how}`))), make("span", { class: "grow" }, words), make("span", { class: "hint" }, say("cup.heads.round", { round })));
}

/** Those of the fields that are there. */
function some(from, names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

/** A tournament's views, by the second part of their paths. */
export class TournamentViews {
  #view;
  #screen;
  #current;

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

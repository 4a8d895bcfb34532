// The big screen of a tournament, for a projector: the board of the leaders, standings that turn pages, and where
// one joins. It asks over HTTP, needs no login, and keeps the screen awake.

import { read, readGames } from "./archive.js";
import { dress, explain } from "./archived.js";
import { drawMark } from "./board.js";
import { boardOf, readBoards } from "./boards.js";
import { pathToCup, sayLeft, sayPoints, sayState, sayTerms, sayUnknown } from "./cup.js";
import { $, entitle, make, refill, show, write } from "./dom.js";
import { knowsFaces, learnFaces } from "./faces.js";
import { countMarks, markOf } from "./games.js";
import { faceOf, kindOf, nameOf } from "./names.js";
import { drawPicture } from "./qr.js";
import { say } from "./texts.js";

/** Milliseconds until it is asked for again, and for which a page of the standings is shown. */
const PAUSE = 2000;
const TURN = 12_000;

/** Places of a page where all can scroll; and what a row and the rest take, in ems, where only what fits is seen. */
const PLACES = 8;
const [ROW, REST] = [2.4, 4.9];

export class BigScreen {
  #id = null;
  #told = null;
  #page = 0;
  #featured = null;
  #position = "";
  #timers = [];
  #title = make("h1", { id: "screen-title", tabIndex: -1 });
  #state = make("span", { class: "badge" });
  #count = make("span", { class: "soft" });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #stage = make("section", { class: "screen-stage", "aria-label": say("cup.featured") });
  #table = make("section", { class: "card screen-table", "aria-label": say("cup.tabs.standings") });
  #join = make("section", { class: "screen-join" });
  #invites = make("p", {});

  constructor() {
    const head = make("header", {}, this.#title, this.#state, make("span", { class: "grow" }), this.#count);
    const aside = make("div", { class: "screen-side" }, this.#table, this.#join);
    const names = { class: "view screen", id: "screen", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, head, this.#note, this.#stage, aside));
  }

  async open(id) {
    this.close();
    this.#id = id;
    [this.#told, this.#featured, this.#position, this.#page] = [null, null, "", 0];
    await Promise.all([dress(), knowsFaces() || readGames().then(learnFaces)]);
    if (this.#id !== id) return;
    document.documentElement.classList.add("big");
    navigator.wakeLock?.request("screen").catch(() => {}); // it may be refused, or given up
    this.#timers = [setInterval(() => this.#look(), PAUSE), setInterval(() => this.#turn(), TURN)];
    this.#timers.push(setInterval(() => this.#told && this.#renderState(), 1000));
    for (const part of [this.#stage, this.#table, this.#join]) part.replaceChildren();
    show("screen");
    await Promise.all([this.#look(), this.#showAddress(id)]);
  }

  close() {
    this.#id = null;
    document.documentElement.classList.remove("big");
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  async #look() {
    const id = this.#id;
    // The last page is a full one, too.
    const last = (this.#told?.players ?? 0) - this.#places + 1;
    const first = Math.max(1, Math.min(this.#page * this.#places + 1, last));
    try {
      const [told, { standings }] = await Promise.all([
        read(["tournaments", id]),
        this.#page ? read(["tournaments", id, "standings"], { first }) : { standings: null },
      ]);
      if (this.#id !== id) return;
      this.#told = { ...told, shown: standings ?? told.standings };
      write(this.#note, "");
      this.#render();
      await this.#showStage();
    } catch (error) {
      if (this.#id === id) write(this.#note, sayUnknown(error) || explain(error));
    }
  }

  /** Show the next places. */
  #turn() {
    const pages = Math.ceil((this.#told?.players ?? 0) / this.#places);
    this.#page = pages ? (this.#page + 1) % pages : 0;
    this.#look();
  }

  get #places() {
    if (!matchMedia("(min-width: 60rem)").matches) return PLACES;
    const em = parseFloat(getComputedStyle(this.#table).fontSize);
    return Math.max(3, Math.floor((this.#table.clientHeight / em - REST) / ROW));
  }

  /** The head, with what changes from second to second. */
  get #now() {
    const { tournament, state, round, rounds, players, ended } = this.#told;
    return { ...tournament, state, round, rounds, players, ended };
  }

  #renderState() {
    const now = this.#now;
    const isArena = now.state === "running" && now.system === "arena";
    write(this.#state, isArena ? sayLeft(now.ends) : sayState(now, true));
    this.#state.classList.toggle("on-air", now.state === "running");
  }

  #render() {
    const now = this.#now;
    write(this.#title, now.name);
    write(this.#invites, say(now.state === "over" ? "cup.toStandings" : "cup.joinAt"));
    entitle(now.name);
    this.#renderState();
    const playing = this.#told.games.length;
    const counts = [playing && say("cup.games", { count: playing }), say("cup.players", { count: now.players })];
    write(this.#count, [...counts].filter(Boolean).join(" · "));
    const { computers } = this.#told;
    const rows = this.#told.shown.slice(0, this.#places).map(({ rank, name, points }) =>
      make("tr", {}, make("td", {}, ...(rank ? [make("span", { class: points ? `place p${rank}` : "place" }, String(rank))] : [])),
        make("th", { scope: "row" }, make("span", { class: "row" }, faceOf(name, computers, "", "small"), make("bdi", {}, nameOf(name, computers)))),
        make("td", { class: "points" }, rank ? sayPoints(points) : "")));
    const heads = ["place", "player", "points"].map((name) => make("th", name === "points" ? { scope: "col", class: name } : { scope: "col" }, say(`cup.heads.${name}`)));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", { id: "screen-places" }, ...rows));
    refill(this.#table, make("h2", {}, say("cup.tabs.standings")), rows.length ? table : make("p", { class: "soft" }, say("cup.empty")));
  }

  /** Show the board of the best placed pair, until their game ends; else what comes next. */
  async #showStage() {
    const { games, standings, computers, tournament, state } = this.#told;
    const rankOf = (name) => standings.findIndex((place) => place.name === name) >>> 0; // the others come last
    const best = ({ players }) => Math.min(...players.map(rankOf));
    const sorted = [...games].sort((one, other) => best(one) - best(other));
    const featured = sorted.find(({ room }) => room === this.#featured) ?? sorted[0];
    if (!featured) return this.#showNext(tournament, state, standings);
    const before = featured.room === this.#featured ? this.#position : undefined;
    const boards = await readBoards([featured.room], [tournament.game]);
    const position = boards[featured.room] ?? before ?? "";
    if (featured.room === this.#featured && position === before && this.#stage.childElementCount) return;
    [this.#featured, this.#position] = [featured.room, position];
    const { game, options } = tournament;
    const counts = countMarks({ game, position, options });
    const seats = featured.players.map((name, seat) => {
      const { rank, points } = standings.find((place) => place.name === name) ?? {};
      const what = rank ? say("cup.placed", { rank, count: points, points: sayPoints(points) }) : "";
      const mark = markOf(game, seat);
      const count = counts ? [make("span", { class: `count ${mark.look}` }, String(counts[seat]))] : [];
      const names = make("span", { class: "names" }, make("span", { class: "name" }, nameOf(name, computers)), make("span", { class: "what" }, [kindOf(name, computers), what].filter(Boolean).join(", ")));
      return make("div", { class: "player" }, faceOf(name, computers), names, ...(mark && !counts ? [drawMark(mark)] : count));
    });
    const hold = make("div", { class: "screen-board" }, boardOf({ name: game }, { position, options }, before));
    this.#stage.replaceChildren(...seats.slice(1), hold, seats[0]);
  }

  #showNext({ name, ...head }, state, standings) {
    this.#featured = null;
    const first = state === "over" ? standings.filter(({ rank }) => rank && rank <= 3).slice(0, 3) : [];
    const words = state === "running" ? say(head.system === "arena" ? "cup.pairing" : "cup.pause") : sayState(this.#now);
    const medals = first.map((place) =>
      make("li", {}, make("span", { class: `place p${place.rank}` }, String(place.rank)), make("bdi", {}, nameOf(place.name, this.#told.computers))));
    const shown = first.length ? [make("p", { class: "big-words" }, say("cup.over", { name })), make("ol", { class: "podium" }, ...medals)] : [make("p", { class: "big-words" }, words), make("p", { class: "soft" }, sayTerms(head))];
    refill(this.#stage, make("div", { class: "screen-next" }, ...shown));
  }

  /** Say where one joins. */
  async #showAddress(id) {
    const code = await drawPicture(`${location.origin}${pathToCup(id)}`).catch(() => null);
    if (this.#id !== id) return;
    const words = [this.#invites, make("b", { id: "screen-address" }, location.host, make("wbr"), pathToCup(id)), make("p", {}, say("cup.scan"))];
    this.#join.replaceChildren(...[code].filter(Boolean), make("div", {}, ...words));
  }
}

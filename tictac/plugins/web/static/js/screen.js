// The big screen of a tournament, for a projector: the board of the leaders with its clocks, standings that roll through
// all players, and where one joins; at the end the podium and the awards. It asks over HTTP, needs no login, and keeps
// the screen awake.

import { read, readGames } from "./archive.js";
import { dress, explain } from "./archived.js";
import { drawPlace, makeTiles, pathToCup, sayLeft, sayPause, sayState, sayTerms, sayUnknown, takesPlayers } from "./cup.js";
import { $, entitle, make, refill, show, write } from "./dom.js";
import { Face, knowsFaces, learnFaces } from "./faces.js";
import { countMarks } from "./games.js";
import { castOf, faceOf, nameOf } from "./names.js";
import { makePlayer } from "./players.js";
import { drawAwards, drawPodium } from "./podium.js";
import { drawPicture } from "./qr.js";
import { Table } from "./table.js";
import { capital, say, sayPoints } from "./texts.js";

/**
 * Milliseconds until the tournament is asked for again, and its board; and until the standings roll by a line. Until the board
 * has come, a clock lacks the increment of the last move.
 */
const PAUSE = 2000;
const LOOK = 200;
const ROLL = 1500;

/** So many lines the standings stay at their end; and how long a line rolls, in milliseconds. */
const REST = 2;
const ROLLING = 400;

/** These places stay; and so many others are seen at least. */
const FIRST = 3;
const LEAST = 2;

/** So many games of a round have room: in one column, in two, and in two in small type; and so many players with a bye. */
const IN_A_COLUMN = 5;
const DENSE = 14;
const BOARDS = 20;
const BYES = 6;

/** Milliseconds for which the pairings of a new round stay in place of a board. */
const FRESH = 15_000;

/** So many of the latest results have room beside a name of 16 letters; with more than a few, the standings are wider. */
const TILES = 9;
const FEW_TILES = 6;

/** The part of a line that whole pixels lack. */
const ROUNDED = 0.05;

/** Places of a page of the server's standings. */
const PAGE = 50;

/**
 * A tournament, with what all its players are called.
 * @typedef {import("./cup.js").Told & { cast: import("./names.js").Computers }} Seen
 */

/** @typedef {Step["table"]} Room the table of a room (table.js) */

/** @typedef {{ n: number, games: Wire.Cupgame[], byes: string[], cast: import("./names.js").Computers }} Shown the games of a round after the line `n` */

/**
 * The games of a round by their boards, with the results that are known, and who has a bye.
 * @param {Shown} shown
 */
function drawRound({ games, byes, cast }) {
  const rows = games
    .slice(0, BOARDS)
    .map(({ players, scores }, at) =>
      make(
        "li",
        {},
        make("b", { class: "round-no" }, String(at + 1)),
        make("span", {}, ...players.flatMap((name, at) => [at ? say("rooms.against") : "", make("bdi", {}, nameOf(name, cast))])),
        make("span", { class: "score" }, scores ? scores.map(sayPoints).join(" : ") : "…"),
      ),
    );
  const size = rows.length > DENSE ? " many dense" : rows.length > IN_A_COLUMN ? " many" : "";
  const list = make("ol", { class: `screen-round${size}` }, ...rows);
  list.style.setProperty("--lines", String(Math.ceil(rows.length / 2)));
  const names = byes.slice(0, BYES).map((name) => nameOf(name, cast));
  if (byes.length > BYES) names.push(say("cup.andMore", { count: byes.length - BYES }));
  const lines = /** @type {string[]} */ (
    [
      games.length > BOARDS && say("cup.andMore", { count: games.length - BOARDS }),
      names.length && `${capital(say("cup.results.b"))}: ${names.join(", ")}`,
    ].filter(Boolean)
  );
  return rows.length ? [list, ...lines.map((words) => make("p", {}, words))] : [];
}

export class BigScreen {
  /** @type {string | null} */
  #id = null;
  /**
   * Null, until it has come.
   * @type {Seen}
   */
  #told = /** @type {any} */ (null);
  /**
   * The places from the fourth on that are known, by their number in the table, from 0.
   * @type {Map<number, Wire.Place>}
   */
  #rows = new Map();
  #at = FIRST;
  #rested = 0;
  /**
   * The room that is shown: its table and its face; null without one.
   * @type {Room}
   */
  #table = /** @type {any} */ (null);
  /** @type {Face} */
  #face = /** @type {any} */ (null);
  #hold = make("div", { class: "screen-board" });
  /** @type {Shown | null} */
  #round = null;
  #freshUntil = 0;
  #isLooking = false;
  /** @type {number[]} */
  #timers = [];
  #title = make("h1", { id: "screen-title", tabIndex: -1 });
  #state = make("span", { class: "badge" });
  #terms = make("span", { class: "soft" });
  #count = make("span", { class: "soft" });
  #note = make("p", { class: "note", role: "status", hidden: true });
  #stage = make("section", { class: "screen-stage", "aria-label": say("cup.featured") });
  #body = make("tbody", { id: "screen-places" });
  #heads = make("tr", {});
  #heading = make("h2", {});
  #standings = make("section", { class: "card screen-table", "aria-label": say("cup.tabs.standings") });
  #join = make("section", { class: "screen-join" });
  #invites = make("p", {});
  #awards = make("p", { class: "screen-awards", hidden: true });
  #view = make("section", { class: "view screen", id: "screen", "aria-labelledby": this.#title.id, hidden: true });

  constructor() {
    const head = make("header", {}, this.#title, this.#state, this.#terms, make("span", { class: "grow" }), this.#count);
    const table = make("table", {}, make("thead", {}, this.#heads), this.#body);
    const rolling = make("div", { class: "rolling" }, table);
    this.#standings.append(this.#heading, rolling);
    // Its space changes as the address comes, and with the window.
    new ResizeObserver(() => this.#id && this.#told && this.#renderPlaces()).observe(rolling);
    this.#view.append(head, this.#note, this.#stage, make("div", { class: "screen-side" }, this.#standings, this.#join), this.#awards);
    $("main").append(this.#view);
  }

  /**
   * Show that tournament.
   * @param {string} id
   */
  async open(id) {
    this.close();
    this.#id = id;
    [this.#told, this.#table, this.#face, this.#at, this.#rested] = /** @type {any[]} */ ([null, null, null, FIRST, 0]);
    this.#rows.clear();
    this.#round = null;
    this.#freshUntil = 0;
    await Promise.all([dress(), knowsFaces() || readGames().then(learnFaces)]);
    if (this.#id !== id) return;
    document.documentElement.classList.add("big");
    navigator.wakeLock?.request("screen").catch(() => {}); // it may be refused, or given up
    for (const part of [this.#stage, this.#body, this.#join]) part.replaceChildren();
    /** @type {[() => unknown, number][]} */
    const work = [
      [() => this.#look(), PAUSE],
      [() => this.#follow(), LOOK],
      [() => this.#roll(), ROLL],
      [() => this.#tick(), 100],
    ];
    this.#timers = work.map(([each, every]) => setInterval(each, every));
    show("screen");
    await Promise.all([this.#look(), this.#showAddress(id)]);
  }

  /** Leave it. */
  close() {
    this.#id = null;
    document.documentElement.classList.remove("big");
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  async #look() {
    const id = /** @type {string} */ (this.#id);
    try {
      /** @type {import("./cup.js").Told} */
      const told = await read(["tournaments", id]);
      // All who are seen now, and the next ones.
      const first = Math.max(FIRST, this.#at) + 1;
      /** @type {Pick<Seen, "standings" | "names"> | null} */
      const more = told.players > PAGE ? await read(["tournaments", id, "standings"], { first }) : null;
      if (this.#id !== id) return;
      if (told.round > (this.#told?.round ?? told.round)) this.#freshUntil = performance.now() + FRESH;
      const names = { ...more?.names, ...told.names };
      this.#told = { ...told, names, cast: castOf({ computers: told.computers, names }) };
      told.standings.forEach((place, at) => this.#rows.set(at, place));
      more?.standings.forEach((place, at) => this.#rows.set(first - 1 + at, place));
      write(this.#note, "");
      this.#render();
      await this.#follow();
    } catch (error) {
      if (this.#id === id) write(this.#note, sayUnknown(error) || explain(error));
    }
  }

  // The standings

  /** So many places are seen besides the first ones; at least as many that none is cut. */
  get #seen() {
    const { clientHeight } = /** @type {HTMLElement} */ (this.#body.closest(".rolling"));
    const row = this.#body.rows[0]?.getBoundingClientRect().height;
    const head = /** @type {HTMLElement} */ (this.#body.previousElementSibling).offsetHeight;
    return Math.max(LEAST, row ? Math.floor((clientHeight - head) / row + ROUNDED) - FIRST : PAGE);
  }

  /** Roll by a line; at the end rest, and begin anew. */
  #roll() {
    const count = this.#told?.players ?? 0;
    const last = Math.max(FIRST, count - this.#seen);
    if (this.#at < last) {
      this.#at++;
      this.#renderPlaces();
      const from = `translateY(${this.#body.rows[0]?.offsetHeight ?? 0}px)`;
      const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (!isCalm) for (const row of [...this.#body.rows].slice(FIRST)) row.animate([{ transform: from }, { transform: "none" }], ROLLING);
    } else if (this.#at > FIRST && ++this.#rested > REST) {
      [this.#at, this.#rested] = [FIRST, 0];
      this.#renderPlaces();
    }
  }

  #renderPlaces() {
    const { players, rounds, cast } = this.#told;
    const isFirst = !this.#body.rows.length;
    const columns = ["place", "player", "results", "points"];
    this.#heads.replaceChildren(...columns.map((name) => make("th", { scope: "col", class: `of-${name}` }, say(`cup.heads.${name}`))));
    const most = Math.max(rounds ?? TILES, ...[...this.#rows.values()].map(({ results }) => results.length));
    this.#view.classList.toggle("is-long", most > FEW_TILES);
    const places = [...Array(Math.min(FIRST, players)).keys(), ...Array.from({ length: this.#seen }, (_, at) => this.#at + at)];
    const known = places.filter((at) => at < players && this.#rows.has(at));
    this.#body.replaceChildren(
      ...known.map((at) => {
        const { rank, name, points: own, results, state } = /** @type {Wire.Place} */ (this.#rows.get(at));
        return make(
          "tr",
          {},
          make("td", {}, ...drawPlace(rank, own)),
          make(
            "th",
            { scope: "row" },
            make(
              "span",
              { class: "row" },
              faceOf(name, cast, "", "small"),
              make("bdi", {}, nameOf(name, cast)),
              ...(state === "out" ? [make("span", { class: "soft" }, say("cup.gone"))] : []),
            ),
          ),
          make("td", { class: "of-results" }, makeTiles(results.slice(-TILES), this.#told.tournament.system)),
          make("td", { class: "of-points" }, rank ? sayPoints(own) : ""),
        );
      }),
    );
    if (isFirst && this.#body.rows.length) this.#renderPlaces(); // now it is known how many are seen
  }

  // The head

  /** The head, with what changes from second to second. */
  get #now() {
    const { tournament, state, round, rounds, players, ended } = this.#told;
    return { ...tournament, state, round, rounds, players, ended };
  }

  #renderState() {
    const now = this.#now;
    const isArena = now.state === "running" && now.system === "arena";
    write(this.#state, now.state === "over" ? "" : now.state === "running" ? say("cup.live") : sayState(now, true));
    this.#state.classList.toggle("on-air", now.state === "running");
    write(
      this.#terms,
      [
        now.title,
        now.state === "running" ? (isArena ? sayLeft(now.ends) : sayState(now, true)) : "",
        this.#told.closed && say("cup.closed"),
      ]
        .filter(Boolean)
        .join(" · "),
    );
  }

  #render() {
    const now = this.#now;
    const isOver = now.state === "over";
    write(this.#title, isOver ? say("cup.isOver", { name: now.name }) : now.name);
    write(this.#invites, say(isOver ? "cup.toStandings" : takesPlayers({ ...now, closed: this.#told.closed }) ? "cup.joinAt" : "cup.see"));
    entitle(now.name);
    this.#renderState();
    write(
      this.#count,
      [this.#told.left && say("cup.gamesLeft", { count: this.#told.left }), isOver && say("cup.players", { count: now.players })]
        .filter(Boolean)
        .join(" · "),
    );
    refill(
      this.#heading,
      say(isOver ? "cup.allPlaces" : "cup.tabs.standings"),
      " ",
      make("span", { class: "soft small" }, say("cup.players", { count: now.players })),
    );
    this.#view.classList.toggle("is-open", now.state === "open");
    this.#view.classList.toggle("is-over", isOver);
    this.#renderPlaces();
    const awards = drawAwards(this.#told.awards ?? [], this.#told.cast);
    this.#awards.hidden = !awards.length;
    this.#awards.replaceChildren(...awards);
  }

  // The board

  /** The game of the best placed pair, until it ends. */
  get #featured() {
    const { games, standings } = this.#told;
    /** @param {string} name */
    const rankOf = (name) => standings.findIndex((place) => place.name === name) >>> 0; // the others come last
    /** @param {Wire.Cupgame} game */
    const best = ({ players }) => Math.min(...players.map(rankOf));
    const sorted = games.filter(({ room }) => room).sort((one, other) => best(one) - best(other));
    return sorted.find(({ room }) => room === this.#table?.room) ?? sorted[0];
  }

  /** Whether the players look for their opponents: a round has just been paired. An arena has no rounds. */
  get #isFresh() {
    return this.#now.system !== "arena" && performance.now() < this.#freshUntil;
  }

  /** Look at the room that is shown; else say what comes next. */
  async #follow() {
    const featured = this.#told && this.#featured;
    if (!this.#told || this.#isLooking) return;
    if (!featured || this.#isFresh) return this.#showNext();
    this.#isLooking = true;
    const id = /** @type {string} */ (this.#id);
    const { board: told } = await read(["tournaments", id, "games", String(featured.number)]).catch(() => ({}));
    this.#isLooking = false;
    if (this.#id !== id) return;
    // It has ended, or begins in a moment.
    if (!told) return this.#table?.room === featured.room || this.#showNext();
    if (!told.begun && this.#now.system !== "arena") return this.#showNext();
    /** @type {{ n?: number, position?: string }} */
    const { n, position } = this.#table ?? {};
    if (this.#table?.room !== told.room) this.#begin(told);
    this.#table.apply(told);
    if (told.n === n) this.#table.before = null;
    else if (position !== told.position) this.#table.before = position ?? null;
    if (told.n !== n || !this.#stage.contains(this.#hold)) this.#face.render(this.#table);
    this.#renderPlayers();
  }

  /** @param {{ room: string, game: string }} told */
  #begin({ room, game }) {
    this.#table = new Table(room, null);
    this.#face = new Face(
      game,
      () => {},
      () => {},
    );
    this.#face.element.inert = true;
    this.#hold.replaceChildren(this.#face.element);
  }

  /** Draw the players anew: their clocks run on. */
  #renderPlayers() {
    const table = this.#table;
    const counts = countMarks(/** @type {any} */ (table));
    const { standings } = this.#told;
    const bars = table.players.map((/** @type {Wire.Player | null} */ one, /** @type {number} */ seat) => {
      const bar = makePlayer(table, one, seat, "", performance.now(), counts);
      const { rank, points } = standings.find(({ name }) => name === one?.user) ?? {};
      const words = [
        rank && say("cup.placed", { rank, count: points, points: sayPoints(/** @type {number} */ (points)) }),
        table.begun && table.turn === seat && say("cup.toMove"),
      ];
      /** @type {HTMLElement} */ (bar.querySelector(".what")).textContent = words.filter(Boolean).join(" · ");
      return bar;
    });
    const lists = [bars.slice(1), bars.slice(0, 1)].map((some) => make("ul", { class: "screen-players" }, ...some));
    if (this.#stage.contains(this.#hold)) {
      /** @type {Element} */ (this.#hold.previousElementSibling).replaceWith(lists[0]);
      /** @type {Element} */ (this.#hold.nextElementSibling).replaceWith(lists[1]);
    } else this.#stage.replaceChildren(lists[0], this.#hold, lists[1]);
  }

  #tick() {
    if (!this.#told) return;
    this.#renderState();
    // The last board stays until the round has come.
    if (this.#stage.contains(this.#hold) && this.#table?.clocks) this.#renderPlayers();
  }

  /** What is said while no board is shown. */
  #sayNext() {
    const { state, system } = this.#now;
    if (state === "running" && system === "arena") return say(this.#told.closed ? "cup.closed" : "cup.pairing");
    // While games are left, their rooms are about to open, or they take days.
    return sayPause(this.#told) || sayState(this.#now);
  }

  /** Nothing is played: what comes, with the games that wait or the last results, or the podium. */
  async #showNext() {
    const { standings, state, cast, games } = this.#told;
    this.#table = this.#face = /** @type {any} */ (null);
    const words = this.#sayNext();
    const wanted = JSON.stringify([words, state === "over" && standings, cast, games]);
    if (this.#stage.dataset.shown === wanted && this.#stage.querySelector(".screen-next, .podium")) return;
    this.#stage.dataset.shown = wanted;
    const podium = state === "over" && drawPodium(standings, cast);
    const found = podium ? null : await this.#readRound();
    if (this.#stage.dataset.shown !== wanted || this.#table) return; // meanwhile a game has begun
    const round = found ? drawRound(found) : [];
    // Which round it is stands in the head.
    const texts = round.length && words === sayState(this.#now) ? [] : [make("p", { class: "big-words" }, words)];
    if (!round.length) texts.push(make("p", { class: "soft" }, sayTerms(this.#now)));
    refill(this.#stage, podium || make("div", { class: "screen-next" }, ...texts, ...round));
  }

  /**
   * The games of the round, by their boards; of an arena those that wait. Null before the first one.
   * @returns {Promise<Shown | null>}
   */
  async #readRound() {
    const { n, round, games, cast, state, tournament } = this.#told;
    if (!round || state !== "running") return null;
    if (tournament.system === "arena") return { n, games, byes: [], cast };
    if (this.#round?.n === n) return this.#round;
    /** @type {Pick<Seen, "games" | "names" | "computers"> & { byes: string[] } | null} */
    const told = await read(["tournaments", /** @type {string} */ (this.#id), "rounds", String(round)]).catch(() => null);
    return (this.#round = told && { n, games: told.games, byes: told.byes, cast: castOf(told) });
  }

  /**
   * Say where one joins.
   * @param {string} id
   */
  async #showAddress(id) {
    const code = await drawPicture(`${location.origin}${pathToCup(id)}`).catch(() => null);
    if (this.#id !== id) return;
    const words = [this.#invites, make("b", { id: "screen-address" }, make("span", {}, location.host), make("span", {}, pathToCup(id)))];
    this.#join.replaceChildren(.../** @type {SVGSVGElement[]} */ ([code].filter(Boolean)), make("div", {}, ...words));
  }
}

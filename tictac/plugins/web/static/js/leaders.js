// The best players of a game, and how good the computer is at it.

import { read, readGames } from "./archive.js";
import { drawChange, drawLast, dress, explain, linkTo } from "./archived.js";
import { ratingSpread } from "./chart.js";
import { drawPlace } from "./cup.js";
import { $, announce, entitle, make, makeAvatar, show, write } from "./dom.js";
import { drawGame } from "./mini.js";
import { characterOf, faceNamed, kindAt } from "./names.js";
import { drawNothing } from "./nothing.js";
import { sayRating } from "./players.js";
import { pathTo } from "./router.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

/** So many of them. */
const MOST = 100;

/**
 * A row: of a player, or of a `level` of the computer.
 * @typedef {Partial<Wire.Rating & { level: string }> & Pick<Wire.Rating, "rating" | "deviation">} Row
 */

export class LeadersView {
  #stay = new Stay();
  #game = "";
  #group = "";
  #session;
  /** @type {Wire.Game[]} */
  #described = [];
  #title = make("h1", { id: "ratings-title", tabIndex: -1 });
  #games = make("nav", { class: "game-tabs", "aria-label": say("ratings.games") });
  #groups = make("nav", { class: "games", "aria-label": say("ratings.groups") });
  #note = make("p", { class: "note", id: "ratings-note" });
  #none = make("div", { class: "card empty", hidden: true });
  #rows = make("tbody", {});
  #range = make("span", { class: "scale" });
  #legend = ["ratingMeans", "rangeMeans", "monthMeans", "newMeans"].map((key) => make("p", { class: "hint" }, say(`ratings.${key}`)));
  #table;

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
    const heads = ["rank", "player", "rating", "range", "month", "last-ten", "matches"];
    const head = make(
      "tr",
      {},
      ...heads.map((key) =>
        make(
          "th",
          { scope: "col", class: key },
          say(key === "last-ten" ? "ladder.heads.form" : `ratings.${key}`),
          ...(key === "range" ? [" ", this.#range] : []),
        ),
      ),
    );
    const legend = make("div", { class: "legend" }, ...this.#legend);
    this.#table = make("div", { class: "card" }, make("table", {}, make("thead", {}, head), this.#rows), legend);
    const names = { class: "view leaders", id: "ratings", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#games, this.#groups, this.#note, this.#none, this.#table));
  }

  /**
   * Show those of a game, by default the first one, or of a group's.
   * @returns {Promise<void>}
   */
  async open(game = "", group = "") {
    this.#game = game;
    this.#group = group;
    this.#stay.begin();
    await this.#stay.here(dress());
    write(this.#title, say("ratings.name"));
    write(this.#note, "");
    this.#table.hidden = this.#none.hidden = true;
    show("ratings");
    entitle(say("ratings.name"));
    this.#title.focus();
    this.#described = await this.#stay.here(readGames());
    const titles = new Map(this.#described.map(({ name, title }) => [name, title]));
    const [[first] = [""]] = titles;
    if (!game && first) return this.open(first);
    if (!game) return write(this.#note, say("connection.unreachable"));
    const of = { title: titles.get(game) ?? game, group };
    const title = say(group ? "ratings.titleOfGroup" : "ratings.title", of);
    write(this.#title, title);
    entitle(title);
    this.#games.replaceChildren(
      ...this.#described.map((each) => {
        const link = this.#linkTo(each.name, each.title, each.name === game ? group : "");
        link.prepend(drawGame(/** @type {any} */ (each)));
        return link;
      }),
    );
    this.#games.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    try {
      const { user, isGuest } = this.#session;
      const asked = read(["ratings", game], { limit: MOST, group, player: isGuest ? null : user });
      this.#render(await this.#stay.here(asked));
    } catch (error) {
      write(this.#note, explain(error));
      announce(explain(error));
    }
  }

  close() {
    this.#stay.end();
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #linkTo(name, text, group = "") {
    const current = name === this.#game && group === this.#group ? { "aria-current": "page" } : {};
    return make("a", { href: pathTo("ratings", name, group), ...current }, text);
  }

  /**
   * The players, the best first, then the visitor, and below them the computer, to compare.
   * @param {Wire.Answers["ratings"]} found
   */
  #render({ players, computers, groups = [], player: mine }) {
    const links = groups.length ? [["", say("ratings.everybody")], ...groups.map((name) => [name, name])] : [];
    this.#groups.replaceChildren(...links.map(([group, text]) => this.#linkTo(this.#game, text, group)));
    const isBeyond = mine && !players.some(({ player }) => player === mine.player);
    const levels = Object.entries(computers).map(([level, rating]) => ({ level, rating, deviation: 0 }));
    /** @type {Row[]} */
    const all = [...players, ...(isBeyond ? [mine] : []), ...levels.toSorted((one, other) => other.rating - one.rating)];
    const low = Math.floor(Math.min(...all.map(({ rating, deviation }) => rating - deviation)) / 100) * 100;
    const high = Math.max(Math.ceil(Math.max(...all.map(({ rating, deviation }) => rating + deviation)) / 100) * 100, low + 100);
    write(this.#range, all.length ? `${low} – ${high}` : "");
    this.#rows.replaceChildren(...all.map((one) => this.#row(one, low, high)));
    this.#table.hidden = !all.length;
    const [, range, month, isNew] = this.#legend; // of what the table has, alone
    range.hidden = month.hidden = all.length === levels.length;
    isNew.hidden = !all.some(({ provisional }) => provisional);
    this.#none.hidden = players.length > 0;
    const play = make("a", { class: "button main", href: pathTo("game", this.#game, "anybody") }, say("page.play"));
    this.#none.replaceChildren(...drawNothing("rook", say("ratings.none"), say("ratings.noneHint"), play));
  }

  /**
   * @param {Row} one
   * @param {number} low the bottom of the scale
   * @param {number} high
   */
  #row(one, low, high) {
    const { rank, player, level, deviation, matches, last = "", month } = one;
    const game = this.#described.find(({ name }) => name === this.#game);
    const isMe = player && player === this.#session.user;
    const character = characterOf(game, /** @type {string} */ (level));
    const name = player
      ? [
          makeAvatar(player, "small"),
          make(
            "span",
            {},
            linkTo({ name: player, kind: "account" }),
            ...(isMe ? [" ", make("span", { class: "badge" }, say("ratings.you"))] : []),
          ),
        ]
      : [faceNamed(character, undefined, "small"), make("span", {}, character, make("span", { class: "hint" }, kindAt(level)))];
    const words = deviation ? make("span", { class: "what" }, ` ${say("ratings.plusMinus", { deviation })}`) : "";
    return make(
      "tr",
      { class: [!player && "computer", isMe && "me"].filter(Boolean).join(" ") },
      make("td", { class: "rank" }, ...drawPlace(rank)),
      make("th", { scope: "row" }, make("span", { class: "who" }, ...name)),
      make("td", { class: "rating" }, sayRating(one), words),
      make("td", { class: "range" }, ratingSpread(one, low, high)),
      make("td", { class: "month" }, ...(player ? [drawChange(month)] : [])),
      make("td", { class: "last-ten" }, ...drawLast(last)),
      make("td", { class: "matches" }, matches ? String(matches) : ""),
    );
  }
}

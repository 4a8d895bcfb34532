// The best players of a game, and how good the computer is at it.

import { read, readGames } from "./archive.js";
import { dress, explain, linkTo, signOf } from "./archived.js";
import { ratingSpread } from "./chart.js";
import { $, announce, entitle, make, show, write } from "./dom.js";
import { characterOf, faceNamed, faceOf, kindAt } from "./names.js";
import { sayRating } from "./ratings.js";
import { pathTo } from "./router.js";
import { Stay } from "./stay.js";
import { say } from "./texts.js";

/** So many of them. */
const MOST = 100;

export class LeadersView {
  #stay = new Stay();
  #game = "";
  #group = "";
  #about;
  #title = make("h1", { id: "ratings-title", tabIndex: -1 });
  #games = make("nav", { class: "games", "aria-label": say("ratings.games") });
  #groups = make("nav", { class: "games", "aria-label": say("ratings.groups") });
  #note = make("p", { class: "note", id: "ratings-note" });
  #rows = make("tbody", {});
  #table;

  constructor() {
    const heads = ["rank", "player", "rating", "deviation", "matches"];
    const head = make("tr", {}, ...heads.map((key) => make("th", { scope: "col", class: key }, say(`ratings.${key}`))));
    this.#table = make("div", { class: "card" }, make("table", {}, make("thead", {}, head), this.#rows));
    const names = { class: "view leaders", id: "ratings", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#games, this.#groups, this.#note, this.#table));
  }

  /** Show those of a game, by default the first one, or of a group's. */
  async open(game = "", group = "") {
    this.#game = game;
    this.#group = group;
    this.#stay.begin();
    await this.#stay.here(dress());
    write(this.#title, say("ratings.name"));
    write(this.#note, "");
    this.#table.hidden = true;
    show("ratings");
    entitle(say("ratings.name"));
    this.#title.focus();
    const games = await this.#stay.here(readGames());
    const titles = new Map(games.map(({ name, title }) => [name, title]));
    this.#about = games.find(({ name }) => name === game);
    const [[first] = [""]] = titles;
    if (!game && first) return this.open(first);
    if (!game) return write(this.#note, say("errors.unreachable"));
    const of = { title: titles.get(game) ?? game, group };
    const title = say(group ? "ratings.titleOfGroup" : "ratings.title", of);
    write(this.#title, title);
    entitle(title);
    this.#games.replaceChildren(...[...titles].map(([name, text]) => this.#linkTo(name, text, name === game ? group : "")));
    try {
      this.#render(await this.#stay.here(read(["ratings", game], { limit: MOST, group })));
    } catch (error) {
      write(this.#note, explain(error));
      announce(explain(error));
    }
  }

  close() {
    this.#stay.end();
  }

  #linkTo(name, text, group = "") {
    const current = name === this.#game && group === this.#group ? { "aria-current": "page" } : {};
    return make("a", { href: pathTo("ratings", name, group), ...current }, text);
  }

  /** The players, the best first, and below them the computer, to compare. */
  #render({ players, computers, groups = [] }) {
    const links = groups.length ? [["", say("ratings.everybody")], ...groups.map((name) => [name, name])] : [];
    this.#groups.replaceChildren(...links.map(([group, text]) => this.#linkTo(this.#game, text, group)));
    const ranked = players.map((player, at) => ({ ...player, rank: at + 1 }));
    const levels = Object.entries(computers).map(([level, rating]) => ({ level, rating, deviation: 0 }));
    const all = [...ranked, ...levels.toSorted((one, other) => other.rating - one.rating)];
    const low = Math.min(...all.map(({ rating, deviation }) => rating - deviation));
    const high = Math.max(...all.map(({ rating, deviation }) => rating + deviation), low + 1);
    this.#rows.replaceChildren(...all.map((one) => this.#row(one, low, high)));
    this.#table.hidden = !all.length;
    write(this.#note, players.length ? "" : say("ratings.none"));
  }

  #row(one, low, high) {
    const { rank = "", player, level, deviation, matches } = one;
    const name = player ? linkTo({ name: player, kind: "account" }) : signOf(characterOf(this.#about, level), kindAt(level));
    const face = player ? faceOf(player, null, "", "small") : faceNamed(characterOf(this.#about, level), "", "small");
    const words = deviation ? say("ratings.plusMinus", { deviation }) : "";
    const spread = make("div", {}, ratingSpread(one, low, high), make("span", { class: "what" }, words));
    return make(
      "tr",
      player ? {} : { class: "computer" },
      make("td", { class: "rank" }, String(rank)),
      make("th", { scope: "row" }, make("span", { class: "row" }, face, name)),
      make("td", { class: "rating" }, sayRating(one)),
      make("td", { class: "deviation" }, spread),
      make("td", { class: "matches" }, matches ? String(matches) : ""),
    );
  }
}

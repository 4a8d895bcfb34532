// A player: what they are rated, as a curve, and the matches that have ended.

import { dress, explain, linkTo, read, readTitles, sayTime } from "./archive.js";
import { ratingCurve } from "./chart.js";
import { $, announce, entitle, make, show, whileBusy, write } from "./dom.js";
import { sayRating } from "./ratings.js";
import { pathTo } from "./router.js";
import { pathToMatch } from "./share.js";
import { describe } from "./table.js";
import { say } from "./texts.js";

const RESULTS = ["won", "lost", "drawn"];

export class PlayerView {
  #name = null;
  #titles = new Map();
  #cursor = null;
  #history = [];
  #title = make("h1", { id: "player-title", tabIndex: -1 });
  #note = make("p", { class: "note", id: "player-note" });
  #ratings = make("div", { class: "ratings", role: "group", "aria-label": say("player.ratings") });
  #curve = make("div", { class: "card" });
  #game = make("select", { id: "player-game" });
  #result = make("select", { id: "player-result" });
  #list = make("ul", { class: "ended", id: "player-matches", "aria-label": say("player.matches") });
  #empty = make("p", { class: "empty" });
  #more = make("button", { type: "button", id: "player-more" }, say("player.more"));

  constructor() {
    this.#build();
    for (const select of [this.#game, this.#result]) select.addEventListener("change", () => this.#filter());
    this.#more.addEventListener("click", () => whileBusy(this.#more, () => this.#readMatches(this.#cursor)));
  }

  /** Show somebody, whose matches the address may narrow down. */
  async open(name) {
    this.#name = name;
    await dress();
    if (name !== this.#name) return;
    write(this.#title, name);
    entitle(name);
    for (const part of [this.#list, this.#ratings, this.#curve]) part.replaceChildren();
    this.#curve.hidden = this.#more.hidden = true;
    write(this.#note, "");
    write(this.#empty, "");
    show("player");
    this.#title.focus();
    const titles = await readTitles();
    if (name !== this.#name) return;
    this.#titles = titles;
    const wanted = new URLSearchParams(location.search);
    const games = [...this.#titles].map(([value, title]) => make("option", { value }, title));
    this.#game.replaceChildren(make("option", { value: "" }, say("player.allGames")), ...games);
    this.#game.value = this.#titles.has(wanted.get("game")) ? wanted.get("game") : "";
    this.#result.value = RESULTS.includes(wanted.get("result")) ? wanted.get("result") : "";
    await Promise.all([this.#readRatings(), this.#readMatches()]);
  }

  close() {
    this.#name = null;
  }

  /** What is asked for stays in the address, for Back and for a reload. */
  #filter() {
    const wanted = Object.entries({ game: this.#game.value, result: this.#result.value });
    const query = new URLSearchParams(wanted.filter(([, value]) => value)).toString();
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
    return this.#readMatches();
  }

  async #readRatings() {
    const name = this.#name;
    const found = await read(["players", name, "ratings"]).catch(() => ({ ratings: [], history: [] }));
    if (name !== this.#name) return;
    this.#history = found.history;
    this.#ratings.replaceChildren(...found.ratings.map((rating) => this.#card(rating)));
    this.#ratings.hidden = !found.ratings.length;
    const most = found.ratings.toSorted((one, other) => other.matches - one.matches)[0];
    const wanted = found.ratings.find(({ game }) => game === this.#game.value) ?? most;
    if (wanted) this.#draw(wanted.game);
  }

  #card({ game, matches, deviation, ...rating }) {
    const more = say("player.rated", { count: matches, deviation });
    const button = make(
      "button",
      { type: "button", class: "rated" },
      make("span", { class: "what" }, this.#titleOf(game)),
      make("b", {}, sayRating(rating)),
      make("span", { class: "what" }, more),
    );
    button.dataset.game = game;
    button.addEventListener("click", () => this.#draw(game));
    return button;
  }

  /** Draw the curve of a game. */
  #draw(game) {
    for (const button of this.#ratings.children) {
      button.setAttribute("aria-pressed", String(button.dataset.game === game));
    }
    const points = this.#history.filter((point) => point.game === game);
    this.#curve.hidden = !points.length;
    if (!points.length) return;
    const [first, last] = [points[0], points.at(-1)];
    const title = this.#titleOf(game);
    const values = { title, count: points.length, from: first.rating, until: last.rating };
    const best = make("a", { href: pathTo("ratings", game) }, say("player.leaders", { title }));
    this.#curve.replaceChildren(
      make("h2", {}, say("player.curve", { title })),
      ratingCurve(points, say("player.curveLabel", values), sayTime(first.ended), sayTime(last.ended)),
      make("p", { class: "hint" }, say("player.band"), " ", best),
    );
  }

  /** Read the matches, or (after a cursor) more of them. */
  async #readMatches(cursor = null) {
    const [name, game, result] = [this.#name, this.#game.value, this.#result.value];
    const isMeant = () => name === this.#name && game === this.#game.value && result === this.#result.value;
    write(this.#note, "");
    try {
      const found = await read(["players", name], { game, result, cursor });
      if (!isMeant()) return;
      const items = found.matches.map((match) => this.#item(match));
      const known = cursor ? [...this.#list.children] : [];
      this.#list.replaceChildren(...known, ...items);
      this.#cursor = found.cursor;
      this.#more.hidden = !found.cursor;
      const isFiltered = game || result;
      write(this.#empty, this.#list.children.length ? "" : say(isFiltered ? "player.noSuch" : "player.none"));
      if (cursor) items[0]?.querySelector("a").focus();
    } catch (error) {
      if (!isMeant()) return;
      write(this.#note, explain(error));
      announce(explain(error));
    }
  }

  #item({ id, game, players, ended, ending, winner, moves, rated }) {
    const seat = players.findIndex(({ name }) => name === this.#name);
    const result = winner === null ? "drawn" : players[winner].name === this.#name ? "won" : "lost";
    const others = players.filter((_, at) => at !== seat);
    const against = others.flatMap((player, at) => [at ? ", " : "", linkTo(player)]);
    const title = this.#titleOf(game);
    const seated = players.map(({ name }) => ({ user: name }));
    const how = describe({ result: { how: ending, winner }, seat: null, players: seated });
    const what = [how, say("player.moves", { count: moves }), rated ? say("match.rated") : ""];
    return make(
      "li",
      {},
      make("span", { class: `result ${result}` }, say(`player.results.${result}`)),
      make("span", { class: "name" }, make("a", { href: pathToMatch(id) }, title), " ", ...(others.length ? [say("player.against"), " "] : []), ...against),
      make("span", { class: "kind" }, what.filter(Boolean).join(" · ")),
      make("span", { class: "when" }, sayTime(ended)),
    );
  }

  #titleOf(game) {
    return this.#titles.get(game) ?? game;
  }

  #build() {
    const results = RESULTS.map((value) => make("option", { value }, say(`player.results.${value}`)));
    this.#result.append(make("option", { value: "" }, say("player.allResults")), ...results);
    const field = (text, select) => make("div", {}, make("label", { htmlFor: select.id }, text), select);
    const filters = make("div", { class: "choices" }, field(say("form.game"), this.#game), field(say("player.result"), this.#result));
    const list = make("div", { class: "card" }, make("h2", {}, say("player.matches")), filters, this.#note, this.#list, this.#empty, this.#more);
    const names = { class: "view player-page", id: "player", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, this.#title, this.#ratings, this.#curve, list));
  }
}

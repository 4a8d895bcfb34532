// A player: what they are rated, as a curve, and the matches that have ended.

import { openAbout } from "./about.js";
import { has, read, readGames } from "./archive.js";
import { dress, explain, linkTo, readCupGames, sayAgo, sayDay, sayTime } from "./archived.js";
import { ratingCurve, ratingSpark } from "./chart.js";
import { $, announce, entitle, make, makeAvatar, show, whileBusy, write } from "./dom.js";
import { fetchFace, knowsFaces, learnFaces } from "./faces.js";
import { readRecord } from "./kept.js";
import { drawGame, drawPosition } from "./mini.js";
import { castOf, characterOf, faceNamed, faceOf, nameOf } from "./names.js";
import { drawNothing } from "./nothing.js";
import { sayRating } from "./players.js";
import { readGain, sayProgress } from "./ratings.js";
import { pathTo, withoutClosing } from "./router.js";
import { Lost, Refused } from "./session.js";
import { pathToMatch } from "./share.js";
import { Stay } from "./stay.js";
import { describe } from "./table.js";
import { hasText, say, sayAll, saySigned } from "./texts.js";

/** So many opponents have a face; of more, the last one says how many there are. */
const FACES = 3;

/** So many matches can be narrowed down. */
const MANY = 10;

const RESULTS = ["won", "lost", "drawn"];

export class PlayerView {
  #session;
  /** @type {string | null} */
  #name = null;
  /** @type {Map<string, Wire.Game>} */
  #games = new Map();
  /** @type {string | null} */
  #cursor = null;
  /** @type {import("./ratings.js").Rated} */
  #rated = { ratings: [], history: [] };
  /**
   * The matches whose last positions are to be drawn.
   * @type {HTMLElement[]}
   */
  #wanted = [];
  #isReading = false;
  #stay = new Stay();
  #go;
  #sight = new IntersectionObserver((seen) => this.#see(seen));
  #avatar = make("span");
  #about = make("p", { class: "hint" });
  #challenge = make("button", { type: "button", class: "main", id: "player-challenge", hidden: true }, say("people.challenge"));
  #report = make("button", { type: "button", class: "quiet", id: "player-report", hidden: true }, say("privacy.open"));
  #programs = make("a", { class: "button", id: "player-programs", href: "/programs", hidden: true }, say("programs.title"));
  #code = make("a", { class: "button", id: "player-code", href: "/code", hidden: true }, say("desk.code"));
  #title = make("h1", { id: "player-title", tabIndex: -1 });
  #note = make("p", { class: "note", id: "player-note" });
  #results = make("ul", { class: "ratings", id: "player-results", "aria-label": say("player.yours"), hidden: true });
  #ratings = make("div", { class: "ratings", role: "group", "aria-label": say("player.ratings") });
  #numbers = make(
    "details",
    { id: "player-numbers" },
    make("summary", {}, say("player.numbers")),
    ...["rating", "deviation", "provisional"].map((what) => make("p", {}, say(`player.meaning.${what}`))),
  );
  #curve = make("div", { class: "card" });
  #game = make("select", { id: "player-game" });
  #result = make("select", { id: "player-result" });
  #filters = make("div", { class: "choices" });
  #list = make("ul", { class: "ended", id: "player-matches", "aria-label": say("player.matches") });
  #empty = make("p", { class: "empty" });
  #none = make(
    "div",
    { class: "empty", id: "player-none", hidden: true },
    ...drawNothing("pip", say("player.none"), say("player.noneHint"), make("a", { class: "button main", href: "/" }, say("page.play"))),
  );
  #more = make("button", { type: "button", id: "player-more" }, say("player.more"));
  #matches = make("div", { class: "card" });
  #ways = make("div", { class: "row" }, this.#programs, this.#code);

  /**
   * `challenge(user)` is a promise of what is wrong, in words, if anything is.
   * @param {Session} session
   * @param {unknown} logIn
   * @param {unknown} at
   * @param {unknown} watch
   * @param {unknown} enter
   * @param {(user: string) => Promise<string>} challenge
   * @param {(path: string) => void} go
   */
  constructor(session, logIn, at, watch, enter, challenge, go) {
    this.#session = session;
    this.#go = go;
    this.#build();
    this.#challenge.addEventListener("click", () =>
      whileBusy(this.#challenge, async () => {
        const fault = await challenge(/** @type {string} */ (this.#name));
        write(this.#about, fault);
        if (fault) announce(fault);
      }),
    );
    this.#report.addEventListener("click", () => /** @type {(...who: any[]) => unknown} */ (openAbout)(session, this.#name));
    session.addEventListener("ready", () => this.#name && this.#offer());
    for (const select of [this.#game, this.#result]) select.addEventListener("change", () => this.#filter());
    this.#more.addEventListener("click", () => whileBusy(this.#more, () => this.#readMatches(this.#cursor)));
  }

  /**
   * Show somebody, whose matches the address may narrow down.
   * @param {string} name
   */
  async open(name) {
    this.#name = name;
    this.#stay.begin();
    await this.#stay.here(dress());
    write(this.#title, name);
    write(this.#about, "");
    this.#avatar.replaceWith((this.#avatar = makeAvatar(name, "large")));
    entitle(name);
    this.#offer();
    for (const part of [this.#list, this.#ratings, this.#curve]) part.replaceChildren();
    this.#curve.hidden = this.#more.hidden = this.#numbers.hidden = this.#results.hidden = true;
    write(this.#note, "");
    write(this.#empty, "");
    this.#none.hidden = this.#filters.hidden = true;
    this.#matches.hidden = this.#ways.hidden = true; // or what comes above would move them
    show("player");
    this.#title.focus();
    /** @type {Wire.Game[]} */
    const described = await this.#stay.here(readGames());
    if (!knowsFaces()) learnFaces(described);
    this.#games = new Map(described.map((game) => [game.name, game]));
    /** @type {{ get(name: string): any }} */
    const wanted = new URLSearchParams(location.search);
    const games = described.map(({ name: value, title }) => make("option", { value }, title));
    this.#game.replaceChildren(make("option", { value: "" }, say("player.allGames")), ...games);
    this.#game.value = this.#games.has(wanted.get("game")) ? wanted.get("game") : "";
    this.#result.value = RESULTS.includes(wanted.get("result")) ? wanted.get("result") : "";
    await this.#readResults();
    await this.#readRatings();
    await this.#readMatches();
    this.#matches.hidden = this.#ways.hidden = false;
    this.#doubt();
  }

  /** A name that nobody has played by may have been the end of a sentence. */
  #doubt() {
    const [name, other] = [this.#name, withoutClosing(/** @type {string} */ (this.#name))];
    const isKnown = this.#rated.ratings.length || this.#list.children.length || name === this.#session.user;
    if (other && other !== name && !isKnown && !this.#note.textContent) this.#go(pathTo("player", other));
  }

  close() {
    this.#name = null;
    this.#stay.end();
    this.#wanted = [];
    this.#sight.disconnect();
  }

  /** Offer a challenge to who can send one. */
  async #offer() {
    const { user, isGuest } = this.#session;
    const may = user && !isGuest && user !== this.#name && (await has("boards")); // a part of the same plug-in
    this.#challenge.hidden = !may;
    this.#report.hidden = !user || user === this.#name;
    this.#code.hidden = !user || isGuest || user !== this.#name;
    this.#programs.hidden = this.#code.hidden || !this.#session.programs;
    this.#challenge.setAttribute("aria-label", say("people.label.challenge", { user: this.#name ?? "" }));
  }

  /** What is asked for stays in the address, for Back and for a reload. */
  #filter() {
    const wanted = Object.entries({ game: this.#game.value, result: this.#result.value });
    const query = new URLSearchParams(wanted.filter(([, value]) => value)).toString();
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
    return this.#readMatches();
  }

  /** Whose page it is sees a card for each game, that of the last one first. */
  async #readResults() {
    const { user, isGuest } = this.#session;
    if (isGuest || user !== this.#name) return;
    try {
      await this.#session.connect();
      const record = await this.#stay.here(readRecord(this.#session));
      const games = [...new Set(record.map(({ game }) => game))];
      this.#results.replaceChildren(...games.map((game) => this.#makeResult(game, record)));
      this.#results.hidden = !games.length;
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error; // the matches say so
    }
  }

  /**
   * What one has made of a game, and whom one has beaten.
   * @param {string} name
   * @param {import("./kept.js").Results[]} record
   */
  #makeResult(name, record) {
    const game = this.#games.get(name);
    const results = record.filter((one) => one.game === name);
    /** @type {(what: "won" | "lost" | "drawn") => number} */
    const count = (what) => results.reduce((sum, one) => sum + one[what], 0);
    const [won, lost, drawn] = [count("won"), count("lost"), count("drawn")];
    const beaten = (game?.levels ?? []).filter((level) => results.some((one) => one.level === level && one.won));
    const names = beaten.map((level) => characterOf(game, level));
    return make(
      "li",
      { class: "card rated" },
      make("span", { class: "what row" }, drawGame(game ?? { name, title: name }), this.#titleOf(name)),
      make("b", { "aria-hidden": "true" }, [won, lost, ...(drawn ? [drawn] : [])].join("–")),
      make("span", { class: "visually-hidden" }, say(drawn ? "player.recordDrawn" : "player.record", { won, lost, drawn })),
      names.length
        ? make(
            "span",
            { class: "what row" },
            ...names.map((each) => faceNamed(each, "", "small")),
            say("player.beaten", { names: sayAll(names) }),
          )
        : "",
    );
  }

  async #readRatings() {
    const name = /** @type {string} */ (this.#name);
    const asked = read(["players", name, "ratings"]).catch(() => ({ ratings: [], history: [] }));
    /** @type {import("./ratings.js").Rated} */
    const found = await this.#stay.here(asked);
    this.#rated = found;
    this.#ratings.replaceChildren(...found.ratings.map((rating) => this.#card(rating)));
    this.#ratings.hidden = this.#numbers.hidden = !found.ratings.length;
    const count = found.ratings.reduce((sum, { matches }) => sum + matches, 0);
    write(this.#about, count ? say("player.summary", { count }) : "");
    const most = found.ratings.toSorted((one, other) => other.matches - one.matches)[0];
    const wanted = found.ratings.find(({ game }) => game === this.#game.value) ?? most;
    if (wanted) this.#draw(wanted.game);
  }

  /** @param {Wire.Rating} rating */
  #card(rating) {
    const { game, matches: count, deviation, provisional: isNew } = rating;
    const more = isNew ? sayProgress(rating) : say("player.rated", { count, deviation });
    const button = make(
      "button",
      { type: "button", class: "rated" },
      make("span", { class: "what" }, this.#titleOf(game)),
      make("b", {}, isNew ? say("player.new") : sayRating(rating)),
      ratingSpark(this.#rated.history.filter((point) => point.game === game)),
      make("span", { class: "what" }, more),
    );
    button.dataset.game = game;
    button.addEventListener("click", () => this.#draw(game));
    return button;
  }

  /**
   * Draw the curve of a game.
   * @param {string} game
   */
  #draw(game) {
    for (const button of /** @type {Iterable<HTMLElement>} */ (this.#ratings.children)) {
      button.setAttribute("aria-pressed", String(button.dataset.game === game));
    }
    const points = this.#rated.history.filter((point) => point.game === game);
    this.#curve.hidden = !points.length;
    if (!points.length) return;
    const [first, last] = [points[0], /** @type {Wire.Point} */ (points.at(-1))];
    const title = this.#titleOf(game);
    const values = { title, count: points.length, from: first.rating, until: last.rating };
    const best = points.reduce((one, other) => (other.rating > one.rating ? other : one));
    const leaders = make("a", { href: pathTo("ratings", game) }, say("ratings.name"));
    this.#curve.replaceChildren(
      make(
        "div",
        { class: "head-row" },
        make("h2", {}, say("player.curve", { title })),
        make("span", { class: "hint" }, say("player.best", { rating: best.rating, when: sayDay(best.ended) })),
        leaders,
      ),
      ratingCurve(points, say("player.curveLabel", values), sayTime(first.ended), sayTime(last.ended)),
    );
  }

  /**
   * Read the matches, or (after a cursor) more of them.
   * @param {string | null} cursor
   */
  async #readMatches(cursor = null) {
    const [name, game, result] = [/** @type {string} */ (this.#name), this.#game.value, this.#result.value];
    const isMeant = () => game === this.#game.value && result === this.#result.value;
    write(this.#note, "");
    try {
      /** @type {Wire.Answers["matches"]} */
      const found = await this.#stay.here(this.#find(name, { game, result, cursor }));
      const ofGuests = found.matches.filter(({ players }) => players.some(({ kind }) => kind === "guest"));
      const cups = await this.#stay.here(readCupGames(ofGuests));
      if (!isMeant()) return;
      const called = found.matches.map((match) => ({ ...match, computers: castOf({ ...match, names: cups.get(match.id)?.names }) }));
      /** @type {any[]} items with a link, each */
      const items = called.map((match) => this.#item(match));
      const known = cursor ? [...this.#list.children] : [];
      this.#list.replaceChildren(...known, ...items);
      this.#cursor = found.cursor;
      this.#more.hidden = !found.cursor;
      const [isEmpty, isFiltered] = [!this.#list.children.length, Boolean(game || result)];
      write(this.#empty, isEmpty && isFiltered ? say("player.noSuch") : "");
      this.#none.hidden = !isEmpty || isFiltered;
      this.#filters.hidden = !isFiltered && !found.cursor && this.#list.children.length < MANY;
      for (const item of items) this.#sight.observe(item);
      if (cursor) items[0]?.querySelector("a").focus();
    } catch (error) {
      const text = explain(error);
      if (!isMeant()) return;
      write(this.#note, text);
      announce(text);
    }
  }

  /**
   * Whose page it is gets private matches, too, and asks as who they are.
   * @param {string} player
   * @param {{ game: string, result: string, cursor: string | null }} wanted
   * @returns {Promise<Wire.Answers["matches"]>}
   */
  async #find(player, { game, result, cursor }) {
    const { user, isGuest } = this.#session;
    if (player !== user || isGuest) return read(["players", player], { game, result, cursor });
    await this.#session.connect();
    const how = /** @type {Asked<"matches">["result"]} */ (result || null);
    return this.#session.ask({ do: "matches", player, game: game || null, result: how, cursor });
  }

  /** @param {Wire.Ended} match */
  #item({ id, game, players, ended, ending, winner, moves, rated, computers, private: isPrivate }) {
    const seat = players.findIndex(({ name }) => name === this.#name);
    const result = winner === null ? "drawn" : players[winner].name === this.#name ? "won" : "lost";
    const others = players.filter((_, at) => at !== seat);
    const against = others.flatMap((player, at) => [at ? ", " : "", linkTo(player, computers)]);
    const title = this.#titleOf(game);
    const seated = players.map(({ name }) => ({ user: name }));
    /** @type {any} what describe() needs of a table */
    const table = { result: { how: ending, winner }, seat: null, players: seated, computers };
    const how = describe(table);
    const kinds = [rated && say("match.rated"), isPrivate && say("match.private")];
    const what = [how, say("player.moves", { count: moves }), ...kinds].filter(Boolean);
    const gain = rated ? readGain(this.#rated, id, game) : null;
    const change = gain?.change ? [make("b", { class: `gain num ${gain.change < 0 ? "down" : "up"}` }, saySigned(gain.change))] : [];
    const count = others.length;
    const number = hasText(`player.count.${count}`) ? say(`player.count.${count}`) : String(count);
    const versus = count > FACES ? [" ", say("player.others", { number })] : count ? [" ", say("player.against"), " ", ...against] : [];
    const faces = others.slice(0, count > FACES ? FACES - 1 : FACES).map(({ name }) => faceOf(name, computers, undefined, "small"));
    if (count > FACES) faces.push(make("span", { class: "avatar small av-7" }, `+${count - faces.length}`));
    const label = say("player.review", { title, names: others.map(({ name }) => nameOf(name, computers)).join(", ") });
    const item = make(
      "li",
      {},
      make("span", { class: `result ${result}` }, say(`player.results.${result}`)),
      drawGame(/** @type {any} */ (this.#games.get(game)) ?? { name: game }),
      make(
        "div",
        { class: "what" },
        make("span", { class: "name" }, title, ...versus),
        make("span", { class: "kind" }, [...what, ""].join(" · "), sayAgo(ended)),
      ),
      make("span", { class: "faces", "aria-hidden": "true" }, ...faces),
      ...change,
      make("a", { class: "button less", href: pathToMatch(id), "aria-label": label }, say("match.replay")),
    );
    item.dataset.match = id;
    item.toggleAttribute("data-private", isPrivate);
    return item;
  }

  /**
   * Matches have come into sight: show their last positions.
   * @param {IntersectionObserverEntry[]} seen
   */
  #see(seen) {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      this.#sight.unobserve(target);
      this.#wanted.push(/** @type {HTMLElement} */ (target));
    }
    this.#drawLast();
  }

  /** Draw them one after the other: the server goes through a match for each. */
  async #drawLast() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.#drawEach();
    } finally {
      this.#isReading = false;
    }
  }

  async #drawEach() {
    for (let item; (item = this.#wanted.shift());) {
      /** @type {Wire.Answers["replay"]["replay"]} or null, if it can't be had */
      const told = await this.#replayOf(item).catch(() => null);
      /** @type {Record<string, any>} */
      const { position } = told?.events.findLast((event) => "position" in event) ?? {};
      if (!position || told.next !== null) continue;
      await fetchFace(told.game);
      const board = drawPosition(told.game, { position, options: told.events[0].options });
      if (board) /** @type {HTMLElement} */ (item.querySelector(".picture")).replaceChildren(board);
    }
  }

  /** @param {HTMLElement} item */
  async #replayOf({ dataset }) {
    const match = /** @type {string} */ (dataset.match);
    if (dataset.private === undefined) return read(["matches", match, "replay"]);
    return (await this.#session.ask({ do: "replay", match })).replay;
  }

  /** @param {string} game */
  #titleOf(game) {
    return this.#games.get(game)?.title ?? game;
  }

  #build() {
    const results = RESULTS.map((value) => make("option", { value }, say(`player.results.${value}`)));
    this.#result.append(make("option", { value: "" }, say("player.allResults")), ...results);
    /** @type {(text: string, select: HTMLSelectElement) => HTMLElement} */
    const field = (text, select) => make("div", {}, make("label", { htmlFor: select.id }, text), select);
    this.#filters.append(field(say("form.game"), this.#game), field(say("player.result"), this.#result));
    this.#matches.append(make("h2", {}, say("player.matches")), this.#filters, this.#note, this.#list, this.#empty, this.#none, this.#more);
    const names = { class: "view player-page", id: "player", "aria-labelledby": this.#title.id, hidden: true };
    const head = make(
      "div",
      { class: "player-head" },
      this.#avatar,
      make("div", { class: "grow" }, this.#title, this.#about),
      this.#challenge,
      this.#report,
    );
    const above = [head, this.#results, this.#ratings, this.#numbers, this.#curve];
    $("main").append(make("section", names, ...above, this.#matches, this.#ways));
  }
}

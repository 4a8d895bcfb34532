// Home, for who has played here, also as a guest: one's games, what one played last, today's puzzle, and the next level.

import { boardOf } from "./boards.js";
import { $, entitle, icon, make, refill, show, whileBusy } from "./dom.js";
import { fetchFace } from "./faces.js";
import { requestsFor } from "./front.js";
import { BEATEN, readRecord, resultsIn } from "./kept.js";
import { PAUSE, showPlayed } from "./live.js";
import { drawGame } from "./mini.js";
import { characterOf, faceNamed, faceOf, nameOf } from "./names.js";
import { pathTo } from "./router.js";
import { Lost, Refused } from "./session.js";
import { Shows } from "./shows.js";
import { Stay } from "./stay.js";
import { makeCards } from "./streak.js";
import { say, sayNumber } from "./texts.js";
import { isMine, matches, sayTimeLeft, whenTurned } from "./turns.js";

/** So many of one's games, and of all games, are shown, and so many rooms of others. */
const [MINE, GAMES, ROOMS] = [5, 8, 3];

export class HomeView {
  /** @type {Session} */
  #session;
  /** @type {(request: Partial<Asked<"open">>) => unknown} */
  #go;
  #element;
  #stay = new Stay();
  #timer = 0;
  /** @type {import("./kept.js").Results[]} */
  #record = [];
  #title = make("h1", { id: "home-title", tabIndex: -1 });
  #mine = make("ul", { class: "mine", "aria-labelledby": "home-mine" });
  #yours = make("section", {}, head("mine.title", "home-mine", make("a", { href: "/mine" }, say("home.all"))), this.#mine);
  #again = make("ul", { class: "again", "aria-labelledby": "home-play" });
  #friend = make("a", { class: "button less", id: "home-friend" }, icon("link"), say("rooms.invite"));
  #invite = make("p", {}, this.#friend);
  #rooms = make("ul", { class: "boards", "aria-labelledby": "home-rooms" });
  #played = make(
    "section",
    { hidden: true },
    head("front.rooms", "home-rooms", make("a", { href: "/watch" }, say("home.all"))),
    this.#rooms,
  );
  #open = make("ul", { class: "boards", "aria-labelledby": "home-open" });
  #waiting = make("section", { hidden: true }, head("rooms.open", "home-open", make("a", { href: "/game" }, say("home.all"))), this.#open);
  #show = make("section", { id: "home-show", hidden: true });
  #shows = new Shows(this.#show, () => !this.#element.hidden && this.#played.hidden);
  #daily = make("div", { class: "stack", id: "home-daily" });
  #pick = make("select", { id: "home-game", "aria-label": say("form.game") });
  #levels = make("ul", { class: "ladder-next" });
  #next = make(
    "section",
    { class: "card stack", "aria-labelledby": "home-next", hidden: true },
    make("div", { class: "row apart" }, make("h2", { id: "home-next" }, say("home.next")), this.#pick),
    this.#levels,
  );

  /**
   * `go(request)` opens a room.
   * @param {Session} session
   * @param {unknown} shut
   * @param {unknown} at
   * @param {unknown} watch
   * @param {unknown} enter
   * @param {unknown} challenge
   * @param {unknown} replace
   * @param {(request: Partial<Asked<"open">>) => unknown} go
   */
  constructor(session, shut, at, watch, enter, challenge, replace, go) {
    [this.#session, this.#go] = [session, go];
    const play = make("section", {}, head("home.play", "home-play", make("a", { href: "/game" }, say("home.all"))), this.#again);
    play.append(this.#invite);
    const main = make("div", { class: "stack wide" }, this.#yours, play, this.#waiting, this.#played, this.#show);
    const aside = make("aside", { class: "stack", "aria-label": say("puzzle.today") }, this.#daily, this.#next);
    const names = { class: "view home-view", id: "home", "aria-labelledby": this.#title.id, hidden: true };
    this.#element = make("section", names, this.#title, make("div", { class: "home" }, main, aside));
    $("main").append(this.#element);
    this.#pick.addEventListener("change", () => this.#showLevels());
    whenTurned(() => this.#showMine());
  }

  /** Show it; whether there is anything to show. */
  async open() {
    this.#stay.begin();
    const { isGuest } = this.#session;
    const ask = isGuest ? null : (/** @type {Asked<"puzzle">} */ request) => this.#session.ask(request);
    const daily = makeCards(ask).then((cards) => this.#daily.replaceChildren(...cards));
    try {
      this.#record = await this.#stay.here(readRecord(this.#session));
      if (isGuest) await this.#stay.here(daily); // the cards below it don't move then
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
    }
    if (!this.#record.length && !matches().length) return false;
    show("home");
    entitle(say("page.play"));
    this.#yours.hidden = isGuest && !matches().length; // a guest's seat isn't held for days
    this.#showMine();
    this.#showGames();
    this.#shows.set([...this.#session.games], this.#record[0]?.game ?? "");
    const levels = this.#record.filter(({ level }) => level);
    const games = [...new Set(levels.map(({ game }) => game))].filter((game) => this.#describe(game).levels?.length);
    this.#pick.replaceChildren(...games.map((game) => make("option", { value: game }, this.#describe(game).title)));
    this.#pick.hidden = games.length < 2;
    this.#showLevels();
    this.#title.focus();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => document.hidden || this.#look(), PAUSE);
    const faces = Promise.all(matches().map(({ game }) => fetchFace(game))).then(() => this.#showMine());
    await this.#stay.here(Promise.all([faces, daily, this.#look()]));
    return true;
  }

  close() {
    this.#stay.end();
    clearInterval(this.#timer);
  }

  /**
   * @param {string} game
   * @returns {Pick<Wire.Game, "name" | "title" | "levels"> & Partial<Wire.Game>}
   */
  #describe(game) {
    return this.#session.games.find(({ name }) => name === game) ?? { name: game, title: game, levels: [] };
  }

  /** One's own turn first, then the least time. */
  #showMine() {
    if (this.#element.hidden) return;
    const all = matches();
    const waiting = all.filter(isMine).length;
    const user = nameOf(this.#session.called);
    this.#title.textContent = waiting
      ? say("home.waiting", { user, count: waiting, number: sayNumber(waiting) })
      : say("home.hello", { user });
    const more = make("li", { class: "new" }, make("a", { href: "/game" }, say("mine.new")));
    refill(this.#mine, ...all.slice(0, MINE).map((one) => this.#card(one)), more);
  }

  /** @param {Kept} one */
  #card(one) {
    const { room, game, title, players, seat, position, options, begun } = one;
    const other = players.find((name, at) => name && at !== seat);
    const left = sayTimeLeft(one);
    const turn = isMine(one) ? say("mine.yours") : begun ? say("mine.theirs") : say("mine.waits");
    const badge = make("span", { class: `badge ${isMine(one) ? "turn" : ""}` }, [turn, left].filter(Boolean).join(" · "));
    const who = make(
      "b",
      {},
      faceOf(other ?? " ", one.computers, "", "small"),
      " ",
      other ? nameOf(other, one.computers) : say("table.nobody"),
    );
    const what = make("span", { class: "what" }, badge, who, make("span", { class: "hint" }, title));
    const picture = make("span", { class: "picture", "aria-hidden": "true" }, boardOf(this.#describe(game), { position, options }));
    return make("li", { class: isMine(one) ? "turn" : "" }, make("a", { href: pathTo("room", room) }, picture, what));
  }

  /** What was played last comes first. */
  #showGames() {
    const played = [...new Set(this.#record.map(({ game }) => game))];
    const rank = (/** @type {Wire.Game} */ { name }) => (played.includes(name) ? played.indexOf(name) : played.length);
    const { games: all, isAlone } = this.#session;
    const able = all.filter(({ levels }) => levels.length || !isAlone);
    const games = able.toSorted((one, other) => rank(one) - rank(other)).slice(0, GAMES);
    this.#invite.hidden = isAlone;
    this.#friend.href = pathTo("game", games[0]?.name, "friend");
    refill(
      this.#again,
      ...games.map((game) => {
        const href = pathTo("game", game.name, game.levels.at(resultsIn(this.#record, game).next));
        return make("li", {}, make("a", { href }, drawGame(game), make("span", {}, game.title)));
      }),
    );
  }

  /** The levels of a game, as far as the one after those that are beaten. */
  #showLevels() {
    const game = /** @type {Wire.Game} */ (this.#describe(this.#pick.value));
    const { levels = [], title } = game;
    this.#next.hidden = !this.#pick.value;
    const { results, next } = resultsIn(this.#record, game);
    refill(
      this.#levels,
      ...levels.map((level, at) => {
        const { won = 0, lost = 0, drawn = 0, last = [] } = results[at] ?? {};
        const score = last.length ? `${won}–${lost}${drawn ? `–${drawn}` : ""}` : "";
        const pips = make(
          "span",
          { class: "pips" },
          ...last.toReversed().map((how) => make("i", { class: how, title: say(`home.${how}`) }, say(`home.letter.${how}`))),
        );
        const character = characterOf(game, level);
        const words = make("span", {}, make("b", {}, character), " ", make("span", { class: "hint num" }, score), pips);
        const button = make(
          "button",
          { type: "button", class: `less ${at === next ? "main" : ""}` },
          say("home.playLevel", { name: character }),
          make("span", { class: "visually-hidden" }, `: ${title}`),
        );
        button.addEventListener("click", () => whileBusy(button, () => this.#go({ ...requestsFor(game).computer, computer: level })));
        return make(
          "li",
          {},
          faceNamed(character),
          words,
          won >= BEATEN ? make("span", { class: "badge good" }, say("home.beaten")) : button,
        );
      }),
    );
  }

  /** What others play, or wait for; else what computers play. */
  async #look() {
    const open = this.#session.isAlone ? null : this.#open;
    this.#played.hidden = !(await showPlayed(this.#rooms, this.#session.games, ROOMS, open));
    this.#waiting.hidden = !this.#open.childElementCount;
    this.#shows.look();
  }
}

/** The heading of a part, with a link to more of it. */
function head(/** @type {string} */ words, /** @type {string} */ id, /** @type {HTMLElement} */ link) {
  return make("div", { class: "section" }, make("h2", { id }, say(words)), link);
}

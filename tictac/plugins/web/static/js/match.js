// A match that has ended: its boards one after the other, what was said, what the moves were worth.

import { Analysis } from "./analysis.js";
import { read } from "./archive.js";
import { askAsGuest, dress, explain, linkTo, sayTime } from "./archived.js";
import { drawMark } from "./board.js";
import { clockOf, sayTimeControl } from "./clocks.js";
import { $, announce, entitle, make, show, write } from "./dom.js";
import { retryFaces } from "./faces.js";
import { hasSecrets, markOf } from "./games.js";
import { faceOf, kindOf, nameOf } from "./names.js";
import { sayGain } from "./ratings.js";
import { pathTo } from "./router.js";
import { pathToMatch, Share } from "./share.js";
import { readReplay, Steps } from "./steps.js";
import { describe } from "./table.js";
import { say, sayPoints } from "./texts.js";

/** Milliseconds until the address follows: browsers take it amiss if it changes all the time. */
const ADDRESS_DELAY = 300;

/** `logIn()` lets the visitor log in; `at(path)` is told of the path that has led here. */
export class MatchView {
  #session;
  #at;
  /** @type {string} */
  #id = /** @type {any} */ (null);
  /**
   * What is shown; null: nothing yet.
   * @type {Replay}
   */
  #replay = /** @type {any} */ (null);
  #wanted = Infinity;
  #hasFailed = false;
  #addressing = 0;
  #leaving = new AbortController();
  #steps = new Steps("match", (step) => this.#went(step));
  #analysis = new Analysis(
    () => this.#judge(),
    (step) => this.#steps.jump(step),
  );
  #share = new Share();
  #title = make("h1", { id: "match-title", tabIndex: -1 });
  #about = make("p", { class: "hint" });
  #cup = make("p", { id: "match-cup", hidden: true });
  #note = make("p", { class: "note", id: "match-note" });
  #logIn = make("button", { type: "button", class: "main", id: "match-log-in", hidden: true }, say("signIn.logIn"));
  #players = make("ol", { class: "players", "aria-label": say("table.players") });
  #talk = make("ol", { id: "match-talk", "aria-label": say("table.talk") });
  #as = make("select", { id: "match-as" });
  /** @type {HTMLElement[]} */
  #whole = [];

  /**
   * @param {Session} session
   * @param {() => void} logIn
   * @param {(path: string) => void} at
   */
  constructor(session, logIn, at) {
    this.#session = session;
    this.#at = at;
    this.#logIn.addEventListener("click", () => logIn());
    this.#as.addEventListener("change", () => this.#load(this.#as.value, this.#steps.at));
    this.#build();
    // Who comes back by a token is logged in a little later.
    session.addEventListener("ready", () => this.#hasFailed && this.#load("", this.#wanted));
  }

  /**
   * Show a match after so many steps; at its end, if that is no number.
   * @param {string} id
   * @param {string | undefined} step
   */
  async open(id, step) {
    this.#wanted = /^\d{1,6}$/.test(step ?? "") ? Number(step) : Infinity;
    if (id === this.#id && this.#replay) return this.#steps.jump(this.#wanted);
    this.close();
    retryFaces();
    this.#id = id;
    await dress();
    if (id !== this.#id) return;
    write(this.#title, say("match.name"));
    write(this.#about, "");
    this.#cup.hidden = true;
    show("match");
    entitle(say("match.name"));
    this.#title.focus();
    await this.#load("", this.#wanted);
  }

  /** Forget the match that was shown. */
  close() {
    this.#steps.close();
    clearTimeout(this.#addressing);
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#id = this.#replay = /** @type {any} */ (null);
    this.#hasFailed = false;
  }

  // Asking

  /**
   * Read the match as a seat has seen it, or ("") a viewer.
   * @param {string} seat
   * @param {number} step
   */
  async #load(seat, step) {
    const id = this.#id;
    this.#hasFailed = false;
    if (!this.#replay) this.#complain(say("match.loading"));
    try {
      const replay = await readReplay(this.#session, id, seat === "" ? null : Number(seat), () => id === this.#id);
      if (id !== this.#id) return;
      this.#replay = replay;
    } catch (error) {
      if (id !== this.#id) return;
      const text = explain(error);
      this.#hasFailed = true;
      this.#complain(text);
      const { code } = /** @type {any} */ (error);
      this.#logIn.hidden = code !== "private-match" || Boolean(this.#session.user);
      announce(text);
      return code === "no-such-game" ? this.#tell(id) : undefined;
    }
    this.#complain("");
    this.#render();
    this.#steps.jump(step);
    this.#rate();
  }

  /**
   * Show what can be told of a match without the rules of its game: who played it and when, its result, and the moves.
   * @param {string} id
   */
  async #tell(id) {
    const asked = this.#session.user ? this.#session.ask({ do: "match", match: id }) : read(["matches", id]).then((match) => ({ match }));
    const { match } = /** @type {any} */ (await asked.catch(() => ({})));
    if (!match || id !== this.#id) return;
    const { game, players, events, ending: how, winner, began } = match;
    write(this.#title, game);
    this.#nameIt(game, players);
    write(this.#about, sayTime(began));
    /** @type {any} what describe() needs of a table */
    const table = {
      game,
      result: { how, winner },
      seat: null,
      players: players.map((/** @type {Wire.Who} */ { name }) => ({ user: name })),
    };
    this.#showPlayers({ game, players, winner });
    this.#steps.moves.tell(events, players, describe(table));
    const [, side] = this.#whole;
    side.hidden = false;
    /** @type {HTMLElement} */ (this.#as.parentElement).hidden = true;
  }

  /** @param {string} text */
  #complain(text) {
    write(this.#note, text);
    this.#logIn.hidden = true;
    for (const part of this.#whole) part.hidden = Boolean(text);
  }

  /** Show what the players were rated by this match, or are now. */
  async #rate() {
    const { id, players, game } = this.#replay.about;
    for (const [seat, { name, kind }] of players.entries()) {
      const found = kind === "account" && (await read(["players", name, "ratings"]).catch(() => null));
      if (id !== this.#id) return;
      if (found) write(/** @type {HTMLElement} */ (this.#players.children[seat].querySelector(".rating")), sayGain(found, id, game));
    }
  }

  /** Let the server judge it: that needs no login, but for a private match. */
  async #judge() {
    const [id, { about }] = [this.#id, this.#replay];
    /** @type {Asked<"judge">} */
    const request = { do: "judge", match: id };
    const asked = about.private ? this.#session.ask(request) : askAsGuest(request, this.#leaving.signal);
    const { judgement } = await asked;
    if (id !== this.#id) return;
    this.#replay.judge(judgement);
    this.#showJudgement();
    this.#steps.jump(this.#steps.at);
    announce(say("match.analysed"));
  }

  /** @param {number} step */
  #went(step) {
    for (const part of [this.#analysis, this.#share]) part.mark(step);
    for (const [at, said] of this.#replay.talk.entries()) /** @type {HTMLElement} */ (this.#talk.children[at]).hidden = said.step > step;
    /** @type {HTMLElement} */ (this.#talk.parentElement).hidden = !this.#replay.talk.some((said) => said.step <= step);
    clearTimeout(this.#addressing);
    this.#addressing = setTimeout(() => {
      const isLast = step === this.#replay.steps.length - 1;
      const path = pathToMatch(this.#id, isLast ? undefined : step);
      history.replaceState(null, "", path);
      this.#at(path);
    }, ADDRESS_DELAY);
  }

  // What is shown

  #build() {
    const asField = make("div", { class: "field" }, make("label", { htmlFor: this.#as.id }, say("match.as")), this.#as);
    const talk = make("div", { class: "talked" }, make("h2", {}, say("table.talk")), this.#talk);
    const stage = make("div", { class: "stage" }, this.#steps.board, this.#steps.controls.element, this.#steps.state);
    const side = make("div", { class: "beside" }, this.#players, asField, this.#steps.moves.element);
    const more = make("div", { class: "more" }, this.#analysis.element, talk, this.#share.element);
    this.#whole = [stage, side, more];
    const head = make("div", { class: "head" }, this.#title, this.#about, this.#cup);
    const trouble = make("div", { class: "trouble" }, this.#note, this.#logIn);
    const names = { class: "view replay", id: "match", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, head, trouble, ...this.#whole));
  }

  #render() {
    const { about, steps, talk } = this.#replay;
    const { id, game, players, computers } = about;
    const { title } = steps[0].table;
    write(this.#title, title);
    this.#nameIt(title, players, computers);
    const clock = about.clock && sayTimeControl(clockOf(about.clock));
    const kinds = [about.rated && say("match.rated"), about.private && say("match.private")];
    write(this.#about, [sayTime(about.began), clock, ...kinds].filter(Boolean).join(" · "));
    this.#tellCup(about);
    this.#steps.show(this.#replay, () => this.#load(this.#as.value, this.#steps.at));
    this.#showPlayers(about);
    this.#talk.replaceChildren(...talk.map(({ user, text }) => make("li", {}, make("b", {}, nameOf(user, computers)), ` ${text}`)));
    /** @type {HTMLElement} */ (this.#as.parentElement).hidden = !hasSecrets(game);
    if (this.#as.dataset.match !== id) {
      const seats = players.map((/** @type {Wire.Who} */ { name }, /** @type {number} */ seat) =>
        make("option", { value: seat }, nameOf(name, computers)),
      );
      this.#as.replaceChildren(make("option", { value: "" }, say("match.viewer")), ...seats);
      this.#as.dataset.match = id;
    }
    this.#showJudgement();
    this.#share.show(id, about.private ? "" : game);
    if (about.private) this.#exportPrivate(id, game);
  }

  /**
   * Which tournament it was played in, and what the organizer made of its result.
   * @param {{ cup?: any, players: Wire.Who[], computers?: Wire.Computers }} about
   */
  #tellCup({ cup, players, computers }) {
    this.#cup.hidden = !cup;
    if (!cup) return;
    const { tournament, round, scores, how } = cup;
    const where = tournament.system === "arena" ? tournament.name : say("table.ofCup", { name: tournament.name, round });
    const points = players.map(({ name }, seat) => `${nameOf(name, computers)} ${sayPoints(scores?.[seat] ?? 0)}`).join(", ");
    const parts = how === "set" ? [" · ", make("b", {}, say("match.corrected", { scores: points }))] : [];
    this.#cup.replaceChildren(make("a", { href: pathTo("tournament", tournament.id) }, where), ...parts);
  }

  /**
   * @param {string} title
   * @param {Wire.Who[]} players
   * @param {Wire.Computers} [computers]
   */
  #nameIt(title, players, computers) {
    entitle(say("match.title", { title, names: players.map(({ name }) => nameOf(name, computers)).join(", ") }));
  }

  /** @param {{ game: string, players: Wire.Who[], computers?: Wire.Computers, winner: Wire.Seat }} about */
  #showPlayers(about) {
    this.#players.replaceChildren(...about.players.map((player, seat) => this.#player(player, seat, about)));
    this.#players.classList.toggle("many", about.players.length > 2);
  }

  #showJudgement() {
    this.#steps.moves.judge(this.#replay);
    this.#analysis.show(this.#replay);
  }

  /**
   * @param {string} id
   * @param {string} game
   */
  async #exportPrivate(id, game) {
    const { match } = await this.#session.ask({ do: "match", match: id }).catch(() => /** @type {any} */ ({}));
    if (match && id === this.#id) this.#share.show(id, game, match, (format) => this.#session.ask({ do: "match", match: id, format }));
  }

  /**
   * @param {Wire.Who} player
   * @param {number} seat
   * @param {{ game: string, players: Wire.Who[], computers?: Wire.Computers, winner: Wire.Seat }} about
   */
  #player(player, seat, { game, players, computers, winner }) {
    const mark = players.length > 1 ? markOf(game, seat) : undefined; // alone one needs none
    const isWinner = winner === seat;
    const what = [kindOf(player.name, computers), isWinner ? say("table.winner") : mark ? say("table.plays", { mark: mark.name }) : ""]
      .filter(Boolean)
      .join(", ");
    const name = make("span", { class: "name" }, linkTo(player, computers));
    const names = make("span", { class: "names" }, name, make("span", { class: "what" }, what));
    const rating = make("span", { class: "rating", hidden: true });
    const kind = `player ${mark?.look ?? ""}${isWinner ? " winner" : ""}`;
    const mood = winner === null ? "" : isWinner ? "won" : "lost";
    return make("li", { class: kind }, faceOf(player.name, computers, mood), names, rating, ...(mark ? [drawMark(mark)] : []));
  }
}

// A match that has ended: its boards one after the other, what was said, what the moves were worth.

import { Analysis, sayVerdict } from "./analysis.js";
import { askAsGuest, dress, explain, linkTo, read, readGames, sayTime } from "./archive.js";
import { drawMark } from "./board.js";
import { clockOf, sayTimeControl } from "./clocks.js";
import { Controls } from "./controls.js";
import { $, announce, entitle, make, pause, show, write } from "./dom.js";
import { drawn, Face, fetchFace, knowsFaces, learnFaces, needsPicture, retryFaces } from "./faces.js";
import { hasSecrets, markOf, sayMove } from "./games.js";
import { MoveList } from "./moves.js";
import { sayGain } from "./ratings.js";
import { Replay } from "./replay.js";
import { ARCHIVE_PAUSE, ARCHIVE_TRIES } from "./session.js";
import { pathToMatch, Share } from "./share.js";
import { describe } from "./table.js";
import { say } from "./texts.js";

/** Milliseconds until the address follows: browsers take it amiss if it changes all the time. */
const ADDRESS_DELAY = 300;

/** `logIn()` lets the visitor log in; `at(path)` is told of the path that has led here. */
export class MatchView {
  #session;
  #at;
  #id = null;
  #replay = null;
  #step = 0;
  #face = null;
  #hasFailed = false;
  #addressing = 0;
  #leaving = new AbortController();
  #controls = new Controls((step, isByItself) => this.#go(step, isByItself));
  #moves = new MoveList((step) => this.#controls.jump(step));
  #analysis = new Analysis(() => this.#judge(), (step) => this.#controls.jump(step));
  #share = new Share();
  #title = make("h1", { id: "match-title", tabIndex: -1 });
  #about = make("p", { class: "hint" });
  #note = make("p", { class: "note", id: "match-note" });
  #logIn = make("button", { type: "button", class: "main", id: "match-log-in", hidden: true }, say("signIn.logIn"));
  #place = make("div", { class: "face" });
  #state = make("p", { class: "state", id: "match-state" });
  #players = make("ol", { class: "players", "aria-label": say("table.players") });
  #talk = make("ol", { id: "match-talk", "aria-label": say("table.talk") });
  #as = make("select", { id: "match-as" });
  #whole;

  constructor(session, logIn, at) {
    this.#session = session;
    this.#at = at;
    this.#logIn.addEventListener("click", () => logIn());
    this.#as.addEventListener("change", () => this.#load(this.#as.value, this.#step));
    this.#build();
    // Who comes back by a token is logged in a little later.
    session.addEventListener("ready", () => this.#hasFailed && this.#load("", this.#step));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show a match after so many steps; at its end, if that is no number. */
  async open(id, step) {
    const wanted = /^\d{1,6}$/.test(step ?? "") ? Number(step) : undefined;
    if (id === this.#id && this.#replay) return this.#controls.jump(wanted ?? Infinity);
    this.close();
    retryFaces();
    this.#id = id;
    this.#step = wanted ?? Infinity;
    await dress();
    if (id !== this.#id) return;
    write(this.#title, say("match.name"));
    write(this.#about, "");
    show("match");
    entitle(say("match.name"));
    this.#title.focus();
    await this.#load("", this.#step);
  }

  /** Forget the match that was shown. */
  close() {
    this.#controls.pause();
    clearTimeout(this.#addressing);
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#id = this.#replay = this.#face = null;
    this.#hasFailed = false;
    this.#place.replaceChildren();
  }

  // Asking

  /** Read the match as a seat has seen it, or ("") a viewer. */
  async #load(seat, step) {
    const id = this.#id;
    this.#hasFailed = false;
    if (!this.#replay) this.#complain(say("match.loading"));
    try {
      const replay = await this.#read(id, seat);
      if (id !== this.#id) return;
      this.#replay = replay;
    } catch (error) {
      if (id !== this.#id) return;
      const text = explain(error);
      this.#hasFailed = true;
      this.#complain(text);
      this.#logIn.hidden = error.code !== "private-match" || Boolean(this.#session.user);
      return announce(text);
    }
    this.#complain("");
    this.#render();
    this.#controls.jump(step);
    this.#rate();
  }

  async #read(id, seat) {
    const learning = knowsFaces() ? null : readGames().then(learnFaces);
    const about = { seat };
    let answer = await this.#readSome(id, about);
    await learning;
    await fetchFace(answer.game);
    if (needsPicture(answer.game)) {
      about.draws = drawn();
      answer = await this.#readSome(id, about);
    }
    const replay = new Replay(answer);
    for (let { next } = answer; next !== null; ) {
      const more = await this.#readSome(id, { ...about, first: next });
      replay.add(more.events);
      next = more.next;
    }
    if (answer.judgement) replay.judge(answer.judgement);
    return replay;
  }

  /** Strangers ask over HTTP; who is logged in may see private ones. */
  async #readSome(id, { seat, draws, first = 0 }) {
    const number = seat === "" ? null : Number(seat);
    for (let left = ARCHIVE_TRIES; ; left--) {
      try {
        if (!this.#session.user) return await read(["matches", id, "replay"], { seat, first, draws: draws?.join() });
        return (await this.#session.ask({ do: "replay", match: id, seat: number, first, draws })).replay;
      } catch (error) {
        if (error.code !== "no-such-match" || left === 1 || id !== this.#id) throw error;
      }
      await pause(ARCHIVE_PAUSE);
    }
  }

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
      if (found) write(this.#players.children[seat].querySelector(".rating"), sayGain(found, id, game));
    }
  }

  /** Let the server judge it: that needs no login, but for a private match. */
  async #judge() {
    const [id, { about }] = [this.#id, this.#replay];
    const request = { do: "judge", match: id };
    const asked = about.private ? this.#session.ask(request) : askAsGuest(request, this.#leaving.signal);
    const { judgement } = await asked;
    if (id !== this.#id) return;
    this.#replay.judge(judgement);
    this.#showJudgement();
    this.#go(this.#step);
    announce(say("match.analysed"));
  }

  // Going through it

  #go(step, isByItself = false) {
    const { table, judged, length } = this.#replay.steps[step];
    this.#step = step;
    const best = judged && judged.best !== judged.move ? judged.best : null;
    this.#face.render(Object.assign(Object.create(table), { best, record: table.record.slice(0, length) }));
    const text = this.#describe();
    write(this.#state, text);
    for (const part of [this.#controls, this.#moves, this.#analysis, this.#share]) part.mark(step, text);
    for (const [at, said] of this.#replay.talk.entries()) this.#talk.children[at].hidden = said.step > step;
    this.#talk.parentElement.hidden = !this.#replay.talk.some((said) => said.step <= step);
    if (!isByItself) announce(text);
    clearTimeout(this.#addressing);
    this.#addressing = setTimeout(() => {
      const isLast = step === this.#replay.steps.length - 1;
      const path = pathToMatch(this.#id, isLast ? undefined : step);
      history.replaceState(null, "", path);
      this.#at(path);
    }, ADDRESS_DELAY);
  }

  #key(event) {
    const isOther = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey;
    if (!this.#replay || isOther || !this.#controls.press(event)) return;
    event.preventDefault();
    if (this.#moves.element.contains(event.target)) this.#moves.focus();
  }

  /** The step that is looked at, in words. */
  #describe() {
    const { event, seat, move, number, count, table, judged, how } = this.#replay.steps[this.#step];
    const { game } = this.#replay.about;
    if (event === "room") return say("match.beginning");
    if (event === "undone") return say("told.undone", { user: table.nameOf(seat), count });
    const user = table.nameOf(seat);
    const words = move ? [say("match.moved", { number, user, move: sayMove(game, move) })] : [];
    if (judged) words.push(sayVerdict(game, judged));
    if (how) words.push(describe(table));
    return words.join(" ");
  }

  // What is shown

  #build() {
    const asField = make("div", { class: "field" }, make("label", { htmlFor: this.#as.id }, say("match.as")), this.#as);
    const talk = make("div", { class: "talked" }, make("h2", {}, say("table.talk")), this.#talk);
    const stage = make("div", { class: "stage" }, this.#place, this.#controls.element, this.#state);
    const side = make("div", { class: "beside" }, this.#players, asField, this.#moves.element);
    const more = make("div", { class: "more" }, this.#analysis.element, talk, this.#share.element);
    this.#whole = [stage, side, more];
    const head = make("div", { class: "head" }, this.#title, this.#about);
    const trouble = make("div", { class: "trouble" }, this.#note, this.#logIn);
    const names = { class: "view replay", id: "match", "aria-labelledby": this.#title.id, hidden: true };
    $("main").append(make("section", names, head, trouble, ...this.#whole));
  }

  #render() {
    const { about, steps, talk } = this.#replay;
    const { id, game, players } = about;
    const { title } = steps[0].table;
    write(this.#title, title);
    entitle(say("match.title", { title, names: players.map(({ name }) => name).join(", ") }));
    const clock = about.clock && sayTimeControl(clockOf(about.clock));
    const kinds = [about.rated && say("match.rated"), about.private && say("match.private")];
    write(this.#about, [sayTime(about.began), clock, ...kinds].filter(Boolean).join(" · "));
    this.#face = new Face(game, () => {}, () => this.#load(this.#as.value, this.#step)); // with pictures now
    this.#place.replaceChildren(this.#face.element, ...this.#face.panels.map(({ element }) => element));
    this.#controls.last = steps.length - 1;
    this.#players.replaceChildren(...players.map((player, seat) => this.#player(player, seat)));
    this.#players.classList.toggle("many", players.length > 2);
    this.#moves.show(this.#replay);
    this.#talk.replaceChildren(...talk.map(({ user, text }) => make("li", {}, make("b", {}, user), ` ${text}`)));
    this.#as.parentElement.hidden = !hasSecrets(game);
    if (this.#as.dataset.match !== id) {
      const seats = players.map(({ name }, seat) => make("option", { value: seat }, name));
      this.#as.replaceChildren(make("option", { value: "" }, say("match.viewer")), ...seats);
      this.#as.dataset.match = id;
    }
    this.#showJudgement();
    this.#share.show(id);
    if (about.private) this.#exportPrivate(id);
  }

  #showJudgement() {
    this.#moves.judge(this.#replay);
    this.#analysis.show(this.#replay);
  }

  async #exportPrivate(id) {
    const { match } = await this.#session.ask({ do: "match", match: id }).catch(() => ({}));
    if (match && id === this.#id) this.#share.show(id, match);
  }

  #player(player, seat) {
    const { game, players, winner } = this.#replay.about;
    const mark = players.length > 1 ? markOf(game, seat) : undefined; // alone one needs none
    const isWinner = winner === seat;
    const what = isWinner ? say("table.winner") : mark ? say("table.plays", { mark: mark.name }) : "";
    const name = make("span", { class: "name" }, linkTo(player));
    const names = make("span", { class: "names" }, name, make("span", { class: "what" }, what));
    const rating = make("span", { class: "rating", hidden: true });
    const kind = `player ${mark?.look ?? ""}${isWinner ? " winner" : ""}`;
    return make("li", { class: kind }, ...(mark ? [drawMark(mark)] : []), names, rating);
  }
}

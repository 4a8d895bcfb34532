// What a tournament is to whom it concerns, in sentences: the six states of a player's card, and a head
// for lists. Source: docs/reference/people.md, "Tournaments".

import { has, read } from "./archive.js";
import { sayTimeControl } from "./clocks.js";
import { $, icon, make, whileBusy, write } from "./dom.js";
import { pathTo } from "./router.js";
import { castOf, nameOf } from "./names.js";
import { serverNow } from "./servertime.js";
import { hasText, say, sayAll, sayPoints } from "./texts.js";

/**
 * A tournament as the server tells it over HTTP, with what other answers may lack.
 * @typedef {Wire.Answers["tournament"] & Required<Pick<Wire.Answers["tournament"], Phase | "standings">>} Told
 */

/**
 * What of a tournament's head changes as it goes on.
 * @typedef {"state" | "round" | "rounds" | "players" | "ended"} Phase
 */

/**
 * The games of a tournament's players; `byes` are pairs of a round and a name.
 * @typedef {Omit<Told, "byes"> & { byes: [round: number, name: string][] }} Rounds
 */

/**
 * The card of a player. Its `state` says which fields it has: who knows that takes them as given.
 * @typedef {Wire.Card & Required<Pick<Wire.Card, "room" | "against" | "name" | "first" | "ranks" | "points">>} Card
 */

/** Milliseconds until a board opens by itself. */
const OPENED_AFTER = 5000;

/** The address of a big screen: a projector must not show a board in its place, nor take the seat from another tab. */
const SCREEN = /^\/tournament\/[^/]+\/screen$/;

/**
 * Whether that is what the protocol calls a guest.
 * @param {string} user
 */
export const isGuestName = (user) => user.startsWith("guest-");

/** In so many milliseconds, the time until the next round runs down as on a clock. */
const NEAR = 3_600_000;

/** Milliseconds until a tournament that hasn't begun in time says that it waits for players. */
const LATE = 5000;

/** What is told first. */
const ORDER = ["playing", "bye", "waiting", "entered", "over"];

/** The strip above other views, unless a match `isPlaying()`. It does `go(path)` to the board of a match that waits. */
export class Strip {
  #isPlaying;
  #go;
  #path = "";
  #timer = 0;

  /**
   * @param {() => boolean} isPlaying
   * @param {(path: string) => void} go
   */
  constructor(isPlaying, go) {
    this.#isPlaying = isPlaying;
    this.#go = go;
  }

  /**
   * Show the first of the cards, by tournament.
   * @param {Map<string, Card>} cards
   */
  render(cards) {
    this.openSoon(cards);
    const all = [...cards].filter(([, { state }]) => ORDER.includes(state));
    const [[id, you] = []] = all.sort(([, one], [, other]) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    const isDue = you?.state === "playing";
    const path = isDue ? pathTo("room", you.room) : pathToCup(id);
    $("cup").hidden = !you || this.#isPlaying() || [path, pathToCup(id)].includes(location.pathname);
    if ($("cup").hidden) return;
    write($("cup-text"), sayCard(/** @type {Card} */ (you)));
    const link = $("cup-link");
    link.classList.toggle("main", isDue);
    link.href = path;
    write(link, say(isDue ? "cup.toBoard" : "cup.toStandings"));
    link.onclick = () => {
      if (/** @type {Card} */ (you).state === "over") cards.delete(/** @type {string} */ (id));
      queueMicrotask(() => this.render(cards));
    };
  }

  /**
   * Open a board soon, once. A match that has begun is open elsewhere, or was left on purpose.
   * @param {Map<string, Card>} cards
   */
  openSoon(cards) {
    const isBusy = this.#isPlaying() || SCREEN.test(location.pathname);
    const you = isBusy ? null : [...cards.values()].find(({ state, until }) => state === "playing" && until);
    const path = you ? pathTo("room", you.room) : "";
    if (path === this.#path) return;
    this.#path = path;
    clearTimeout(this.#timer);
    if (path) this.#timer = setTimeout(() => this.#open(path), OPENED_AFTER);
  }

  /** @param {string} path */
  #open(path) {
    if (this.#isPlaying())
      this.#path = ""; // later, after that match
    else if (location.pathname !== path) this.#go(path);
  }
}

/**
 * Where a tournament is shown.
 * @param {string | undefined} id
 */
export function pathToCup(id) {
  return pathTo("tournament", id);
}

/**
 * A time of the server's: the hour, and the day unless that is today.
 * @param {string} text
 */
export function sayWhen(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const style = isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(document.documentElement.lang, style).format(at);
}

/**
 * Signs of results in the standings, each with its look.
 * @type {Record<string, string>}
 */
const LOOKS = { 1: "w", "½": "d", 0: "l", "+": "w", "-": "l", bye: "b", "…": "p", "*": "n", "": "o" };

/**
 * Results in the standings, as small tiles; a shared game of three has the look of a draw.
 * @param {string[]} results
 * @param {string} [system]
 * @returns {HTMLElement}
 */
export function makeTiles(results, system) {
  const tiles = results.map((sign) => {
    const look = LOOKS[sign] ?? "d";
    const words = say(`cup.results.${look}`);
    return make(
      "span",
      { class: `tile-${look}`, ...(look === "b" ? { title: words } : {}) },
      make("span", { "aria-hidden": "true" }, look === "b" ? byeOf(system) : sign || "\u00a0"),
      make("span", { class: "visually-hidden" }, words),
    );
  });
  return make("span", { class: "tiles" }, ...tiles);
}

/**
 * What a bye is worth: in a knock-out, who has one is in the next round without a point.
 * @param {string} [system]
 */
export const byeOf = (system) => (system === "knock-out" ? "–" : "1");

/**
 * A place, with a medal for the first ones that have points; nothing without a rank. Equal players share one.
 * @param {number | null | undefined} rank
 * @param {number} points
 * @returns {HTMLElement[]}
 */
export function drawPlace(rank, points = 1) {
  return rank ? [make("span", { class: points ? `place p${rank}` : "place" }, String(rank))] : [];
}

/**
 * What else than points tells players apart: the names of the measures, the most important first.
 * @param {Wire.Place[]} standings
 */
export function measuresOf(standings) {
  return Object.keys(standings[0]?.measures ?? {}).filter((name) => {
    const values = standings.map((place) => place.measures[name]);
    return new Set(values).size > 1 && standings.some(({ points }, at) => points !== values[at]);
  });
}

/**
 * What a player is told now, by `you` of the protocol.
 * @param {Card} you
 * @returns {string}
 */
export function sayCard(you) {
  const { state, round, rank, players, points, begins } = you;
  const [count, cast] = [players ?? 0, castOf(you)];
  switch (state) {
    case "entered":
      if (isLate(begins)) return say("cup.enteredLate");
      return begins ? say("cup.entered", { when: sayWhen(begins) }) : say("cup.enteredOpen");
    case "playing":
      return [
        say(round ? "cup.playing" : "cup.playingOn", { round, names: sayAll(you.against.map((name) => nameOf(name, cast))) }),
        ...(you.paused ? [say("cup.last")] : []),
      ].join(" ");
    case "bye":
      return say("cup.bye", { count: points });
    case "out":
      return rank ? say("cup.out", { rank, count }) : say("cup.outUnranked");
    case "over":
      return `${say("cup.over", { name: you.name })} ${sayEnd(you)}`;
    default:
      return sayWaiting(you);
  }
}

/** @param {Card} you */
function sayWaiting(you) {
  const { round, next } = you;
  if (you.closed) return say("cup.closed");
  if (you.paused) return say("cup.paused");
  if (you.busy) return say(you.busy.user ? "cup.busy" : "cup.elsewhere", { name: you.busy.user, cup: you.busy.tournament });
  if (!round) return you.left ? say("cup.lastRound", { count: you.left, of: you.of }) : say(you.of ? "cup.played" : "cup.looking");
  if (you.left) return say("cup.waiting", { round, count: you.left, of: you.of, before: round - 1 });
  return next ? say("cup.next", { round, when: sayWhen(next) }) : say("cup.soon", { round });
}

/**
 * What comes next for a player whose game has ended: a headline, what else is to be known, and the round that opens, if one does.
 * `until` is when.
 * @typedef {{ headline: string, hint: string, round?: number, until?: string | null }} Next
 */

/**
 * @param {Card} you
 * @returns {Next}
 */
function nextOf(you) {
  const { state, round, left, next, paused, busy, closed } = you;
  if (state === "over") return { headline: say("cup.over", { name: you.name }), hint: sayEnd(you) };
  if (state === "playing") return { headline: sayCard(you), hint: say("cup.opensHere"), round: round ?? undefined };
  if (closed) return { headline: say("cup.lastOne"), hint: sayCard(you) };
  if (state !== "waiting" || paused || busy) return { headline: sayCard(you), hint: "" };
  if (!round) return { headline: say(you.of ? "cup.lastOne" : "cup.opensSoon"), hint: sayCard(you) };
  const hint = left ? say("cup.opensWhen", { round: round - 1 }) : "";
  return { headline: say("cup.opens", { round }), hint, round, until: left ? null : next };
}

/**
 * One's own place, which others may share, and who came first.
 * @param {Card} you
 */
function sayEnd(you) {
  const { rank, points, players, shared } = you;
  const own = { rank, of: players, count: points, points: rank && sayPoints(points) };
  return [rank && say(shared ? "cup.shared" : "cup.came", own), sayFirst(you)].filter(Boolean).join(" ");
}

/** @param {Card} you */
function sayFirst(you) {
  const names = you.first.map((name, at) => `${you.ranks[at]}. ${nameOf(name, castOf(you))}`);
  return you.more ? `${sayAll(names, "unit")} ${say("cup.andMore", { count: you.more })}` : sayAll(names);
}

/**
 * Show what comes next for a player whose game has ended.
 * @param {HTMLElement} place
 * @param {Card} you
 */
export function showNext(place, you) {
  const { headline, hint, round, until } = nextOf(you);
  const path = you.state === "playing" ? pathTo("room", you.room) : "";
  const wanted = JSON.stringify([headline, hint, path, until]);
  if (place.dataset.shown === wanted) return; // a screen reader says it whenever it is drawn
  place.dataset.shown = wanted;
  place.replaceChildren(
    ...(round ? [make("span", { class: "round-no", "aria-hidden": "true" }, String(round))] : []),
    make("span", { class: "grow" }, make("b", {}, headline), until ? countDown(until) : make("span", { class: "hint" }, hint)),
    ...(path ? [make("a", { class: "button less", href: path }, say("cup.toBoard"))] : []),
  );
}

/**
 * How long it is until a time of the server's, running down; a screen reader doesn't say each second.
 * @param {string} until
 */
function countDown(until) {
  const words = make("span", { class: "hint", role: "timer" }, sayUntil(until));
  const timer = setInterval(() => (words.isConnected ? write(words, sayUntil(until)) : clearInterval(timer)), 1000);
  return words;
}

/** @param {string} until */
function sayUntil(until) {
  const left = Date.parse(until) - serverNow();
  return left < NEAR ? say("cup.startsIn", { time: sayTime(until) }) : say("cup.begins", { when: sayWhen(until) });
}

/**
 * What comes while no game is being played between two rounds; "" at other times.
 * @param {Told} told
 */
export function sayPause({ tournament, state, round, rounds, left, next }) {
  if (state !== "running" || tournament.system === "arena" || left) return "";
  if (rounds && round >= rounds) return say("cup.played");
  const nextRound = { round: round + 1 };
  const wait = Date.parse(next ?? "") - serverNow();
  if (!next || wait <= 0) return say("cup.pause", nextRound);
  return wait < NEAR
    ? say("cup.pauseIn", { ...nextRound, time: sayTime(next) })
    : say("cup.pauseUntil", { ...nextRound, when: sayWhen(next) });
}

/**
 * What is played there, and how, in a line. The length of an arena is of interest until it has an end.
 * @param {Wire.Tournament} head
 */
export function sayTerms({ title, system, rounds, length, clock, rated, group, guests }) {
  const words = say(`cup.systems.${system}`);
  const parts = [
    title,
    rounds && system !== "arena"
      ? say("cup.rounds", { system: words, count: rounds })
      : length
        ? say("cup.lasts", { system: words, count: Math.max(1, Math.round(length / 60)) })
        : words,
    clock ? sayTimeControl(clock) : say("table.noClock"),
    rated ? say("rooms.rated") : "",
    group ? say("cup.group", { group }) : "",
    guests ? say("cup.guests") : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/**
 * How much time is left until the end of an arena.
 * @param {string | null} text other tournaments have none
 */
export function sayLeft(text) {
  return isUp(text) ? say("cup.timeUp") : say("cup.left", { time: sayTime(text) });
}

/**
 * Whether the time of an arena is up: it is over as soon as no game is left.
 * @param {string | null} ends other tournaments have none
 */
export const isUp = (ends) => Boolean(ends) && Date.parse(/** @type {string} */ (ends)) <= serverNow();

/**
 * How long it is until a time of the server's, as on a clock.
 * @param {string | null | undefined} text
 */
function sayTime(text) {
  const seconds = Math.max(0, Math.round((Date.parse(/** @type {string} */ (text)) - serverNow()) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/**
 * Whether it waits for players, although it should have begun.
 * @param {string | null | undefined} begins
 */
function isLate(begins) {
  return Boolean(begins) && Date.parse(/** @type {string} */ (begins)) < serverNow() - LATE;
}

/**
 * How far it is, in a few words; `isShort` where its players are counted elsewhere.
 * @param {Wire.Tournament} head
 */
export function sayState({ state, round, rounds, system, begins, ends, ended, players }, isShort = false) {
  const count = players;
  round ||= 1; // it has begun, and is about to be paired
  if (state === "open" && isLate(begins)) return isShort ? say("cup.late") : `${say("cup.late")} · ${say("cup.players", { count })}`;
  if (isShort && state === "open") return begins ? say("cup.begins", { when: sayWhen(begins) }) : say("cup.soonOpen");
  if (isShort && state === "running") return rounds ? say("cup.roundOfShort", { round, rounds }) : say("cup.heads.round", { round });
  if (state === "over") return ended ? say("cup.endedAt", { when: sayWhen(ended) }) : say("cup.ended");
  if (state === "open") return begins ? say("cup.beginsAt", { count, when: sayWhen(begins) }) : say("cup.open", { count });
  if (system === "arena") return say("cup.until", { count, when: sayWhen(/** @type {string} */ (ends)) });
  return rounds ? say("cup.roundOf", { round, rounds, count }) : say("cup.round", { round, count });
}

/**
 * What a refusal says, in the visitor's language if it is known: to a player, or to the organizer.
 * @param {{ code: string, message: string, said: string }} refusal
 */
export function sayRefusal({ code, message, said }, isOrganizer = false) {
  if (isOrganizer && hasText(`cup.desk.no.${code}`)) return say(`cup.desk.no.${code}`);
  return hasText(`cup.no.${code}`) ? say(`cup.no.${code}`, { why: said }) : message;
}

/**
 * What to say if a tournament can't be read because there is none of that id; nothing for other errors.
 * @param {any} error
 */
export function sayUnknown({ code }) {
  return ["no-such-tournament", "no-such-match"].includes(code) ? say("cup.no.no-such-tournament") : "";
}

/**
 * Whether it takes players, as far as its state says: an arena that is `closed` and the last round of a Swiss system
 * pair nobody any more.
 * @param {Pick<Wire.Tournament, "state" | "system" | "round" | "rounds"> & { closed?: true }} head
 */
export function takesPlayers({ state, system, round, rounds, closed }) {
  const pairs = system === "arena" ? !closed : system === "swiss" && round < (rounds ?? 0);
  return state === "open" || (state === "running" && pairs);
}

/**
 * The ladders that are played, unless they can't be read.
 * @returns {Promise<Wire.Series[]>}
 */
export async function readLadders() {
  if (!(await has("series"))) return [];
  /** @type {{ series: Wire.Series[] }} */
  const { series } = await read(["series"]).catch(() => ({ series: [] }));
  return series.filter(({ state }) => state !== "over");
}

/**
 * Tournaments as cards in other views: a ladder in place of the one that it plays now.
 * @param {Wire.Tournament[]} heads
 * @param {((id: string) => any) | null} [join] gives a promise
 */
export async function cardsOf(heads, join) {
  const ladders = new Map((await readLadders()).map((ladder) => [ladder.tournament, ladder]));
  return heads.map((head) => (ladders.has(head.id) ? ladderOf(/** @type {Wire.Series} */ (ladders.get(head.id))) : cardOf(head, join)));
}

/** @param {Wire.Series} ladder */
function ladderOf({ id, name, title, players }) {
  const path = pathTo("ladder", id);
  const hint = make("span", { class: "hint" }, `${title} · ${say("ladder.card", { count: players })}`);
  return make(
    "li",
    { class: "cup-now" },
    icon("cup"),
    make("a", { href: path }, make("b", {}, name), " ", hint),
    make("a", { class: "button", href: path }, say("cup.see")),
  );
}

/**
 * A tournament as a card in other views; `join` lets who is logged in enter.
 * @param {Wire.Tournament} head
 * @param {any} join as of cardsOf()
 */
function cardOf(head, join) {
  const path = pathToCup(head.id);
  const link = make(
    "a",
    { href: path },
    make("b", {}, head.name),
    " ",
    make("span", { class: "hint" }, `${head.title} · ${sayState(head)}`),
  );
  const act =
    join && takesPlayers(head)
      ? make("button", { type: "button" }, say("cup.act.enter"))
      : make("a", { class: "button", href: path }, say("cup.see"));
  if (act.localName === "button") act.addEventListener("click", () => whileBusy(act, () => join(head.id).finally(() => link.click())));
  return make("li", { class: "cup-now" }, icon("cup"), link, act);
}

/**
 * A ladder in a list: a link to it.
 * @param {Wire.Series} ladder
 */
export function ladderEntryOf({ id, name, title, players, kind, state }) {
  const hint = `${title} · ${say("ladder.players", { count: players })} · ${say(`ladder.states.${kind ?? state}`)}`;
  return make(
    "li",
    {},
    make("a", { class: "cup-link", href: pathTo("ladder", id) }, make("b", {}, name), make("span", { class: "hint" }, hint)),
  );
}

/**
 * A tournament in a list: a link to it.
 * @param {Wire.Tournament} head
 */
export function entryOf(head) {
  const name = make("b", {}, head.name);
  const hint = make("span", { class: "hint" }, `${sayTerms(head)} · ${sayState(head)}`);
  return make("li", {}, make("a", { class: "cup-link", href: pathToCup(head.id) }, name, hint));
}

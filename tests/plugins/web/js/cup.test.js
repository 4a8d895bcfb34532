import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { sayLeft, sayPause, sayTerms, showNext, Strip } = await import("../../../../tictac/plugins/web/static/js/cup.js");

/** All texts inside an element, in their order. */
const textsOf = (each) => (typeof each === "string" ? [each] : (each.children ?? []).flatMap(textsOf));

/** What the card of the end says that comes next. */
function next(you) {
  const place = { dataset: {}, replaceChildren: (...children) => Object.assign(place, { children }) };
  showNext(place, you);
  return textsOf(place).filter(Boolean);
}

const WAITING = { state: "waiting", rank: 2, points: 1, players: 4 };

test("the next round, and what it waits for", () => {
  const words = ["2", "Round 2 opens by itself"];
  assert.deepEqual(next({ ...WAITING, round: 2, left: 3, of: 4, next: null }), [...words, "As soon as all games of round 1 have ended."]);
  assert.deepEqual(next({ ...WAITING, round: 2, left: 0, of: 4, next: null }), words);
  const [, , begins] = next({ ...WAITING, round: 2, left: 0, of: 4, next: "2026-01-01T12:00:00Z" });
  assert.match(begins, /^Starts in 0:00$/);
  const [, , later] = next({ ...WAITING, round: 2, left: 0, of: 4, next: new Date(Date.now() + 90 * 60_000).toISOString() });
  assert.match(later, /^Starts at /);
});

test("after the last round there is none, and in an arena no round", () => {
  const [headline, hint] = next({ ...WAITING, round: null, left: 1, of: 2, next: null });
  assert.equal(headline, "That was your last game.");
  assert.equal(hint, "Last round: 1 of 2 games is still being played.");
  assert.deepEqual(next(WAITING), ["Your next game opens by itself", "Looking for an opponent …"]);
  assert.deepEqual(next({ ...WAITING, paused: true }), ["You pause. Come back when you like."]);
});

test("the next opponent, with the way to the board", () => {
  const you = { state: "playing", round: 2, game: 3, room: "cup.3", seat: 0, against: ["tom"], until: null };
  assert.deepEqual(next(you), ["2", "Round 2: you play tom.", "The board opens by itself.", "Go to the board"]);
});

test("between two rounds: how long until the next one, as far as that is known", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01T12:00:00Z") });
  const told = { tournament: { system: "swiss" }, state: "running", round: 1, rounds: 3, left: 0, next: "2026-01-01T12:01:15Z" };
  assert.equal(sayPause(told), "Round 2 begins in 1:15.");
  assert.equal(sayPause({ ...told, next: null }), "Round 2 begins in a moment.");
  assert.match(sayPause({ ...told, next: "2026-01-01T14:00:00Z" }), /^Round 2 begins at /);
  assert.equal(sayPause({ ...told, round: 3, next: null }), "The games of the last round have ended.");
  for (const other of [{ left: 1 }, { state: "open" }, { state: "over" }, { tournament: { system: "arena" } }])
    assert.equal(sayPause({ ...told, ...other }), "");
});

test("the time that is left of an arena", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-01T12:00:00Z") });
  assert.equal(sayLeft("2026-01-01T12:01:15Z"), "1:15 left");
  assert.equal(sayLeft("2026-01-01T12:00:00Z"), "Time is up");
});

test("what is played: the length of an arena that waits for its organizer", () => {
  const arena = { title: "Nim", system: "arena", state: "open", rounds: null, clock: { initial: 180, increment: 2 } };
  assert.match(sayTerms({ ...arena, length: 300 }), /^Nim · Arena, 5 minutes · /);
  assert.match(sayTerms({ ...arena, length: 45 }), /^Nim · Arena, 1 minute · /);
  assert.match(sayTerms(arena), /^Nim · Arena · /);
  assert.match(sayTerms({ ...arena, system: "swiss", rounds: 5 }), /^Nim · Swiss, 5 rounds · /);
});

test("the first places, when the tournament is over: equal players share one", () => {
  const you = { state: "over", name: "Friday Cup", rank: 2, points: 1, first: ["tom", "mira", "li"], ranks: [1, 2, 2], why: "played" };
  const first = "1. tom, 2. mira, and 2. li";
  const own = "You took place 2 of 4, with 1 point.";
  assert.deepEqual(next({ ...you, players: 4 }), ["Friday Cup is over.", `${own} ${first}`]);
  const shared = "You share place 2 of 4, with 1½ points.";
  assert.deepEqual(next({ ...you, players: 4, shared: 1, points: 1.5 }), ["Friday Cup is over.", `${shared} ${first}`]);
  const left = { ...you, rank: null, more: 2 };
  assert.deepEqual(next(left), ["Friday Cup is over.", "1. tom, 2. mira, 2. li and 2 more"]);
});

test("a board opens by itself, but not in the place of the big screen", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const opened = (pathname) => {
    const paths = [];
    globalThis.location = { pathname };
    new Strip(
      () => false,
      (path) => paths.push(path),
    ).openSoon(new Map([["cup", { state: "playing", room: "cup.3", until: "2026-01-01T12:00:00Z" }]]));
    t.mock.timers.tick(60_000);
    return paths;
  };
  assert.deepEqual(opened("/tournament/cup"), ["/room/cup.3"]);
  assert.deepEqual(opened("/tournament/cup/screen"), []);
});

// What a match is to its visitor: derived without a page.

import assert from "node:assert/strict";
import test from "node:test";

import { kindOf, sitDown, stateOf } from "../../../../tictac/plugins/web/static/js/state.js";

const VISITOR = { user: "mira", isGuest: false, isAlone: false, levels: ["easy", "hard"], isPassing: (name) => name === "computer" };

/** A table at which mira plays ben, with other fields. */
function tableOf(more = {}) {
  const table = {
    room: "den",
    seat: 0,
    key: null,
    n: 3,
    begun: true,
    result: null,
    offer: null,
    isAway: false,
    hasResigned: false,
    tournament: "",
    players: [
      { user: "mira", away: false },
      { user: "ben", away: false },
    ],
    hasGone: () => false,
    last: "d3",
    isForComputer: false,
    ...more,
  };
  return { isPlaying: table.seat !== null && table.begun && !table.result, ...table };
}

const stateWith = (more, again = null, visitor = {}) => stateOf(sitDown(tableOf(more), again), { ...VISITOR, ...visitor });
const won = { how: "won", winner: 0, match: "m1" };

test("each kind follows from the table alone", () => {
  const kinds = {
    playing: {},
    away: { isAway: true },
    waiting: { begun: false },
    watching: { seat: null },
    out: { seat: null, hasResigned: true },
    over: { result: won },
    gone: { result: { how: "lost" } },
  };
  for (const [kind, more] of Object.entries(kinds)) assert.equal(kindOf(sitDown(tableOf(more), null)), kind);
  assert.equal(kindOf(null), "none");
  assert.equal(stateOf(null, VISITOR).kind, "none");
});

test("a review folds the card, which can be brought back", () => {
  const sitting = { ...sitDown(tableOf({ result: won }), null), looked: tableOf() };
  const state = stateOf(sitting, VISITOR);
  assert.deepEqual([state.kind, state.hasCard, state.shown.result], ["review", false, true]);
});

test("the card comes when the end has been seen, unless it is folded", () => {
  const sitting = sitDown(tableOf({ result: won }), null);
  assert.equal(stateOf(sitting, VISITOR).hasCard, true);
  for (const more of [{ isDue: false }, { isFolded: true }]) assert.equal(stateOf({ ...sitting, ...more }, VISITOR).hasCard, false);
  assert.equal(stateOf({ ...sitting, isDue: false }, VISITOR).shown.result, false);
});

test("a draw is offered where a match can end so, and answered anywhere", () => {
  const table = { offer: { seat: 1, what: "draw" } };
  assert.equal(stateWith({}).shown.offer, true);
  const { shown } = stateWith(table, null, { isNeverDrawn: true });
  assert.deepEqual([shown.offer, shown.takeback, shown.accept], [false, true, true]);
});

test("an end that is no result has no card, and none to play against", () => {
  const { hasCard, shown } = stateWith({ result: { how: "replaced" } });
  assert.deepEqual([hasCard, shown.rematch, shown.here, shown.back], [false, false, true, true]);
});

test("the large button is for what one most likely wants", () => {
  const easy = { do: "open", computer: "easy" };
  const lost = { ...won, winner: 1 };
  assert.equal(stateWith({ result: won }, easy).primary, "other");
  assert.equal(stateWith({ result: won }, { ...easy, computer: "hard" }).primary, "again");
  assert.equal(stateWith({ result: lost }, easy).primary, "again");
  assert.equal(stateWith({ result: won }).primary, "rematch");
  assert.equal(stateWith({ result: won, offer: { seat: 1, what: "rematch" } }).primary, "accept");
  assert.equal(stateWith({ result: won, offer: { seat: 0, what: "rematch" } }).primary, "rematch");
  assert.equal(stateWith({ result: won, isLast: true }).primary, "other");
  assert.equal(stateWith({ result: won, tournament: "cup" }).primary, "to-cup");
  assert.equal(stateWith({}).primary, "");
});

test("an offer takes no button away", () => {
  const offers = ({ shown }) => [shown.offer, shown.takeback, shown.later, shown.resign];
  assert.deepEqual(offers(stateWith({ offer: { seat: 1, what: "draw" } })), offers(stateWith({})));
  const mine = stateWith({ offer: { seat: 0, what: "draw" } });
  assert.deepEqual([mine.isMine, mine.shown.accept, mine.shown.decline], [true, false, false]);
});

test("a guest may keep the result, and gets no replay of a private match", () => {
  for (const winner of [0, 1, null]) {
    const { shown } = stateWith({ result: { ...won, winner }, key: "secret" }, null, { isGuest: true });
    assert.deepEqual([shown["keep-it"], shown.replay], [true, false]);
  }
});

test("without a connection nothing can be done that needs one", () => {
  const { shown } = stateWith({ isAway: true });
  assert.deepEqual([shown.offer, shown.takeback, shown.resign, shown.here], [false, false, false, false]);
});

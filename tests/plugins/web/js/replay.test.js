import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { Replay } = await import("../../../../tictac/plugins/web/static/js/replay.js");

const TOLD = { id: "m1", game: "tictactoe", players: [{ name: "mira" }, { name: "ben" }] };
const BOARD = { turn: 0, moves: [], clocks: null };
const BEGIN = {
  event: "room",
  n: 1,
  at: 0,
  game: "tictactoe",
  title: "",
  goal: "",
  options: {},
  seat: null,
  viewers: [],
  begun: true,
  record: [],
  position: "000",
  ...BOARD,
  players: [
    { user: "mira", away: false },
    { user: "ben", away: false },
  ],
};
const moved = (n, seat, position) => ({ event: "moved", n, at: n, seat, move: `${n}:0`, position, ...BOARD });
const judged = (number, seat, before, after) => ({ number, seat, move: "", best: "", before, after, verdict: "good", note: "" });

test("each board is a step, with the table as it was", () => {
  const replay = new Replay({ ...TOLD, events: [BEGIN, moved(2, 0, "100"), moved(3, 1, "120")] });
  assert.deepEqual(
    replay.steps.map(({ table }) => table.position),
    ["000", "100", "120"],
  );
  assert.deepEqual(
    replay.steps.map(({ number }) => number),
    [null, 1, 2],
  );
});

test("a move that is taken back stays as a step, and numbers go on before it", () => {
  const undone = { event: "undone", n: 4, at: 4, seat: 1, count: 1, position: "100", ...BOARD };
  const replay = new Replay({ ...TOLD, events: [BEGIN, moved(2, 0, "100"), moved(3, 1, "120"), undone, moved(5, 1, "102")] });
  assert.deepEqual(
    replay.steps.map(({ undone: is }) => Boolean(is)),
    [false, false, true, false, false],
  );
  assert.equal(replay.steps.at(-1).number, 2);
});

test("what was said belongs to the step before it", () => {
  const said = { event: "said", n: 3, user: "ben", text: "hi" };
  const replay = new Replay({ ...TOLD, events: [BEGIN, moved(2, 0, "100"), said, moved(4, 1, "120")] });
  assert.deepEqual(replay.talk, [{ user: "ben", text: "hi", step: 1 }]);
});

test("the graph of two players is the first one's score", () => {
  const replay = new Replay({ ...TOLD, events: [BEGIN, moved(2, 0, "100"), moved(3, 1, "120")] });
  replay.judge({ accuracy: [1, 1], moves: [judged(0, 0, 0.5, 0.75), judged(1, 1, 0.25, 1)] });
  assert.deepEqual(
    replay.values[0].map(({ step, value }) => [step, value]),
    [
      [0, 0.5],
      [1, 0.75],
      [2, 0],
    ],
  );
  assert.equal(replay.steps[1].judged.after, 0.75);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { describe, describeAloud, goesOn, sayHow, sayResult, Table } = await import("../../../../tictac/plugins/web/static/js/table.js");

const { OWN } = await import("../../../../tictac/plugins/web/static/js/games.js");

const { kindOf } = await import("../../../../tictac/plugins/web/static/js/names.js");

const ROOM = {
  event: "room",
  n: 1,
  game: "tictactoe",
  title: "Tic-tac-toe",
  goal: "",
  options: { columns: 3, strike: 3 },
  seat: 0,
  viewers: [],
  position: "000000000",
  players: [
    { user: "mira", away: false },
    { user: "ben", away: false },
  ],
  turn: 0,
  moves: ["0:0", "1:1"],
  clocks: [60, 60],
  begun: true,
  score: [1, 0],
  record: [],
};

/** A table after these events. */
function tableAfter(...events) {
  const table = new Table("fox", 0, null);
  for (const event of [ROOM, ...events]) table.apply({ n: table.n + 1, ...event });
  return table;
}

test("moves can be made on one's own turn alone, and not twice", () => {
  const table = tableAfter();
  assert.deepEqual([table.isMyTurn, table.can], [true, ["0:0", "1:1"]]);
  table.pending = "0:0";
  assert.deepEqual(table.can, []);
  table.apply({ event: "moved", n: 2, seat: 0, move: "0:0", position: "100000000", turn: 1, moves: ["1:1"], clocks: [58, 60] });
  assert.deepEqual([table.isMyTurn, table.can, table.pending, table.last, table.by], [false, [], null, "0:0", 0]);
});

test("a table that is away or paused is nobody's turn", () => {
  assert.equal(tableAfter({ event: "paused", user: "ben", clocks: [60, 60] }).isMyTurn, false);
  const table = tableAfter();
  table.leave();
  assert.equal(table.isMyTurn, false);
});

test("the clock of who is to move runs, the other stands", () => {
  const table = tableAfter();
  const later = table.clocksAt + 5000;
  assert.deepEqual([table.secondsLeft(0, later), table.secondsLeft(1, later)], [55, 60]);
  assert.equal(table.secondsLeft(0, table.clocksAt + 90_000), 0);
});

test("the last move of an ended match counts, and so do its points", () => {
  const end = { event: "ended", how: "won", winner: 1, result: [0, 1], move: "2:2", position: "000000002" };
  const table = tableAfter(end);
  assert.deepEqual([table.last, table.score, table.position], ["2:2", [1, 1], "000000002"]);
  assert.equal(table.isPlaying, false);
});

test("each way to end has its own words for the winner, the loser, and a viewer", () => {
  const said = new Set();
  for (const how of ["forfeited", "left", "timed out"]) {
    for (const winner of [0, 1]) said.add(sayHow(tableAfter({ event: "ended", how, winner, result: [0, 1] })));
  }
  assert.equal(said.size, 6);
  assert.ok(![...said].includes(""));
  const won = tableAfter({ event: "ended", how: "won", winner: 0, result: [1, 0] });
  const lost = tableAfter({ event: "ended", how: "won", winner: 1, result: [0, 1] });
  assert.notEqual(sayResult(won), sayResult(lost));
  assert.notEqual(sayResult(lost), sayResult({ ...lost, players: lost.players, seat: null }));
});

test("a match of more than two that one player ends isn't said to be one that nobody has won", () => {
  const users = ["mira", "one", "two", "three"];
  const computers = Object.fromEntries(users.slice(1).map((name) => [name, { name, level: "club" }]));
  const players = users.map((user) => ({ user, away: false }));
  const told = (more) => {
    const table = Object.assign(tableAfter({ event: "ended", how: "forfeited", winner: null }), { players, ...more });
    return describe(table);
  };
  const [mine, theirs] = ["You resigned. The match ended.", "A player resigned. The match ended."];
  assert.equal(told({ computers }), mine); // computers never resign
  assert.equal(told({ isGivingUp: true }), mine);
  assert.equal(told({ isGivingUp: true, seat: null }), mine); // which the server takes before it ends the match
  assert.equal(told({ isGivingUp: true, hasResigned: true, seat: null }), theirs);
  assert.deepEqual([told({}), told({ computers, seat: null })], [theirs, theirs]);
  assert.match(told({ result: { how: "drawn", winner: null } }), /^No one won/);
  OWN.set("cards", { first: () => [0, 2] });
  const shared = told({ game: "cards", position: "over", computers, result: { how: "drawn", winner: null } });
  assert.match(shared, /^mira and two share first place/);
});

test("an offer is there until it is answered, and the answer is said", () => {
  const offered = tableAfter({ event: "offered", seat: 1, what: "draw" });
  assert.match(describe(offered), /ben/);
  offered.apply({ event: "declined", n: 9, seat: 0, what: "draw" });
  assert.equal(offered.offer, null);
  assert.notEqual(offered.refusal, "");
});

test("when the time for a rematch is up, none can follow", () => {
  const ended = tableAfter({ event: "ended", how: "won", winner: 0 }, { event: "expired", seat: 0, what: "rematch" });
  assert.deepEqual([ended.isLast, ended.refusal], [true, "The time for a rematch is up."]);
});

test("what was asked for is unanswered after a lost connection, unless an event shows that it has happened", () => {
  const isUnanswered = (request, ...events) => {
    const table = tableAfter();
    table.asked.add(request);
    table.leave();
    for (const event of events) table.apply({ n: table.n + 1, ...event });
    return table.catchUp();
  };
  const [draw, resign, hello] = [{ do: "offer", what: "draw" }, { do: "resign" }, { do: "say", text: "Hello" }];
  const came = { event: "joined", user: "mira", seat: 0, players: ROOM.players };
  for (const request of [draw, resign, hello, { do: "accept" }, { do: "decline" }]) assert.equal(isUnanswered(request, came), true);
  assert.equal(isUnanswered(draw, { event: "offered", seat: 0, what: "draw" }), false);
  assert.equal(isUnanswered(resign, { event: "ended", how: "forfeited", winner: 1, result: [0, 1] }), false);
  assert.equal(isUnanswered(hello, { event: "said", user: "mira", text: "Hello" }), false);
  // Over days, the whole room is told.
  const offer = { seat: 0, what: "draw" };
  assert.deepEqual([isUnanswered(draw, ROOM), isUnanswered(draw, { ...ROOM, offer })], [true, false]);
  assert.equal(isUnanswered(hello, { ...ROOM, said: [[2, "mira", "Hello"]] }), false);
  assert.equal(isUnanswered(resign, ROOM), true);
});

test("who has asked to resign, and wasn't heard, plays on", () => {
  const table = tableAfter();
  table.isGivingUp = true;
  table.catchUp();
  assert.equal(table.isGivingUp, false);
});

test("the others go on without a player who has left, if there is no result", () => {
  assert.ok(goesOn({ how: "left", result: null }));
  assert.ok(!goesOn({ how: "left", result: [0, 1] }) && !goesOn({ how: "won", result: null }));
});

test("among more than two nobody hears of each computer that it thinks", () => {
  const seats = ["mira", "ben", "computer", "computer 2"].map((user) => ({ user, away: false }));
  const computers = { computer: { name: "Pip", level: "club" }, "computer 2": { name: "Pip 2", level: "club" } };
  const aloud = [0, 1, 2].map((turn) => describeAloud(tableAfter({ event: "room", ...ROOM, players: seats, computers, turn })));
  assert.deepEqual(aloud, ["Your turn", "ben to move", ""]);
  const two = tableAfter({ event: "room", ...ROOM, players: [seats[0], seats[2]], computers, turn: 1 });
  assert.equal(describeAloud(two), "Pip is thinking …");
  two.lose("replaced");
  assert.equal(describeAloud(two), describe(two));
});

test("the persons of a game have no level beside their names", () => {
  const computers = { computer: { name: "Scarlet", level: "random" }, "computer 2": { name: "Pip 2", level: "club" } };
  assert.deepEqual(
    ["computer", "computer 2", "ben"].map((user) => kindOf(user, computers)),
    ["computer", "computer, club", ""],
  );
});

test("a word of the game stands before the line of the turn", () => {
  OWN.set("warner", { warn: (position) => (position === "1" ? "Check!" : "") });
  const table = tableAfter({ ...ROOM, game: "warner", position: "1" });
  assert.equal(describe(table), "Check! Your turn");
  table.position = "2";
  assert.equal(describe(table), "Your turn");
});

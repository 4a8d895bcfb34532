import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { clockOf, findQuick, QUICK, readFace, sayLeft, sayTimeControl } = await import("../../../../tictac/plugins/web/static/js/clocks.js");

test("each clock that a click chooses is found again by its fields", () => {
  for (const [quick, clock] of Object.entries(QUICK)) assert.equal(findQuick({ ...clock }), quick);
  assert.equal(findQuick(null), "");
  assert.equal(findQuick({ initial: 61 }), undefined);
});

test("a clock of the archive says the same as that of a room", () => {
  assert.deepEqual(clockOf([300, 3]), { initial: 300, increment: 3, delay: undefined, period: undefined, periods: undefined });
  assert.deepEqual(clockOf([3 * 86_400, 0]), { days: 3 });
  assert.equal(clockOf([600, 0, [0, 30, 5]]).periods, 5);
});

test("a time control is said in minutes, in seconds if they aren't whole, or in days", () => {
  const said = [{ initial: 300 }, { initial: 90, increment: 2 }, { days: 1 }, { days: 3 }].map(sayTimeControl);
  assert.equal(new Set(said).size, 4);
  assert.match(said[0], /\b5\b/);
  assert.match(said[1], /\b90\b.*\b2\b/);
  assert.match(said[3], /\b3\b/);
});

test("the time that is left is said in days, hours, or minutes, and the last one counts down", () => {
  assert.match(sayLeft(2 * 86_400 + 9 * 3600), /2.*9/);
  assert.match(sayLeft(3600), /^1\b/);
  assert.match(sayLeft(61), /^1\b/);
  assert.equal(sayLeft(59), "");
});

test("byo-yomi shows main time first, then each period by itself", () => {
  const control = { initial: 60, period: 10, periods: 3 };
  assert.equal(readFace(control, 90).seconds, 60);
  assert.equal(readFace(control, 30).seconds, 10);
  assert.equal(readFace(control, 20.5).seconds, 0.5);
  assert.equal(readFace(control, 20).seconds, 10);
  assert.equal(readFace(control, 0).seconds, 0);
  assert.notEqual(readFace(control, 30).besides, readFace(control, 20).besides);
});

test("an increment needs no words besides, a delay does", () => {
  assert.deepEqual(readFace({ initial: 60, increment: 2 }, 30), { seconds: 30, besides: "" });
  assert.deepEqual(readFace(null, 30), { seconds: 30, besides: "" });
  assert.match(readFace({ initial: 60, delay: 5 }, 30).besides, /5/);
});

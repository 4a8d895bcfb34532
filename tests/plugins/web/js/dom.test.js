import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { afterPress } = await import("../../../../tictac/plugins/web/static/js/dom.js");

/** What the window has heard of, by type; and what was done, in its order. */
const heard = {};
globalThis.addEventListener = (type, work) => (heard[type] = work);

/** An element, and what is done with it. */
function given(isPressed) {
  const done = [];
  const it = { isPressed, matches: () => it.isPressed };
  const later = (what, ...others) => afterPress(it, () => done.push(what), others);
  return { it, done, later };
}

test("what isn't pressed is changed at once", () => {
  const { done, later } = given(false);
  later("one", null, "");
  assert.deepEqual(done, ["one"]);
});

test("what is pressed is changed when it is released, as it is to be then", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { it, done, later } = given(true);
  later("one");
  later("two");
  assert.deepEqual(done, []);
  it.isPressed = false;
  heard.pointerup();
  assert.deepEqual(done, [], "the click comes first");
  t.mock.timers.tick(1);
  assert.deepEqual(done, ["two"]);
  t.mock.timers.tick(10_000);
  assert.deepEqual(done, ["two"]);
});

test("what came after the press isn't undone by what came before", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { it, done, later } = given(true);
  later("one");
  it.isPressed = false;
  later("two");
  heard.pointerup();
  t.mock.timers.tick(10_000);
  assert.deepEqual(done, ["two"]);
});

test("a press that lasts, or on something beside it, is waited for", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [bar, { done, later }] = [given(true).it, given(false)];
  later("one", bar);
  t.mock.timers.tick(900);
  assert.deepEqual(done, []);
  t.mock.timers.tick(200);
  assert.deepEqual(done, ["one"]);
});

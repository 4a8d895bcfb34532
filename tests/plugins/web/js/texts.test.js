import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { capital, hasText, readMessage, say, sayNumber, sentence, speaker, translate } =
  await import("../../../../tictac/plugins/web/static/js/texts.js");

test("a text has its values in place of the names", () => {
  assert.equal(say("rooms.byoyomi", { initial: "10 min", period: 30, periods: 5 }).match(/\d+/g).join(), "10,5,30");
});

test("a value that ends with a period ends the sentence", () => {
  const speak = speaker({ play: "You play {names}.", turn: "{names}: your turn." });
  assert.deepEqual(
    ["Nele K.", "tom"].map((names) => speak("play", { names })),
    ["You play Nele K.", "You play tom."],
  );
  assert.equal(speak("turn", { names: "Nele K." }), "Nele K.: your turn.");
});

test("a count chooses the plural form", () => {
  const speak = speaker({ seen: { one: "{count} game", other: "{count} games" } });
  assert.deepEqual(
    [0, 1, 2].map((count) => speak("seen", { count })),
    ["0 games", "1 game", "2 games"],
  );
});

test("a key that no catalogue has is a fault of the program", () => {
  assert.throws(() => say("rooms.nothing"), /no text rooms.nothing/);
  assert.ok(hasText("rooms.days") && !hasText("rooms.nothing") && !hasText("constructor"));
});

test("a value that is missing is reported, and leaves no name in braces", (t) => {
  const complain = t.mock.method(console, "error", () => {});
  assert.equal(speaker({ hello: "Hello {user}." })("hello"), "Hello .");
  assert.equal(complain.mock.callCount(), 1);
});

test("what isn't in the catalogue stays as the server says it", () => {
  assert.equal(translate("Nobody has translated 3 of 4."), "Nobody has translated 3 of 4.");
});

test("a message of the server's is read with its other texts untouched", () => {
  assert.deepEqual(readMessage('{"title": "No such game", "text": "hi", "n": 1}'), { title: "No such game", text: "hi", n: 1 });
  assert.throws(() => readMessage("{"), SyntaxError);
});

test("a sentence begins with a capital, and ends", () => {
  assert.deepEqual([sentence("no such room"), sentence("Why?"), capital("x")], ["No such room.", "Why?", "X"]);
  assert.deepEqual([sayNumber(4), sayNumber(123)], ["Four", "123"]);
});

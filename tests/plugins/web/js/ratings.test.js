import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { sayProgress } = await import("../../../../tictac/plugins/web/static/js/ratings.js");

/** Deviations, and after how many matches with an equal the rating is sure: tests/ratings/test_glicko.py. */
const LEFT = [
  [350, 11],
  [250, 10],
  [200, 8],
  [150, 6],
  [130, 4],
  [115, 1],
];

test("a new player has as many matches left as the server counts", () => {
  for (const [deviation, left] of LEFT) {
    const said = sayProgress({ deviation, provisional: true, matches: 2 });
    assert.match(said, new RegExp(`\\b2\\b.*\\b${2 + left}\\b`), String(deviation));
  }
});

test("a match is left while the rating is provisional, and none is said of a sure one", () => {
  assert.match(sayProgress({ deviation: 110, provisional: true, matches: 12 }), /\b13\b/);
  assert.equal(sayProgress({ deviation: 109, provisional: false, matches: 13 }), "");
});

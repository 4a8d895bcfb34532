import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { ratingCurve, ratingSpark, ratingSpread, ValueGraph } = await import("../../../../tictac/plugins/web/static/js/chart.js");

/** The points of a path, in its own order. */
const pointsOf = (path) => [...path.attributes.d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

test("a better rating stands higher, a later one further to the right", () => {
  const points = [1500, 1600, 1550].map((rating) => ({ rating, deviation: 40 }));
  const [line] = ratingCurve(points, "", "", "").find("line");
  const [first, second, third] = pointsOf(line);
  assert.deepEqual([first[0], second[0], third[0]], [0, 500, 1000]);
  assert.ok(second[1] < third[1] && third[1] < first[1]);
});

test("one rating alone stands in the middle", () => {
  const [line] = ratingCurve([{ rating: 1500, deviation: 40 }], "", "", "").find("line");
  assert.equal(pointsOf(line)[0][0], 500);
});

test("ratings that are all the same, and less than two, make a level line", () => {
  for (const ratings of [[], [1500], [1500, 1500]]) {
    const [line] = ratingSpark(ratings.map((rating) => ({ rating }))).find("line");
    assert.equal(new Set(pointsOf(line).map(([, y]) => y)).size, 1);
  }
});

test("a rating's range ends at the scale", () => {
  const [range] = ratingSpread({ rating: 1000, deviation: 300 }, 900, 1100).find("range");
  assert.equal(range.attributes.d, "M0 10H1000");
});

test("a fault has a dot in the graph, a good move has none", () => {
  const line = [
    { step: 0, value: 0.5 },
    { step: 1, value: 0.9, verdict: "best" },
    { step: 2, value: 0.1, verdict: "blunder" },
  ];
  const graph = new ValueGraph([line], 2, "", () => {});
  assert.deepEqual(
    graph.element.find("dot").map(({ attributes }) => attributes.class),
    ["dot blunder"],
  );
  graph.mark(1);
  assert.match(graph.element.find("cursor")[0].attributes.d, /^M500 /);
});

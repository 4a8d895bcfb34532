import assert from "node:assert/strict";
import { test } from "node:test";

const { attackedKing } = await import("../../../../games/openspiel/tictac_openspiel/page/check.js");

/** The rows of a FEN. */
const rowsOf = (fen) => fen.split("/").map((row) => row.replaceAll(/\d/g, (count) => ".".repeat(Number(count))).match(/\+?./g));

test("a cannon attacks the general over exactly one piece", () => {
  const rows = (screens) => rowsOf(`4k4/${screens}/9/4C4/9/9/9/9/9/3K5`);
  assert.deepEqual(attackedKing("xiangqi", rows("4a4/9"), false), [4, 0]);
  for (const screens of ["9/9", "4a4/4p4"]) assert.equal(attackedKing("xiangqi", rows(screens), false), null);
});

test("a piece beside the horse blocks it, and a horse of shogi jumps", () => {
  assert.deepEqual(attackedKing("xiangqi", rowsOf("4k4/9/5N3/9/9/9/9/9/9/3K5"), false), [4, 0]);
  assert.equal(attackedKing("xiangqi", rowsOf("4k4/5p3/5N3/9/9/9/9/9/9/3K5"), false), null);
  assert.deepEqual(attackedKing("shogi", rowsOf("4k4/5p3/5N3/9/9/9/9/9/4K4"), false), [4, 0]);
});

test("generals that face each other, soldiers, and chariots attack", () => {
  assert.deepEqual(attackedKing("xiangqi", rowsOf("4k4/9/9/9/9/9/9/9/9/4K4"), true), [4, 9]);
  assert.deepEqual(attackedKing("xiangqi", rowsOf("4k4/9/9/9/9/9/9/4p4/4K4/9"), true), [4, 8]);
  assert.deepEqual(attackedKing("xiangqi", rowsOf("3k5/9/9/9/9/9/9/9/9/r3K4"), true), [4, 9]);
});

test("pieces of shogi attack by their ways, promoted ones too", () => {
  const from = (piece, at) => attackedKing("shogi", rowsOf(`4k4/9/9/9/9/9/9/9/9`.replace("9", at(piece))), false);
  assert.deepEqual(
    from("P", (piece) => `4${piece}4`),
    [4, 0],
  );
  assert.equal(
    from("P", (piece) => `3${piece}5`),
    null,
  );
  assert.deepEqual(
    from("+P", (piece) => `3${piece}5`),
    [4, 0],
  );
  assert.deepEqual(attackedKing("shogi", rowsOf("4k4/9/9/9/8B/9/9/9/9"), false), [4, 0]);
  assert.equal(attackedKing("shogi", rowsOf("4k4/9/6p2/9/8B/9/9/9/9"), false), null);
  assert.deepEqual(attackedKing("shogi", rowsOf("9/9/9/9/9/9/9/4s4/3K5"), true), [3, 8]);
});

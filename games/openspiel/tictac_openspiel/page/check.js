// Where pieces of xiangqi and shogi go, and whether a general or king is attacked. Rows are those of a position, from its
// top; the pieces of the first player are capitals, and move up.

import { ASLANT, JUMPS, STRAIGHT } from "./san.js";

const AHEAD = [0, -1];
const GOLD = [...STRAIGHT, [1, -1], [-1, -1]];

/**
 * The ways of shogi, for who moves up: single steps, and lines.
 * @type {Record<string, { steps?: number[][], lines?: number[][] }>}
 */
export const SHOGI = {
  P: { steps: [AHEAD] },
  L: { lines: [AHEAD] },
  N: {
    steps: [
      [1, -2],
      [-1, -2],
    ],
  },
  S: { steps: [...ASLANT, AHEAD] },
  G: { steps: GOLD },
  B: { lines: ASLANT },
  R: { lines: STRAIGHT },
  K: { steps: [...STRAIGHT, ...ASLANT] },
  "+B": { lines: ASLANT, steps: STRAIGHT },
  "+R": { lines: STRAIGHT, steps: ASLANT },
  ...Object.fromEntries(["+P", "+L", "+N", "+S"].map((promoted) => [promoted, { steps: GOLD }])),
};

/**
 * What a piece of xiangqi attacks where a general can be: soldiers, horses, chariots, and cannons; the generals each other.
 * @type {Record<string, { steps?: number[][], lines?: number[][], jumps?: boolean }>}
 */
const XIANGQI = {
  P: { steps: [AHEAD, [1, 0], [-1, 0]] },
  N: { steps: JUMPS },
  R: { lines: STRAIGHT },
  C: { lines: STRAIGHT, jumps: true },
  K: { lines: [AHEAD] },
};

/** @type {Record<string, typeof XIANGQI>} */
const GAMES = { shogi: SHOGI, xiangqi: XIANGQI };

/**
 * Where the king of a side is attacked.
 * @param {string} game
 * @param {string[][]} rows
 * @param {boolean} isFirst
 * @returns {Spiel.At | null}
 */
export function attackedKing(game, rows, isFirst) {
  const king = isFirst ? "K" : "k";
  const y = rows.findIndex((row) => row.includes(king));
  const x = rows[y]?.indexOf(king);
  for (const [py, row] of rows.entries()) {
    for (const [px, sign] of row.entries()) {
      const isOther = (sign !== sign.toLowerCase()) !== isFirst;
      if (sign !== "." && isOther && reaches(game, rows, [px, py], [x, y])) return [x, y];
    }
  }
  return null;
}

/**
 * Whether the piece at a place attacks another place.
 * @param {string} game
 * @param {string[][]} rows
 * @param {Spiel.At} from
 * @param {Spiel.At} to
 */
function reaches(game, rows, [px, py], [x, y]) {
  const sign = rows[py][px];
  const up = sign === sign.toLowerCase() ? -1 : 1;
  const { steps = [], lines = [], jumps = false } = GAMES[game][sign.toUpperCase()] ?? {};
  // A piece beside it blocks the horse of xiangqi; that of shogi jumps.
  const blocking = rows[py + Math.trunc((y - py) / 2)]?.[px + Math.trunc((x - px) / 2)];
  const canStep = sign.toUpperCase() !== "N" || game === "shogi" || blocking === ".";
  if (canStep && steps.some(([dx, dy]) => px + dx === x && py + up * dy === y)) return true;
  return lines.some(([dx, dy]) => {
    const between = [];
    for (let [tx, ty] = [px + dx, py + up * dy]; rows[ty]?.[tx]; tx += dx, ty += up * dy) {
      if (tx === x && ty === y) return between.length === Number(jumps);
      if (rows[ty][tx] !== ".") between.push(rows[ty][tx]);
    }
    return false;
  });
}

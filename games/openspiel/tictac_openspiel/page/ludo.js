// The board of Ludo: a track of forty fields around four homes, and the way that each peg can go.

import { draw } from "./page.js";

/** The corners of the track, from the field where the first player enters, and around. */
const CORNERS = [
  [0, 4],
  [4, 4],
  [4, 0],
  [6, 0],
  [6, 4],
  [10, 4],
  [10, 6],
  [6, 6],
  [6, 10],
  [4, 10],
  [4, 6],
  [0, 6],
  [0, 4],
];

const TRACK = CORNERS.slice(1).flatMap(([x, y], at) => {
  const [fromX, fromY] = CORNERS[at];
  const far = Math.max(Math.abs(x - fromX), Math.abs(y - fromY));
  return Array.from({ length: far }, (_, step) => [fromX + ((x - fromX) * step) / far, fromY + ((y - fromY) * step) / far]);
});

const HOME = [1, 2, 3, 4].map((x) => [x, 5]);

/**
 * A place, turned around the middle by quarters.
 * @param {number[]} place
 * @param {number} quarters
 * @returns {number[]}
 */
const turn = ([x, y], quarters) => (quarters ? turn([10 - y, x], quarters - 1) : [x, y]);

/**
 * At which quarter of the board each seat is: two players sit opposite each other. No peg ever leaves the board.
 * @param {Spiel.Scene} scene
 */
function quartersOf({ rows }) {
  const seats = Math.max(2, ...rows.flat().map((sign) => Number(sign) || 0));
  return seats === 2 ? [0, 2] : [0, 1, 2, 3].slice(0, seats);
}

/**
 * The places of a seat from where its pegs enter to the end of its home.
 * @param {number} quarter
 */
const routeOf = (quarter) => [...TRACK, ...HOME].map((place) => turn(place, quarter));

/**
 * The track, and the fields of each color: where its pegs wait, enter, and come home.
 * @param {Spiel.Scene} scene
 */
export function drawTrack(scene) {
  const { cells, rim, parts } = scene;
  const fields = new Map(cells.map(({ x, y }) => [`${x} ${y}`, ""]));
  const { turned, width } = scene;
  /** @param {number[]} place */
  const at = ([x, y]) => (turned ? [width - rim - 0.5 - x, width - rim - 0.5 - y] : [rim + 0.5 + x, rim + 0.5 + y]);
  const waiting = [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ];
  for (const [seat, quarter] of quartersOf(scene).entries()) {
    for (const place of [...waiting, ...HOME, TRACK[0]]) fields.set(at(turn(place, quarter)).join(" "), parts.stones[seat]);
  }
  const drawn = [...fields].map(([place, stone]) => {
    const [cx, cy] = place.split(" ");
    return draw("circle", { class: `field ${stone}`, cx, cy, r: 0.42 });
  });
  return [draw("path", { class: "track", d: `M${TRACK.map((place) => at(place).join(" ")).join("L")}z` }), ...drawn];
}

/**
 * The ways of the pegs that can move, each from its cell to where it ends; a peg that enters has only that.
 * @param {Spiel.Scene} scene
 * @param {number | null} seat
 * @param {string[]} can
 * @returns {Spiel.Spot[][]}
 */
export function waysOf(scene, seat, can) {
  const { cells, notes } = scene;
  if (seat === null) return [];
  const route = routeOf(quartersOf(scene)[seat]).map(([x, y]) => cells.find(({ column, row }) => column === x && row === y));
  return can
    .filter((move) => move !== "pass")
    .map((move) => {
      const from = route.findIndex((cell) => cell?.name === move);
      return /** @type {Spiel.Spot[]} */ (from < 0 ? route.slice(0, 1) : route.slice(from, from + Number(notes.dice) + 1)).filter(Boolean);
    });
}

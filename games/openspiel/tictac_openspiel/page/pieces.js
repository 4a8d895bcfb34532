// What lies on a cell, as SVG.

import { SHOGI } from "./check.js";
import { draw } from "./page.js";

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/**
 * The figures of chess, on 45 by 45: their outlines, and the lines within.
 * @type {Record<string, [string[], string]>}
 */
const FIGURES = {
  pawn: [["M13 39h19c0-7-4-9-5-15h-9c-1 6-5 8-5 15Z", circle(22.5, 15, 6.5)], "M17 24h11"],
  rook: [["M11.5 39h22v-4l-3.5-3V19l3.5-3V8h-5v3.5h-3.5V8h-5v3.5H16.5V8h-5v8l3.5 3v13l-3.5 3Z"], "M15 19.5h15M15 32h15"],
  bishop: [
    [
      "M12.5 39h20c0-4-2.5-5-4.5-8.5h-11c-2 3.5-4.5 4.5-4.5 8.5Z",
      "M22.5 10.5c-7.5 4.5-9.5 10.5-6.5 17h13c3-6.5 1-12.5-6.5-17Z",
      circle(22.5, 8, 2.7),
    ],
    "M22.5 16v7M19.5 19.5h6",
  ],
  queen: [
    [
      "M12.5 39h20l-2.5-9h-15Z",
      "M9 14l6 15h15l6-15-7.5 7.5-1.5-11.5-4.5 10-4.5-10-1.5 11.5Z",
      circle(9, 13, 2.3),
      circle(18, 8.5, 2.3),
      circle(27, 8.5, 2.3),
      circle(36, 13, 2.3),
    ],
    "M15.5 32.5h14",
  ],
  king: [
    [
      "M12.5 39h20l-2-8.5h-16Z",
      "M22.5 21c-2.5-6-12.5-6-12.5 1.5 0 5 4 6 5 8.5h15c1-2.5 5-3.5 5-8.5C35 15 25 15 22.5 21Z",
      "M21 5h3v3h3v3h-3v5h-3v-5h-3V8h3Z",
    ],
    "M15.5 33.5h14",
  ],
  knight: [
    [
      "M13 39h21c0-7-2.5-8-2.5-13.5C31.5 15 26.5 9.5 18 8l-1.5 4.5c-4.5 2-7 6.5-8.5 11 .8 3 3 3.8 5.2 3l4.5-2.2c1.5 0 2.2.8 1.5 2.2C17.7 29.5 13.8 31.5 13 39Z",
      circle(18, 17.5, 0.6),
    ],
    "M25 13c3.5 3 4.5 7 4.5 12",
  ],
};

/**
 * The figures of xiangqi, which lie on discs, as those of chess: no font has to have their characters.
 * @type {Record<string, [string[], string]>}
 */
const MEN = {
  general: [["M9 35 5 12l10 8 7.5-14 7.5 14 10-8-4 23Z", "M9 38h27v3H9Z"], ""],
  guard: [["M22.5 4c5 3 10 4 15 4v12c0 10-7 17-15 21-8-4-15-11-15-21V8c5 0 10-1 15-4Z"], "M22.5 12v21M14 19h17"],
  elephant: [
    ["M5 19C5 9 13 7 21 7c13 0 20 6 20 17v15h-8v-9H22v9h-8v-9h-2c-1 4-1 8-5 8l-3-1c3-3 1-9 1-18Z"],
    "M14 14v.1M22 13c5 2 5 11 0 12",
  ],
  horse: FIGURES.knight,
  chariot: FIGURES.rook,
  cannon: [["M2 23 34 4l8 13-32 19Z", circle(18, 31, 10)], `${circle(18, 31, 10)}M18 24v14M11 31h14`],
  soldier: FIGURES.pawn,
};
const CROWN = "M30 64l-5-28 14 12 11-19 11 19 14-12-5 28z";
const CROSS = "m26 26 48 48m0-48-48 48";

/**
 * A figure of chess in a color, within its own 45 by 45.
 * @param {string} figure
 * @param {string} stone
 * @param {string} [kind]
 */
export function drawFigure(figure, stone, kind = "") {
  const [outlines, lines] = FIGURES[figure];
  const paths = outlines.map((d) => draw("path", { d }));
  return draw("g", { class: `figure ${stone} ${kind}` }, ...paths, draw("path", { class: "line", d: lines }));
}

/**
 * Whether a figure is one of chess.
 * @param {string} figure
 */
export const isFigure = (figure) => Object.hasOwn(FIGURES, figure);

/**
 * What lies on a cell: nothing, a piece, or several.
 * @param {any} cell
 * @param {{ isLast?: any, isPending?: any }} about
 * @param {{ parts: any, turned?: boolean }} scene
 * @returns {Element[]}
 */
export function drawPiece(cell, { isLast, isPending }, { parts, turned }) {
  const { shape, signs, stones, names } = parts;
  const { x, y, sign, count, isHand } = cell;
  if (shape === "dots") return drawEdge(cell, isLast, isPending);
  if (shape === "pits") return drawSeeds(x, y, count);
  if (!signs[sign]) return [];
  const [seat, figure] = signs[sign];
  const stone = stones[seat];
  if (shape === "points" && y > 1) return drawStack(x, y, count, stone, y > 5.7);
  const place = `translate(${x - 0.5} ${y - 0.5}) scale(.01)`;
  const kind = isPending ? "pending" : "";
  const number = isHand && count > 1 ? [draw("text", { class: "held", x: x + 0.36, y: y + 0.42 }, String(count))] : [];
  if (names === "shogi") return [drawShogi(figure, place, (seat === 0) === Boolean(turned)), ...number];
  if (isFigure(figure)) {
    const at = `translate(${x - 0.48} ${y - 0.5}) scale(${0.96 / 45})`;
    return [draw("g", { transform: at }, drawFigure(figure, stone, kind)), ...number];
  }
  if (figure === "cross") return [draw("path", { class: "pen x", d: CROSS, transform: place })];
  if (figure === "ring") return [draw("circle", { class: "pen o", cx: 50, cy: 50, r: 27, transform: place })];
  if (sign === "#") return [draw("rect", { class: "piece arrow", x: x - 0.34, y: y - 0.34, width: 0.68, height: 0.68, rx: 0.1 })];
  if (shape === "slant") return [drawHexagon(x, y, `piece ${stone} ${kind}`, 0.53), ...drawDot(x, y, isLast, stone)];
  const r = shape === "lines" && !figure ? 0.47 : shape === "hexes" ? 0.4 : 0.42;
  const shade = draw("circle", { class: "shade", cx: x + 0.03, cy: y + 0.05, r });
  const disc = draw("circle", { class: `piece ${stone} ${kind}`, cx: x, cy: y, r });
  const shine = draw("circle", { class: "shine", cx: x - r * 0.3, cy: y - r * 0.35, r: r * 0.42 });
  const crown = figure === "crown" ? [draw("path", { class: `crown ${stone}`, d: CROWN, transform: place })] : [];
  if (Object.hasOwn(MEN, figure)) {
    const [outlines, lines] = MEN[figure];
    const inside = [...outlines.map((d) => draw("path", { d })), draw("path", { class: "line", d: lines })];
    return [shade, disc, draw("g", { class: `man ${stone}`, transform: `translate(${x - 0.27} ${y - 0.28}) scale(.012)` }, ...inside)];
  }
  const glyph = figure && figure !== "crown" ? [draw("text", { class: `glyph ${stone}`, x: 50, y: 69, transform: place }, figure)] : [];
  return [shade, disc, shine, ...(figure ? [] : drawDot(x, y, isLast, stone)), ...crown, ...glyph];
}

/**
 * A piece of shogi: its letter, and where it goes.
 * @param {string} letter
 * @param {string} place
 * @param {boolean} isTurned
 */
function drawShogi(letter, place, isTurned) {
  const { steps = [], lines = [] } = SHOGI[letter];
  /**
   * @param {number[]} way
   * @param {number} far
   * @param {string} more
   */
  const mark = ([dx, dy], far, more) => `M${50 + far * dx} ${57 + far * dy}${more}`;
  const ways = [...steps.map((step) => mark(step, 25, "h.1")), ...lines.map((way) => mark(way, 21, `l${8 * way[0]} ${8 * way[1]}`))];
  return draw(
    "g",
    { class: "shogi", transform: place + (isTurned ? " rotate(180 50 50)" : "") },
    draw("path", { class: "wood", d: "M50 4 80 21 90 95H10L20 21z" }),
    draw("path", { class: "goes", d: ways.join("") }),
    draw("text", { class: `glyph${letter.startsWith("+") ? " promoted" : ""}`, x: 50, y: 71 }, letter),
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {boolean} isLast
 * @param {string} stone
 */
const drawDot = (x, y, isLast, stone) => (isLast ? [draw("circle", { class: `dot-last ${stone}`, cx: x, cy: y, r: 0.13 })] : []);

/**
 * A hexagon with its points up and down.
 * @param {number} x
 * @param {number} y
 * @param {string} kind
 * @param {number} [r]
 */
export function drawHexagon(x, y, kind, r = 1 / Math.sqrt(3)) {
  /** @param {number} turn */
  const at = (turn) => [x + r * Math.sin((turn * Math.PI) / 3), y - r * Math.cos((turn * Math.PI) / 3)];
  const points = [0, 1, 2, 3, 4, 5]
    .map((turn) =>
      at(turn)
        .map((each) => each.toFixed(3))
        .join(),
    )
    .join(" ");
  return draw("polygon", { class: kind, points });
}

/**
 * @param {any} cell
 * @param {boolean} isLast
 * @param {boolean} isPending
 */
function drawEdge({ x, y, sign, column, row }, isLast, isPending) {
  if ((column + row) % 2 === 0) return [];
  const isDrawn = sign === "-" || sign === "|" || isPending;
  const line = row % 2 ? `M${x} ${y - 0.5}v1` : `M${x - 0.5} ${y}h1`;
  return [draw("path", { class: isDrawn ? `edge${isLast ? " last" : ""}` : "edge free", d: line })];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} number
 * @param {string} stone
 * @param {boolean} isLow
 */
function drawStack(x, y, number, stone, isLow) {
  const shown = Math.min(number, 5);
  /** @param {number} n */
  const at = (n) => (isLow ? 10.7 - n * 0.92 : 0.8 + n * 0.92);
  const discs = Array.from({ length: shown }, (_, n) => draw("circle", { class: `piece ${stone}`, cx: x, cy: at(n), r: 0.45 }));
  const more = number > 5 ? [draw("text", { class: `many ${stone}`, x, y: at(4) + 0.18 }, String(number))] : [];
  return [...discs, ...more];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} number
 */
function drawSeeds(x, y, number) {
  const seeds = Array.from({ length: Math.min(number, 24) }, (_, at) => {
    const [angle, far] = [2.4 * at, 0.085 * Math.sqrt(at + 0.5)];
    return draw("circle", { class: "seed", cx: x + far * Math.cos(angle), cy: y - 0.08 + far * Math.sin(angle), r: 0.06 });
  });
  return [...seeds, draw("text", { class: "label", x, y: y + 0.46 }, String(number))];
}

const PIPS = ["", "4", "08", "048", "0268", "02468", "035268"];

/**
 * A die that shows a number.
 * @param {number} number
 */
export function drawDie(number) {
  const pips = [...PIPS[number]].map(Number).map((at) => draw("circle", { cx: 3 + 3 * (at % 3), cy: 3 + 3 * Math.floor(at / 3), r: 1.1 }));
  const box = draw("rect", { x: 0.5, y: 0.5, width: 11, height: 11, rx: 2.5 });
  return draw("svg", { class: "die", viewBox: "0 0 12 12", role: "img", "aria-label": String(number) }, box, ...pips);
}

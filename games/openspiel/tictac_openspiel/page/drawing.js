// A position as SVG: the ground, marks, pieces, and the names of files and ranks.

import { drawTrack } from "./ludo.js";
import { draw } from "./page.js";
import { drawHexagon, drawPiece } from "./pieces.js";
import { lie, LOW } from "./scene.js";

/**
 * Draw a scene. Lists of names of cells are marked; `check` is one that is attacked. `ways` are those that pieces can go.
 * @param {Spiel.Scene} scene
 * @param {Partial<{ last: string[], picked: string[], best: string[], pending: string[], check: string, isSmall: boolean,
 *   ways: Spiel.Spot[][] }>} marked
 */
export function drawScene(scene, { last = [], picked = [], best = [], pending = [], check = "", isSmall = false, ways = [] }) {
  const {
    cells,
    width,
    height,
    parts: { shape, name: game },
  } = scene;
  const marks = cells.flatMap((/** @type {Spiel.Spot} */ cell) => {
    const { name } = cell;
    const kind =
      name === check ? "check" : picked.includes(name) ? "picked" : last.includes(name) ? "last" : best.includes(name) ? "best" : "";
    const isTo = kind === "last" && last.at(-1) === name && last.length > 1;
    return kind && shape !== "dots" ? /** @type {Element[]} */ (mark(cell, isTo ? "last to" : kind, shape)) : [];
  });
  const pieces = cells.flatMap((cell) =>
    drawPiece(cell, { isLast: last.includes(cell.name), isPending: pending.includes(cell.name) }, scene),
  );
  const gone = cells
    .filter(({ isGone }) => isGone)
    .map(({ x, y }) =>
      draw("path", {
        class: "gone",
        d: `M${x - 0.16} ${y - 0.16}l.32.32m0-.32l-.32.32M${x - 0.36} ${y}a.36.36 0 1 0 .72 0a.36.36 0 1 0-.72 0`,
      }),
    );
  const walls = drawWalls(scene, last);
  const labels = isSmall ? [] : drawLabels(scene);
  const box = { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: `spiel-${shape}` };
  const { hand = 0 } = scene;
  const under = draw("rect", { class: "under", y: hand, width, height: height - 2 * hand, rx: isSmall ? 0.3 : 0.25 });
  const ground = game === "ludo" ? drawTrack(scene) : GROUNDS[shape](scene);
  return draw("svg", box, under, ...ground, ...marks, ...ways.flatMap(drawWay), ...gone, ...pieces, ...walls, ...labels);
}

/**
 * The way of a piece, with a ring around where it ends.
 * @param {Spiel.Box[]} way
 */
function drawWay(way) {
  const { x, y } = /** @type {Spiel.Box} */ (way.at(-1));
  const line = draw("path", { class: "way", d: `M${way.map((cell) => `${cell.x} ${cell.y}`).join("L")}` });
  return [line, draw("circle", { class: "way", cx: x, cy: y, r: 0.43 })];
}

/**
 * Walls, each in the middle of four cells: that at its upper left names it.
 * @param {Spiel.Scene} scene
 * @param {string[]} last
 */
function drawWalls({ cells, notes, turned }, last) {
  return (notes.walls ?? "")
    .split("+")
    .filter(Boolean)
    .map((wall) => {
      const { x, y } = /** @type {Spiel.Spot} */ (cells.find(({ name }) => name === wall.slice(0, 2)));
      const [middle, by] = [turned ? -0.5 : 0.5, wall.endsWith("h") ? [0.95, 0.07] : [0.07, 0.95]];
      const kind = last.join("") === wall ? "wall last" : "wall";
      return draw("rect", { class: kind, x: x + middle - by[0], y: y + middle - by[1], width: 2 * by[0], height: 2 * by[1], rx: 0.04 });
    });
}

/**
 * @param {Spiel.Box} cell
 * @param {string} kind
 * @param {string} shape
 */
function mark({ x, y, w, h }, kind, shape) {
  if (["slant", "hexes"].includes(shape)) return [drawHexagon(x, y, kind)];
  if (["lines", "mills"].includes(shape)) return [draw("circle", { class: `${kind} halo`, cx: x, cy: y, r: 0.5 })];
  const inner = kind.endsWith("to") || kind === "picked" || kind === "check" ? 0.04 : 0;
  return [draw("rect", { class: kind, x: x - w / 2 + inner, y: y - h / 2 + inner, width: w - 2 * inner, height: h - 2 * inner })];
}

/** @param {Spiel.Spot} cell */
const isField = ({ isHand }) => !isHand;

/** @param {Spiel.Scene} scene */
const squares = ({ cells }) =>
  cells
    .filter(isField)
    .map(({ x, y, isDark }) => draw("rect", { class: isDark ? "dark" : "light", x: x - 0.5, y: y - 0.5, width: 1, height: 1 }));

/** @type {Record<string, (scene: Spiel.Scene) => Element[]>} */
const GROUNDS = {
  checks: squares,
  /** @param {Spiel.Scene} scene */
  plain(scene) {
    const {
      widest,
      notes,
      rim,
      cells,
      parts: { signs, stones },
    } = scene;
    const third = (widest === 9 && notes.boards !== undefined) || widest === 6 ? 3 : 0;
    const fields = cells.filter(isField).map(({ x, y }) => draw("rect", { class: "square", x: x - 0.5, y: y - 0.5, width: 1, height: 1 }));
    const heavy = [];
    for (let at = third; third && at < widest; at += third) {
      heavy.push(`M${rim + at} ${rim}V${rim + widest}M${rim} ${rim + at}H${rim + widest}`);
    }
    /** @param {number} at */
    const block = (at) => ({ x: rim + 3 * (at % 3), y: rim + 3 * Math.floor(at / 3), width: 3, height: 3 });
    const blocks = [...(notes.boards ?? "")].flatMap((side, at) =>
      signs[side] ? [draw("rect", { class: `won ${stones[signs[side][0]]}`, ...block(at) })] : [],
    );
    const to = Number(notes.to ?? 0) - 1;
    if (to >= 0) blocks.push(draw("rect", { class: "next", ...block(to) }));
    return [...fields, ...blocks, draw("path", { class: "heavy", d: heavy.join("") })];
  },
  /** @param {Spiel.Scene} scene */
  walls: ({ cells }) =>
    cells.map(({ x, y }) => draw("rect", { class: "square", x: x - 0.42, y: y - 0.42, width: 0.84, height: 0.84, rx: 0.06 })),
  /** @param {Spiel.Scene} scene */
  lines({ rows, widest, rim }) {
    const [x, y, right, low] = [rim + 0.5, rim + 0.5, rim + widest - 0.5, rim + rows.length - 0.5];
    const isXiangqi = rows.length === 10;
    const upright = Array.from({ length: widest }, (_, at) =>
      isXiangqi && at > 0 && at < widest - 1 ? `M${x + at} ${y}v4m0 1v4` : `M${x + at} ${y}V${low}`,
    );
    const level = rows.map((_, at) => `M${x} ${y + at}H${right}`);
    const palaces = isXiangqi ? [`M${x + 3} ${y}l2 2m0-2l-2 2M${x + 3} ${y + 7}l2 2m0-2l-2 2`] : [];
    const isSquare = rows.length === widest;
    const edge = widest > 11 ? 3 : 2;
    const points = !isSquare ? [] : widest > 15 ? [edge, (widest - 1) / 2, widest - 1 - edge] : [edge, widest - 1 - edge];
    const stars = points.flatMap((down) => points.map((aside) => [x + aside, y + down]));
    if (isSquare && widest < 16) stars.push([x + (widest - 1) / 2, y + (widest - 1) / 2]);
    return [
      draw("path", { class: "rules", d: [...upright, ...level, ...palaces].join("") }),
      ...stars.map(([cx, cy]) => draw("circle", { class: "star", cx, cy, r: 0.11 })),
    ];
  },
  /** @param {Spiel.Scene} scene */
  hexes: ({ cells, parts: { names } }) =>
    cells.map(({ x, y }) => (names === "rows" ? draw("circle", { class: "hole", cx: x, cy: y, r: 0.4 }) : drawHexagon(x, y, "hex"))),
  /** @param {Spiel.Scene} scene */
  slant(scene) {
    const {
      widest: size,
      rim,
      parts: { stones },
    } = scene;
    const r = 1 / Math.sqrt(3);
    /**
     * @param {number[]} place
     * @param {number} from
     * @param {number} turn
     */
    const side = ([column, row], from, turn) => {
      const { x, y } = lie({ shape: "slant", rim, length: size, widest: size }, column, row);
      return [0, 1, 2].map((n) => {
        const angle = ((from + turn * n) * Math.PI) / 3;
        return `${(x + r * 1.1 * Math.sin(angle)).toFixed(3)} ${(y - r * 1.1 * Math.cos(angle)).toFixed(3)}`;
      });
    };
    /**
     * @param {(n: number) => number[]} place
     * @param {number} from
     * @param {number} turn
     */
    const every = (place, from, turn) => {
      return `M${Array.from({ length: size }, (_, n) => side(place(n), from, turn))
        .flat()
        .join("L")}`;
    };
    // Which sides are whose: OpenSpiel's first player joins top and bottom.
    const rims = [
      [stones[0], every((n) => [n, 0], -1, 1)],
      [stones[0], every((n) => [n, size - 1], 4, -1)],
      [stones[1], every((n) => [0, n], 5, -1)],
      [stones[1], every((n) => [size - 1, n], 1, 1)],
    ];
    return [...rims.map(([color, d]) => draw("path", { class: `rim ${color}`, d })), ...GROUNDS.hexes(scene)];
  },
  /** @param {Spiel.Scene} scene */
  dots({ rows, cells, widest, rim, parts: { signs, stones } }) {
    const boxes = cells
      .filter(({ sign, column, row }) => column % 2 && row % 2 && signs[sign])
      .map(({ x, y, sign }) => draw("rect", { class: `box ${stones[signs[sign][0]]}`, x: x - 0.5, y: y - 0.5, width: 1, height: 1 }));
    const dots = rows
      .flatMap((_, y) => Array.from({ length: widest }, (_, x) => [x, y]))
      .filter(([x, y]) => x % 2 === 0 && y % 2 === 0)
      .map(([x, y]) => draw("circle", { class: "dot", cx: rim + x / 2, cy: rim + y / 2, r: 0.09 }));
    return [...boxes, ...dots];
  },
  /** @param {Spiel.Scene} scene */
  mills({ rim }) {
    const o = rim + 0.5;
    /** @param {number} n */
    const ring = (n) => `M${o + n} ${o + n}h${6 - 2 * n}v${6 - 2 * n}h${2 * n - 6}z`;
    const d = `${[0, 1, 2].map(ring).join("")}M${o + 3} ${o}v2m0 2v2M${o} ${o + 3}h2m2 0h2`;
    return [draw("path", { class: "rules", d })];
  },
  /** @param {Spiel.Scene} scene */
  points: ({ cells }) => [
    ...[
      [0.3, 6.2],
      [7.3, 6.2],
    ].map(([x, width]) => draw("rect", { class: "felt", x, y: 0.2, width, height: 11.1 })),
    ...cells
      .filter(({ name }) => Number(name))
      .map(({ x, y, column }) => {
        const [foot, tip] = y > 5.7 ? [11.2, 6.6] : [0.3, 4.9];
        return draw("path", { class: `point ${column % 2 ? "dark" : "light"}`, d: `M${x - 0.5} ${foot}h1L${x} ${tip}z` });
      }),
  ],
  /** @param {Spiel.Scene} scene */
  pits: ({ cells }) => cells.map(({ x, y }) => draw("ellipse", { class: "pit", cx: x, cy: y, rx: 0.48, ry: 0.55 })),
};

/**
 * The names of files and ranks, at the rim.
 * @param {Spiel.Scene} scene
 */
function drawLabels({ cells, height, turned, rows, rim, hand = 0, parts: { shape, names } }) {
  if (shape === "pits" || shape === "dots" || names === "rows") return [];
  /**
   * @param {number} x
   * @param {number} y
   * @param {string} said
   */
  const text = (x, y, said) => draw("text", { class: "label", x, y: y + 0.1 }, said);
  if (shape === "points") {
    return cells.filter(({ name }) => Number(name)).map(({ x, y, name }) => text(x, y > 5.7 ? 6.25 : 5.25, name));
  }
  if (shape === "mills") {
    return [0, 1, 2, 3, 4, 5, 6].flatMap((at) => [
      text(rim / 2, rim + 0.5 + at, String(turned ? at + 1 : 7 - at)),
      text(rim + 0.5 + at, height - rim / 2, "abcdefg"[turned ? 6 - at : at]),
    ]);
  }
  const isHex = shape === "hexes" || shape === "slant";
  const isBelow = names === "up";
  /** @param {string} name */
  const rank = (name) => (names === "shogi" ? name.slice(1) : name.replace(/^[a-z]/, ""));
  /** @param {string} name */
  const file = (name) => (names === "shogi" ? name[0] : name.replace(/\d+$/, ""));
  const fields = cells.filter(isField);
  const left = turned ? Math.max(...fields.map(({ column }) => column)) : 0;
  const line = isBelow ? rows.length - 1 : 0;
  const ranks = fields
    .filter(({ column }) => column === left)
    .map(({ x, y, name }) => text(x - (isHex ? 0.75 : 0.5 + rim / 2), y, rank(name)));
  const heads = fields
    .filter(({ row }) => row === line)
    .map(({ x, y, name }) =>
      text(isHex ? x - 0.3 : x, isBelow ? height - hand - rim / 2 : y - (isHex ? LOW * 0.9 : 0.5 + rim / 2), file(name)),
    );
  return [...ranks, ...heads];
}

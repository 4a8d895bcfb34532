// Pictures of numbers, drawn as SVG: of the value of a match, of a rating, of what a rating is worth.

import { draw, make } from "./dom.js";

const [WIDTH, HEIGHT] = [1000, 240];

/** Lines stay as thin as they are, however wide the picture is drawn. */
const THIN = { "vector-effect": "non-scaling-stroke" };

/**
 * @param {string} name
 * @param {string} label
 * @param {...Element} inside
 */
function picture(name, label, ...inside) {
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: name };
  return draw("svg", { ...box, role: "img", "aria-label": label }, ...inside);
}

/**
 * @param {string} name
 * @param {string} d
 */
const path = (name, d) => draw("path", { class: name, d, ...THIN });

/**
 * A dot that stays round: a line without a length, with round ends.
 * @param {string} name
 * @param {number} x
 * @param {number} y
 */
const dot = (name, x, y) => path(`dot ${name}`, `M${x} ${y}h0`);

/** @param {number[][]} points */
const through = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/**
 * With room for the dots at both ends.
 * @param {number} value
 */
const heightOf = (value) => (0.96 - 0.92 * value) * HEIGHT;

/**
 * What the players could expect after each of `last` steps (replay.js, `values`). A click on it is one on
 * the nearest step: `choose(step)`.
 */
export class ValueGraph {
  element = make("div", { class: "value-graph" });
  #last;
  #cursor = path("cursor", "");

  /**
   * @param {Valued[][]} lines
   * @param {number} last
   * @param {string} label
   * @param {(step: number) => void} choose
   */
  constructor(lines, last, label, choose) {
    this.#last = Math.max(1, last);
    const drawn = lines.flatMap((line, seat) => {
      const points = line.map(({ step, value }) => [this.#x(step), heightOf(value)]);
      if (!points.length) return [];
      const ends = [
        [/** @type {number[]} */ (points.at(-1))[0], HEIGHT],
        [points[0][0], HEIGHT],
      ];
      const area = lines.length === 1 ? [path("area", `${through([...points, ...ends])}Z`)] : [];
      return [...area, path(`value seat-${seat}`, through(points))];
    });
    const bad = lines.flat().filter(({ verdict }) => ["inaccuracy", "mistake", "blunder"].includes(/** @type {string} */ (verdict)));
    const dots = bad.map(({ step, value, verdict }) => dot(/** @type {string} */ (verdict), this.#x(step), heightOf(value)));
    const half = path("half", `M0 ${HEIGHT / 2}H${WIDTH}`);
    const svg = picture("values", label, ...drawn, half, ...dots, this.#cursor);
    svg.addEventListener("click", (event) => {
      const { left, width } = svg.getBoundingClientRect();
      choose(Math.round(((event.clientX - left) / width) * this.#last));
    });
    this.element.append(svg);
  }

  /**
   * Show which step is looked at.
   * @param {number} step
   */
  mark(step) {
    this.#cursor.setAttribute("d", `M${this.#x(step)} 0V${HEIGHT}`);
  }

  /** @param {number} step */
  #x(step) {
    return (step / this.#last) * WIDTH;
  }
}

/**
 * Ratings one after the other: `points` with `rating` and `deviation`, which is shown as a band.
 * @param {{ rating: number, deviation: number }[]} points
 * @param {string} label
 * @param {string} from
 * @param {string} until
 */
export function ratingCurve(points, label, from, until) {
  const low = Math.min(...points.map(({ rating, deviation }) => rating - deviation));
  const high = Math.max(...points.map(({ rating, deviation }) => rating + deviation));
  const [bottom, top] = [Math.floor(low / 50) * 50, Math.ceil(high / 50) * 50];
  const step = Math.ceil((top - bottom) / 4 / 50) * 50;
  /** @param {number} at */
  const x = (at) => (points.length > 1 ? (at / (points.length - 1)) * WIDTH : WIDTH / 2);
  /** @param {number} rating */
  const y = (rating) => ((top - rating) / (top - bottom)) * HEIGHT;
  const line = points.map(({ rating }, at) => [x(at), y(rating)]);
  const above = points.map(({ rating, deviation }, at) => [x(at), y(rating + deviation)]);
  const below = points.map(({ rating, deviation }, at) => [x(at), y(rating - deviation)]);
  const marks = [];
  for (let rating = Math.ceil(bottom / step) * step; rating <= top; rating += step) marks.push(rating);
  const svg = picture(
    "curve",
    label,
    ...marks.map((rating) => path("grid", `M0 ${y(rating)}H${WIDTH}`)),
    path("band", `${through([...above, ...below.reverse()])}Z`),
    path("line", through(line)),
    dot("now", .../** @type {[number, number]} */ (line.at(-1))),
  );
  const scale = marks.map((rating) => {
    const mark = make("span", {}, String(rating));
    mark.style.top = `${(y(rating) / HEIGHT) * 100}%`;
    return mark;
  });
  return make(
    "div",
    { class: "rating-curve" },
    make("div", { class: "scale", "aria-hidden": "true" }, ...scale),
    svg,
    make("div", { class: "times", "aria-hidden": "true" }, make("span", {}, from), make("span", {}, until)),
  );
}

/**
 * Ratings one after the other in a few lines of a card; a level line before the first two.
 * @param {{ rating: number }[]} points
 */
export function ratingSpark(points) {
  const ratings = points.map(({ rating }) => rating);
  const [low, high] = [Math.min(...ratings), Math.max(...ratings)];
  /** @param {number} rating */
  const y = (rating) => (high > low ? HEIGHT * (0.95 - (0.9 * (rating - low)) / (high - low)) : HEIGHT / 2);
  const line =
    points.length > 1
      ? ratings.map((rating, at) => [(at / (points.length - 1)) * WIDTH, y(rating)])
      : [
          [0, HEIGHT / 2],
          [WIDTH, HEIGHT / 2],
        ];
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "spark", "aria-hidden": "true" };
  return draw("svg", box, path("line", through(line)));
}

/**
 * A rating on a scale from `low` to `high`, with its deviation to both sides.
 * @param {{ rating: number, deviation?: number }} told
 * @param {number} low
 * @param {number} high
 */
export function ratingSpread({ rating, deviation = 0 }, low, high) {
  /** @param {number} value */
  const x = (value) => ((value - low) / (high - low)) * WIDTH;
  const [from, until] = [Math.max(0, x(rating - deviation)), Math.min(WIDTH, x(rating + deviation))];
  const box = { viewBox: `0 0 ${WIDTH} 20`, preserveAspectRatio: "none", class: "spread", "aria-hidden": "true" };
  return draw("svg", box, path("range", `M${from} 10H${until}`), dot("now", x(rating), 10));
}

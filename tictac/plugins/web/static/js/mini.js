// Small pictures of boards, and of games.

import { draw, make } from "./dom.js";
import { drawOwn, GRIDS } from "./games.js";

const TILE = 10;

/**
 * What is known of the looks of a game, as the server describes it.
 * @typedef {{ name: string, title?: string, icon?: string, hue?: number }} Looks
 *
 * A position that looks like a game.
 * @typedef {{ hue: number, position: string, options: object }} Sample
 */

/**
 * By the name of the game.
 * @type {Record<string, Sample>}
 */
const SAMPLES = {
  __proto__: /** @type {any} */ (null),
  tictactoe: { hue: 48, position: "102012001", options: { columns: 3 } },
  connectfour: { hue: 265, position: "......./......./......./...Y.../..RY.../.YRRR.. R", options: {} },
  reversi: { hue: 157, position: "......../....X.../.O..XX../..OOX.../.OXOX.../O..XO.../..X..O../........ X", options: {} },
};

/**
 * A board with a grid as a small picture. What wasn't there `before`, in another position, is new.
 * @param {string} game
 * @param {{ position: string, options?: any }} told
 * @param {string} [before]
 */
function drawMini(game, { position, options }, before) {
  const { marks, rows, ground = "slate" } = GRIDS[game];
  const [cells, old] = [position, before].map((/** @type {any} */ each) => each && rows(each, options));
  const [width, height] = [TILE * cells[0].length, TILE * cells.length];
  const pieces = cells.flatMap((/** @type {string} */ signs, /** @type {number} */ row) =>
    [...signs].flatMap((sign, column) => {
      const mark = marks.find((each) => each.sign === sign);
      const [x, y] = [TILE * (column + 0.5), TILE * (row + 0.5)];
      const hole = ground === "rack" && !mark ? [draw("circle", { class: "hole", cx: x, cy: y, r: 4 })] : [];
      return mark ? drawPiece(mark.look, x, y, old && old[row]?.[column] !== sign ? "new" : "") : hole;
    }),
  );
  const lines = [];
  for (let at = 1; at < cells[0].length; at++) lines.push(`M${TILE * at} 1V${height - 1}`);
  for (let at = 1; at < cells.length; at++) lines.push(`M1 ${TILE * at}H${width - 1}`);
  const box = { class: `mini ${ground}-mini`, viewBox: `-3 -3 ${width + 6} ${height + 6}`, "aria-hidden": "true" };
  const under = draw("rect", { class: "under", x: -3, y: -3, width: width + 6, height: height + 6, rx: 4 });
  const felt = draw("rect", { class: "over", width, height, rx: ground === "felt" ? 0 : 2 });
  const ruled = ground === "rack" ? [] : [draw("path", { class: "ruled-mini", d: lines.join("") })];
  return draw("svg", box, under, felt, ...ruled, ...pieces);
}

/**
 * @param {string} look
 * @param {number} x
 * @param {number} y
 * @param {string} kind
 */
function drawPiece(look, x, y, kind) {
  if (look === "x") return [draw("path", { class: `pen x ${kind}`, d: `m${x - 2.6} ${y - 2.6} 5.2 5.2m0-5.2-5.2 5.2` })];
  if (look === "o") return [draw("circle", { class: `pen o ${kind}`, cx: x, cy: y, r: 2.7 })];
  return [draw("circle", { class: `mark ${look} ${kind}`, cx: x, cy: y, r: 3.9 })];
}

/**
 * A position of any game as a small picture; null, if the page can't draw it.
 * @param {string} game
 * @param {{ position: string, options?: any }} told
 * @param {string} [before]
 */
export function drawPosition(game, told, before) {
  return Object.hasOwn(GRIDS, game) ? drawMini(game, told, before) : drawOwn(game, told.position);
}

/**
 * What a game looks like in a room whose position hasn't come: the same, but its board is empty.
 * @param {Looks} game
 */
export function drawPlayed(game) {
  const { [game.name]: sample } = SAMPLES;
  const position = sample?.position.replaceAll(/[XORY]/g, ".").replaceAll(/[12]/g, "0");
  return drawGame(game, sample && { ...sample, position });
}

/**
 * What a game looks like, on a ground of its own: a board, the picture that it brings along, or two letters.
 * @param {Looks} game
 * @param {Sample} [sample]
 * @returns {HTMLElement}
 */
export function drawGame({ name, title = name, icon, hue }, sample = SAMPLES[name]) {
  const letters = () => make("b", { "aria-hidden": "true" }, title.slice(0, 2));
  const picture = sample ? drawMini(name, sample) : icon ? make("img", { loading: "lazy", src: icon, alt: "" }) : letters();
  const ground = make("span", { class: "picture" }, picture);
  ground.style.setProperty("--h", hue ?? sample?.hue ?? 90);
  return ground;
}

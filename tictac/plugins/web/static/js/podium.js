// The end of a tournament, on its page and on the big screen: the first three on a podium, and the awards.

import { drawPlace } from "./cup.js";
import { icon, make } from "./dom.js";
import { faceOf, nameOf } from "./names.js";
import { say, sayPoints } from "./texts.js";

/** @typedef {import("./names.js").Computers} Computers */

/** So many places have a step. */
const STEPS = 3;

/**
 * What the awards look like, and what is said of them.
 * @type {Record<Wire.Award["kind"], [icon: string, text: string]>}
 */
const AWARDS = { run: ["again", "runs"], fastest: ["clock", "moves"], surprise: ["medal", "beat"] };

/**
 * The first three on a podium, with the number of their equals who have no step; null, if nobody has points.
 * @param {Wire.Place[]} standings
 * @param {Computers} cast
 */
export function drawPodium(standings, cast) {
  const first = standings.slice(0, STEPS).filter(({ rank }) => rank);
  if (!first[0]?.points) return null;
  const more = standings.slice(STEPS).filter(({ rank }) => rank && rank === first.at(-1)?.rank).length;
  const steps = first.map(({ rank, name, points }, at) => {
    const who = make(
      "span",
      { class: "who-up" },
      faceOf(name, cast, rank === 1 ? "won" : "", "large"),
      make("bdi", {}, nameOf(name, cast)),
      make("span", { class: "soft" }, say("cup.points", { count: points, points: sayPoints(points) })),
    );
    const others = more && at === STEPS - 1 ? [say("cup.andMore", { count: more })] : [];
    return make(
      "li",
      { class: `step s${at + 1} up${rank}` },
      who,
      make("span", { class: "block" }, make("span", { class: "row" }, ...drawPlace(rank, points), ...others)),
    );
  });
  return make("ol", { class: "podium" }, ...steps);
}

/**
 * What the server found worth an award.
 * @param {Wire.Award[]} awards
 * @param {Computers} cast
 */
export function drawAwards(awards, cast) {
  return awards.map(({ kind, name, count, against, more }) => {
    const values = { name: nameOf(name, cast), count, against: against && nameOf(against, cast) };
    return make(
      "span",
      {},
      icon(AWARDS[kind][0]),
      say(`cup.awards.${kind}`),
      " ",
      make("b", {}, say(`cup.awards.${AWARDS[kind][1]}`, values)),
      ...(more ? [say("cup.andMore", { count: more })] : []),
    );
  });
}

// Time controls: choosing one, saying it, and what a clock shows by it. Another kind is added here.

import { $ } from "./dom.js";
import { say } from "./texts.js";

/**
 * Those that a click chooses, by the words that the browser keeps of a choice.
 * @type {Record<string, TimeControl>}
 */
export const QUICK = {
  "60+0": { initial: 60, increment: 0 },
  "180+2": { initial: 180, increment: 2 },
  "300+3": { initial: 300, increment: 3 },
  "600+5": { initial: 600, increment: 5 },
  ...Object.fromEntries([1, 2, 3, 5, 7, 14].map((days) => [`${days}d`, { days }])),
};

const [HOUR, DAY] = [3600, 86_400];

/**
 * The fields of each kind that the form asks for.
 * @type {Record<string, string[]>}
 */
const KINDS = { increment: ["increment"], delay: ["delay"], byoyomi: ["period", "periods"] };

/** Those for each move of the clock that is chosen; 0, if it is none over days. */
let days = 0;

/** Let the form ask for the fields of the kind that is chosen. */
export function adaptClock() {
  const asked = KINDS[$("open-clock").value];
  for (const name of Object.values(KINDS).flat()) $(`open-${name}-field`).hidden = !asked.includes(name);
}

/** What the form says; null: no clock. */
export function readClock() {
  const minutes = Number($("open-minutes").value);
  const fields = KINDS[$("open-clock").value].map((name) => [name, Number($(`open-${name}`).value)]);
  return minutes ? { initial: 60 * minutes, ...Object.fromEntries(fields) } : days ? { days } : null;
}

/**
 * Let the form say what one of those does; without a clock, if it is none of them.
 * @param {string} quick
 */
export function fillClock(quick) {
  const { initial = 0, increment = 0 } = QUICK[quick] ?? {};
  days = QUICK[quick]?.days ?? 0;
  const values = { minutes: initial / 60, clock: "increment", increment };
  for (const [name, value] of Object.entries(values)) $(`open-${name}`).value = value;
}

/**
 * Which of them a clock is; "" without one.
 * @param {TimeControl | null} clock
 */
export function findQuick(clock) {
  const text = JSON.stringify(clock);
  return clock ? Object.keys(QUICK).find((quick) => JSON.stringify(QUICK[quick]) === text) : "";
}

/**
 * Such an object, from the list that a match in the archive has.
 * @param {[number, number, number[]?]} terms
 * @returns {TimeControl}
 */
export function clockOf([initial, increment, [delay, period, periods] = /** @type {number[]} */ ([])]) {
  if (initial >= DAY) return { days: initial / DAY };
  return { initial, increment, delay, period, periods };
}

/**
 * A time control in words: the minutes, or seconds, of a player, and what comes after.
 * @param {any} control a TimeControl: a clock over days has no `initial`
 */
export function sayTimeControl({ initial, increment = 0, delay = 0, period = 0, periods = 0, days }) {
  if (days) return say("rooms.perMove", { count: days });
  const main = initial % 60 ? say("rooms.seconds", { seconds: initial }) : say("rooms.minutes", { minutes: initial / 60 });
  if (periods) return say("rooms.byoyomi", { initial: main, period, periods });
  if (delay) return say("rooms.delay", { initial: main, delay });
  return increment ? say("rooms.clock", { initial: main, increment }) : main;
}

/**
 * So many seconds of a match over days, in words; "" for the last ones, which count down.
 * @param {number} seconds
 */
export function sayLeft(seconds) {
  const days = Math.floor(seconds / DAY);
  const hours = say("rooms.hours", { hours: Math.floor((seconds % DAY) / HOUR) });
  if (days) return `${say("rooms.days", { count: days })} ${hours}`;
  if (seconds >= HOUR) return hours;
  return seconds < 60 ? "" : say("rooms.minutes", { minutes: Math.floor(seconds / 60) });
}

/**
 * The seconds that a clock shows on which so many are `left`, all periods counted, and in words what
 * there is besides. `control` is null where an increment may be all.
 * @param {TimeControl | null} control
 * @param {number} left
 */
export function readFace(control, left) {
  const { delay = 0, period = 0, periods = 0 } = control ?? {};
  if (!periods) return { seconds: left, besides: delay ? say("table.delay", { delay }) : "" };
  const main = left - period * periods;
  if (main > 0) return { seconds: main, besides: say("table.periods", { period, periods }) };
  // Sums of floats are a little wrong.
  const count = Math.max(1, Math.ceil(left / period - 1e-6));
  return { seconds: left - period * (count - 1), besides: say("table.periodsLeft", { count }) };
}

// The matches in which the visitor has a seat, as the server tells of them (docs/reference/days.md), and as this device has
// kept them for the time without a connection.

import { sayLeft } from "./clocks.js";
import { nameOf } from "./names.js";
import { say } from "./texts.js";

/** What they are kept by, in the browser, beside the token by which one stays logged in. */
const [KEY, TOKEN] = ["tictac.mine", "tictac"];

const known = new Map();
const hooks = [];
let told = 0;
let isNow = false;

/** Whether the server tells of what changes. */
export const isLive = () => isNow;

/** When the server told of them last, in milliseconds since 1970; 0, if it has never done so. */
export const toldAt = () => told;

/** Call `work()` when something of them has changed. */
export function whenTurned(work) {
  hooks.push(work);
}

/** Take all of them, of that user; each gets the time `at` which it was told. */
export function learn(user, entries) {
  known.clear();
  told = Date.now();
  isNow = true;
  for (const one of entries) known.set(one.room, { ...one, at: told });
  changed(user);
}

/** Take an event `mine`; gives back what was known of a match that has `gone`. */
export function take(user, event) {
  const was = known.get(event.room);
  told = Date.now();
  if (event.gone) known.delete(event.room);
  else known.set(event.room, { ...event, at: told });
  changed(user);
  return event.gone ? was : null;
}

/** Take what this device has kept of that user's, unless the server has told. */
export function recallKept(user) {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
    if (told || kept.user !== user) return;
    told = kept.told;
    for (const one of kept.matches) known.set(one.room, one);
  } catch {
    // It keeps nothing, or what others have put there.
  }
}

/** The connection is lost: they are as they were. */
export function lose() {
  isNow = false;
  for (const hook of hooks) hook();
}

/** Nobody is logged in, or somebody else. */
export function forget() {
  known.clear();
  told = 0;
  isNow = false;
  for (const hook of hooks) hook();
}

/** All, those first in which one is to move, by the time that is left; without a clock last. */
export function matches() {
  const order = (one) => (isMine(one) ? 0 : 1e9) + (secondsOf(one) ?? 1e8);
  return [...known.values()].sort((one, other) => order(one) - order(other));
}

/** Whether it is the visitor's turn. */
export const isMine = ({ begun, turn, seat }) => begun && turn === seat;

/** Those over days in which one is to move: what the title and the app's icon count, as the server does. */
export const turns = () => matches().filter((one) => one.clock?.days && isMine(one));

/** Seconds until the turn ends; null without a clock. */
export function secondsOf({ left, at }) {
  return left === null ? null : Math.max(0, left - (Date.now() - at) / 1000);
}

/** The time that is left for this turn, in words; "" without a clock. */
export function sayTimeLeft(one) {
  const seconds = secondsOf(one);
  if (seconds === null || !one.begun) return "";
  return sayLeft(seconds) || say("rooms.seconds", { seconds: Math.ceil(seconds) });
}

/** A game, and whom it is against. */
export function sayMatch({ title, players, computers, seat }) {
  const names = players.filter((name, at) => name && at !== seat).map((name) => nameOf(name, computers));
  return names.length ? say("mine.against", { title, names: names.join(", ") }) : title;
}

function changed(user) {
  try {
    // Only where one stays logged in.
    if (localStorage.getItem(TOKEN)) localStorage.setItem(KEY, JSON.stringify({ user, told, matches: [...known.values()] }));
  } catch {
    // It keeps nothing.
  }
  for (const hook of hooks) hook();
}

// The players at a table: what they are rated, whether they are there, whose turn it is, their clocks.

import { drawMark } from "./board.js";
import { readFace } from "./clocks.js";
import { $, make } from "./dom.js";
import { isOut, markOf } from "./games.js";
import { say } from "./texts.js";

/** Seconds on a clock below which it hurries, and shows tenths. */
const HURRY = 20;
const TENTHS = 10;

/** Show them; `ratingOf(user)` says what one is rated. */
export function renderPlayers(table, ratingOf) {
  const now = performance.now();
  $("players").classList.toggle("many", table.players.length > 2);
  $("players").replaceChildren(...table.players.map((one, seat) => makePlayer(table, one, seat, one ? ratingOf(one.user) : "", now)));
}

/** Whether a clock runs that shows tenths of seconds. */
export function hasTenths(table) {
  const left = table.begun && !table.result ? table.secondsLeft(table.turn, performance.now()) : null;
  return left !== null && 0 < left && readFace(table.clock, left).seconds < TENTHS;
}

function makePlayer(table, one, seat, rating, now) {
  const mark = table.players.length > 1 ? markOf(table.game, seat) : undefined; // alone one needs none
  const isWinner = Boolean(table.result) && table.result.winner === seat;
  const toMove = table.begun && !table.result && !table.isAway && table.turn === seat;
  const left = table.secondsLeft(seat, now);
  const what = [
    seat === table.seat ? say("table.you") : "",
    sayAway(table, one, seat, now),
    isOut(table, seat) ? say("table.out") : "",
    isWinner ? say("table.winner") : toMove && !one?.away ? say("table.toMove") : "",
  ];
  const words = what.filter(Boolean).join(", ") || (mark ? say("table.plays", { mark: mark.name }) : "");
  const rated = rating ? [" ", make("span", { class: "rating" }, rating)] : [];
  const names = make(
    "span",
    { class: "names" },
    make("span", { class: "name", title: one?.user ?? "" }, one?.user ?? say("table.nobody"), ...rated),
    make("span", { class: "what" }, one ? words : say(table.isForComputer ? "table.computer" : "table.notHere")),
  );
  const kinds = ["player", mark?.look, toMove && "turn", isWinner && "winner", one?.away && "away"];
  const { seconds, besides } = left === null ? {} : readFace(table.clock, left);
  const hurries = toMove && seconds < HURRY;
  const shown = left === null ? [] : [sayClock(seconds, hurries), ...(besides ? [" ", make("small", {}, besides)] : [])];
  const clock = left === null ? [] : [make("span", { class: `clock${hurries ? " hurry" : ""}` }, ...shown)];
  return make("li", { class: kinds.filter(Boolean).join(" ") }, ...(mark ? [drawMark(mark)] : []), names, ...clock);
}

/** Whether somebody is away, and for how long their seat is held. */
export function sayAway(table, one, seat, now) {
  if (!one?.away || table.result) return "";
  const seconds = table.heldFor(seat, now);
  return seconds === null ? say("table.cutOff") : say("table.away", { seconds: Math.ceil(seconds) });
}

function sayClock(seconds, hurries) {
  if (hurries && seconds < TENTHS) return `0:0${seconds.toFixed(1)}`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// What a tournament is to whom it concerns, in sentences: the six states of a player's card, and a head
// for lists. Source: docs/reference/people.md, "Tournaments".

import { sayTimeControl } from "./clocks.js";
import { make } from "./dom.js";
import { pathTo } from "./router.js";
import { hasText, say } from "./texts.js";

/** Where a tournament is shown. */
export function pathToCup(id) {
  return pathTo("tournament", id);
}

/** A name as it stands in a sentence, in a list of them. */
function sayAll(names) {
  return new Intl.ListFormat(document.documentElement.lang).format(names);
}

/** A time of the server's: the hour, and the day unless that is today. */
export function sayWhen(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  const style = isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(document.documentElement.lang, style).format(at);
}

/** Points, with halves as people write them. */
export function sayPoints(points) {
  const whole = Math.trunc(points);
  if (points - whole !== 0.5) return new Intl.NumberFormat(document.documentElement.lang).format(points);
  return whole ? `${whole}½` : "½";
}

/** What a player is told now, by `you` of the protocol. */
export function sayCard(you) {
  const { state, round, rank, players, points, next, begins } = you;
  const count = players ?? 0;
  switch (state) {
    case "entered":
      return begins ? say("cup.entered", { count, when: sayWhen(begins) }) : say("cup.enteredOpen", { count });
    case "playing":
      return [
        say(round ? "cup.playing" : "cup.playingOn", { round, names: sayAll(you.against) }),
        ...(you.paused ? [say("cup.last")] : []),
      ].join(" ");
    case "bye":
      return say("cup.bye", { count: points });
    case "out":
      return rank ? say("cup.out", { rank, count }) : say("cup.outUnranked");
    case "over":
      return [say("cup.over", { name: you.name }), ...you.first.map((name, at) => `${at + 1}. ${name}`)].join(" ");
    default:
      if (you.paused) return say("cup.paused");
      if (!round) return say("cup.looking");
      if (you.left) return say("cup.waiting", { round, count: you.left, of: you.of, before: round - 1 });
      return next ? say("cup.next", { round, when: sayWhen(next) }) : say("cup.soon", { round });
  }
}

/** What is played there, and how, in a line. */
export function sayTerms({ title, system, rounds, clock, rated, group }) {
  const parts = [
    title,
    rounds && system !== "arena" ? say("cup.rounds", { system: say(`cup.systems.${system}`), count: rounds }) : say(`cup.systems.${system}`),
    clock ? sayTimeControl(clock) : say("table.noClock"),
    rated ? say("rooms.rated") : "",
    group ? say("cup.group", { group }) : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** How far it is, in a few words. */
export function sayState({ state, round, rounds, system, begins, ends, ended, players }) {
  const count = players;
  if (state === "over") return ended ? say("cup.endedAt", { when: sayWhen(ended) }) : say("cup.ended");
  if (state === "open") return begins ? say("cup.beginsAt", { count, when: sayWhen(begins) }) : say("cup.open", { count });
  if (system === "arena") return say("cup.until", { count, when: sayWhen(ends) });
  return rounds ? say("cup.roundOf", { round, rounds, count }) : say("cup.round", { round, count });
}

/** What a refusal says, in the visitor's language if it is known. */
export function sayRefusal({ code, message }) {
  return hasText(`cup.no.${code}`) ? say(`cup.no.${code}`) : message;
}

/** A tournament in a list: a link to it. */
export function entryOf(head) {
  const name = make("b", {}, head.name);
  const hint = make("span", { class: "hint" }, `${sayTerms(head)} · ${sayState(head)}`);
  return make("li", {}, make("a", { class: "cup-link", href: pathToCup(head.id) }, name, hint));
}

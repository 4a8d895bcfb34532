// What tournaments are to whoever plays in them, in every view: most of all that a game waits.

import { has, read } from "./archive.js";
import { $, make, write } from "./dom.js";
import { fetchPast } from "./late.js";
import { pathTo } from "./router.js";
import { say } from "./texts.js";

/** What is told first. */
const ORDER = ["playing", "bye", "waiting", "entered", "over"];

/** Tell of tournaments to whoever is logged in to `session`, unless a match is under way. */
export function tellOfCups(session, isPlaying) {
  let cards = new Map();
  const render = async () => {
    const past = cards.size ? await fetchPast().catch(() => null) : null; // without a connection: a later event tells it
    const all = [...cards].filter(([, { state }]) => ORDER.includes(state));
    const [[id, you] = []] = all.sort(([, one], [, other]) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    $("cup").hidden = !past || !you || isPlaying() || location.pathname === pathTo("tournament", id);
    if ($("cup").hidden) return;
    write($("cup-text"), past.CUPS.sayCard(you));
    const isDue = you.state === "playing";
    const path = isDue ? pathTo("room", you.room) : pathTo("tournament", id);
    const link = make("a", { class: isDue ? "button main less" : "button less", href: path }, say(isDue ? "cup.toBoard" : "cup.toStandings"));
    link.addEventListener("click", () => {
      if (you.state === "over") cards.delete(id);
      queueMicrotask(render);
    });
    $("cup-link").replaceChildren(link);
  };
  session.addEventListener("ready", ({ detail: { tournaments } }) => {
    cards = new Map(Object.entries(tournaments ?? {}));
    render();
  });
  session.addEventListener("event", ({ detail: { event, tournament, you, room } }) => {
    if (event === "tournament" && you) cards.set(tournament, you);
    if (event === "tournament" || (room && ["room", "ended"].includes(event))) queueMicrotask(render);
  });
  session.addEventListener("ended", () => {
    cards.clear();
    render();
  });
  return render;
}

/** So many of them are named elsewhere. */
const MOST = 3;

/** List the latest tournaments that aren't over; hide the list where there are none. */
export async function showCups(list) {
  const asked = (await has("tournaments")) ? read(["tournaments"], { limit: 10 }) : { tournaments: [] };
  const { tournaments } = await Promise.resolve(asked).catch(() => ({ tournaments: [] }));
  const now = tournaments.filter(({ state }) => state !== "over").slice(0, MOST);
  const past = now.length ? await fetchPast().catch(() => null) : null;
  list.replaceChildren(...(past ? now.map(past.CUPS.entryOf) : []));
  list.hidden = !past;
}

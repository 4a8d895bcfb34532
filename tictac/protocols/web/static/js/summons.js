// Tournaments in other views: those that one can join, and what they are to whoever plays in them, most of all
// that a game waits. What that needs is fetched for the first one.

import { has, read } from "./archive.js";
import { $, make, write } from "./dom.js";
import { pathTo } from "./router.js";
import { addTexts, say } from "./texts.js";

/** So many of them are named. */
const MOST = 3;

/** What is told first. */
const ORDER = ["playing", "bye", "waiting", "entered", "over"];

/** What says and draws them; null, while that can't be fetched. */
function fetchCups() {
  return Promise.all([import("./cup.js"), addTexts()]).then(([cup]) => cup, () => null);
}

/** List the latest tournaments that aren't over, and offer to `join(id)`; hide the list where there are none. */
export async function showCups(list, join) {
  const asked = (await has("tournaments")) ? read(["tournaments"], { limit: 10 }) : { tournaments: [] };
  const { tournaments } = await Promise.resolve(asked).catch(() => ({ tournaments: [] }));
  const now = tournaments.filter(({ state }) => state !== "over").slice(0, MOST);
  const cup = now.length ? await fetchCups() : null;
  list.replaceChildren(...(cup ? now.map((head) => cup.cardOf(head, join)) : []));
  list.hidden = !list.childElementCount;
}

/** Tell of tournaments to whoever is logged in to `session`, unless a match is under way. */
export function tellOfCups(session, isPlaying) {
  let cards = new Map();
  const render = async () => {
    const cup = cards.size ? await fetchCups() : null; // without a connection a later event tells it
    const all = [...cards].filter(([, { state }]) => ORDER.includes(state));
    const [[id, you] = []] = all.sort(([, one], [, other]) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    $("cup").hidden = !you || !cup || isPlaying() || location.pathname === pathTo("tournament", id);
    if ($("cup").hidden) return;
    write($("cup-text"), cup.sayCard(you));
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

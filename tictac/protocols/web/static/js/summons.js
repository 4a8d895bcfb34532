// What tournaments are to whoever plays in them, in every view: most of all that a game waits.

import { pathToCup, sayCard } from "./cup.js";
import { $, make, write } from "./dom.js";
import { pathTo } from "./router.js";
import { addTexts, hasText, say } from "./texts.js";

/** What is told first. */
const ORDER = ["playing", "bye", "waiting", "entered", "over"];

/** Tell of tournaments to whoever is logged in to `session`, unless a match is under way. */
export function tellOfCups(session, isPlaying) {
  let cards = new Map();
  const render = async () => {
    if (cards.size) await addTexts().catch(() => {}); // such as without a connection: a later event tells it
    const all = [...cards].filter(([, { state }]) => ORDER.includes(state));
    const [[id, you] = []] = all.sort(([, one], [, other]) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    $("cup").hidden = !you || !hasText("cup.toBoard") || isPlaying() || location.pathname === pathToCup(id ?? "");
    if ($("cup").hidden) return;
    write($("cup-text"), sayCard(you));
    const isDue = you.state === "playing";
    const path = isDue ? pathTo("room", you.room) : pathToCup(id);
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

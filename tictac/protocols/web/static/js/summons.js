// Tournaments in other views: those that one can join, and what they are to whoever plays in them, most of all
// that a game waits. What that needs is fetched for the first one.

import { has, read } from "./archive.js";
import { $, make, write } from "./dom.js";
import { pathTo } from "./router.js";
import { addTexts, say } from "./texts.js";

/** So many of them are named. */
const MOST = 3;

/** Milliseconds until a board opens by itself. */
const OPENED_AFTER = 5000;

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

/** Tell of tournaments to whoever is logged in to `session`, and `go(path)` to a board, unless a match is under way. */
export function tellOfCups(session, isPlaying, go) {
  let cards = new Map();
  let [opening, due] = [0, ""];
  /** Open the board of a match soon, once. A match that has begun is open elsewhere, or was left on purpose. */
  const openSoon = () => {
    const you = isPlaying() ? null : [...cards.values()].find(({ state, until }) => state === "playing" && until);
    const path = you ? pathTo("room", you.room) : "";
    if (path === due) return;
    due = path;
    clearTimeout(opening);
    if (path) opening = setTimeout(() => {
      if (isPlaying()) due = ""; // later, after that match
      else if (location.pathname !== path) go(path);
    }, OPENED_AFTER);
  };
  const render = async () => {
    openSoon();
    const cup = cards.size ? await fetchCups() : null; // without a connection a later event tells it
    const all = [...cards].filter(([, { state }]) => ORDER.includes(state));
    const [[id, you] = []] = all.sort(([, one], [, other]) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    const isDue = you?.state === "playing";
    const path = isDue ? pathTo("room", you.room) : pathTo("tournament", id);
    $("cup").hidden = !you || !cup || isPlaying() || [path, pathTo("tournament", id)].includes(location.pathname);
    if ($("cup").hidden) return;
    write($("cup-text"), cup.sayCard(you));
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
    // What one waits for next comes a moment later.
    if (event === "ended") for (const [id, card] of cards) if (card.room === room) cards.delete(id);
    if (event === "tournament" || (room && ["room", "began", "ended"].includes(event))) queueMicrotask(render);
  });
  for (const name of ["lost", "ended"]) session.addEventListener(name, () => {
    clearTimeout(opening);
    due = ""; // so that it opens when the connection is back
    if (name === "lost") return;
    cards.clear();
    render();
  });
  return render;
}

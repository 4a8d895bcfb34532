// Today's puzzle, and tournaments, in other views: those that one can join, and what they are to whoever plays in them, most of all
// that a game waits. What that needs is fetched for the first one.

import { has, Missing, read } from "./archive.js";
import { fetchDaily } from "./late.js";
import { addTexts } from "./texts.js";

/** So many of them are named. */
const MOST = 3;

/** What says and draws them; null, while that can't be fetched. */
export function fetchCups() {
  return Promise.all([import("./cup.js"), addTexts()]).then(
    ([cup]) => cup,
    () => null,
  );
}

/**
 * List the latest tournaments that aren't over, and offer to `join(id)`; hide the list where there are none.
 * @param {HTMLElement} list
 * @param {(id: string) => void} join
 */
export async function showCups(list, join) {
  const asked = (await has("tournaments")) ? read(["tournaments"], { limit: 10 }) : { tournaments: [] };
  const { tournaments } = await Promise.resolve(asked).catch(() => ({ tournaments: [] }));
  const now = tournaments.filter((/** @type {Wire.Tournament} */ { state }) => state !== "over").slice(0, MOST);
  const cup = now.length ? await fetchCups() : null;
  list.replaceChildren(...(cup ? await cup.cardsOf(now, join) : []));
  list.hidden = !list.childElementCount;
}

/**
 * Show the card of today's puzzle in a place, by what `ask` knows of an account; hide the place where there is none.
 * @param {HTMLElement} place
 * @param {((request: Asked<"puzzle">) => Promise<Wire.Answers["puzzle"]>) | null} [ask]
 */
export async function showPuzzle(place, ask) {
  try {
    const found = (await has("puzzle")) ? await read(["puzzle"]) : { puzzles: [] };
    const cards = found.puzzles.length ? await (await fetchDaily()).cardsOf(ask, found) : [];
    place.replaceChildren(...cards.slice(0, 1)); // without the streak
    place.hidden = !cards.length;
  } catch (error) {
    if (!(error instanceof Missing || error instanceof TypeError)) throw error; // without a connection it stays as it is
  }
}

/**
 * Tell of tournaments to whoever is logged in to `session`, and `go(path)` to a board, unless a match is under way.
 * @param {Session} session
 * @param {() => boolean} isPlaying
 * @param {(path: string) => void} go
 */
export function tellOfCups(session, isPlaying, go) {
  let cards = new Map();
  /** @type {any} */
  let strip = null;
  const render = async () => {
    const cup = cards.size ? await fetchCups() : null; // without a connection a later event tells it
    strip ??= cup && new cup.Strip(isPlaying, go);
    strip?.render(cards);
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
  session.addEventListener("lost", () => strip?.openSoon(new Map())); // so that it opens when the connection is back
  session.addEventListener("ended", () => {
    cards.clear();
    render();
  });
  return render;
}

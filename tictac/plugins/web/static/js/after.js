// After a match: what it has made of the players' ratings, and how one has ended whose end the visitor missed.

import { ARCHIVE_PAUSE, ARCHIVE_TRIES } from "./archived.js";
import { clockOf } from "./clocks.js";
import { pause } from "./dom.js";
import { readGain, sayGain, sayProgress, sayRated } from "./ratings.js";
import { readReplay } from "./steps.js";

/**
 * The table of a rated match that has ended, and that of one whose end its player has missed.
 * @typedef {Omit<Table, "players" | "result"> & { players: { user: string }[], result: { match: string } }} Rated
 * @typedef {import("./table.js").Over & { seat: number }} Missed
 *
 * What a match has made of the visitor's rating, and how far that is from being sure, in words.
 * @typedef {{ match: string, rating: number, change: number | null, progress: string }} Gain
 *
 * A match, as the archive tells of it.
 * @typedef {Pick<Wire.Ended, "id" | "players" | "ending" | "winner">} Archived
 */

/** A rated match is counted some seconds after its end: ask so often, after so many milliseconds. */
const COUNTED_TRIES = 12;
const COUNTED_PAUSE = 1000;

/** Milliseconds by which the loss of a connection may have been noticed late. */
const SKEW = 15_000;

/** What a table shows of a match besides who sits where. */
const SHOWN = ["game", "title", "goal", "options", "n", "position", "picture", "record", "talk", "by", "last", "before", "begun"];

/**
 * Find what a match has made of the players' ratings, and put it into the table, while that `isWanted()`. A promise of
 * what became of the visitor's own (ratings.js); of nothing, if it isn't wanted any longer.
 * @param {Session} session
 * @param {Rated} table
 * @param {() => boolean} isWanted
 * @returns {Promise<Gain | null | undefined>}
 */
export async function rate(session, table, isWanted) {
  const {
    game,
    players,
    ratings,
    gains,
    result: { match },
  } = table;
  for (let left = COUNTED_TRIES; left; left--) {
    await pause(COUNTED_PAUSE);
    if (!isWanted()) return null;
    const found = await Promise.all(players.map(({ user }) => session.ask({ do: "ratings", player: user })));
    if (!isWanted()) return null;
    if (!found.every(({ history }) => history.some((point) => point.match === match))) continue;
    for (const [seat, { user }] of players.entries()) {
      ratings[user] = sayRated(found[seat].ratings.find((rating) => rating.game === game));
      gains[user] = sayGain(found[seat], match, game);
    }
    const own = found[players.findIndex(({ user }) => user === session.user)];
    if (!own) return null;
    const progress = sayProgress(/** @type {Wire.Rating} */ (own.ratings.find((rating) => rating.game === game)));
    return { match, progress, .../** @type {Pick<Gain, "rating" | "change">} */ (readGain(own, match, game)) };
  }
}

/**
 * Let a table be as the match has left it whose end the visitor missed, as far as the server has kept that; `shown()` is
 * called when there is more to show. It waits by `here(promise)` (stay.js). Rejects with Refused or Lost.
 * @param {Session} session
 * @param {Table} table
 * @param {Stay["here"]} here
 * @param {() => void} shown
 */
export async function restore(session, table, here, shown) {
  let { match: id = null } = /** @type {import("./table.js").Result} */ (table.result);
  if (!id) {
    const match = await here(findMatch(session, /** @type {Missed} */ (table)));
    if (!match) return;
    end(table, match);
    shown();
    ({ id } = match);
  }
  const { about, steps } = await here(readReplay(session, id, table.seat, () => true));
  const { table: last } = /** @type {Step} */ (steps.at(-1));
  for (const name of SHOWN) /** @type {any} */ (table)[name] = /** @type {any} */ (last)[name];
  table.isRated = about.rated;
  table.clock = about.clock && clockOf(about.clock);
  end(table, about);
  shown();
}

/**
 * It comes into the archive a little later. Null, if it can't be told which one it is.
 * @param {Session} session
 * @param {Missed} table
 */
async function findMatch(session, table) {
  for (let left = ARCHIVE_TRIES; left; left--) {
    const {
      matches: [last],
    } = await session.ask({ do: "matches", player: session.user, limit: 1 });
    const isIt = last?.players[table.seat]?.name === session.user && (last.game === table.game || !table.n);
    if (isIt && Date.parse(last.ended) >= table.lostAt + session.ahead - SKEW) return last;
    if (left > 1) await pause(ARCHIVE_PAUSE);
  }
  return null;
}

/**
 * @param {Table} table
 * @param {Archived} match
 */
function end(table, { id, players, ending, winner }) {
  table.meet(players.map(({ name }) => ({ user: name, away: false })));
  table.result = { how: ending === "left" ? "disconnected" : /** @type {import("./table.js").Ending} */ (ending), winner, match: id };
}

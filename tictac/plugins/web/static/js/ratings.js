// What players are rated, in words.

import { sayRating } from "./players.js";
import { say, saySigned } from "./texts.js";

/**
 * What the server tells of a player's ratings.
 * @typedef {Pick<Wire.Answers["ratings"], "ratings" | "history">} Rated
 */

/** What a player is rated before the first match that counts. */
const NEWCOMER = 1500;

/** As tictac/ratings/glicko.py has them: the deviation from which a rating is provisional, and the points of a unit. */
const PROVISIONAL = 110;
const SCALE = 173.7178;

/**
 * How many rated matches a new player has, of about how many until the rating is sure; "" once it is. Those that are
 * missing are against equals whose rating has just become sure: a match against them is worth `gained`.
 * @param {Pick<Wire.Rating, "deviation" | "provisional" | "matches">} rating
 */
export function sayProgress({ deviation, provisional, matches }) {
  if (!provisional) return "";
  const certainty = (/** @type {number} */ points) => (SCALE / points) ** 2;
  const gained = 1 / (4 + 12 / (certainty(PROVISIONAL) * Math.PI ** 2));
  const left = Math.max(1, Math.ceil((certainty(PROVISIONAL) - certainty(deviation)) / gained));
  return say("end.progress", { count: matches, total: matches + left });
}

/**
 * What a player is rated, beside the name; "" if that isn't known.
 * @param {{ rating: number, provisional?: boolean, aborts?: number } | null | undefined} rating
 */
export function sayRated(rating) {
  if (!rating) return "";
  const said = say(rating.provisional ? "rooms.provisional" : "rooms.rating", rating);
  return rating.aborts ? `${said} ${say("rooms.aborts", rating)}` : said;
}

/**
 * What a match has made of a player's rating, in words; if it didn't count, what that is now.
 * @param {Rated} found
 * @param {string} match
 * @param {string} game
 */
export function sayGain(found, match, game) {
  const now = found.ratings.find((rating) => rating.game === game);
  const gain = readGain(found, match, game);
  if (!gain) return now ? sayRating(now) : "";
  const { rating, change } = gain;
  return change === null ? String(rating) : say("end.gain", { rating, gain: saySigned(change) });
}

/**
 * The `rating` after a match, and its `change`, which may be unknown (null); null if the match didn't count.
 * @param {Rated} found
 * @param {string} match
 * @param {string} game
 */
export function readGain({ ratings, history }, match, game) {
  const now = ratings.find((rating) => rating.game === game);
  const points = history.filter((point) => point.game === game);
  const at = points.findIndex((point) => point.match === match);
  if (at < 0) return null;
  // The history may begin later than the player has.
  const before = points[at - 1]?.rating ?? (now?.matches === points.length ? NEWCOMER : null);
  const { rating } = points[at];
  return { rating, change: before === null ? null : rating - before };
}

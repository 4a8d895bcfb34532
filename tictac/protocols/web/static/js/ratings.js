// What players are rated, in words.

import { say } from "./texts.js";

/** What a player is rated before the first match that counts. */
const NEWCOMER = 1500;

/** A rating, with a question mark as long as it is provisional. */
export function sayRating({ rating, provisional }) {
  return `${rating}${provisional ? "?" : ""}`;
}

/** What a match has made of a player's rating; if it didn't count, what that is now. */
export function sayGain({ ratings, history }, match, game) {
  const now = ratings.find((rating) => rating.game === game);
  const points = history.filter((point) => point.game === game);
  const at = points.findIndex((point) => point.match === match);
  if (at < 0) return now ? sayRating(now) : "";
  // The history may begin later than the player has.
  const before = points[at - 1]?.rating ?? (now?.matches === points.length ? NEWCOMER : null);
  const { rating } = points[at];
  if (before === null) return String(rating);
  const gain = rating - before;
  return say("match.gain", { rating, gain: `${gain < 0 ? "−" : "+"}${Math.abs(gain)}` });
}

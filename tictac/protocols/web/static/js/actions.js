// What one can do at a table besides playing: which buttons there are, and what they say.

import { $ } from "./dom.js";
import { pathTo } from "./router.js";
import { say } from "./texts.js";

/** After these ends there is nobody to play against once more. */
const FOR_GOOD = ["lost", "replaced", "closed"];

/** Show what fits how a table stands; `again` is a request for another such match, if there is one. */
export function showActions(table, session, again) {
  const { isPlaying, isAway, offer, seat, n, result, key, begun } = table;
  const isWatching = seat === null && n > 0;
  const can = isPlaying && !isAway;
  const isTwo = table.players.length === 2;
  const hasPlayed = Boolean(result) && seat !== null && isTwo && !FOR_GOOD.includes(result.how);
  const mayAnswer = Boolean(offer) && (can || hasPlayed);
  const isMine = offer?.seat === seat;
  const shown = {
    back: Boolean(result),
    again: Boolean(result && again),
    leave: !result && !isPlaying,
    here: !isAway && (result ? result.how === "replaced" : isWatching && sitsElsewhere(table, session)),
    rematch: hasPlayed && !offer && !again?.computer && !table.isLast,
    accept: mayAnswer && !isMine,
    decline: mayAnswer,
    offer: can && !offer && isTwo,
    takeback: can && !offer && isTwo && Boolean(table.last) && !table.isRated,
    resign: can,
  };
  $("leave").textContent = say(isWatching ? "table.stop" : begun ? "table.leave" : "table.close");
  if (offer) $("accept").textContent = say(`table.accept.${offer.what}`);
  $("decline").textContent = say(isMine ? "table.withdraw" : "table.decline");
  const focused = document.activeElement;
  for (const [id, isShown] of Object.entries(shown)) $(id).hidden = !isShown;
  if (focused.id in shown && focused.hidden) $("table-title").focus();
  $("invite").hidden = !key || begun || Boolean(result);
  $("invitation").value = `${location.origin}${addressOf(table)}`;
  $("copy").hidden = !navigator.clipboard;
  $("replay").hidden = !result?.match;
  if (result?.match) $("replay").href = pathTo("match", result.match);
}

/** The path of the page that leads to a table. */
export function addressOf({ room, key }) {
  return pathTo("room", room, key);
}

/** Whether who watches plays from another tab, or could go back to a seat that is held. */
function sitsElsewhere(table, { user, isGuest }) {
  const { players } = table;
  const isMine = (one, seat) => one?.user === user && !table.hasGone(seat);
  return !isGuest && players.some((one, seat) => isMine(one, seat) && !(one.away && players.length > 2));
}

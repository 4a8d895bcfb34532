// What one can do at a table besides playing: which buttons there are, and what they say.

import { $, isPassing } from "./dom.js";
import { pathTo } from "./router.js";
import { say } from "./texts.js";

/** After these ends there is nobody to play against once more. */
const FOR_GOOD = ["lost", "replaced", "closed"];

/** Let a button show and hide the link as a QR code. */
function renderCode(...shown) {
  $("code").replaceChildren(...shown);
  $("show-code").textContent = say(shown.length ? "table.hideCode" : "table.showCode");
  $("show-code").setAttribute("aria-expanded", String(shown.length > 0));
}

$("show-code").addEventListener("click", async () => {
  if ($("code").hasChildNodes()) return renderCode();
  const link = $("invitation").value;
  // If it doesn't come, the next click tries again.
  const code = await import("./qr.js").then(({ drawCode }) => drawCode(link)).catch(() => null);
  if (code && link === $("invitation").value) renderCode(code);
});

/** Show what fits how a table stands; `again` is a request for another such match, if there is one. */
export function showActions(table, session, again, other) {
  const { isPlaying, isAway, offer, seat, n, result, key, begun } = table;
  const isWatching = seat === null && n > 0;
  const can = isPlaying && !isAway;
  const isTwo = table.players.length === 2;
  const hasPlayed = Boolean(result) && seat !== null && isTwo && !FOR_GOOD.includes(result.how);
  const mayAnswer = Boolean(offer) && (can || hasPlayed);
  const isMine = offer?.seat === seat;
  const shown = {
    back: Boolean(result),
    again: Boolean(result && again?.computer),
    leave: !result && (!isPlaying || table.lasts) && n > 0,
    here: !isAway && (result ? result.how === "replaced" : isWatching && sitsElsewhere(table, session)),
    other: Boolean(result && other),
    rematch: hasPlayed && !offer && !again?.computer && !table.isLast && !table.tournament,
    "to-cup": Boolean(result && (table.tournament || table.back)),
    accept: mayAnswer && !isMine,
    decline: mayAnswer,
    offer: can && !offer && isTwo,
    later: can && !offer && isTwo && !table.lasts && !table.tournament && !session.isGuest && !table.players.some((one) => isPassing(one?.user)),
    takeback: can && !offer && isTwo && Boolean(table.last) && !table.isRated && !table.tournament,
    resign: can,
  };
  $("leave-text").textContent = say(isWatching ? "table.stop" : begun ? "table.leave" : "table.close");
  if (offer) $("accept").textContent = say(`table.accept.${offer.what}`);
  $("decline").textContent = say(isMine ? "table.withdraw" : "table.decline");
  // An offer of a rematch is answered on the card, if that is shown, the others beside the state.
  const isOnCard = Boolean(result) && !$("over").hidden;
  for (const id of ["accept", "decline"]) {
    const place = $(isOnCard ? (id === "accept" ? "end-main" : "end-row") : "answers");
    if ($(id).parentElement !== place) place.prepend($(id));
    for (const kind of ["big", "block"]) $(id).classList.toggle(kind, isOnCard && id === "accept");
    $(id).classList.toggle("less", !isOnCard);
  }
  if (!isOnCard) $("answers").prepend($("accept"));
  const focused = document.activeElement;
  for (const [id, isShown] of Object.entries(shown)) $(id).hidden = !isShown;
  const isGone = (focused.id in shown && focused.hidden) || focused === document.body;
  if (isGone) $(result && !$("over").hidden ? "end-title" : "table-title").focus({ preventScroll: true });
  $("invite").hidden = !key || begun || Boolean(result);
  const link = `${location.origin}${addressOf(table)}`;
  if ($("invitation").value !== link) renderCode();
  $("invitation").value = link;
  $("copy").hidden = !navigator.clipboard;
  // A private match is kept for accounts alone.
  $("replay").hidden = !result?.match || (session.isGuest && Boolean(key));
  $("to-cup").href = table.back || pathTo("tournament", table.tournament);
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

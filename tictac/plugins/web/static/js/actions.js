// What one can do at a table besides playing: which buttons there are, and what they say.

import { $, write } from "./dom.js";
import { pathTo } from "./router.js";
import { describeOffer } from "./table.js";
import { say } from "./texts.js";

/** The buttons that offer something, and what. */
export const OFFERS = { offer: "draw", takeback: "takeback", later: "days" };

/**
 * Let a button show and hide the link as a QR code.
 * @param {...Node} shown
 */
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

/**
 * Show what fits how a match stands: a state (state.js).
 * @param {import("./state.js").State} state
 */
export function showActions(state) {
  const { table, shown, hasCard, primary, isMine } = state;
  const { offer, result } = table;
  $("leave-text").textContent = say(
    state.kind === "watching" || state.kind === "out" ? "table.stop" : table.begun ? "table.leave" : "table.close",
  );
  if (offer) $("accept").textContent = say(hasCard ? "table.acceptRematch" : "table.accept");
  /** @type {HTMLButtonElement} */ ($("rematch")).disabled = Boolean(offer);
  write($("offered"), shown.accept && !hasCard ? describeOffer(table) : "");
  $("decline").textContent = say(isMine ? "table.withdraw" : "table.decline");
  // One's own offer is withdrawn where it was made; while an offer stands there is no other.
  for (const [id, what] of Object.entries(OFFERS)) {
    const isOffered = isMine && /** @type {import("./table.js").Offer} */ (offer).what === what;
    $(id).lastElementChild.hidden = !isOffered;
    const isIdle = what === "takeback" && !table.last; // it has its place from the beginning
    /** @type {HTMLButtonElement} */ ($(id)).disabled = (Boolean(offer) || isIdle) && !isOffered;
    $(id).classList.toggle("off", Boolean(offer) && !isMine); // the answers have its place
  }
  // An offer of a rematch is answered on the card, if that is shown, the others beside the state.
  const [answers, ways] = [["accept", "decline"], ["again", "other", "rematch", "to-cup"].filter((id) => id !== primary)];
  place("end-main", hasCard && primary ? [primary] : []);
  place("end-row", [...(hasCard ? answers.filter((id) => id !== primary) : []), ...ways, "watch-on", "replay"]);
  if (!hasCard) place("answers", ["offered", ...answers]);
  for (const id of [...answers, ...ways, primary].filter(Boolean)) {
    const isLarge = hasCard && id === primary;
    for (const kind of ["big", "block"]) $(id).classList.toggle(kind, isLarge);
    $(id).classList.toggle("main", isLarge || id === "accept");
    $(id).classList.toggle("less", !hasCard && answers.includes(id));
  }
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  for (const [id, isShown] of Object.entries(shown)) $(id).hidden = !isShown;
  const isGone = (focused.id in shown && focused.hidden) || focused === document.body;
  if (isGone) $(hasCard ? "end-title" : "table-title").focus({ preventScroll: true });
  const link = `${location.origin}${addressOf(table)}`;
  if ($("invitation").value !== link) renderCode();
  $("invitation").value = link;
  $("copy").hidden = !navigator.clipboard;
  // Where the device sends links itself, nobody needs to read this one.
  $("share").hidden = !navigator.share;
  $("invitation").hidden = Boolean(navigator.share);
  $("copy").classList.toggle("main", !navigator.share);
  $("to-cup").href = table.back || pathTo("tournament", table.tournament);
  if (result?.match) $("replay").href = pathTo("match", result.match);
}

/**
 * Let an element begin with these, without moving what is in its place: it may have the focus.
 * @param {string} id
 * @param {string[]} ids
 */
function place(id, ids) {
  const [within, parts] = [$(id), ids.map($)];
  if (parts.some((part, at) => within.children[at] !== part)) within.prepend(...parts);
}

/**
 * The path of the page that leads to a table.
 * @param {{ room: string, key?: string | null }} table
 */
export function addressOf({ room, key }) {
  return pathTo("room", room, key);
}

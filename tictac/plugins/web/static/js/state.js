// What a match is to its visitor: one value with a `kind`, derived here from all that is known. No document, no socket, no words.
//
// View keeps what is known of the table that is shown as one Sitting, puts another one in its place with each other
// table, and shows stateOf() of it: what isn't in the Sitting can't be left over from the table before.

/** Ends that are no result: there is nobody to play against once more. */
const NO_RESULT = ["lost", "replaced", "closed"];

/**
 * `away`: the connection is lost; `waiting`: it hasn't begun; `out`: one has given up, and the others play on; `gone`: it
 * ends here without a result; `review`: one goes through it, step by step.
 * @typedef {"none" | "away" | "waiting" | "playing" | "watching" | "out" | "over" | "gone" | "review"} Kind
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./table.js").Result} Result
 * @typedef {"won" | "drawn" | "lost"} Outcome
 *
 * What leads to a match: a room to open, or an opponent to seek.
 * @typedef {Omit<Wire.Requests["open"], "do"> & { do: "open" | "seek" }} Request
 *
 * What leads to a room, besides.
 * @typedef {Request | Asked<"join"> | Asked<"watch">} Way
 *
 * What is known of one table while it is shown, which is so `since` then: the request for such a match `again`; the table
 * as it was at the step that is `looked` at; whether the card `isFolded`; whether the end has been seen on the board, so that
 * the card `isDue`; whether the visitor has seen it end (`isFresh`), and the `praise` for that; whether the
 * clock `hasHurried`, which is said once; the `face` that shows the game, and its `panels` that are shown.
 * @typedef {{ table: Table, again: Request | null, looked: Table | null, isFolded: boolean, isDue: boolean, isFresh: boolean,
 *   since: number, praise: string, hasHurried?: boolean, face?: import("./faces.js").Face, panels?: Panel[] }} Sitting
 *
 * `isAlone`: only the computer plays with them; `isPassing(name)`: nobody has that name for long; `levels` of the game, which
 * perhaps `isNeverDrawn`.
 * @typedef {{ user: string, isGuest: boolean, isAlone: boolean, isPassing: (name: string) => boolean, levels: string[],
 *   isNeverDrawn?: boolean }} Visitor
 *
 * Another match that one may want after the end, at a `level` of the computer, if that is known.
 * @typedef {{ kind: "opponent" | "harder" | "easier", level?: string, request: Request | null }} Other
 *
 * How it stands: `shown` are the ids of the buttons that there are, `outcome` is how the card tells the end, `primary` the
 * id of its large button; `isMine`: what is offered is one's own offer.
 * @typedef {Sitting & { kind: Kind, outcome: Outcome | null, hasCard: boolean, other: Other | null, primary: string,
 *   shown: Record<string, boolean>, mayTalk: boolean, isMine: boolean }} State
 * @typedef {{ kind: "none", other?: undefined }} Nothing no table is shown
 */

/**
 * @param {Table} table
 * @param {Request | null} again
 * @returns {Sitting}
 */
export function sitDown(table, again) {
  return { table, again, looked: null, isFolded: false, isDue: true, isFresh: false, since: Date.now(), praise: "" };
}

/** @param {Sitting | null} sitting @returns {Kind} */
export function kindOf(sitting) {
  if (!sitting) return "none";
  const { table, looked } = sitting;
  if (looked) return "review";
  if (table.result) return NO_RESULT.includes(table.result.how) ? "gone" : "over";
  if (table.isAway) return "away";
  if (!table.begun) return "waiting";
  if (table.seat !== null) return "playing";
  return table.hasResigned ? "out" : "watching";
}

/**
 * How it stands with a table.
 * @param {Sitting | null} known
 * @param {Visitor} visitor
 * @returns {State | Nothing}
 */
export function stateOf(known, visitor) {
  const kind = kindOf(known);
  if (!known) return /** @type {Nothing} */ ({ kind });
  // After a reload it isn't remembered what was asked for.
  const sitting = { ...known, again: known.again ?? known.table.again ?? null };
  const { table, isFolded, isDue, looked } = sitting;
  const hasEnd = kind === "over" || kind === "out" || (kind === "review" && Boolean(table.result));
  const outcome = hasEnd ? outcomeOf(table) : null;
  const hasCard = hasEnd && isDue && !isFolded && !looked;
  const other = otherOf(sitting, visitor);
  const shown = { ...buttonsOf(sitting, visitor, Boolean(other)), result: hasEnd && isDue && !hasCard };
  const primary = hasEnd ? primaryOf(shown, other) : "";
  const mayTalk = !(table.seat === null && visitor.isAlone) && !table.isForComputer;
  return {
    ...sitting,
    kind,
    outcome,
    hasCard,
    other,
    primary,
    shown,
    mayTalk,
    isMine: Boolean(table.offer) && /** @type {import("./table.js").Offer} */ (table.offer).seat === table.seat,
  };
}

/**
 * @param {Pick<Table, "result" | "seat" | "hasQuit">} table
 * @returns {Outcome}
 */
function outcomeOf({ result, seat, hasQuit }) {
  if (!result || hasQuit) return "lost"; // one has resigned
  const winner = result.winner ?? null;
  return winner === null ? "drawn" : seat === null || winner === seat ? "won" : "lost";
}

/**
 * What else one may want after the end.
 * @param {Sitting} sitting
 * @param {Visitor} visitor
 * @returns {Other | null}
 */
function otherOf({ table, again }, { levels }) {
  const { result, seat } = table;
  if (!result || seat === null || table.tournament || table.isGone) return null;
  if (!again?.computer) return { kind: "opponent", request: again };
  const isWon = result.winner === seat;
  const level = levels[levels.indexOf(again.computer) + (isWon ? 1 : -1)];
  if (!level || (result.winner ?? null) === null) return null;
  return { kind: isWon ? "harder" : "easier", level, request: { ...again, computer: level } };
}

/**
 * The button that one most likely wants after the end; "" for none.
 * @param {Record<string, boolean>} shown
 * @param {{ kind: string } | null} other
 */
function primaryOf(shown, other) {
  const order = ["to-cup", "accept", other?.kind === "harder" ? "other" : "", "again", "rematch", "other"];
  return order.find((id) => shown[id]) ?? "";
}

/**
 * @param {Sitting} sitting
 * @param {Visitor} visitor
 * @param {boolean} hasOther
 */
function buttonsOf({ table, again }, visitor, hasOther) {
  const { isPlaying, isAway, offer, seat, n, result, key, begun, tournament } = table;
  const can = isPlaying && !isAway;
  const isTwo = table.players.length === 2;
  const hasPlayed = Boolean(result) && seat !== null && !NO_RESULT.includes(/** @type {Result} */ (result).how);
  const mayAnswer = Boolean(offer) && (can || (hasPlayed && isTwo));
  const isMine = offer?.seat === seat;
  const isOut = Boolean(table.hasResigned) && !result;
  // While an offer stands there is no other; each button keeps its place.
  const offers = can && isTwo;
  return {
    back: Boolean(result),
    again: Boolean((result || isOut) && again?.computer),
    leave: !result && (!isPlaying || table.lasts) && n > 0,
    here: !isAway && (result ? result.how === "replaced" : seat === null && n > 0 && sitsElsewhere(table, visitor)),
    other: Boolean(result) && hasOther,
    // One's own offer keeps the button where it is: a second click must not hit another one.
    rematch: hasPlayed && isTwo && (!offer || isMine) && !again?.computer && !table.isLast && !tournament,
    "to-cup": Boolean(result && (tournament || table.back)),
    accept: mayAnswer && !isMine,
    decline: mayAnswer && !(isMine && can),
    offer: offers && !visitor.isNeverDrawn,
    later: offers && !table.lasts && !tournament && !visitor.isGuest && !table.players.some((one) => one && visitor.isPassing(one.user)),
    takeback: offers && !table.isRated && !tournament,
    resign: can,
    "watch-on": isOut,
    invite: Boolean(key) && !begun && !result,
    // A private match is kept for accounts alone.
    replay: Boolean(result?.match) && !(visitor.isGuest && key),
    // A guest who makes an account is another player.
    "keep-it": visitor.isGuest && hasPlayed && !tournament,
  };
}

/**
 * Whether who watches plays from another tab, or could go back to a seat that is held.
 * @param {Table} table
 * @param {Visitor} visitor
 */
function sitsElsewhere(table, { user, isGuest }) {
  const { players } = table;
  return !isGuest && players.some((one, seat) => one?.user === user && !table.hasGone(seat) && !(one.away && players.length > 2));
}

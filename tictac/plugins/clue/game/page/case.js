// A game of Clue, read from what the lobby protocol says of it. No document, no socket.

/**
 * What a position says: `places` of the tokens, which of them a suggestion has `pulled`, the `token` to move, what is
 * `asked` of whom, the `steps` rolled, the `shower` who is asked for a card, the seats that are `out`, the cards of one's
 * `hand`, those of the `envelope` at the end, and the `map`, if it isn't the usual one.
 * @typedef {object} Position
 * @property {string[]} places
 * @property {boolean[]} pulled
 * @property {number} token
 * @property {string} asked
 * @property {number} steps
 * @property {number | null} shower
 * @property {number[]} out
 * @property {string[]} hand
 * @property {string[]} envelope
 * @property {string[] | undefined} map
 */
/**
 * An entry of the record of the moves (table.js).
 * @typedef {[n: number, what: "moved", seat: number, move: string, before?: string | null]
 *   | [n: number, what: "undone", seat: number, count: number]} Recorded
 */
/**
 * Something that a seat `does`, with fields of its own, and none of the others.
 * @template {string} D
 * @template {object} F
 * @typedef {{ seat: number, does: D } & F & { [name in Exclude<Fields, keyof F>]?: undefined }} Did
 */
/**
 * @typedef {"steps" | "place" | "stays" | "cards" | "card" | "shower" | "isAsked" | "isRight"} Fields
 * @typedef {Did<"go", { steps: number, place: string, stays: boolean }>} Gone
 * @typedef {Did<"suggest", { cards: string[], card: string | null, shower: number | null, isAsked?: boolean }>} Suggested
 * @typedef {Did<"accuse", { cards: string[], isRight: boolean }>} Accused
 * @typedef {Gone | Suggested | Accused | Did<"drop", {}>} Told
 */
/**
 * What a position (docs/reference/clue.md) says; a place is "17,24", or a room such as "U".
 * @param {string} position
 * @returns {Position}
 */
export function readPosition(position) {
  const [places, token, asked, steps, suggestion, out, hand, envelope, map] = position.split(" ");
  /** @param {string} word */
  const cards = (word) => (word === "-" ? [] : word.split(","));
  const where = places.split("/");
  return {
    places: where.map((place) => place.replace(/,[SV]$/, "")),
    pulled: where.map((place) => place.endsWith(",S")),
    token: Number(token),
    asked,
    steps: Number(steps),
    shower: asked === "show" ? Number(suggestion.split(":")[2]) : null,
    out: out === "-" ? [] : [...out].map(Number),
    hand: cards(hand),
    envelope: cards(envelope),
    map: map?.split("/"),
  };
}

/**
 * What has happened, by the record of the moves, the oldest first. Each has a `seat` and what it `does`: `go`
 * with `steps` to a `place`, where it may have been already (`stays`); `suggest` three `cards`, of which a
 * `shower` has shown one (null: nobody could) or is asked to (`isAsked`), the `card` if that is known; `accuse`, with the `cards` if they are
 * known; `drop` out of the game. In the mini-game the `card` of a suggestion is one that is wrong.
 * @param {Recorded[]} record
 * @param {Position} now
 * @param {boolean} isMini
 */
export function readCase(record, { token, shower, envelope }, isMini) {
  /** @type {[Told[], Record<string, any>]} what has happened, and where each token has gone, or was put */
  const [told, places] = [[], []];
  let steps = 0;
  let isAccusing = false;
  /**
   * The last suggestion, which lacks a `shower` at first.
   * @type {any}
   */
  let open = null;
  /** @param {number | null} due who is to show a card */
  const close = (due) => {
    if (open && open.shower === undefined) Object.assign(open, { shower: due, isAsked: due !== null });
    open = null;
  };
  for (const [, what, seat, move] of record) {
    if (what !== "moved") continue;
    const [said, seen] = move.split(": ");
    const [verb, ...names] = said.split(" ");
    const mover = isMini ? token : seat;
    if (verb !== "show" && verb !== "drop") close(null);
    if (verb === "roll") steps = Number(names[0]);
    if (verb === "no-roll") steps = 0;
    if (verb === "go") {
      const place = names.join(",");
      const stays = places[mover] === place || (!steps && names.length > 1);
      told.push({ seat, does: "go", steps, place, stays });
      places[mover] = place;
    }
    if (verb === "suggest") {
      open = { seat, does: "suggest", cards: names, card: null };
      told.push(open);
      places[names[0]] = names[2];
    }
    if (verb === "show") Object.assign(open ?? {}, { shower: seat, card: names[0] ?? null });
    if (seen && isMini) Object.assign(open ?? {}, { shower: null, card: seen === "-" ? null : seen });
    else if (seen) {
      const [by, card] = seen.split(" ");
      Object.assign(open ?? {}, { shower: Number(by), card: card === "-" ? null : card });
    }
    if (verb === "drop") told.push({ seat, does: "drop" });
    if (verb === "accuse" && isAccusing) told.push({ seat, does: "accuse", cards: names, isRight: isRight(names, envelope) });
    isAccusing = verb === "accuse" && !isAccusing;
  }
  close(shower);
  return told;
}

/**
 * @param {string[]} cards
 * @param {string[]} envelope
 */
function isRight(cards, envelope) {
  return envelope.length > 0 && cards.join() === envelope.join();
}

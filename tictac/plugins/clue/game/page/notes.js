// What can be known for certain of the cards in a game of Clue: the same deduction as the console's, tictac/plugins/clue/game/
// deduction.py, by what the page was told. No document, no socket.

const SEATS = 6;
const HAND = 3;
const ENOUGH = 2000;

/**
 * Of who sits at `seat` with the cards `hand`, by their names; none: the mini-game. `kinds` are the names
 * of all cards. A set of cards is a number with a bit of each; for each place the sets are kept that it can hold: those
 * of the seats, and last of the envelope.
 * @typedef {number} CardSet
 */
export class Notes {
  #seat;
  #hand;
  #deck;
  #kinds;
  #all;
  /**
   * @type {CardSet[][]}
   * @ts-expect-error #forget() makes them */
  #places;
  /**
   * Who has shown one of which cards.
   * @type {[seat: number, cards: string[]][]}
   */
  #disproved = [];

  /**
   * @param {number} seat
   * @param {string[]} hand
   * @param {string[][]} kinds
   */
  constructor(seat, hand, kinds) {
    this.#seat = seat;
    this.#deck = kinds.flat();
    this.#kinds = kinds.map((names) => this.#set(names));
    this.#all = union(this.#kinds);
    this.#hand = this.#set(hand);
    this.#forget();
  }

  /** Whether it is the mini-game, without hands. */
  get isMini() {
    return !this.#hand;
  }

  /**
   * Take something that has happened.
   * @param {import("./case.js").Told} told
   */
  hear({ seat, does, cards, shower, card, isRight }) {
    if (does === "accuse" && cards.length && !isRight) {
      const wrong = this.#set(cards);
      this.#keep(this.#places.length - 1, (envelope) => envelope !== wrong);
    }
    if (does !== "suggest") return;
    if (this.isMini) {
      const named = this.#set(card ? [card] : cards);
      this.#keep(0, (envelope) => (card ? !(envelope & named) : envelope === named));
      return;
    }
    const named = this.#set(cards);
    for (let step = 1; step < SEATS; step++) {
      /** @type {number} */
      const at = (seat + step) % SEATS;
      this.#keep(at, (hand) => Boolean(hand & named) === (at === shower));
      if (at === shower) break;
    }
    if (shower !== null) this.#disproved.push([shower, cards]);
    /** @ts-expect-error who has shown a card isn't null */
    if (card) this.#keep(shower, (hand) => hand & this.#set([card]));
  }

  /** The names of the cards that may be in the envelope. */
  left() {
    const solution = this.#solution();
    /** @ts-expect-error there is the envelope */
    const may = solution || union(this.#places.at(-1));
    return this.#deck.filter((_, card) => (may >> card) & 1);
  }

  /**
   * What is known of a card at a seat: `has`, `lacks`, `maybe` (it has shown it, or another), or nothing.
   * @param {number} seat
   * @param {string} name
   * @returns {"has" | "lacks" | "maybe" | ""}
   */
  mark(seat, name) {
    const hands = this.#places[seat];
    const bit = this.#set([name]);
    if (!hands.some((hand) => hand & bit)) return "lacks";
    /** @param {string} card */
    const has = (card) => hands.every((hand) => hand & this.#set([card]));
    if (this.isMini) return "";
    if (has(name)) return "has";
    const maybe = this.#disproved.some(([by, cards]) => by === seat && cards.includes(name) && !cards.some(has));
    return maybe ? "maybe" : "";
  }

  /**
   * @param {string[]} names
   * @returns {CardSet}
   */
  #set(names) {
    return names.reduce((set, name) => set | (1 << this.#deck.indexOf(name)), 0);
  }

  /** Know the own hand, and nothing else. */
  #forget() {
    const free = this.#all & ~this.#hand;
    const [players, weapons, rooms] = this.#kinds.map((kind) => split(kind & free));
    const pairs = players.flatMap((player) => weapons.map((weapon) => player | weapon));
    this.#places = [pairs.flatMap((pair) => rooms.map((room) => pair | room))];
    if (this.isMini) return;
    const others = choose(split(free), HAND);
    this.#places.unshift(...Array.from({ length: SEATS }, (_, seat) => (seat === this.#seat ? [this.#hand] : others)));
  }

  /**
   * Keep those sets of a place that fit what is known now.
   * @param {number} place
   * @param {(set: CardSet) => unknown} fits
   */
  #keep(place, fits) {
    const kept = this.#places[place].filter(fits);
    if (kept.length === this.#places[place].length) return;
    this.#places[place] = kept;
    // Where facts don't fit together somebody has cheated, and what was known is void.
    if (!this.#settle(place)) this.#forget();
  }

  /**
   * Carry what is certain of a place over to the others until nothing changes; whether that can be.
   * @param {number} changed
   */
  #settle(changed) {
    const todo = new Set([changed]);
    for (const place of todo) {
      todo.delete(place);
      const hands = this.#places[place];
      if (!hands.length) return false;
      if (this.isMini) return true;
      const held = hands.reduce((one, other) => one & other);
      for (const [other, before] of this.#places.entries()) {
        const needed = this.#onlyIn(other);
        const kept = before.filter((hand) => (hand & needed) === needed && (other === place || !(hand & held)));
        if (kept.length === before.length) continue;
        this.#places[other] = kept;
        todo.add(other);
      }
    }
    return true;
  }

  /**
   * The cards that no other place can hold.
   * @param {number} place
   * @returns {CardSet}
   */
  #onlyIn(place) {
    return this.#all & ~union(this.#places.filter((_, other) => other !== place).map(union));
  }

  /**
   * The envelope if only one is left that some deal has, otherwise 0.
   * @returns {CardSet}
   */
  #solution() {
    const hands = this.#places.slice(0, -1);
    const left = [];
    /** @ts-expect-error there is the envelope */
    for (const envelope of this.#places.at(-1)) {
      if (this.isMini || hasDeal([...hands, [envelope]], this.#all)) left.push(envelope);
      if (left.length > 1) return 0;
    }
    return left[0] ?? 0;
  }
}

/**
 * Whether some deal gives each place one of its sets; also true when that takes too long to tell.
 * @param {CardSet[][]} places
 * @param {CardSet} all
 */
function hasDeal(places, all) {
  const lists = places.toSorted((one, other) => one.length - other.length);
  const reach = lists.map((_, depth) => union(lists.slice(depth).map(union)));
  const last = new Set(lists.at(-1));
  let budget = ENOUGH;
  /**
   * Whether the places from there on can have the cards that aren't used.
   * @type {(depth: number, used: CardSet) => boolean}
   */
  const search = (depth, used) => {
    const open = all & ~used;
    if (depth === lists.length - 1) return last.has(open);
    if (open & ~reach[depth]) return false;
    budget -= lists[depth].length;
    return budget < 0 || lists[depth].some((hand) => !(hand & used) && search(depth + 1, used | hand));
  };
  return search(0, 0);
}

/**
 * @param {CardSet[]} sets
 * @returns {CardSet}
 */
function union(sets) {
  return sets.reduce((one, other) => one | other, 0);
}

/**
 * The cards of a set, each as a set of its own.
 * @param {CardSet} set
 * @returns {CardSet[]}
 */
function split(set) {
  return Array.from({ length: 32 }, (_, card) => set & (1 << card)).filter(Boolean);
}

/**
 * All sets of so many of these cards.
 * @param {CardSet[]} cards each a set of its own
 * @param {number} count
 * @returns {CardSet[]}
 */
function choose(cards, count) {
  if (!count) return [0];
  return cards.flatMap((card, at) => choose(cards.slice(at + 1), count - 1).map((rest) => card | rest));
}

// Playing cards as SVG, and as words.

import { draw, make, say } from "./page.js";

/**
 * The shapes of suits, on 24 by 24.
 * @type {Record<string, string>}
 */
const SUITS = {
  s: "M12 2C9 7 3 10 3 15a4.6 4.6 0 0 0 8 3c0 2-1 3-2.5 4h7c-1.5-1-2.5-2-2.5-4a4.6 4.6 0 0 0 8-3c0-5-6-8-9-13z",
  h: "M12 21C5 15 2 12 2 8a5 5 0 0 1 10-1.5A5 5 0 0 1 22 8c0 4-3 7-10 13z",
  d: "M12 1.5 20.5 12 12 22.5 3.5 12z",
  c: "M12 2a4.6 4.6 0 0 0-4 7 4.7 4.7 0 1 0 3 8.6C11 20 10 21 8.5 22h7C14 21 13 20 13 17.6A4.7 4.7 0 1 0 16 9a4.6 4.6 0 0 0-4-7z",
};
/** @type {Record<string, string>} */
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const ORDER = { suits: "shcd", ranks: "A23456789TJQK" };

/**
 * The cards that a word names: `QsTd`.
 * @param {string | undefined} word
 * @returns {string[]}
 */
export const cardsIn = (word) => word?.match(/[A2-9TJQK][scdh]/g) ?? [];

/**
 * Whether a suit is red.
 * @param {string} suit
 */
const isRed = (suit) => suit === "h" || suit === "d";

/**
 * Cards in the order of a hand: by suits, of two colors in turn, and ranks; `isLow`: the ace is the lowest.
 * @param {string[]} cards
 * @param {boolean} isLow
 */
export function sorted(cards, isLow) {
  /** @param {string} card */
  const value = ([rank, suit]) => 20 * ORDER.suits.indexOf(suit) + (rank === "A" && !isLow ? 13 : ORDER.ranks.indexOf(rank));
  return [...cards].sort((one, other) => value(one) - value(other));
}

/**
 * A card in a few signs: `10♥`.
 * @param {string} card
 */
export const signOf = ([rank, suit]) => `${rank === "T" ? "10" : rank}${SIGNS[suit]}`;

/**
 * A card in words.
 * @param {string} card
 */
export const nameOf = ([rank, suit]) => say("card", { rank: say(`ranks.${rank}`), suit: say(`suits.${suit}`) });

/**
 * A suit as a drawing.
 * @param {string} suit
 * @param {object} [box]
 */
export function drawSuit(suit, box = {}) {
  return draw(
    "svg",
    { class: `suit${isRed(suit) ? " red" : ""}`, viewBox: "0 0 24 24", "aria-hidden": "true", ...box },
    draw("path", { d: SUITS[suit] }),
  );
}

/**
 * A card, or its back where there is none.
 * @param {string | null} card
 * @param {object} [box]
 */
export function drawCard(card, box = {}) {
  const [rank, suit] = card ?? "";
  const paper = draw("rect", { class: "paper", x: 1, y: 1, width: 58, height: 82, rx: 7 });
  const face = card
    ? [
        draw("text", { class: "rank", x: 16, y: 27 }, rank === "T" ? "10" : rank),
        draw("path", { class: "pip", d: SUITS[suit], transform: "translate(6 31) scale(.85)" }),
        draw("path", { class: "pip", d: SUITS[suit], transform: "translate(23 44) scale(1.4)" }),
      ]
    : [
        draw("rect", { class: "back", x: 6, y: 6, width: 48, height: 72, rx: 4 }),
        draw("path", { class: "lattice", d: "M6 30 30 6M6 54 54 6M6 78 54 30M30 78 54 54M6 54 30 78M6 30 54 78M6 6 54 54M30 6 54 30" }),
      ];
  return draw(
    "svg",
    { class: `spiel-card${isRed(suit) ? " red" : ""}`, viewBox: "0 0 60 84", "aria-hidden": "true", ...box },
    paper,
    ...face,
  );
}

/**
 * Cards in a row, which a screen reader reads as words; a number is so many backs.
 * @param {string[] | number} cards
 * @param {string} [kind]
 * @param {string} [label]
 */
export function showCards(cards, kind = "", label = "") {
  const isCount = typeof cards === "number";
  const faces = isCount ? Array.from({ length: cards }, () => null) : cards;
  const words = isCount ? say("backs", { count: cards }) : cards.map(nameOf).join(", ");
  const told = make("span", { class: "visually-hidden" }, label ? `${label}: ${words}` : words);
  const element = make("span", { class: `spiel-cards ${kind}` }, told, ...faces.map((card) => drawCard(card)));
  element.style.setProperty("--count", faces.length);
  return element;
}

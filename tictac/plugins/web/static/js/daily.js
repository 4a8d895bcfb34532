// The puzzle of the day: fetched when it is opened.

import { PuzzleView } from "./puzzle.js";
import { makeCards } from "./streak.js";

export const cardsOf = makeCards;
export const VIEWS = { puzzle: PuzzleView };

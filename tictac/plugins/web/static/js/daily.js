// The puzzle of the day: fetched when it is opened.

import { PuzzleView } from "./puzzle.js";

export const VIEWS = { puzzle: PuzzleView };

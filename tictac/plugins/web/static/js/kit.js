// What the page has for the modules of games, which get it by ../game/page.js.

import { Board } from "./board.js";
import { announce, draw, make, markField, write } from "./dom.js";
import { Walk } from "./grid.js";
import { faceNamed } from "./names.js";
import { choose, chosen } from "./settings.js";
import { speaker, translate } from "./texts.js";

/** Offer it to modules of games, each of which has texts of its own. */
export function offerKit() {
  globalThis.tictac = (texts) => {
    return { Board, Walk, announce, choose, chosen, draw, faceNamed, make, markField, say: speaker(texts), translate, write };
  };
}

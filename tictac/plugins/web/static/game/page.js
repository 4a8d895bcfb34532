// What the modules of a game import of the page (docs/tutorials/a-board-of-your-own.md). The server puts it into the
// folder of each game, with `texts` in front, those of the game, and `parts`, what Kind.parts gives.

export const { Board, Walk, announce, choose, chosen, draw, faceNamed, make, markField, say, translate, write } = globalThis.tictac(texts);

// What the page knows of games: how a position, which comes as text, is drawn on the general board.
// A game that has no grid here is shown as text, with its moves as buttons. No document, no socket.

const slashed = (position) => position.split(" ")[0].split("/");

const TOKENS = ["Scarlet", "Mustard", "White", "Green", "Peacock", "Plum"];

/** Cards of Clue as words; a dash stays one. */
const named = (cards = "-") => cards.split(",").map((card) => TOKENS[card] ?? card).join(", ");

/**
 * By the game's name. A grid has `marks`, those of the seats: the `sign` that stands for it in a
 * position, the `name` that it is called by, the `look` that it has. `rows` cuts a position into
 * rows of signs, from the top; `move` is the move that a cell (from 0) stands for; `below` what a
 * button below a column does: a `move`, and its `name`. `dots` shows where a move leads. `say` is a
 * move in words, `text` a position, where their own texts wouldn't do.
 */
const GAMES = {
  tictactoe: {
    marks: [
      { sign: "1", name: "X", look: "x" },
      { sign: "2", name: "O", look: "o" },
    ],
    rows: (position, { columns }) => position.match(new RegExp(`.{${columns}}`, "g")),
    move: (column, row) => `${column}:${row}`,
    say: (move) => {
      const [column, row] = move.split(":").map(Number);
      return `row ${row + 1}, column ${column + 1}`;
    },
  },
  connectfour: {
    marks: [
      { sign: "R", name: "red", look: "red" },
      { sign: "Y", name: "yellow", look: "yellow" },
    ],
    rows: slashed,
    move: (column) => `${column + 1}`,
    say: (move) => (move.startsWith("pop") ? `a pop from column ${move.slice(4)}` : `column ${move}`),
    below: (column, { pops }) =>
      pops && { move: `pop ${column + 1}`, name: `Pop column ${column + 1}` },
    dots: true,
  },
  reversi: {
    marks: [
      { sign: "X", name: "black", look: "black" },
      { sign: "O", name: "white", look: "white" },
    ],
    rows: slashed,
    move: (column, row) => `${String.fromCharCode(97 + column)}${row + 1}`,
    dots: true,
  },
  nim: {
    text: (position) => position.split(":")[1].replaceAll(",", ", ") || "Nothing is left.",
    say: (move) => {
      const [at, amount] = move.split(":").map(Number);
      return `${amount} from number ${at + 1}`;
    },
  },
  clue: {
    text: (position) => {
      const [places, mover, asked, steps, suggestion, , cards, envelope] = position.split(" ");
      const [who, asks, shower, card] = suggestion.split(":");
      const at = places.split("/").map((place, n) => `${TOKENS[n]} ${place.replace(/,[SV]$/, "")}`);
      const says = `${TOKENS[who]} suggests ${named(asks)}, shown by ${named(shower)}: ${named(card)}`;
      return [
        at.join("; "),
        suggestion !== "-" && says,
        `${TOKENS[mover]}: ${asked}${asked === "move" ? ` ${steps}` : ""}`,
        cards !== "-" && `your cards: ${named(cards)}`,
        envelope !== "-" && `in the envelope: ${named(envelope)}`,
      ].filter(Boolean).join(". ");
    },
  },
};

/** A move as words. */
export function sayMove(game, move) {
  return GAMES[game]?.say?.(move) ?? move;
}

/** A position as words. */
export function sayPosition(game, position) {
  return GAMES[game]?.text?.(position) ?? position;
}

/** The mark of a seat, if it has one. */
export function markOf(game, seat) {
  return GAMES[game]?.marks?.[seat];
}

/**
 * A table's position as the general board shows it: `cells`, row by row, each with its `move`, its
 * `mark` (null: it is empty), `pending`, the mark that it will have, and whether it is that of the
 * `last` move, or one that I `can` play to. Null where the game has no such board.
 */
export function readGrid({ game, options, position, can, last, pending, seat }) {
  const grid = GAMES[game];
  if (!grid?.rows || !position) return null;
  const cells = grid.rows(position, options).map((signs, row) =>
    [...signs].map((sign, column) => ({
      move: grid.move(column, row),
      mark: grid.marks.find((mark) => mark.sign === sign) ?? null,
    })),
  );
  const all = cells.flat();
  // In a column that pieces fall into, several cells stand for a move: it ends in the lowest that
  // is empty, and has ended in the highest that isn't.
  const marked = all.find((cell) => cell.mark && cell.move === last);
  if (marked) marked.last = true;
  const free = new Map(all.filter((cell) => !cell.mark).map((cell) => [cell.move, cell]));
  for (const move of can) if (free.has(move)) free.get(move).can = true;
  if (free.has(pending)) free.get(pending).pending = grid.marks[seat];
  const below = cells[0].map((_, column) => grid.below?.(column, options)).filter(Boolean);
  return { cells, below, dots: Boolean(grid.dots) };
}

// What the page knows of games: how a position, which comes as text, is drawn on a board, and what a
// move is called. It knows no rules. No document, no socket.

import { hasText, say, sayNumber } from "./texts.js";

/** @param {string} position */
const slashed = (position) => position.split(" ")[0].split("/");
/** @param {number} column */
export const letter = (column) => String.fromCharCode(97 + column);
/**
 * @param {number} column
 * @param {number} row
 */
const rowAndColumn = (column, row) => say("board.rowAndColumn", { row: row + 1, column: column + 1 });

/**
 * The games with a grid, by name. One has `marks`, those of the seats: the `sign` that stands for
 * it in a position, the `name` that it is called by, the `look` that it has. `rows` cuts a position
 * into rows of signs, from the top; `move` is the move that a cell (from 0) stands for, `cell` what
 * the cell is called; `below` what a button below a column does: a `move`, and its `name`. `dots`
 * shows where a move leads, `heads` numbers the columns; so many in a row win (`strike`), with a
 * `line` drawn through them. The `ground` is "slate" if nothing else is said; `stars` labels the rim and marks four
 * points; `counts` shows how many marks each seat has. `say` is a move in words, where its own text wouldn't do. `keys` says what the keyboard does,
 * `keysBelow` what it does with the buttons below.
 * @type {Record<string, Grid>}
 */
export const GRIDS = {
  tictactoe: {
    marks: [
      { sign: "1", name: say("games.tictactoe.x"), look: "x" },
      { sign: "2", name: say("games.tictactoe.o"), look: "o" },
    ],
    /**
     * @param {string} position
     * @param {{ columns: number }} told
     */
    rows: (position, { columns }) => /** @type {string[]} */ (position.match(new RegExp(`.{${columns}}`, "g"))),
    /**
     * @param {number} column
     * @param {number} row
     */
    move: (column, row) => `${column}:${row}`,
    cell: rowAndColumn,
    /** @param {string} move */
    say: (move) => rowAndColumn(.../** @type {[number, number]} */ (move.split(":").map(Number))),
    strike: ({ strike }) => strike,
    line: true,
    keys: say("games.tictactoe.keys"),
  },
  connectfour: {
    marks: [
      { sign: "R", name: say("games.connectfour.red"), look: "red" },
      { sign: "Y", name: say("games.connectfour.yellow"), look: "yellow" },
    ],
    rows: slashed,
    /** @param {number} column */
    move: (column) => `${column + 1}`,
    cell: rowAndColumn,
    /** @param {string} move */
    say: (move) =>
      move.startsWith("pop") ? say("games.connectfour.pop", { column: move.slice(4) }) : say("games.connectfour.drop", { column: move }),
    below: (column, { pops }) => pops && { move: `pop ${column + 1}`, name: say("games.connectfour.popColumn", { column: column + 1 }) },
    ground: "rack",
    sound: "drop",
    dots: true,
    heads: true,
    strike: () => 4,
    line: true,
    keys: say("games.connectfour.keys"),
    keysBelow: say("games.connectfour.keysBelow"),
  },
  reversi: {
    marks: [
      { sign: "X", name: say("games.reversi.black"), look: "black" },
      { sign: "O", name: say("games.reversi.white"), look: "white" },
    ],
    rows: slashed,
    /**
     * @param {number} column
     * @param {number} row
     */
    move: (column, row) => `${letter(column)}${row + 1}`,
    /**
     * @param {number} column
     * @param {number} row
     */
    cell: (column, row) => `${letter(column)}${row + 1}`,
    ground: "felt",
    sound: "turn",
    stars: true,
    counts: true,
    dots: true,
    keys: say("games.reversi.keys"),
  },
};

/**
 * What games bring along that have modules of their own (faces.js), by name: each is such a module's class.
 * @type {Map<string, OwnBoard>}
 */
export const OWN = new Map();

/**
 * A move as words; `before` is the position that it was made in, if that was seen, and `told` what happened up to it.
 * @param {string} game
 * @param {string} move
 * @param {string | null} [before]
 * @param {Pick<Table, "record" | "options" | "position">} [told]
 * @returns {string}
 */
export function sayMove(game, move, before = null, told) {
  return ask(game, "say", move, before, told) ?? move;
}

/**
 * What the last move of a table did, in sentences, where a game tells that; "": nothing that is to be said.
 * @param {Table} table
 * @returns {string | undefined}
 */
export function tellMove(table) {
  const { game, seat, players, record, position, robots } = table;
  return ask(game, "tell", { seat, players, record, position, robots, names: players.map((_, at) => table.nameOf(at)) });
}

/**
 * Why a match has ended that was played to the end, as a sentence, where the game itself tells that.
 * @param {Table} table
 * @returns {string | undefined}
 */
export function sayWhy({ game, position }) {
  return position ? ask(game, "why", position) : "";
}

/**
 * The seats that share first place at the end, where the game itself tells that.
 * @param {{ game: string, position?: string | null }} table
 * @returns {number[]}
 */
export function firstOf({ game, position }) {
  return (position && ask(game, "first", position)) || [];
}

/**
 * A word before the line of the turn, such as "Check!", where a game has one.
 * @param {Table} table
 * @returns {string | undefined}
 */
export function sayWarning({ game, position }) {
  return position ? ask(game, "warn", position) : "";
}

/**
 * Let moves have the position `before` them, also those that were made before it was seen, where a game can tell.
 * @param {string} game
 * @param {{ move: string, before?: string | null, undone?: boolean }[]} made
 */
export function fillPositions(game, made) {
  if (made.every(({ before }) => before)) return;
  const line = made.filter(({ undone }) => !undone);
  const known =
    ask(
      game,
      "positions",
      line.map(({ move }) => move),
    ) ?? [];
  for (const [at, each] of line.entries()) each.before ??= known[at];
}

/**
 * The mark of a seat, if it has one.
 * @param {string} game
 * @param {number} seat
 */
export function markOf(game, seat) {
  return (OWN.get(game) ?? GRIDS[game])?.marks?.[seat];
}

/**
 * How many marks each seat has on the board; null in games where that says nothing.
 * @param {{ game: string, position: string, options: any }} table
 */
export function countMarks({ game, position, options }) {
  const grid = GRIDS[game];
  if (!grid?.counts || !position) return null;
  const signs = grid.rows(position, options).join("");
  return grid.marks.map(({ sign }) => signs.split(sign).length - 1);
}

/**
 * A small picture of a position by the game's own modules; null without them.
 * @param {string} game
 * @param {string} position
 */
export function drawOwn(game, position) {
  return (OWN.has(game) && ask(game, "mini", position)) || null;
}

/**
 * What a seat has beside the board, such as pieces that it has taken: an element, or nothing.
 * @param {Standing | Table} table
 * @param {number} seat
 */
export function besideOf({ game, position }, seat) {
  return (position && ask(game, "beside", position, seat)) || "";
}

/**
 * How a game with its own modules is explained: `steps`, each a `position`, `title` and `text`, and `tips`.
 * @param {string} game
 */
export function guideOf(game) {
  return { steps: [], tips: [], ...OWN.get(game)?.guide };
}

/**
 * What a move sounds like (alerts.js).
 * @param {string} game
 */
export function soundOf(game) {
  return (OWN.get(game) ?? GRIDS[game])?.sound ?? "place";
}

/**
 * How many marks in a row win; 0 where rows don't.
 * @param {{ game: string, options: any }} table
 */
export function strikeOf({ game, options }) {
  return GRIDS[game]?.strike?.(options) ?? 0;
}

/**
 * How to win, for people: with the number of marks, where a game says that.
 * @param {Table | { game: string, goal: string, options: Wire.Options }} table
 * @returns {string}
 */
export function goalOf({ game, goal, options }) {
  const key = `games.${game}.goal`;
  return hasText(key) ? say(key, { count: sayNumber(strikeOf({ game, options })) }) : goal;
}

/**
 * Whether a seat has no turns any more, while the others play on.
 * @param {Standing | Table} table
 * @param {number} seat
 */
export function isOut({ game, position }, seat) {
  return Boolean(ask(game, "out", position)?.includes(seat));
}

/**
 * Whether what shows a game tells all that has happened (`panels`).
 * @param {string} game
 */
export function hasHistory(game) {
  return Boolean(OWN.get(game)?.hasHistory);
}

/**
 * Whether no match of a game can end in a draw.
 * @param {string} game
 */
export function isNeverDrawn(game) {
  return Boolean(OWN.get(game)?.isNeverDrawn);
}

/**
 * Whether the seats of a game don't see the same.
 * @param {string} game
 */
export function hasSecrets(game) {
  return Boolean(OWN.get(game)?.hasSecrets);
}

/**
 * What a game says of something; nothing, if its own modules fail.
 * @param {string} game
 * @param {string} what
 * @param {...unknown} given
 * @returns {any}
 */
function ask(game, what, ...given) {
  try {
    return /** @type {any} */ (OWN.get(game) ?? GRIDS[game])?.[what]?.(...given);
  } catch (error) {
    console.error(`${game} can't say ${given}:`, error);
  }
}

/**
 * A table's position as the board of a `grid` shows it: `cells`, row by row, each with its `move`, its `name`, its
 * `mark` (null: it is empty), `pending`, the mark that it will have, and whether it is that of the
 * `last` move, in a row that has `won`, one that I `can` play to, or where the `best` move led. `lines` are rows
 * that have won: the column and row of both ends.
 * @param {Grid} grid
 * @param {Standing} table
 */
export function readGrid(grid, { options, position, can, last, pending, seat, result, best }) {
  /** @type {Cell[][]} */
  const cells = grid
    .rows(position, options)
    .map((signs, row) =>
      [...signs].map((sign, column) => ({
        move: grid.move(column, row),
        name: grid.cell(column, row),
        mark: grid.marks.find((mark) => mark.sign === sign) ?? null,
      })),
    );
  const all = cells.flat();
  // In a column that pieces fall into, several cells stand for a move: it ends in the lowest that
  // is empty, and has ended in the highest that isn't.
  const marked = all.find((cell) => cell.mark && cell.move === last);
  if (marked) marked.last = true;
  /** @type {Map<string | null, Cell>} */
  const free = new Map(all.filter((cell) => !cell.mark).map((cell) => [cell.move, cell]));
  for (const move of can) if (free.has(move)) /** @type {Cell} */ (free.get(move)).can = true;
  if (free.has(best)) /** @type {Cell} */ (free.get(best)).best = true;
  if (free.has(pending)) /** @type {Cell} */ (free.get(pending)).pending = grid.marks[/** @type {number} */ (seat)];
  /** @type {any[]} */
  const below = cells[0].map((_, column) => grid.below?.(column, options)).filter(Boolean);
  const strike = result?.how === "won" && grid.strike;
  const lines = strike ? findLines(cells, grid.marks[result.winner], strike(options)) : [];
  const { dots = false, heads = false, line = false } = grid;
  return { cells, below, lines: line ? lines : [], dots, heads };
}

/**
 * The longest rows of at least `length` of a mark; their cells are marked as `won`.
 * @param {Cell[][]} cells
 * @param {Mark} mark
 * @param {number} length
 */
function findLines(cells, mark, length) {
  /** @type {Line[]} */
  const lines = [];
  /**
   * @param {number} column
   * @param {number} row
   */
  const has = (column, row) => cells[row]?.[column]?.mark === mark;
  for (const [row, line] of cells.entries()) {
    for (const column of line.keys()) {
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
        [1, 1],
        [-1, 1],
      ]) {
        if (has(column - dx, row - dy)) continue; // it has begun before
        let size = 0;
        while (has(column + size * dx, row + size * dy)) size++;
        if (size < length) continue;
        const [x, y] = [column + (size - 1) * dx, row + (size - 1) * dy];
        for (let at = 0; at < size; at++) cells[row + at * dy][column + at * dx].won = true;
        lines.push([column, row, x, y]);
      }
    }
  }
  return lines;
}

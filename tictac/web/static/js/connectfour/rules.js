// Connect Four with Pop Out (docs/connect-four.md): who may move how, and when it is over.
// No document, no socket. tests/web/test_rules.py compares it with the server's rules.

const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

/** The opponent of a side. */
export const other = (side) => (side === "R" ? "Y" : "R");

/**
 * A board of `columns` x `rows` as it is. `stacks` are its columns from the left, each a list
 * of sides (R, Y) from the bottom; columns are numbered from 1. `outcome` is null, or has the
 * `winner`: a side, or null for a draw.
 */
export class Position {
  toMove = "R";
  outcome = null;
  #seen = new Map();

  constructor(columns = 7, rows = 6) {
    this.columns = columns;
    this.rows = rows;
    this.stacks = Array.from({ length: columns }, () => []);
    this.#count();
  }

  /** Whether the side to move may do that. `kind` is DROP or POP. */
  can(kind, column) {
    const stack = this.stacks[column - 1];
    if (!stack || this.outcome) return false;
    return kind === "DROP" ? stack.length < this.rows : stack[0] === this.toMove;
  }

  /** Make a move that can be made. */
  play(kind, column) {
    const stack = this.stacks[column - 1];
    if (kind === "DROP") stack.push(this.toMove);
    else stack.shift();
    this.toMove = other(this.toMove);
    this.outcome = this.#judge(this.#count());
  }

  /** The cells of a side that are in a line of four, each as [column from 0, row from below]. */
  fours(side) {
    const found = new Map();
    for (const [column, row, dx, dy] of this.#starts()) {
      const cells = [0, 1, 2, 3].map((step) => [column + step * dx, row + step * dy]);
      if (!cells.every(([x, y]) => this.stacks[x]?.[y] === side)) continue;
      for (const cell of cells) found.set(cell.join(), cell);
    }
    return [...found.values()];
  }

  *#starts() {
    for (const [column, stack] of this.stacks.entries()) {
      for (const row of stack.keys()) {
        for (const [dx, dy] of DIRECTIONS) yield [column, row, dx, dy];
      }
    }
  }

  /** How often it was like this, with this side to move. */
  #count() {
    const key = `${this.toMove}${this.stacks.map((stack) => stack.join("")).join()}`;
    const times = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, times);
    return times;
  }

  #judge(times) {
    // Of two fours that one pop has made, that of whoever popped counts.
    for (const side of [other(this.toMove), this.toMove]) {
      if (this.fours(side).length) return { winner: side };
    }
    return times >= 3 || !this.#canMove() ? { winner: null } : null;
  }

  #canMove() {
    return this.stacks.some((stack) => stack.length < this.rows || stack[0] === this.toMove);
  }
}

import { Board, say } from "./page.js";

const CROSS = { sign: "X", name: say("cross"), look: "x" };
const GRID = {
  marks: [CROSS, CROSS],
  rows: (position) => [position.split(" ")[0]],
  move: (column) => String(column + 1),
  cell: (column) => say("cell", { number: column + 1 }),
  strike: () => 3,
  line: true,
  keys: say("keys"),
};

export default class extends Board {
  static marks = GRID.marks;

  static say(move) {
    return say("cell", { number: move });
  }

  constructor(choose) {
    super(choose, GRID);
  }
}

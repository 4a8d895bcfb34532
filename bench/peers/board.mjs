// Tic-tac-toe for the servers of bench.peers: whose turn it is, and which cells are free.

const boards = new Map();

export function sit(room) {
  if (!boards.has(room)) boards.set(room, { cells: Array(9).fill("0"), turn: 0, made: 0, seats: 0 });
  return boards.get(room).seats++;
}

// Returns what both players hear. The ninth move ends the match, and the next one begins.
export function play(room, seat, move) {
  const board = boards.get(room);
  const cell = Number(move[0]) + 3 * Number(move[2]);
  if (board.turn !== seat || board.cells[cell] !== "0") return { error: "illegal-move" };
  board.cells[cell] = String(seat + 1);
  board.turn = 1 - seat;
  board.made += 1;
  const said = { seat, move, position: board.cells.join(""), turn: board.turn, over: board.made === 9 };
  if (said.over) Object.assign(board, { cells: Array(9).fill("0"), turn: 0, made: 0 });
  return said;
}

// Moves of chess as people write them (FIDE Laws, appendix C): Nf3, exd5, O-O, e8=Q+, N@f7#. Positions are FEN, moves are
// those of UCI. For that, the rules of chess are here, as far as they decide which piece is meant, and whether it is mate.

export const STRAIGHT = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];
export const ASLANT = [
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
];
export const JUMPS = [
  [1, 2],
  [2, 1],
  [2, -1],
  [1, -2],
  [-1, -2],
  [-2, -1],
  [-2, 1],
  [-1, 2],
];
/** @type {Record<string, number[][]>} */
const WAYS = { n: JUMPS, b: ASLANT, r: STRAIGHT, q: [...STRAIGHT, ...ASLANT], k: [...STRAIGHT, ...ASLANT] };
const FAR = "brq";

/**
 * Letters of OpenSpiel for pieces of crazyhouse that were pawns.
 * @type {Record<string, string>}
 */
const PROMOTED = { A: "B", C: "R", E: "Q", H: "N", a: "b", c: "r", e: "q", h: "n" };

/**
 * @param {number} x
 * @param {number} y
 */
const nameOf = (x, y) => `${"abcdefgh"[x]}${8 - y}`;
/**
 * @param {string} name
 * @returns {Spiel.At}
 */
const placeOf = (name) => ["abcdefgh".indexOf(name[0]), 8 - Number(name[1])];
/** @param {string} piece */
const isWhite = (piece) => piece !== piece.toLowerCase();

/** @param {string} fen */
function readFen(fen) {
  const [area, side, castling = "-", passed = "-"] = fen.split(" ");
  const [rows, held = ""] = area.split("[");
  const board = rows
    .replaceAll("~", "")
    .split("/")
    .map((row) => [...row.replaceAll(/\d/g, (count) => ".".repeat(Number(count)))].map((sign) => PROMOTED[sign] ?? sign));
  return { board, side, castling, passed, held: held.replace("]", "") };
}

/**
 * Every square from which a piece at a place reaches it, as one of that kind and color would, pawns by their takes.
 * @param {Spiel.Squares} board
 * @param {number} x
 * @param {number} y
 * @param {string} piece
 * @returns {Generator<Spiel.At>}
 */
function* reachedFrom(board, x, y, piece) {
  const kind = piece.toLowerCase();
  if (kind === "p") {
    const down = isWhite(piece) ? -1 : 1;
    for (const dx of [-1, 1]) if (board[y + down]?.[x + dx]) yield [x + dx, y + down];
    return;
  }
  for (const [dx, dy] of WAYS[kind] ?? []) {
    for (let [tx, ty] = [x + dx, y + dy]; board[ty]?.[tx]; tx += dx, ty += dy) {
      yield [tx, ty];
      if (board[ty][tx] !== "." || !FAR.includes(kind)) break;
    }
  }
}

/**
 * @param {Spiel.Squares} board
 * @param {boolean} white
 * @returns {Generator<[number, number, string]>}
 */
function* piecesOf(board, white) {
  for (const [y, row] of board.entries()) {
    for (const [x, piece] of row.entries()) if (piece !== "." && isWhite(piece) === white) yield [x, y, piece];
  }
}

/**
 * Whether a side attacks a square.
 * @param {Spiel.Squares} board
 * @param {boolean} white
 * @param {number} x
 * @param {number} y
 */
function attacks(board, white, x, y) {
  for (const [px, py, piece] of piecesOf(board, white)) {
    for (const [tx, ty] of reachedFrom(board, px, py, piece)) if (tx === x && ty === y) return true;
  }
  return false;
}

/**
 * Where a side's king stands, if it is attacked; null: it isn't.
 * @param {Spiel.Squares} board
 * @param {boolean} white
 * @returns {Spiel.At | null}
 */
function checkOf(board, white) {
  for (const [x, y, piece] of piecesOf(board, white)) {
    if (piece.toLowerCase() === "k") return attacks(board, !white, x, y) ? [x, y] : null;
  }
  return null;
}

/**
 * The board after a move that is no drop.
 * @param {Spiel.State} state
 * @param {string} move
 */
function make({ board, passed }, move) {
  const after = board.map((row) => [...row]);
  const [tx, ty] = placeOf(move.slice(2));
  /**
   * @param {string} piece
   * @param {string} as
   */
  const alike = (piece, as) => (isWhite(piece) ? as.toUpperCase() : as);
  const [fx, fy] = placeOf(move);
  const piece = board[fy][fx];
  after[fy][fx] = ".";
  after[ty][tx] = move[4] ? alike(piece, move[4]) : piece;
  if (piece.toLowerCase() === "p" && fx !== tx && board[ty][tx] === "." && nameOf(tx, ty) === passed) after[fy][tx] = ".";
  if (piece.toLowerCase() === "k" && Math.abs(tx - fx) === 2) {
    after[fy][tx > fx ? 7 : 0] = ".";
    after[fy][(fx + tx) / 2] = alike(piece, "r");
  }
  return after;
}

/**
 * Whether a side can leave a check: by a move or a drop on any square.
 * @param {Spiel.State} state
 * @param {boolean} white
 */
function canEscape(state, white) {
  const { board, held } = state;
  /** @param {Spiel.Squares} after */
  const stands = (after) => !checkOf(after, white);
  for (const [x, y, piece] of [...piecesOf(board, white)]) {
    const goals = [...reachedFrom(board, x, y, piece)].filter(([tx, ty]) => {
      const there = board[ty][tx];
      if (piece.toLowerCase() !== "p") return there === "." || isWhite(there) !== white;
      return (there !== "." && isWhite(there) !== white) || nameOf(tx, ty) === state.passed;
    });
    if (piece.toLowerCase() === "p") {
      const down = white ? -1 : 1;
      if (board[y + down]?.[x] === ".") {
        goals.push([x, y + down]);
        if (y === (white ? 6 : 1) && board[y + 2 * down][x] === ".") goals.push([x, y + 2 * down]);
      }
    }
    if (goals.some(([tx, ty]) => stands(make(state, nameOf(x, y) + nameOf(tx, ty))))) return true;
  }
  for (const sign of new Set(held)) {
    if (isWhite(sign) !== white) continue;
    for (const [y, row] of board.entries()) {
      if (sign.toLowerCase() === "p" && (y === 0 || y === 7)) continue;
      for (const [x, there] of row.entries()) {
        if (there !== ".") continue;
        const after = board.map((each) => [...each]);
        after[y][x] = sign;
        if (stands(after)) return true;
      }
    }
  }
  return false;
}

/**
 * The positions before each of these moves from the first one, as far as moves are written by them.
 * @param {string[]} moves
 */
export function positionsOf(moves) {
  /** @type {Spiel.State} */
  let state = readFen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
  return moves.map((move, number) => {
    const side = "wb"[number % 2];
    const before = `${state.board.map((row) => row.join("")).join("/")}[${state.held}] ${side} - ${state.passed}`;
    state = follow(state, move, side === "w");
    return before;
  });
}

/**
 * What a position becomes by a move, of whichever side; pieces in hand are those of crazyhouse.
 * @param {Spiel.State} state
 * @param {string} move
 * @param {boolean} white
 */
function follow(state, move, white) {
  const [x, y] = placeOf(move.slice(2));
  if (move[1] === "@") {
    const board = state.board.map((row) => [...row]);
    board[y][x] = white ? move[0] : move[0].toLowerCase();
    return { board, held: state.held.replace(board[y][x], ""), passed: "-" };
  }
  const [fx, fy] = placeOf(move);
  const [piece, taken] = [state.board[fy][fx], state.board[y][x]];
  const isDouble = piece.toLowerCase() === "p" && Math.abs(y - fy) === 2;
  const won = taken === "." ? "" : white ? taken.toUpperCase() : taken.toLowerCase();
  return { board: make(state, move), held: state.held + won, passed: isDouble ? nameOf(fx, (fy + y) / 2) : "-" };
}

/**
 * A move that was made in a position; `hasKings`: the king can be in check, which antichess doesn't know.
 * @param {string} fen
 * @param {string} move
 * @param {boolean} [hasKings]
 */
export function sayMove(fen, move, hasKings = true) {
  const state = readFen(fen);
  const { board, side } = state;
  const white = side === "w";
  const to = move.slice(2, 4);
  let said;
  let after;
  let passed = "-";
  if (move[1] === "@") {
    said = `${move[0] === "P" ? "" : move[0]}@${to}`;
    after = board.map((row) => [...row]);
    const [x, y] = placeOf(to);
    after[y][x] = white ? move[0] : move[0].toLowerCase();
  } else {
    const [[fx, fy], [tx, ty]] = [placeOf(move), placeOf(to)];
    const piece = board[fy]?.[fx];
    if (!piece || piece === ".") return move;
    after = make(state, move);
    const kind = piece.toUpperCase();
    const takes = board[ty][tx] !== "." || (kind === "P" && fx !== tx) ? "x" : "";
    if (kind === "P" && Math.abs(ty - fy) === 2) passed = nameOf(fx, (fy + ty) / 2);
    if (kind === "K" && Math.abs(tx - fx) === 2) said = tx > fx ? "O-O" : "O-O-O";
    else if (kind === "P") said = `${takes && move[0]}${takes}${to}${move[4] ? `=${move[4].toUpperCase()}` : ""}`;
    else {
      const like = [...piecesOf(board, white)].filter(
        ([x, y, other]) =>
          other === piece &&
          (x !== fx || y !== fy) &&
          [...reachedFrom(board, x, y, other)].some(([gx, gy]) => gx === tx && gy === ty) &&
          !(hasKings && checkOf(make(state, nameOf(x, y) + to), white)),
      );
      const [sameFile, sameRank] = [like.some(([x]) => x === fx), like.some(([, y]) => y === fy)];
      const which = !like.length ? "" : !sameFile ? move[0] : sameRank ? move.slice(0, 2) : move[1];
      said = `${kind}${which}${takes}${to}`;
    }
  }
  if (!hasKings || !checkOf(after, !white)) return said;
  return said + (canEscape({ ...state, board: after, passed }, !white) ? "+" : "#");
}

/**
 * The square of a king in check whose side is to move, or "".
 * @param {string} fen
 */
export function findCheck(fen) {
  const { board, side } = readFen(fen);
  if (side === "-")
    return (
      [true, false]
        .map((white) => checkOf(board, white))
        .filter((at) => at !== null)
        .map((at) => nameOf(...at))[0] ?? ""
    );
  const at = checkOf(board, side === "w");
  return at ? nameOf(...at) : "";
}

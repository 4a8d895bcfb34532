"""Evaluations of tic-tac-toe moves: exact on 3x3, by a short search on larger boards."""

from __future__ import annotations

from tictac.game import ShouldStop
from tictac.games.tictactoe.opponent import SEARCHED_CELLS, promises, value
from tictac.games.tictactoe.rules import EMPTY, Board, Mark, Rules, lines, other

AHEAD, BROAD = 2, 6
"""The depth of the search, not counting moves that stop a win, and the moves tried at each step."""

UNSEEN = 0.001
"""The least score of a side for which there can be other moves."""


def weigh(
    rules: Rules, board: Board, cell: int, stop: ShouldStop
) -> tuple[int, float, float, bool]:
    """Return the best cell, its score, the score of ``cell``, and whether that is an estimate."""
    worth = {}
    if len(board) <= SEARCHED_CELLS:
        for each in rules.legal_moves(board):
            sure = -value(rules, rules.play(board, each))
            worth[each] = (1 + (sure > 0) - (sure < 0)) / 2 + sure * 1e-9  # sooner is better
    else:
        mover = rules.to_move(board)
        scores = promises(rules, board, mover)
        for each in {*_promising(board, scores)[:BROAD], cell}:
            wins = scores[each] >= 100**rules.strike
            after = board[:each] + mover + board[each + 1 :]
            worth[each] = 1.0 if wins else 1 - _look(rules, after, other(mover), AHEAD - 1, stop)
    best = max(sorted(worth), key=lambda each: (worth[each], each == cell))
    guessed = len(board) > SEARCHED_CELLS and 0 < worth[cell] < 1
    return best, max(0.0, round(worth[best], 3)), max(0.0, round(worth[cell], 3)), guessed


def _look(rules: Rules, board: Board, mover: Mark, depth: int, stop: ShouldStop) -> float:
    """Return the score that ``mover``, the side to move, can expect while neither side has won."""
    scores = promises(rules, board, mover)
    cells = _promising(board, scores)
    if not cells:
        return 0.5
    if scores[cells[0]] >= 100**rules.strike:
        return 1.0
    threats = [cell for cell in cells[: BROAD + 1] if scores[cell] >= 100 ** (rules.strike - 1)]
    if len(threats) > 1:
        return 0.0
    if (depth <= 0 and not threats) or stop():
        return _guess(rules, board, mover)
    best = 0.0
    for cell in threats or cells[:BROAD]:
        after = board[:cell] + mover + board[cell + 1 :]
        ahead = depth if threats else depth - 1
        best = max(best, 1 - _look(rules, after, other(mover), ahead, stop))
        if best == 1:
            break
    # If the search skipped replies, it found no loss.
    return best if threats or len(cells) <= BROAD else max(best, UNSEEN)


def _promising(board: Board, scores: list[int]) -> list[int]:
    """Return the free cells, the most promising first."""
    free = [cell for cell, mark in enumerate(board) if mark == EMPTY]
    return sorted(free, key=lambda cell: -scores[cell])


def _guess(rules: Rules, board: Board, mover: Mark) -> float:
    """Return the share of ``mover`` in the lines that only one side can still complete."""
    own = theirs = 1.0
    for line in lines(rules.rows, rules.cols, rules.strike):
        marks = board[line[0] : line[-1] + 1 : line[1] - line[0]]
        mine, others = marks.count(mover), marks.count(other(mover))
        if not others:
            own += 4**mine
        if not mine:
            theirs += 4**others
    return own / (own + theirs)

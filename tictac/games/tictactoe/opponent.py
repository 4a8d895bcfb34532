"""A tic-tac-toe player: perfect on 3x3, sensible on larger boards.

The caller passes the random numbers. The first choice on a 3x3 board searches the whole game, which
takes some tens of milliseconds. After that, :func:`choose` is a look-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from tictac.errors import IllegalMove
from tictac.games.tictactoe.rules import EMPTY, Board, Mark, Rules, lines, other

# Cells up to which the whole game is searched: 9 cells are 5,478 positions, 12 would be
# a million.
SEARCHED_CELLS = 9


def choose(rules: Rules, board: Board, rng: Random | None = None) -> int:
    """Return a cell for the side to move.

    On 3x3, the computer keeps the value of the position, wins as soon as possible, and loses as
    late as possible. On larger boards it wins if it can. Otherwise it stops a win, or takes the
    cell that helps its own lines and hurts the other side's most. ``rng`` picks among equal cells;
    without ``rng`` the lowest one is taken. Raises :class:`~tictac.errors.IllegalMove` if there is
    no move.
    """
    cells = best_cells(rules, board)
    if not cells:
        raise IllegalMove("the match is over: there is no move to choose")
    return rng.choice(cells) if rng else cells[0]


def best_cells(rules: Rules, board: Board) -> list[int]:
    """Return the cells that :func:`choose` rates equally good, in order."""
    if len(board) > SEARCHED_CELLS:
        return promising_cells(rules, board)
    cells = rules.legal_moves(board)
    return _best({cell: -value(rules, rules.play(board, cell)) for cell in cells})


def promising_cells(rules: Rules, board: Board) -> list[int]:
    """Return the cells that seem best by the lines through them, in order."""
    cells = rules.legal_moves(board)
    if not cells:
        return []
    scores = promises(rules, board, rules.to_move(board))
    return _best({cell: scores[cell] for cell in cells})


def promises(rules: Rules, board: Board, mover: Mark) -> list[int]:
    """Return the value of the lines through each cell for ``mover``, if the cell is free.

    A score of ``100**strike`` or more wins. A hundredth of that, or more, stops a win.
    """
    strike = rules.strike
    scores = [0] * len(board)
    for line in lines(rules.rows, rules.cols, strike):
        marks = board[line[0] : line[-1] + 1 : line[1] - line[0]]
        promise = _line_promise(marks, mover, strike)
        if promise:
            for cell in line:
                scores[cell] += promise
    return scores


def _best(scores: dict[int, int]) -> list[int]:
    best = max(scores.values(), default=0)
    return [cell for cell, score in scores.items() if score == best]


def value(rules: Rules, board: Board) -> int:
    """Return the value of the position for the side to move: an earlier end counts more."""
    # Turned and mirrored boards are worth the same, and there are most of them early on.
    return _value(rules, min(_alike(board, rules.cols)) if board.count(EMPTY) > 4 else board)


@cache
def _value(rules: Rules, board: Board) -> int:
    outcome = rules.outcome(board)
    if outcome is not None:
        # The side to move didn't make the last move, so it can't be the winner.
        return 0 if outcome.winner is None else -1 - board.count(EMPTY)
    mark, cells = rules.to_move(board), range(len(board))
    after = (board[:c] + mark + board[c + 1 :] for c in cells if board[c] == EMPTY)
    return max(-value(rules, each) for each in after)


def _alike(board: Board, side: int) -> Iterator[Board]:
    """Iterate over the eight rotations and reflections of a square board."""
    for one in (board, "".join(board[column::side] for column in range(side))):
        flipped = "".join(one[at : at + side] for at in range(len(one) - side, -1, -side))
        yield from (one, one[::-1], flipped, flipped[::-1])


def _line_promise(marks: Board, mover: Mark, strike: int) -> int:
    """Return the value of one more mark in a line."""
    own, theirs = marks.count(mover), marks.count(other(mover))
    if own and theirs:
        return 0
    if own == strike - 1:
        # It wins: that is worth more than all that could be stopped from here.
        return int(100**strike)
    # An own line weighs a little more than the same line of the opponent's, and a longer
    # line more than all the shorter ones through one cell together.
    weight: int = 100 ** max(own, theirs)
    return 2 * weight if own else weight

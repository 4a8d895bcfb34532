"""Tic-tac-toe on every board: known games, and a second opinion on who has won."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove
from tictac.games.tictactoe.rules import DRAW, EMPTY, Board, O, Outcome, Rules, X, other


def winner_by_eye(rules: Rules, board: Board) -> set[str]:
    """Return who has ``strike`` in a row, by walking from each cell in each direction."""
    grid = [board[start : start + rules.cols] for start in range(0, len(board), rules.cols)]
    found = set()
    for row, col, (down, right) in product(
        range(rules.rows), range(rules.cols), [(0, 1), (1, 0), (1, 1), (1, -1)]
    ):
        run = ""
        while 0 <= row < rules.rows and 0 <= col < rules.cols:
            run += grid[row][col]
            row, col = row + down, col + right
        found |= {mark for mark in (X, O) if run.startswith(mark * rules.strike)}
    return found


def check_outcome(rules: Rules, board: Board) -> None:
    """Hold the rules' outcome of ``board`` against what the eye sees."""
    winners = winner_by_eye(rules, board)
    outcome = rules.outcome(board)
    if not winners:
        assert outcome == (None if EMPTY in board else DRAW)
        return
    assert outcome is not None and outcome.winner in winners
    assert len(set(outcome.line)) == rules.strike
    assert {board[cell] for cell in outcome.line} == {outcome.winner}


class EveryBoardTests(SynchronousTestCase):
    def test_the_outcome_of_every_position(self) -> None:
        for rules in (Rules(), Rules(first=O)):
            seen: set[Board] = set()
            open_positions = [rules.initial()]
            while open_positions:
                board = open_positions.pop()
                if board not in seen:
                    seen.add(board)
                    check_outcome(rules, board)
                    open_positions += [rules.play(board, cell) for cell in rules.legal_moves(board)]
            assert len(seen) == 5_478

    def test_o_can_make_the_first_mark(self) -> None:
        rules = Rules(first=O)
        assert rules.play(rules.initial(), 8) == "000000002"


def replay(rules: Rules, cells: Sequence[int]) -> Board:
    """Return the board after these moves."""
    board = rules.initial()
    for cell in cells:
        assert rules.outcome(board) is None
        board = rules.play(board, cell)
    return board


class GoldenGamesTests(SynchronousTestCase):
    def test_the_example_match_of_the_source(self) -> None:
        rules, board, seen = Rules(), Rules().initial(), []
        for column, row in [(1, 1), (0, 0), (0, 2), (1, 0), (2, 0)]:
            cell = rules.cell(column, row)
            board = rules.play(board, cell)
            seen.append(board)
        assert seen == ["000010000", "200010000", "200010100", "220010100", "221010100"]
        assert rules.outcome(board) == Outcome(X, (2, 4, 6))

    def test_each_of_the_eight_lines_wins_for_each_side(self) -> None:
        rules = Rules()
        rows = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
        columns = [(0, 3, 6), (1, 4, 7), (2, 5, 8)]
        for line, mark in product([*rows, *columns, (0, 4, 8), (2, 4, 6)], (X, O)):
            board = "".join(mark if cell in line else EMPTY for cell in range(9))
            outcome = rules.outcome(board)
            assert outcome is not None
            assert (outcome.winner, set(outcome.line)) == (mark, set(line))

    def test_a_draw(self) -> None:
        board = replay(Rules(), [4, 0, 8, 2, 1, 7, 6, 3, 5])
        assert board == "212211121"
        assert Rules().outcome(board) == DRAW

    def test_a_win_with_the_last_cell_is_no_draw(self) -> None:
        board = replay(Rules(), [0, 1, 2, 3, 4, 5, 7, 6, 8])
        outcome = Rules().outcome(board)
        assert outcome is not None and outcome.winner == X

    def test_two_lines_at_once(self) -> None:
        board = replay(Rules(), [0, 1, 2, 3, 8, 5, 6, 7, 4])
        assert board == "121212121"
        outcome = Rules().outcome(board)
        assert outcome is not None and outcome.winner == X
        assert outcome.line in [(0, 4, 8), (2, 4, 6)]

    def test_a_row_doesnt_go_on_in_the_next_one(self) -> None:
        assert Rules().outcome("011100000") is None
        assert Rules(4, 4, 3).outcome("0011100000000000") is None

    def test_four_in_a_row_on_a_larger_board(self) -> None:
        rules = Rules(rows=4, cols=6, strike=4)
        assert rules.outcome("111000" + "0" * 18) is None
        assert rules.outcome("011110" + "0" * 18) == Outcome(X, (1, 2, 3, 4))
        down_left = [5, 10, 15, 20]
        board = "".join(O if cell in down_left else EMPTY for cell in range(24))
        assert rules.outcome(board) == Outcome(O, tuple(down_left))


class BoardsTests(SynchronousTestCase):
    def test_random_boards_of_every_size(self) -> None:
        rng = Random(7)
        for rows, cols in product((*range(3, 11), 19), repeat=2):
            for strike in range(3, min(rows, cols) + 1):
                rules = Rules(rows, cols, strike)
                for marks in ("012", "0000012", "12", "0001"):
                    check_outcome(rules, "".join(rng.choices(marks, k=rows * cols)))

    def test_a_cell_is_its_row_times_the_width_plus_its_column(self) -> None:
        rules = Rules(rows=4, cols=6)
        cells = [rules.cell(column, row) for row in range(4) for column in range(6)]
        assert cells == list(range(24))

    def test_off_the_board_there_is_no_cell(self) -> None:
        rules = Rules(rows=4, cols=6)
        for column, row in [(-1, 0), (0, -1), (6, 0), (0, 4), (10**30, 0), (0, -(10**30))]:
            assert rules.cell(column, row) is None

    def test_the_turn_follows_from_the_marks(self) -> None:
        assert Rules().to_move("000000000") == X
        assert Rules().to_move("000010000") == O
        assert Rules().to_move("200010000") == X
        assert Rules(first=O).to_move("000000000") == O
        assert (other(X), other(O)) == (O, X)


class ErrorsTests(SynchronousTestCase):
    def test_sizes_out_of_range(self) -> None:
        for size in (-3, 0, 2, 20):
            with pytest.raises(ValueError, match="rows must be from 3 to 19"):
                Rules(rows=size)
            with pytest.raises(ValueError, match="cols must be from 3 to 19"):
                Rules(cols=size)
            with pytest.raises(ValueError, match="strike must be from 3 to 19"):
                Rules(19, 19, size)

    def test_a_strike_must_fit_both_sides(self) -> None:
        for rows, cols in [(3, 10), (10, 3)]:
            with pytest.raises(ValueError, match="fit"):
                Rules(rows, cols, strike=4)
        assert Rules(4, 10, strike=4).strike == 4

    def test_somebody_must_begin(self) -> None:
        for mark in ("0", "x", ""):
            with pytest.raises(ValueError, match="first"):
                Rules(first=mark)

    def test_a_refusal_says_why(self) -> None:
        rules = Rules()
        for board, cell, why in [
            ("000010000", 9, "cell 9 isn't on a board of 3x3"),
            ("000010000", None, "that isn't on"),
            ("000010000", 4, "cell 4 is occupied by X"),
            ("200010000", 0, "cell 0 is occupied by O"),
            ("221010100", 8, "the match is over"),
        ]:
            with pytest.raises(IllegalMove, match=why):
                rules.play(board, cell)

    def test_rules_are_values(self) -> None:
        assert Rules(4, 5, 3) == Rules(4, 5, 3)
        assert len({Rules(), Rules(3, 3, 3), Rules(first=O)}) == 2

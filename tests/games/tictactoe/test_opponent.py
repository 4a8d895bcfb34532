"""The computer player: perfect on 3x3, and no fool on anything larger."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove
from tictac.games.tictactoe.opponent import best_cells, choose
from tictac.games.tictactoe.rules import EMPTY, Board, Mark, O, Rules, X, other

RULES = Rules()


def board_of(rows: str) -> Board:
    """Return the board drawn with ``.``, ``X``, and ``O``."""
    return "".join(rows.split()).translate(str.maketrans(".XO", "012"))


def results(board: Board, computer: Mark, seen: dict[Board, set[Mark | None]]) -> set[Mark | None]:
    """Return who can win (None: a draw) when the computer meets every possible answer.

    The computer may pick any of its equally good cells.
    """
    if board not in seen:
        outcome = RULES.outcome(board)
        mine = RULES.to_move(board) == computer
        cells = best_cells(RULES, board) if mine else RULES.legal_moves(board)
        after = (results(RULES.play(board, cell), computer, seen) for cell in cells)
        seen[board] = {outcome.winner} if outcome else set().union(*after)
    return seen[board]


@cache
def worth(board: Board) -> int:
    """Return what perfect play makes of a position for the side to move: 1, 0, or -1."""
    outcome = RULES.outcome(board)
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    return max(-worth(RULES.play(board, cell)) for cell in RULES.legal_moves(board))


@cache
def moves_to_go(board: Board) -> int:
    """Return the number of moves left when the winner hurries and the loser delays."""
    cells = RULES.legal_moves(board)
    if not cells:
        return 0
    kept = [after for c in cells if -worth(after := RULES.play(board, c)) == worth(board)]
    pick = min if worth(board) > 0 else max
    return 1 + pick(moves_to_go(after) for after in kept)


def all_positions() -> set[Board]:
    seen, todo = set(), [RULES.initial()]
    while todo:
        board = todo.pop()
        if board not in seen:
            seen.add(board)
            todo += [RULES.play(board, cell) for cell in RULES.legal_moves(board)]
    return seen


class PerfectTests(SynchronousTestCase):
    def test_it_never_loses_against_any_line_of_play(self) -> None:
        for computer in (X, O):
            ends = results(RULES.initial(), computer, {})
            assert ends == {computer, None}

    def test_it_never_loses_when_o_begins(self) -> None:
        rules = Rules(first=O)
        board = rules.initial()
        while (outcome := rules.outcome(board)) is None:
            board = rules.play(board, choose(rules, board))
        assert outcome.winner is None

    def test_in_every_position_it_keeps_what_can_be_had(self) -> None:
        for board in all_positions():
            for cell in best_cells(RULES, board):
                assert -worth(RULES.play(board, cell)) == worth(board), board

    def test_it_wins_as_soon_and_loses_as_late_as_it_can(self) -> None:
        for board in all_positions():
            for cell in best_cells(RULES, board):
                if worth(board):
                    after = RULES.play(board, cell)
                    assert moves_to_go(after) == moves_to_go(board) - 1, board

    def test_its_cells_are_legal_and_in_order(self) -> None:
        for board in all_positions():
            cells = best_cells(RULES, board)
            assert cells == sorted(cells)
            assert set(cells) <= set(RULES.legal_moves(board))
            assert bool(cells) is (RULES.outcome(board) is None)


class ChoosingTests(SynchronousTestCase):
    def test_without_dice_it_takes_the_lowest_cell(self) -> None:
        board = board_of("X.. .O. ...")
        assert choose(RULES, board) == best_cells(RULES, board)[0]

    def test_dice_pick_among_equals_only(self) -> None:
        board, rng = board_of("... .X. ..."), Random(3)
        picked = {choose(RULES, board, rng) for _ in range(100)}
        assert picked == {0, 2, 6, 8} == set(best_cells(RULES, board))

    def test_the_same_dice_choose_the_same(self) -> None:
        board = RULES.initial()
        one, two = ([choose(RULES, board, d) for _ in range(20)] for d in (Random(5), Random(5)))
        assert one == two

    def test_when_the_match_is_over_there_is_nothing_to_choose(self) -> None:
        for board in ("111220000", "212211121"):
            with pytest.raises(IllegalMove, match="over"):
                choose(RULES, board)


class LargeBoardTests(SynchronousTestCase):
    """Random positions in which one side has a line but for one cell."""

    sizes = (Rules(4, 4, 3), Rules(4, 4, 4), Rules(3, 7, 3), Rules(6, 5, 4), Rules(10, 10, 5))

    def positions(self, rules: Rules) -> list[Board]:
        rng, found = Random(11), []
        for _ in range(300):
            board = rules.initial()
            for _ in range(rng.randrange(1, len(board))):
                if moves := rules.legal_moves(board):
                    board = rules.play(board, rng.choice(moves))
            found += [board] if rules.outcome(board) is None else []
        return found

    def wins(self, rules: Rules, board: Board, mark: Mark) -> set[int]:
        """Return the free cells that would complete a line of ``mark``."""
        cells = [cell for cell, there in enumerate(board) if there == EMPTY]
        marked = {cell: rules.outcome(board[:cell] + mark + board[cell + 1 :]) for cell in cells}
        return {cell for cell, outcome in marked.items() if outcome and outcome.winner == mark}

    def test_it_takes_a_win(self) -> None:
        for rules in self.sizes:
            cases = [(b, w) for b in self.positions(rules) if (w := self.own_wins(rules, b))]
            assert len(cases) > 10
            for board, wins in cases:
                assert set(best_cells(rules, board)) <= wins, (rules, board)

    def test_it_stops_a_win_when_it_has_none_itself(self) -> None:
        for rules in self.sizes:
            cases = [
                (board, threats)
                for board in self.positions(rules)
                if not self.own_wins(rules, board)
                and (threats := self.wins(rules, board, other(rules.to_move(board))))
            ]
            assert len(cases) > 10
            for board, threats in cases:
                assert set(best_cells(rules, board)) <= threats, (rules, board)

    def own_wins(self, rules: Rules, board: Board) -> set[int]:
        return self.wins(rules, board, rules.to_move(board))

    def test_a_drawn_example(self) -> None:
        rules = Rules(4, 4, 4)
        ours = board_of("XXX. OOO. .... ....")
        assert choose(rules, ours) == 3
        theirs = board_of("XX.. OOO. .... X...")
        assert choose(rules, theirs) == 7

    def test_it_is_quick_enough_on_the_largest_board(self) -> None:
        # A search would not come back at all.
        rules = Rules(10, 10, 5)
        board, moves = rules.initial(), 0
        while rules.outcome(board) is None:
            board, moves = rules.play(board, choose(rules, board)), moves + 1
        assert 9 <= moves <= 100

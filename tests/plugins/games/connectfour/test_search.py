"""The search against a plain one: what it says is certain must be so."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.games.connectfour.positions import random_positions, replay
from tictac.plugins.games.connectfour.bitboard import grid
from tictac.plugins.games.connectfour.rules import DROP, POP, Move, Position, Rules, other
from tictac.plugins.games.connectfour.search import (
    LOSS,
    MOST_KNOWN,
    WIN,
    DropSearch,
    OutOfTimeError,
    PopSearch,
    Search,
)


def value(search: Search, position: Position, depth: int) -> int:
    """Return the value of the position to the side to move."""
    own, theirs = (position.stones(s) for s in (position.to_move, other(position.to_move)))
    return search.value(own, theirs, depth, LOSS - 1, WIN + 1)


@cache
def plain_value(rules: Rules, position: Position, depth: int) -> int:
    """Return 1, -1, or 0 (a draw, or no end in this many moves), by nothing but the rules."""
    outcome = rules.outcome(position)
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner == position.to_move else -1
    if depth == 0:
        return 0
    return max(
        -plain_value(rules, rules.play(position, move), depth - 1)
        for move in rules.legal_moves(position)
    )


def certain(found: int) -> int:
    """Return the value of a certain result, or 0 for an estimate."""
    return (found == WIN) - (found == LOSS)


class CertaintyTests(SynchronousTestCase):
    def test_with_pops(self) -> None:
        for rules in (Rules(4, 4), Rules(5, 4)):
            for position in list(random_positions(rules, 3, 6))[::7]:
                seen = certain(value(PopSearch(position.grid, lambda: False), position, 2))
                plain = plain_value(rules, position, 4)
                # The search sees a win in one without looking, so up to a move further.
                assert seen in (plain, plain_value(rules, position, 4)), position.rows

    def test_without_pops_to_the_end(self) -> None:
        rules = Rules(4, 4, pops=False)
        for position in random_positions(rules, 4, 30):
            free = sum(row.count(".") for row in position.rows)
            if 0 < free <= 7:
                found = value(DropSearch(position.grid, lambda: False), position, free)
                assert found in (WIN, 0, LOSS)
                assert certain(found) == plain_value(rules, position, free), position.rows

    def test_a_bound_is_a_bound(self) -> None:
        for rules, kind in ((Rules(pops=False), DropSearch), (Rules(), PopSearch)):
            for position in list(random_positions(rules, 6, 6))[::2]:
                exact = value(kind(position.grid, lambda: False), position, 4)
                own, theirs = position.stones(position.to_move), 0
                theirs = (position.red | position.yellow) ^ own
                search = kind(position.grid, lambda: False)
                found = search.value(own, theirs, 4, 0, 1)
                assert (found > 0) == (exact > 0)

    def test_it_can_be_stopped_and_goes_on(self) -> None:
        board, stops = grid(7, 6), [False, True]
        search = PopSearch(board, lambda: stops.pop(0) if stops else False)
        with pytest.raises(OutOfTimeError):
            search.value(0, 0, 8, LOSS, WIN)
        assert search.nodes == 256
        fresh = PopSearch(board, lambda: False)
        assert search.value(0, 0, 5, LOSS, WIN) == fresh.value(0, 0, 5, LOSS, WIN)

    def test_what_it_remembers_has_an_end(self) -> None:
        search = DropSearch(grid(7, 6), lambda: False)
        search._known = dict.fromkeys(range(-MOST_KNOWN - 1, 0), (0, 0, 0, 0))
        search.value(0, 0, 6, LOSS, WIN)
        assert len(search._known) < MOST_KNOWN

    def test_a_board_that_came_twice_is_a_draw(self) -> None:
        position = replay(Rules(), "1 1")
        key = position.grid.key(position.red, position.red | position.yellow)
        search = PopSearch(position.grid, lambda: False, ((), {key}))
        assert value(search, position, 3) == 1


class GridTests(SynchronousTestCase):
    """The masks, against the rules and a walk from cell to cell."""

    def test_the_cells_that_complete_four(self) -> None:
        for columns, rows in [(4, 4), (7, 6), (6, 9), (20, 20)]:
            board = grid(columns, rows)
            cells = [1 << c * (rows + 1) + r for c, r in product(range(columns), range(rows))]
            for position in list(random_positions(Rules(columns, rows), 2, 4))[::5]:
                free = board.cells & ~(position.red | position.yellow)
                for stones in (position.red, position.yellow):
                    found = sum(c for c in cells if c & free and board.has_four(stones | c))
                    assert board.completing(stones) & free == found

    def test_above(self) -> None:
        board = grid(4, 5)
        assert board.above(0) == 0
        for column, row in product(range(4), range(5)):
            bit = 1 << column * 6 + row
            expected = sum(1 << column * 6 + higher for higher in range(row + 1, 5))
            assert board.above(bit) == expected
        assert board.above(board.bottoms) == board.cells ^ board.bottoms

    def test_the_leading_rows(self) -> None:
        assert grid(4, 6).leading == sum(grid(4, 6).bottoms << row for row in (0, 2, 4))
        assert grid(4, 5).leading == sum(grid(4, 5).bottoms << row for row in (1, 3))

    def test_a_pop_moves_one_column_only(self) -> None:
        rules = Rules(4, 4)
        position = replay(rules, "1 1 1 2 2 2 3 3")
        after = rules.play(position, Move(POP, 1))
        assert [row[1:] for row in after.rows] == [row[1:] for row in position.rows]
        assert [row[0] for row in after.rows] == [".", ".", "R", "Y"]
        again = rules.play(after, Move(DROP, 4))
        assert again.rows[-1][3] == "Y"

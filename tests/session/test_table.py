"""Pairs, turns and ends, without a connection."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove, NotAMove
from tictac.games.tictactoe.opponent import choose
from tictac.games.tictactoe.rules import Rules
from tictac.session.table import SessionTables
from tictac.tables import Closed, Ended, Event, Told

FIRST_WINS = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
SECOND_WINS = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (1, 2)]
NOBODY_WINS = [(1, 1), (0, 0), (0, 1), (2, 1), (1, 0), (1, 2), (0, 2), (2, 0), (2, 2)]


class TablesCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.tables = SessionTables()

    def move(self, player: int, row: int, column: int) -> list[Event]:
        """Let ``player`` send a whole move."""
        assert self.tables.take(player, row) == []
        return self.tables.take(player, column)

    def play(self, moves: list[tuple[int, int]]) -> list[Event]:
        """Let 1 and 2 make these moves in turn; the events of the last one."""
        self.tables.enter(1)
        self.tables.enter(2)
        events: list[Event] = []
        for number, (row, column) in enumerate(moves):
            assert self.tables.awaits(1 + number % 2)
            events = self.move(1 + number % 2, row, column)
        return events


class PairingTests(TablesCase):
    def test_the_first_waits_and_the_second_begins_it(self) -> None:
        assert self.tables.enter(1) == [Told(1, (1,))]
        assert self.tables.running() == 0
        assert self.tables.enter(2) == [Told(1, (1,)), Told(2, (2,))]
        assert self.tables.running() == 1

    def test_each_further_pair_has_a_match_of_its_own(self) -> None:
        for player in (1, 2, 3, 4):
            self.tables.enter(player)
        assert self.move(3, 1, 1) == [Told(4, (4, 1, 1))]
        assert self.move(1, 0, 0) == [Told(2, (4, 0, 0))]
        assert self.tables.running() == 2

    def test_a_waiter_who_has_left_is_skipped(self) -> None:
        self.tables.enter(1)
        assert self.tables.leave(1, "left") == []
        assert self.tables.enter(2) == [Told(2, (1,))]
        assert self.tables.enter(3) == [Told(2, (1,)), Told(3, (2,))]


class EndingTests(TablesCase):
    def test_every_ending(self) -> None:
        for moves, status, ending in (
            (FIRST_WINS, 1, "won"), (SECOND_WINS, 2, "won"), (NOBODY_WINS, 3, "drawn"),
        ):  # fmt: skip
            self.setUp()
            mover, other = (1, 2) if len(moves) % 2 else (2, 1)
            assert self.play(moves) == [
                Told(mover, (status,)), Told(other, (status, *moves[-1])),
                Closed(mover), Closed(other), Ended(ending),  # type: ignore[arg-type]
            ]  # fmt: skip
            assert self.tables.running() == 0
            assert not self.tables.awaits(1) and not self.tables.awaits(2)

    def test_a_win_with_the_last_cell_is_no_draw(self) -> None:
        moves = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 1), (2, 0), (2, 2)]
        assert Ended("won") in self.play(moves)

    def test_whoever_leaves_takes_the_other_one_along(self) -> None:
        for leaver, other in ((1, 2), (2, 1)):
            self.setUp()
            self.play([(1, 1)])
            assert self.tables.leave(leaver, "timed out") == [Closed(other), Ended("timed out")]
            assert self.tables.leave(other, "left") == []

    def test_impossible_moves(self) -> None:
        self.play([(1, 1)])
        [culprit, victim, ended] = self.move(2, 1, 1)
        assert isinstance(culprit, Closed) and isinstance(culprit.refusal, IllegalMove)
        assert (culprit.to, victim, ended) == (2, Closed(1), Ended("refused"))

    def test_what_cant_be_a_move_whoever_is_to_move(self) -> None:
        for player in (1, 2):
            for integer in (-1, 3, 2**31 - 1, -(2**31), 0x47455420):
                for before in ([], [2]):
                    self.setUp()
                    self.play([])
                    for good in before:
                        self.tables.take(player, good)
                    [culprit, victim, ended] = self.tables.take(player, integer)
                    assert isinstance(culprit, Closed) and culprit.to == player
                    assert isinstance(culprit.refusal, NotAMove)
                    assert (victim, ended) == (Closed(3 - player), Ended("refused"))


class KeptMovesTests(TablesCase):
    """Moves that come before their turn."""

    def test_they_wait_for_it(self) -> None:
        self.play([])
        assert self.move(2, 0, 0) == []
        assert self.move(2, 0, 1) == []
        assert self.move(1, 1, 1) == [Told(2, (4, 1, 1)), Told(1, (4, 0, 0))]
        assert self.move(1, 2, 2) == [Told(2, (4, 2, 2)), Told(1, (4, 0, 1))]
        assert self.tables.awaits(1)

    def test_also_before_there_is_an_opponent(self) -> None:
        self.tables.enter(1)
        assert self.move(1, 2, 0) == []
        assert self.tables.enter(2) == [Told(1, (1,)), Told(2, (2,)), Told(2, (4, 2, 0))]

    def test_one_that_has_become_impossible_ends_it_in_its_turn(self) -> None:
        self.play([])
        self.move(2, 1, 1)
        told, culprit, victim, ended = self.move(1, 1, 1)
        assert told == Told(2, (4, 1, 1))
        assert isinstance(culprit, Closed) and culprit.to == 2
        assert (victim, ended) == (Closed(1), Ended("refused"))

    def test_a_whole_match_at_once(self) -> None:
        self.play([])
        for row, column in SECOND_WINS[1::2]:
            assert self.move(2, row, column) == []
        events: list[Event] = []
        for row, column in SECOND_WINS[0::2]:
            events = self.move(1, row, column)
        assert events[-1] == Ended("won")
        assert Told(2, (2,)) in events and Told(1, (2, 1, 2)) in events

    def test_more_than_five_are_no_match(self) -> None:
        for alone in (True, False):
            self.setUp()
            self.tables.enter(1)
            if not alone:
                self.tables.enter(2)
            player = 1 if alone else 2
            for _ in range(5):
                assert self.move(player, 0, 0) == []
            culprit, *rest = self.tables.take(player, 0)
            assert isinstance(culprit, Closed) and isinstance(culprit.refusal, NotAMove)
            assert rest == ([] if alone else [Closed(1), Ended("refused")])


class AnyMatchTests(SynchronousTestCase):
    @given(st.randoms(use_true_random=False), st.booleans())
    @settings(max_examples=50)
    def test_both_see_the_same_board(self, dice: Random, hasty: bool) -> None:
        """Moves of both, legal in the end, sent in turn or all before their turn."""
        rules = Rules()
        board, cells = rules.initial(), []
        while rules.outcome(board) is None:
            free = rules.legal_moves(board)
            cells.append(dice.choice(free) if hasty else choose(rules, board, dice))
            board = rules.play(board, cells[-1])
        order = list(enumerate(cells))
        if hasty:
            order.sort(key=lambda pair: (pair[0] % 2 == 0, pair[0]))
        tables, seen = SessionTables(), {1: [], 2: []}  # type: ignore[var-annotated]
        tables.enter(1)
        tables.enter(2)
        events = []
        for number, cell in order:
            events += tables.take(1 + number % 2, cell // 3)
            events += tables.take(1 + number % 2, cell % 3)
        for event in events:
            if isinstance(event, Told):
                seen[event.to].append(event.message)
        assert [message[1:] for message in seen[2] if len(message) == 3] == [
            divmod(cell, 3) for cell in cells[0::2]
        ]
        assert [message[1:] for message in seen[1] if len(message) == 3] == [
            divmod(cell, 3) for cell in cells[1::2]
        ]
        outcome = rules.outcome(board)
        assert outcome is not None
        assert seen[1][-1][0] == seen[2][-1][0] == int(outcome.winner or 3)

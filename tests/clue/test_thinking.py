"""Seats whose players think elsewhere: when they ask, and what becomes of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.clue.helpers import BOARD, some_deal
from tests.rooms.test_server_accounts import log, texts
from tictac.games.clue.messages import Hello, Turn
from tictac.clue.game import Game
from tictac.clue.hosting import Match, Seat
from tictac.clue.thinking import ComputerSeat
from tictac.clue.worker import Question, Thought
from tictac.errors import CannotThink, TooManyQuestions
from tictac.net.processes import ProcessesStoppedError


class Slow:
    """Thinks when the test says so (thinking.Thinker)."""

    def __init__(self) -> None:
        self.asked: list[tuple[Question, Hashable]] = []
        self.thinking: list[Deferred[Thought]] = []
        self.cancelled = 0

    def think(self, question: Question, line: Hashable = None) -> Deferred[Thought]:
        self.asked.append((question, line))
        self.thinking.append(Deferred(self._cancel))
        return self.thinking[-1]

    def _cancel(self, deferred: object) -> None:
        self.cancelled += 1


class ComputerSeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.slow = Slow()
        deal, dice = some_deal(1)
        self.game = Game(BOARD, deal, dice)
        self.seats = [
            ComputerSeat(self.slow, BOARD, "leech", str(seat), "192.0.2.1") for seat in range(6)
        ]
        self.ended: list[str] = []
        seats = cast("dict[int, Seat]", dict(enumerate(self.seats)))
        self.match = Match(9, self.game, seats, {5}, lambda match, how: self.ended.append(how))
        self.match.start()

    def answer(self, line: bytes) -> None:
        """Let the last question be answered."""
        self.slow.thinking[-1].callback(Thought(f"after {line.decode()}", line))

    def test_only_who_must_answer_asks(self) -> None:
        [(question, line)] = self.slow.asked
        assert (question.kind, question.seed, question.kept, line) == (
            "leech",
            "0",
            None,
            "192.0.2.1",
        )
        assert [type(message) for message in question.told] == [Hello, Turn]

    def test_what_was_noted_comes_along_and_nothing_twice(self) -> None:
        self.answer(b"no-roll")
        question = self.slow.asked[-1][0]
        assert (question.kept, len(question.told)) == ("after no-roll", 1)
        self.answer(b"(17 24)")
        question = self.slow.asked[-1][0]
        assert (question.kept, question.seed) == (None, "1")
        assert [type(message).__name__ for message in question.told] == ["Hello", "Moved", "Turn"]

    def test_the_end_gives_up_the_question(self) -> None:
        with log() as events:
            self.match.close()
        assert (self.slow.cancelled, self.ended) == (1, ["closed"])
        assert texts(events) == ["clue: game 9 has ended: closed; winner: None; rounds: 1"]

    def test_one_that_fails_is_out(self) -> None:
        with log() as events:
            self.slow.thinking[-1].errback(Failure(ValueError()))
        assert "clue: game 9: 'leech' at seat 0 is out: failed" in texts(events)
        assert 0 in self.game.out and self.slow.asked[-1][0].seed == "1"
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)

    def test_one_that_may_not_think_is_out_without_a_traceback(self) -> None:
        with log() as events:
            self.slow.thinking[-1].errback(Failure(CannotThink()))
            self.slow.thinking[-1].errback(Failure(TooManyQuestions()))
        assert [line for line in texts(events) if "is out" in line] == [
            "clue: game 9: 'leech' at seat 0 is out: cannot-think",
            "clue: game 9: 'leech' at seat 1 is out: too-many-questions",
        ]

    def test_the_stop_of_the_processes_is_no_failure(self) -> None:
        self.slow.thinking[-1].errback(Failure(ProcessesStoppedError()))
        assert (self.game.out, self.ended) == (set(), [])

    def test_one_that_cheats_is_out(self) -> None:
        self.answer(b"dance")
        assert 0 in self.game.gone and self.slow.asked[-1][0].seed == "1"

    def test_without_people_nobody_plays_on(self) -> None:
        self.match.leave(5, "left")
        assert (self.ended, self.slow.cancelled) == (["abandoned"], 1)
        late: Any = self.seats[0]
        late._thought(Thought("", b"roll"))
        self.match.leave(4, "left")
        assert self.ended == ["abandoned"] and len(self.slow.asked) == 1

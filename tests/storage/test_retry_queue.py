"""Requests to a server that comes and goes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import cast

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.logger import ILogObserver, LogEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import error_of
from tests.logs import texts
from tictac.storage.outages import LONGEST_DELAY
from tictac.storage.retry_queue import BEAT, LAST_PATIENCE, LostError, RetryQueue
from tictac.storage.store import StoreAwayError, StoreClosedError


class FakeServer:
    """Takes requests one at a time; the test answers them, or loses them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.waiting: Deferred[str] | None = None
        self.cuts = 0

    def request(self, name: str) -> Callable[[bool], Deferred[str]]:
        def attempt(unsure: bool) -> Deferred[str]:
            assert self.waiting is None, "one after the other"
            self.asked.append((name, unsure))
            self.name = name
            self.waiting = Deferred()
            return self.waiting

        return attempt

    def cut(self) -> None:
        self.cuts += 1

    def _take(self) -> Deferred[str]:
        assert self.waiting is not None
        waiting, self.waiting = self.waiting, None
        return waiting

    def answer(self) -> None:
        self._take().callback(self.name)

    def refuse(self, error: Exception) -> None:
        self._take().errback(error)

    def lose(self, begun: bool = False) -> None:
        self.refuse(LostError("nobody is there", begun))


class LineCase(SynchronousTestCase):
    timeout = 5.0

    def setUp(self) -> None:
        self.clock, self.server = Clock(), FakeServer()
        ping = self.server.request("ping")
        self.line = RetryQueue(self.clock, "the server", self.timeout, ping, self.server.cut)
        self.events: list[LogEvent] = []
        observer = cast(ILogObserver, self.events.append)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)
        self.line.start()

    def log(self) -> list[str]:
        """Return the lines logged since the last call."""
        lines = texts(self.events)
        self.events.clear()
        return lines

    def take(self) -> list[tuple[str, bool]]:
        """Return the requests since the last call."""
        asked, self.server.asked[:] = list(self.server.asked), []
        return asked

    def ask(self, name: str) -> Deferred[str]:
        return self.line.run(self.server.request(name))

    def reach(self) -> None:
        """Let the server be there."""
        self.server.answer()
        self.take()

    def lose_it(self) -> None:
        """Let the server be away, with nobody waiting."""
        self.clock.advance(BEAT)
        self.server.lose()
        self.take()
        self.log()


class ThereTests(LineCase):
    def setUp(self) -> None:
        super().setUp()
        self.reach()

    def test_one_after_the_other(self) -> None:
        first, second = self.ask("first"), self.ask("second")
        assert self.take() == [("first", False)]
        self.server.answer()
        assert self.successResultOf(first) == "first"
        assert self.take() == [("second", False)]
        self.server.answer()
        assert self.successResultOf(second) == "second"
        assert self.log() == []

    def test_an_error_of_the_server_is_an_answer(self) -> None:
        first, second = self.ask("first"), self.ask("second")
        self.server.refuse(KeyError("the disk is full"))
        error_of(first, KeyError)
        self.server.answer()
        self.successResultOf(second)
        assert self.line.ready() and self.log() == []

    def test_who_waits_can_leave(self) -> None:
        first, second = self.ask("first"), self.ask("second")
        second.cancel()
        error_of(second, CancelledError)
        self.server.answer()
        self.successResultOf(first)
        assert self.take() == [("first", False)]

    def test_who_is_served_can_leave_too_and_is_served(self) -> None:
        first, second = self.ask("first"), self.ask("second")
        first.cancel()
        error_of(first, CancelledError)
        self.server.answer()
        self.server.answer()
        assert self.successResultOf(second) == "second"

    def test_it_is_asked_whether_it_is_there_when_nobody_else_asks(self) -> None:
        for _ in range(3):
            self.clock.advance(BEAT)
            assert self.take() == [("ping", False)]
            self.server.answer()

    def test_it_is_not_asked_when_somebody_has(self) -> None:
        self.clock.advance(BEAT / 2)
        self.ask("something")
        self.server.answer()
        self.take()
        self.clock.advance(BEAT / 2)
        assert self.take() == []

    def test_it_costs_two_timers_whoever_waits(self) -> None:
        for number in range(100):
            self.ask(str(number))
        assert len(self.clock.getDelayedCalls()) == 2

    def test_an_alarm_for_what_is_done_is_nothing(self) -> None:
        self.ask("first")
        self.server.answer()
        self.clock.advance(4)
        late = self.ask("late")
        self.clock.advance(4)
        assert not late.called and self.server.cuts == 0
        self.clock.advance(1)
        error_of(late, StoreAwayError)


class AwayTests(LineCase):
    def test_before_the_first_answer_it_is_not_ready(self) -> None:
        assert not self.line.ready()
        self.server.answer()
        assert self.line.ready()

    def test_a_connection_that_ended_is_no_outage_when_there_is_another(self) -> None:
        self.reach()
        asked = self.ask("it")
        self.server.lose(begun=True)
        self.clock.advance(0)
        assert self.take() == [("it", False), ("it", True)]
        self.server.answer()
        assert self.successResultOf(asked) == "it"
        assert self.line.ready() and self.log() == []

    def test_an_outage_is_two_lines(self) -> None:
        self.reach()
        waiting = self.ask("it")
        self.server.lose(begun=True)
        for _ in range(3):
            self.clock.advance(0.5)
            self.server.lose()
        assert not self.line.ready()
        assert self.log() == ["the server unavailable: nobody is there; requests wait up to 5 s"]
        self.clock.advance(1)
        self.server.answer()
        assert self.successResultOf(waiting) == "it"
        assert self.line.ready()
        assert self.log() == ["the server available again after 2.0 s; refused requests: 0"]

    def test_the_delays_grow_up_to_less_than_anybody_waits(self) -> None:
        moments: list[float] = []
        for _ in range(9):
            moments.append(self.clock.seconds())
            self.server.lose()
            while self.server.waiting is None:
                coming = min(call.getTime() for call in self.clock.getDelayedCalls())
                self.clock.advance(coming - self.clock.seconds())
        delays = [round(b - a, 2) for a, b in pairwise(moments)]
        assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]
        assert len(self.log()) == 1

    def test_after_an_outage_the_delays_begin_anew(self) -> None:
        for _ in range(6):
            self.server.lose()
            self.clock.advance(LONGEST_DELAY)
        self.reach()
        self.clock.advance(BEAT)
        self.server.lose(begun=True)
        self.clock.advance(0)
        self.server.lose()
        self.clock.advance(0.2)
        assert len(self.take()) == 3

    def test_who_has_waited_too_long_is_refused_and_nobody_else(self) -> None:
        self.reach()
        self.lose_it()
        first = self.ask("first")
        self.clock.advance(1)
        second = self.ask("second")
        while not first.called:
            assert self.clock.seconds() < 100
            if self.server.waiting:
                self.server.lose()
            self.clock.advance(0.5)
        error_of(first, StoreAwayError)
        assert not second.called
        while not second.called:
            self.clock.advance(0.1)
            if self.server.waiting:
                self.server.answer()
        assert self.successResultOf(second) == "second"
        [back] = self.log()
        assert back.endswith("refused requests: 1")

    def test_they_are_not_refused_a_moment_before(self) -> None:
        self.server.lose()
        waiting = self.ask("it")
        self.clock.pump([0.07] * 71)
        while self.server.waiting:
            self.server.lose()
        assert not waiting.called
        self.clock.advance(0.07)
        error_of(waiting, StoreAwayError)

    def test_what_may_be_done_is_known_to_be_unsure(self) -> None:
        self.reach()
        asked = self.ask("it")
        self.server.lose(begun=True)
        self.clock.advance(0)
        self.server.lose(begun=False)  # this attempt didn't reach it, the one before may have
        self.clock.advance(1)
        assert self.take() == [("it", False), ("it", True), ("it", True)]
        self.server.answer()
        self.successResultOf(asked)

    def test_what_may_be_done_is_seen_to_its_end_though_nobody_waits_for_it(self) -> None:
        self.reach()
        asked = self.ask("it")
        self.server.lose(begun=True)
        asked.cancel()
        error_of(asked, CancelledError)
        self.clock.advance(0)
        assert self.take() == [("it", False), ("it", True)]
        self.server.answer()
        assert self.server.waiting is None

    def test_who_leaves_during_an_outage_is_forgotten(self) -> None:
        self.server.lose()
        asked = self.ask("it")
        asked.cancel()
        error_of(asked, CancelledError)
        self.clock.advance(1)
        assert self.take() == [("ping", False), ("ping", False)]

    def test_what_doesnt_answer_is_cut_off(self) -> None:
        self.reach()
        first = self.ask("first")
        self.clock.advance(2)
        second = self.ask("second")
        self.clock.advance(3)
        error_of(first, StoreAwayError)
        assert self.server.cuts == 1 and not self.line.ready()
        assert self.log() == [
            "the server unavailable: it hasn't answered for 5 s; requests wait up to 5 s"
        ]
        self.server.lose(begun=True)
        self.clock.advance(0)
        assert self.take() == [("first", False), ("second", False)]
        self.server.answer()
        self.successResultOf(second)

    def test_an_answer_that_came_too_late_is_dropped(self) -> None:
        self.reach()
        first = self.ask("first")
        self.clock.advance(5)
        error_of(first, StoreAwayError)
        self.server.answer()
        assert self.line.ready() and self.server.waiting is None

    def test_silence_is_noticed_without_a_request(self) -> None:
        self.reach()
        self.clock.advance(BEAT)
        self.clock.advance(5)
        assert self.server.cuts == 1 and not self.line.ready()
        self.server.lose(begun=True)
        self.clock.advance(LONGEST_DELAY)
        self.server.answer()
        assert self.line.ready()
        assert self.log()[-1].endswith("refused requests: 0")


class ForEverTests(LineCase):
    timeout = 0.0

    def test_without_a_limit_they_wait(self) -> None:
        self.server.lose()
        assert self.log() == [
            "the server unavailable: nobody is there; requests wait until it is available"
        ]
        asked = self.ask("it")
        for _ in range(100):
            self.clock.advance(LONGEST_DELAY)
            self.server.lose()
        assert not asked.called
        self.clock.advance(LONGEST_DELAY)
        self.server.answer()
        if self.server.waiting:
            self.server.answer()
        assert self.successResultOf(asked) == "it"

    def test_but_not_longer_than_the_stop(self) -> None:
        self.reach()
        asked = self.ask("it")
        closed = self.line.close()
        self.clock.advance(LAST_PATIENCE)
        error_of(asked, StoreAwayError)
        assert self.server.cuts == 1
        self.server.lose(begun=True)
        self.successResultOf(closed)
        assert not self.clock.getDelayedCalls()


class CloseTests(LineCase):
    def test_nothing_is_taken_before_the_start(self) -> None:
        line = RetryQueue(self.clock, "x", 5, self.server.request("x"), self.server.cut)
        error_of(line.run(self.server.request("it")), StoreClosedError)
        assert not line.ready()
        self.successResultOf(line.close())

    def test_what_was_asked_is_answered_first(self) -> None:
        self.reach()
        first, second = self.ask("first"), self.ask("second")
        closed = self.line.close()
        error_of(self.ask("third"), StoreClosedError)
        self.server.answer()
        assert not closed.called
        self.server.answer()
        self.successResultOf(closed)
        assert [self.successResultOf(one) for one in (first, second)] == ["first", "second"]
        assert not self.clock.getDelayedCalls() and not self.line.ready()

    def test_during_an_outage_nobody_is_kept(self) -> None:
        self.server.lose()
        asked = self.ask("it")
        closed = self.line.close()
        error_of(asked, StoreAwayError)
        self.successResultOf(closed)
        assert not self.clock.getDelayedCalls()

    def test_an_attempt_that_is_under_way_is_cut_off(self) -> None:
        asked = self.ask("it")
        closed = self.line.close()
        error_of(asked, StoreAwayError)
        assert self.server.cuts == 1 and not closed.called
        self.server.lose()
        self.successResultOf(closed)
        assert not self.clock.getDelayedCalls()
        assert self.log() == []

    def test_an_outage_that_begins_at_the_stop_ends_it_in_time(self) -> None:
        self.reach()
        asked, closed = self.ask("it"), self.line.close()
        self.server.lose(begun=True)
        while not closed.called:
            assert self.clock.seconds() < 6
            self.clock.advance(0.1)
            if self.server.waiting:
                self.server.lose()
        error_of(asked, StoreAwayError)
        assert not self.clock.getDelayedCalls()

    def test_it_can_be_started_again(self) -> None:
        self.reach()
        self.successResultOf(self.line.close())
        self.line.start()
        assert self.take() == [("ping", False)]
        self.server.answer()
        assert self.line.ready()
        self.successResultOf(self.line.close())

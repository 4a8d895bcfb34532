"""The time that stands still while the process does."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.net.running_time import BEAT, STOPPED, RunningTime
from tictac.testing.server import Guest


class RunningTimeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.time = RunningTime(self.clock.seconds)
        self.addCleanup(self.time.stop)

    def run_for(self, seconds: float) -> None:
        self.clock.pump([BEAT] * round(seconds / BEAT))

    def test_it_is_the_time_while_the_process_runs(self) -> None:
        self.clock.advance(100)
        assert self.time.seconds() == 100
        self.time.watch(self.clock)
        self.run_for(60)
        self.clock.advance(STOPPED)
        assert self.time.seconds() == 160 + STOPPED
        self.time.stop()
        self.clock.advance(100)
        assert self.time.seconds() == 260 + STOPPED

    def test_it_stands_still_with_the_process(self) -> None:
        self.time.watch(self.clock)
        self.run_for(10)
        with capturedLogs() as logs:
            self.clock.advance(38)
            assert self.time.seconds() == 10
        self.run_for(5)
        assert self.time.seconds() == 15
        assert [formatEvent(event) for event in logs] == [
            "the process stood still for 38.0 s: clocks and timeouts did, too"
        ]

    def test_it_stands_still_until_it_is_watched(self) -> None:
        self.clock.advance(100)
        self.time.stand_still()
        with capturedLogs() as logs:
            self.clock.advance(60)
            assert self.time.seconds() == 100
            self.clock.advance(7)
            self.time.watch(self.clock)
            self.run_for(5)
            assert self.time.seconds() == 105
            self.time.stand_still()
            self.run_for(60)
            self.time.watch(self.clock)
            self.run_for(5)
            assert self.time.seconds() == 110
        assert logs == []

    def test_a_move_that_came_during_a_stop_is_not_late(self) -> None:
        """The reactor reads it before it calls a timer."""
        registry = Registry(0, self.time.seconds, self.fail, 30, rng=Random(1))
        terms = terms_for(game_type_of("nim"), {}, time=TimeControl(10))
        ann, ben = (Guest(registry, user) for user in ("ann", "ben"))
        registry.create(ann, "den", terms)
        registry.join(ben, "den", "PLAYER")
        self.time.watch(self.clock)
        self.run_for(4)
        self.clock.rightNow += 38  # no timer has run yet
        room: Any = registry.room("den")
        registry.place(ann, room.game.moves(room.position)[0])
        registry.expire(0, 0)
        assert room.running and room.moves == 1
        assert room.clock.left == [6, 10]

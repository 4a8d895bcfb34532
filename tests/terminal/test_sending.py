"""The last bytes of a program are sent before its reactor stops."""

from __future__ import annotations

from typing import Any, cast

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.helpers import Person
from tictac.plugins.programs.running import SENDING, _Program


class Loop(Clock):
    """A reactor that knows who still writes, and whether it was stopped."""

    stopped = False

    def __init__(self) -> None:
        super().__init__()
        self.writers: list[object] = []

    def getWriters(self) -> list[object]:
        return self.writers

    def stop(self) -> None:
        self.stopped = True


class SendingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.loop = cast(Any, Loop())
        person: Any = Person()

        async def main(reactor: object, terminal: object) -> int:
            return 3

        self.program = _Program(self.loop, person.terminal, main)
        person.terminal.connectionLost()
        self.loop.writers.append("a connection")

    def pass_time(self, seconds: float) -> None:
        self.loop.pump([0.05] * round(seconds / 0.05))

    def test_the_reactor_stops_when_all_is_sent(self) -> None:
        self.program._returned(3)
        self.pass_time(SENDING / 2)
        assert not self.loop.stopped
        self.loop.writers.clear()
        self.pass_time(0.1)
        assert self.loop.stopped and self.program.status == 3

    def test_it_waits_for_nobody_who_takes_nothing(self) -> None:
        self.program._returned(3)
        self.pass_time(SENDING + 0.1)
        assert self.loop.stopped

"""Checking these programs, without waiting where nothing will come."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from twisted.internet.task import deferLater
from twisted.internet.tcp import Connection

from tests.accounts.helpers import reactor
from tests.plugins.check.clients import resting, supervisors_of
from tests.plugins.check.helpers import Skipping
from tests.plugins.check.students import Student
from tictac.plugins.check.cases import Outcome, Verdict
from tictac.plugins.check.clients.scene import ClientTarget
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.running import select
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.suites import SUITES
from tictac.plugins.check.target import Target

T = TypeVar("T")

LOOKS = 1000
"""How often it is looked whether connections have ended; tests of others may leave some."""


class ServerTarget(Target):
    """A server that doesn't rest while the checker connects to it, starts, or ends it.

    It may not listen yet, and between its end and its next start nothing runs that could be busy.
    """

    waits = 0

    async def _waited_for(self, work: Awaitable[T]) -> T:
        self.waits += 1
        try:
            return await work
        finally:
            self.waits -= 1

    async def connect(self, peer: Peer) -> Peer:
        return await self._waited_for(super().connect(peer))

    async def kill_and_start(self) -> None:
        await self._waited_for(super().kill_and_start())

    async def stop(self) -> None:
        await self._waited_for(super().stop())

    def rest(self) -> object:
        """Return what stays the same until it does something; None while it does."""
        if self.waits:
            return None
        program = self.program
        return resting([program.pid] if program and not program.has_exited else [])


async def checked(
    student: Student, program: Path, only: Sequence[str] = (), by_source: bool = True
) -> list[Outcome]:
    """Judge a program by cases and those that they need, or, without one, by all."""
    suite = SUITES[student.suite]
    wanted = select(suite, only, slow=False)
    command = student.command(program)
    target: Target
    rest: Callable[[], object]
    if suite.checks_clients:
        target = client = ClientTarget(reactor, command, student.typed)

        def rest() -> object:
            return resting(supervisors_of(client))

    else:
        target = server = ServerTarget(reactor, command=command)
        rest = server.rest
    clock = Skipping(rest)
    try:
        options = {name: suite.options[name](text) for name, text in student.options.items()}
        harness = Harness(clock, target, 1, options=options)
        # Of servers one at a time: others would keep the clock from skipping what is in vain.
        jobs = 6 if suite.checks_clients else 1
        cases = closure(suite, wanted)
        return await Runner(suite, harness, cases, jobs, by_source=by_source).run()
    finally:
        clock.stop()


async def let_go() -> None:
    """Wait until the ends of programs have ended the connections to them."""
    for _ in range(LOOKS):
        open_ones = [*reactor.getReaders(), *reactor.getWriters()]
        if not any(isinstance(each, Connection) for each in open_ones):
            break
        await deferLater(reactor, 0.01)
    # What was being connected when a server ended is closed by nobody else.
    gc.collect()


def failed(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return what the cases saw that say that a program is wrong, or that they can't judge it."""
    return {
        outcome.case.number: f"{outcome.expected}: {outcome.came} {outcome.died}"
        for outcome in outcomes
        if outcome.verdict in (Verdict.FAIL, Verdict.UNCLEAR)
    }

"""The checker finds the one fault of each of many servers, and none in ours."""

from __future__ import annotations

import gc
import os
import random
import threading
from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredSemaphore, gatherResults

from tests.accounts.helpers import in_reactor
from tests.plugins.check.helpers import Skipping, outcomes
from tests.plugins.check.servers import Faulty, InThread
from tests.plugins.check.servers.clue import Clue, MiniClue
from tests.plugins.check.servers.connectfour import ConnectFour
from tests.plugins.check.servers.lobby import Lobby
from tests.plugins.check.servers.nim import Nim
from tests.plugins.check.servers.rooms import Rooms
from tests.plugins.check.servers.session import Session
from tictac.plugins.check.cases import Verdict
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.target import Target

# Threads that end leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

AT_ONCE = 5

FEW = 4
"""Cases that may find the same fault."""

QUICK = not os.environ.get("ALL_CASES")


@pytest.fixture(autouse=True, scope="module")
def let_go() -> Iterator[None]:
    """Leave none of their sockets to the garbage collector of later tests."""
    yield
    for thread in threading.enumerate():
        if thread.name == InThread.__name__:
            thread.join(60)
    gc.collect()


class ThreadTarget(Target):
    """A server in a thread, which can be started again as one with a command can."""

    def __init__(self, kind: Callable[[], Faulty]) -> None:
        super().__init__(reactor)
        self._kind = kind
        self._running: InThread | None = None
        self._connecting = 0

    def start(self) -> None:
        self._running = InThread(self._kind())
        self.port = self._running.port

    @property
    def can_start(self) -> bool:
        return True

    async def connect(self, peer: Peer) -> Peer:
        self._connecting += 1
        try:
            return await super().connect(peer)
        finally:
            self._connecting -= 1

    def rest(self) -> int | None:
        """See InThread."""
        return None if self._running is None or self._connecting else self._running.rest()

    async def stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.stop()


async def faults(
    name: str, kind: Callable[[], Faulty], case: str = "", by_source: bool = False
) -> dict[str, str]:
    """Return the cases that a server doesn't pass, and what came instead.

    Only ``case`` is tried, if one is given, and those that it needs. By our own standard it may
    be of a rule that is optional.
    """
    bad = {Verdict.FAIL, Verdict.UNCLEAR} | ({Verdict.DIFFERS} if case and not by_source else set())
    target = ThreadTarget(kind)
    harness = Harness(Skipping(target.rest), target, 1)
    return {
        outcome.case.number: f"{outcome.verdict} {outcome.expected}: {outcome.came}"
        for outcome in await outcomes(name, harness, case, by_source=by_source)
        if outcome.verdict in bad
    }


SERVERS: tuple[tuple[str, type[Faulty]], ...] = (
    ("rooms", Rooms),
    ("session", Session),
    ("nim", Nim),
    ("connectfour", ConnectFour),
    ("lobby", Lobby),
    ("clue", Clue),
    ("clue", MiniClue),
)


@pytest.mark.parametrize("name, kind", SERVERS)
@in_reactor
async def test_each_fault_is_found_by_its_case_and_by_few_others(
    name: str, kind: type[Faulty]
) -> None:
    some = DeferredSemaphore(AT_ONCE)

    async def one(fault: str, expected: str) -> str:
        found = await faults(name, lambda: kind(fault), expected if QUICK else "")
        wrong = list(found) != ([expected] if expected else [])
        if expected and not QUICK:
            wrong = expected not in found or len(found) > FEW
        return f"\n{fault or 'no fault'}, {expected}: {found}" if wrong else ""

    def begin(fault: str, expected: str) -> Deferred[str]:
        return some.run(lambda: Deferred.fromCoroutine(one(fault, expected)))

    right = dict.fromkeys(("", *kind.NO_FAULTS), "")
    tried = [begin(fault, case) for fault, case in {**right, **kind.FAULTS}.items()]
    said = "".join(await gatherResults(tried, consumeErrors=True))
    assert not said, said


@in_reactor
async def test_what_the_source_leaves_open_fails_nobody() -> None:
    open_questions = (
        ("session", Session, "never closes"),
        ("session", Session, "pairs with who has left"),
        ("session", Session, "takes an occupied cell"),
        ("session", Session, "waits for a player who has gone"),
        ("nim", Nim, "punishes a play after a win"),
        ("connectfour", ConnectFour, "wants CR LF"),
        ("connectfour", ConnectFour, "knows one board alone"),
        ("clue", Clue, "dies of a blank line"),
        ("clue", Clue, "asks by another word"),
        ("clue", Clue, "keeps who shows a wrong card"),
        ("clue", Clue, "starts somewhere else"),
    )

    async def one(name: str, kind: type[Faulty], fault: str) -> str:
        found = await faults(name, lambda: kind(fault), kind.FAULTS[fault], by_source=True)
        return f"{name}, {fault}: {found}\n" if found else ""

    tried = [Deferred.fromCoroutine(one(*each)) for each in open_questions]
    said = "".join(await gatherResults(tried, consumeErrors=True))
    assert not said, said


@in_reactor
async def test_equal_numbers_hide_no_old_indices() -> None:
    with patch.object(random, "randint", lambda low, high: high):
        assert list(await faults("nim", lambda: Nim("keeps the old indices"), "nim-2.3"))

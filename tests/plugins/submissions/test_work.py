"""A program on the ladder: when it starts again, and what the author reads of it."""

from __future__ import annotations

import hashlib
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.submissions.archives import BOT, archive
from tictac.plugins.submissions.runner import work
from tictac.plugins.submissions.runner.api import Job
from tictac.plugins.submissions.runner.sandbox import SandboxLimits
from tictac.plugins.submissions.runner.translation import Ended

DATA = archive(BOT)


class Api:
    """A server that keeps what a runner reports."""

    def __init__(self) -> None:
        self.beats: list[dict[str, Any]] = []

    async def files(self, token: str) -> bytes:
        return DATA

    async def beat(self, token: str, **fields: Any) -> bool:
        self.beats.append(fields)
        return True


class Process:
    """The process of a program, which the test ends."""

    why, errors, status = "", b"", None

    def __init__(self, *_: object) -> None:
        self.ended: Deferred[None] = Deferred()

    def start(self, words: object) -> None:
        pass

    def kill(self, why: str = "") -> None:
        self.end(-9)

    def end(self, status: int) -> None:
        self.status = status
        self.ended.callback(None)

    def how_it_ended(self) -> str:
        return f"it ended with exit status {self.status}"


class LadderTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor, self.api = MemoryReactorClock(), Api()
        self.processes: list[Process] = []
        self.played: Any = None
        self.patch(work, "Boxed", self._process)
        self.patch(work, "Translation", self._translation)
        self.patch(work.Running, "_command", lambda *_: [])
        limits, folder = SandboxLimits(), temporary_directory(self)
        place = work.Place(None, folder, limits, lambda: 0.0)  # type: ignore[arg-type]
        job = Job("token", "anna", 1, "term", "ladder", "x", "", hashlib.sha256(DATA).hexdigest(),
                  None, {})  # fmt: skip
        api: Any = self.api
        reactor: Any = self.reactor
        self.running = work.Running(reactor, api, job, 60.0, place)
        self.over = Deferred.fromCoroutine(self.running.run())

    def _process(self, *_: object) -> Process:
        self.processes.append(Process())
        return self.processes[-1]

    def _translation(self, wish: object, token: str, ended: Any, prefix: str) -> Any:
        self.played = ended
        return type("Words", (), {"trouble": ""})()

    def reports(self) -> list[str]:
        return [each["report"] for each in self.api.beats if "report" in each]

    def play_and_end(self, status: int) -> None:
        """Lose a game, report that, and end."""
        self.played(Ended("term-1", "m1", "timed out", 0.0, "ben", ""))
        self.reactor.advance(15)
        assert self.api.beats[-1]["games"] == 1
        self.processes[-1].end(status)
        self.reactor.advance(0)

    def stop(self) -> None:
        self.running.stop()
        self.successResultOf(self.over)

    def test_a_program_that_has_played_starts_again_and_keeps_its_report(self) -> None:
        """Also if a beat came between the end of its game and its own."""
        self.play_and_end(0)
        assert len(self.processes) == 2
        self.stop()
        assert sum(each["games"] for each in self.api.beats) == 1
        assert self.reports() == [], "the report of the trial stays"

    def test_a_program_that_failed_rests_and_its_author_reads_it(self) -> None:
        self.play_and_end(1)
        assert len(self.processes) == 1
        self.reactor.advance(1)
        assert len(self.processes) == 2
        self.stop()
        assert self.reports() == ["on the ladder, it ended with exit status 1"]

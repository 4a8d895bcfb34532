"""Puzzles as a part of the server: the daily search, and what is kept."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from contextlib import closing
from typing import Any, cast
from unittest.mock import Mock

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ProcessTerminated
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import in_reactor
from tests.archive.helpers import archive_of, match
from tests.plugins.puzzles.examples import example
from tests.server.helpers import TapCase
from tests.terminal.processes import PATIENCE
from tictac.plugins.puzzles import finding
from tictac.plugins.puzzles.finding import Search
from tictac.plugins.puzzles.puzzles import Puzzles, dump_puzzle
from tictac.plugins.puzzles.service import (
    FIRST_LOOK,
    KEPT_DAYS,
    KEPT_SOLVERS,
    LOOKS_EVERY,
    ProcessFind,
    PuzzleOptions,
    PuzzleService,
    day_of,
)
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.reactor import Reactor
from tictac.server.make import makeService

NOON = 1_795_953_600.0 + 43_200
TODAY, TOMORROW = "2026-11-30", "2026-12-01"


class SearchTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.store = archive_of(match("m1"), match("m2", private=True))
        self.stopped: list[object] = []
        self.searches: list[tuple[Search, Deferred[str]]] = []
        self.utc = NOON
        self.begin(PuzzleOptions(puzzles="connectfour,unknown"))

    def begin(self, options: PuzzleOptions) -> None:
        self.puzzles = Puzzles(lambda: str(day_of(self.utc)))
        self.service = PuzzleService(
            self.clock, self.store, self.puzzles, options, self.find, lambda: self.utc
        )
        self.service.begin()

    def find(self, search: Search) -> Deferred[str]:
        self.searches.append((search, Deferred(self.stopped.append)))
        return self.searches[-1][1]

    def look(self, after: float = FIRST_LOOK) -> None:
        self.clock.advance(after)
        self.service.expire()

    def test_not_at_the_start(self) -> None:
        self.service.expire()
        assert self.searches == []

    def test_one_after_the_other_today_first(self) -> None:
        self.look()
        assert len(self.searches) == 1 and not self.puzzles.has(TODAY, "connectfour")
        self.searches[0][1].callback(dump_puzzle(example()))
        assert self.puzzles.has(TODAY, "connectfour") and len(self.searches) == 2
        self.searches[1][1].callback(dump_puzzle(example()))
        assert self.puzzles.has(TOMORROW, "connectfour") and len(self.searches) == 2

    def test_no_second_search_meanwhile(self) -> None:
        self.look()
        self.look(LOOKS_EVERY)
        assert len(self.searches) == 1

    def test_nothing_found_is_tried_again_in_an_hour(self) -> None:
        self.look()
        for _ in range(2):
            self.searches[-1][1].callback("null\n")
        self.look(LOOKS_EVERY - 1)
        assert len(self.searches) == 2
        self.look(1)
        assert len(self.searches) == 3

    def test_a_failed_search_is_logged_and_stops_no_other(self) -> None:
        self.begin(PuzzleOptions(puzzles="connectfour,reversi"))
        self.look()
        self.searches[0][1].errback(RuntimeError("the search for a puzzle failed"))
        assert len(self.flushLoggedErrors(RuntimeError)) == 1
        assert self.searches[1][0].game == "reversi"
        for _ in range(3):
            self.searches[-1][1].callback("null")
        assert len(self.searches) == 4
        self.look(LOOKS_EVERY)
        assert self.searches[4][0].game == "connectfour"

    def test_a_restart_keeps_them(self) -> None:
        PuzzleTables(self.store.database).add(TODAY, "connectfour", dump_puzzle(example()))
        self.begin(PuzzleOptions(puzzles="connectfour"))
        assert self.puzzles.has(TODAY, "connectfour")

    def test_public_matches_and_used_positions_are_passed(self) -> None:
        self.begin(PuzzleOptions(puzzles="tictactoe"))
        self.utc = match().ended + 86_400
        PuzzleTables(self.store.database).add("2020-01-01", "tictactoe", dump_puzzle(example()))
        self.look()
        search = self.searches[0][0]
        assert len(search.matches) == 1 and '"m1"' in search.matches[0]
        assert search.used == [example().steps[0].position]

    def test_old_ones_are_deleted(self) -> None:
        old = str(day_of(self.utc - (KEPT_DAYS + 1) * 86_400))
        PuzzleTables(self.store.database).add(old, "connectfour", dump_puzzle(example()))
        self.begin(PuzzleOptions(puzzles=""))
        self.look()
        assert PuzzleTables(self.store.database).of(old) == []

    def test_old_solutions_are_deleted(self) -> None:
        tables = PuzzleTables(self.store.database)
        days = [str(day_of(self.utc - each * 86_400)) for each in (KEPT_SOLVERS, KEPT_SOLVERS + 1)]
        for day in days:
            tables.solve("alice", day, "connectfour")
        self.begin(PuzzleOptions(puzzles=""))
        self.look()
        assert [each.day for each in tables.solved("alice")] == days[:1]

    def test_the_first_puzzle_of_a_day_stays(self) -> None:
        tables = PuzzleTables(self.store.database)
        tables.add(TODAY, "connectfour", "first")
        tables.add(TODAY, "connectfour", "second")
        assert tables.of(TODAY) == ["first"]

    def test_the_end_stops_the_search(self) -> None:
        self.look()
        self.successResultOf(Deferred.fromCoroutine(self.service.end()))
        assert self.stopped == [self.searches[0][1]]


class OptionTests(TapCase):
    def parts(self, *options: str) -> list[Any]:
        reactor: Any = MemoryReactorClock()
        asked = self.options(
            "--database", str(self.directory / "users.db"), "--port", "tcp:0:interface=127.0.0.1",
            *options,
        )  # fmt: skip
        services: Any = makeService(asked, reactor)
        return [part for part in services.services if isinstance(part, PuzzleService)]

    def test_games_between_commas(self) -> None:
        (part,) = self.parts("--puzzles", "reversi, chess", "--puzzle-search", "5")
        assert part._options == PuzzleOptions("reversi, chess", 5.0)

    def test_none(self) -> None:
        assert self.parts("--puzzles", "") == []


def in_process(game: str) -> Deferred[str]:
    return ProcessFind(cast(Reactor, reactor))(Search(game, [], [], 1.0, 1, os.getpid()))


@in_reactor
async def test_a_process_finds_no_puzzle() -> None:
    assert await in_process("clue") == "null\n"


@in_reactor
async def test_a_fault_of_a_process_is_named() -> None:
    with pytest.raises(RuntimeError, match="NoSuchGame"):
        await in_process("unknown")


def test_a_signal_that_ended_a_process_is_named() -> None:
    reactor, failures = Mock(), list[Failure]()
    ProcessFind(reactor)(Search("reversi", [], [], 2.0, 1, 0)).addErrback(failures.append)
    reactor.spawnProcess.call_args.args[0].processEnded(Failure(ProcessTerminated(signal=9)))
    assert "failed: signal 9 ended the process" in failures[0].getErrorMessage()


@in_reactor
async def test_a_canceled_process_is_killed() -> None:
    finding = in_process("reversi")
    finding.cancel()
    with pytest.raises(CancelledError):
        await finding


PARENT = """
import json, os, subprocess, sys
search = json.dumps({**json.loads(sys.argv[2]), "server": os.getpid()})
process = subprocess.Popen([sys.executable, "-m", sys.argv[1]], stdin=subprocess.PIPE)
process.stdin.write(search.encode() + b"\\n")
process.stdin.flush()
print(process.pid, flush=True)
process.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_search_ends_with_a_killed_server() -> None:
    fields = Search("reversi", [], [], 1e6, 1, 0)._asdict()
    command = [sys.executable, "-c", PARENT, finding.__name__, json.dumps(fields)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        process = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    with closing(os.fdopen(process)) as ended:
        assert select.select([ended], [], [], PATIENCE)[0]

"""A search for puzzles as a part of the server: today's and tomorrow's, for each game.

A search takes ``--puzzle-search`` seconds of a processor, at the lowest priority, and one search
runs at a time. A server that runs the whole day searches once for each game.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import SystemRandom
from typing import Protocol

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.interfaces import IProcessTransport, IReactorProcess, IReactorTime
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac import options as read
from tictac.archive.match import Match, dump_match
from tictac.archive.tables import MatchTables
from tictac.games.all import GAMES
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.plugins.puzzles import finding
from tictac.plugins.puzzles.finding import Search
from tictac.plugins.puzzles.puzzles import Puzzles, load_puzzle
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.reactor import module_command
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger()

FIRST_LOOK, LOOKS_EVERY = 600.0, 3600.0
"""Seconds from the start to the first look for missing puzzles, and between two looks."""

KEPT_DAYS = 31
"""How many days of puzzles are kept."""

KEPT_SOLVERS = 400
"""For how many days it is kept who solved them: a streak isn't longer."""

MOST_MATCHES, OLDEST = 100, 90
"""Maximum matches, and their age in days, from which a puzzle comes."""


@dataclass(frozen=True)
class PuzzleOptions:
    """The puzzle of a day."""

    puzzles: str = option(
        "connectfour,reversi,chess", "Games with a puzzle each day, between commas; empty: none."
    )
    puzzle_search: float = option(
        60.0, "Seconds of a processor for the search of a puzzle.", read.interval
    )


class Find(Protocol):
    """Searches for a puzzle."""

    def __call__(self, search: Search) -> Deferred[str]:
        """Return a Deferred with the puzzle as JSON, or ``null``."""


class _SearchProcess(ProcessProtocol):
    """A process that gets ``line``; ``found`` fires with its output. A cancellation kills it."""

    transport: IProcessTransport

    def __init__(self, line: bytes) -> None:
        self.found: Deferred[str] = Deferred(lambda _: self._kill())
        self._line = line
        self._output, self._errors = b"", b""

    def connectionMade(self) -> None:
        self.transport.write(self._line)
        self.transport.closeStdin()

    def outReceived(self, data: bytes) -> None:
        self._output += data

    def errReceived(self, data: bytes) -> None:
        self._errors += data

    def processEnded(self, reason: Failure) -> None:
        if self.found.called:  # canceled
            return
        if reason.check(ProcessDone):
            self.found.callback(self._output.decode())
        else:
            signal = getattr(reason.value, "signal", None)
            last = self._errors.decode(errors="replace").strip().rpartition("\n")[2]
            why = f"signal {signal} ended the process" if signal else last
            self.found.errback(RuntimeError(f"the search for a puzzle failed: {why}"))

    def _kill(self) -> None:
        with suppress(ProcessExitedAlready):  # then processEnded is on its way
            self.transport.signalProcess("KILL")


class ProcessFind:
    """Starts a new process for each search (Find)."""

    def __init__(self, reactor: IReactorProcess) -> None:
        self._reactor = reactor

    def __call__(self, search: Search) -> Deferred[str]:
        command, environment = module_command(finding.__name__)
        process = _SearchProcess(json.dumps(search._asdict()).encode() + b"\n")
        self._reactor.spawnProcess(process, command[0], command, environment)
        return process.found


class PuzzleService(ProtocolService):
    """Finds the ``puzzles`` of today and tomorrow, by ``options``; ``utc`` is the time of day."""

    def __init__(
        self,
        reactor: IReactorTime,
        store: Store,
        puzzles: Puzzles,
        options: PuzzleOptions,
        find: Find,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._puzzles, self._options = store, puzzles, options
        self._clock, self._find, self._utc = reactor, find, utc
        self._tables, self._matches = Stored(store, PuzzleTables), Stored(store, MatchTables)
        self._look_at = 0.0
        self._looking: Deferred[None] | None = None
        super().__init__(reactor, "puzzles", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._store.start()
        self._look_at = self._clock.seconds() + FIRST_LOOK
        loading = Deferred.fromCoroutine(self._load())
        loading.addErrback(lambda failure: _log.failure("cannot read the puzzles", failure))

    async def end(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        await self._store.close()

    def expire(self) -> None:
        """Look for missing puzzles, once in an hour."""
        if self._looking is None and self._clock.seconds() >= self._look_at:
            self._look_at = self._clock.seconds() + LOOKS_EVERY
            self._looking = Deferred.fromCoroutine(self._look())
            self._looking.addErrback(lambda failure: failure.trap(CancelledError))
            self._looking.addErrback(
                lambda failure: _log.failure("cannot delete old puzzles", failure)
            )
            self._looking.addBoth(self._looked)

    def _looked(self, _: object) -> None:
        self._looking = None

    async def _load(self) -> None:
        today = day_of(self._utc())
        with suppress(StoreAwayError, StoreClosedError):
            for day in [str(today + timedelta(days=each)) for each in range(-KEPT_DAYS, 2)]:
                for content in await self._tables.ask(PuzzleTables.of, day):
                    self._puzzles.add(day, load_puzzle(content))

    async def _look(self) -> None:
        today = day_of(self._utc())
        with suppress(StoreAwayError, StoreClosedError):
            for day in (str(today), str(today + timedelta(days=1))):
                for game in self._options.puzzles.replace(" ", "").split(","):
                    if game in GAMES and not self._puzzles.has(day, game):
                        await self._try(day, game)
            before = str(today - timedelta(days=KEPT_DAYS))
            self._puzzles.forget(before)
            solved_before = str(today - timedelta(days=KEPT_SOLVERS))
            await self._tables.ask(PuzzleTables.prune, before, solved_before)

    async def _try(self, day: str, game: str) -> None:
        """Search for a puzzle; a fault of one game doesn't stop the search for others."""
        try:
            await self._search(day, game)
        except (CancelledError, StoreAwayError, StoreClosedError):
            raise
        except Exception:
            _log.failure("cannot search for a puzzle of {game} for {day}", game=game, day=day)

    async def _search(self, day: str, game: str) -> None:
        earlier = await self._tables.ask(PuzzleTables.last, game, KEPT_DAYS)
        used = [load_puzzle(content).steps[0].position for content in earlier]
        matches = [dump_match(match) for match in await self._last_matches(game)]
        seed, seconds = SystemRandom().getrandbits(32), self._options.puzzle_search
        content = await self._find(Search(game, matches, used, seconds, seed, os.getpid()))
        if content.strip() == "null":
            _log.info("no puzzle of {game} was found for {day}", game=game, day=day)
            return
        await self._tables.ask(PuzzleTables.add, day, game, content.strip())
        for content in await self._tables.ask(PuzzleTables.of, day):
            self._puzzles.add(day, load_puzzle(content))

    async def _last_matches(self, game: str) -> Sequence[Match]:
        since = int((self._utc() - OLDEST * 86_400) * 1000)
        found = []
        for match_id in await self._tables.ask(PuzzleTables.matches, game, since, MOST_MATCHES):
            match = await self._matches.ask(MatchTables.get, match_id)
            if match is not None:
                found.append(match)
        return found


def day_of(seconds: float) -> date:
    """Return the day in UTC of a time in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).date()


def _make(runtime: Runtime) -> ProtocolService | None:
    options, reactor = runtime.settings[PuzzleOptions], runtime.reactor
    if not options.puzzles:
        return None
    store = runtime.store("puzzles")
    puzzles = Puzzles(lambda: str(day_of(time.time())), Stored(store, PuzzleTables))
    runtime.lobby.extend(puzzles)
    if any(part.what == "web" for part in runtime.parts):
        runtime.lobby.parts["puzzle"] = puzzles.answer
    return PuzzleService(reactor, store, puzzles, options, ProcessFind(reactor))


ADD_ON = AddOn(_make, PuzzleOptions)

"""Replays of saved histories in a process of their own, as a part of the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac import options as read
from tictac.archive.match import Match
from tictac.archive.reader import Reader
from tictac.errors import NoSuchGame
from tictac.games.all import GAMES
from tictac.logs import LIMITED
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.plugins.replays.replayer import PATIENCE, Replayer
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime

_log = Logger(observer=LIMITED)

InThread = Callable[[Callable[[], object]], Deferred[object]]

MOST_KNOWN = 1000
"""Maximum matches whose fault, or lack of one, is remembered."""


@dataclass(frozen=True)
class ReplayOptions:
    """Replays of saved histories, for games whose library can end the process."""

    replay_timeout: float = option(
        PATIENCE, "Timeout in seconds for the replay of a saved history; 0: none.", read.seconds
    )


class ReplayService(ProtocolService):
    """Replays matches for ``reader`` in another process before the reader does.

    ``in_thread`` calls a function in a thread. The process ends when the rooms are restored, and
    after a sweep without a replay.
    """

    def __init__(
        self, reactor: Reactor, replayer: Replayer, reader: Reader, in_thread: InThread
    ) -> None:
        self._replayer, self._in_thread = replayer, in_thread
        self._faults: dict[str, str] = {}
        self._is_idle = True
        reader.vet = self.vet
        super().__init__(reactor, "replays", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        if self._replayer.runs:
            self._in_thread(self._replayer.close)

    async def end(self) -> None:
        await self._in_thread(self._replayer.close)

    def expire(self) -> None:
        if self._is_idle and self._replayer.runs:
            self._in_thread(self._replayer.close)
        self._is_idle = True

    def vet(self, match: Match) -> Deferred[None]:
        """Fire if the server can replay a match; fail with NoSuchGame if not."""
        game_type = GAMES.get(match.game)
        if game_type is None or not game_type.native:
            return succeed(None)
        return Deferred.fromCoroutine(self._vet(match))

    async def _vet(self, match: Match) -> None:
        fault = self._faults.pop(match.id, None)
        if fault is None:
            self._is_idle = False
            fault = str(await self._in_thread(partial(self._replayer.fault_of_match, match)))
            if fault:
                _log.error("match {match}: {why}; not shown", match=match.id, why=fault)
        self._faults[match.id] = fault
        if len(self._faults) > MOST_KNOWN:
            del self._faults[next(iter(self._faults))]
        if fault:
            raise NoSuchGame(f"the match breaks the rules of this server: {fault}")


def _make(runtime: Runtime) -> ProtocolService:
    reactor, replayer = runtime.reactor, Replayer(runtime.settings[ReplayOptions].replay_timeout)
    runtime.lobby.registry.vet = replayer.vet_room

    def in_thread(function: Callable[[], object]) -> Deferred[object]:
        return deferToThreadPool(reactor, reactor.getThreadPool(), function)

    return ReplayService(reactor, replayer, runtime.lobby.matches, in_thread)


ADD_ON = AddOn(_make, ReplayOptions)

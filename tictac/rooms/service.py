"""The rooms server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.net.connection import Limits
from tictac.net.framing import Framing
from tictac.net.listening import Listener
from tictac.rooms.events import Ended
from tictac.rooms.house import HousePlayer
from tictac.rooms.registry import MemoryRegistry, Occupant, Watcher
from tictac.rooms.server import RoomsFactory

_log = Logger()

GOODBYE = 1.0
"""Seconds that connections have to take what is written to them before they are cut."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the rooms server is asked for; times in seconds, 0 for no limit.

    ``ports`` are endpoint descriptions. ``computer`` is how long a room waits for the
    house player; None: there is none.
    """

    ports: Sequence[str]
    framing: Framing
    limits: Limits
    max_rooms: int = 256
    move_timeout: float = 600
    wait_timeout: float = 3600
    computer: float | None = None
    log_matches: bool = False
    eager: bool = True


class MatchLog:
    """Counts matches by the word for their end, and logs each if asked (a Watcher)."""

    def __init__(self, log_each: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._log_each = log_each

    def room_opened(self, name: str) -> None:
        """Nothing to count yet."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count it."""
        self.counts[ended.ending] += 1
        if self._log_each:
            _log.info(
                "room {room}: {ending} ({users})",
                room=name,
                ending=ended.ending,
                users=" against ".join(users),
                winner=ended.winner,
                board=ended.board,
            )


class RoomsService(Service):
    """Rooms, their listeners and the house player, over accounts that it starts and stops."""

    def __init__(self, reactor: Any, settings: Settings, accounts: Accounts) -> None:
        self.accounts = accounts
        self.matches = MatchLog(settings.log_matches)
        self.registry = MemoryRegistry(settings.max_rooms, time.monotonic, _report)
        self.registry.watchers.append(self.matches)
        self.factories = [self._factory(reactor, settings, port) for port in settings.ports]
        read_at_a_time = 2 * settings.framing.max_message
        self.listeners = [
            Listener(reactor, port, factory, "rooms", settings.eager, read_at_a_time)
            for port, factory in zip(settings.ports, self.factories, strict=True)
        ]
        self._reactor = reactor
        self._settings = settings
        self._house: HousePlayer | None = None
        self._sweep = LoopingCall(self._sweep_once)
        self._sweep.clock = reactor

    def _factory(self, reactor: Any, settings: Settings, port: str) -> RoomsFactory:
        return RoomsFactory(
            self.registry,
            self.accounts,
            reactor,
            time.monotonic,
            settings.framing,
            settings.limits,
            proxied=port.startswith("haproxy:"),
        )

    # Starting

    def privilegedStartService(self) -> None:
        super().privilegedStartService()
        for listener in self.listeners:
            listener.privilegedStartService()

    def startService(self) -> None:
        super().startService()
        self.accounts.start()
        if self._settings.computer is not None:
            self._house = HousePlayer(
                self.registry, self._reactor, self._settings.computer, Random()
            )
            self.registry.watchers.append(self._house)
        for listener in self.listeners:
            listener.startService()
        self._sweep.start(sweep_interval(self._settings), now=False)

    def _sweep_once(self) -> None:
        try:
            self._expire()
        except Exception:
            _log.failure("looking for what has timed out failed")

    def _expire(self) -> None:
        self.registry.expire(self._settings.move_timeout, self._settings.wait_timeout)
        for factory in self.factories:
            factory.expire()

    # Stopping

    def stop_listening(self) -> None:
        """Take no more connections (net.service.Part)."""
        for listener in self.listeners:
            listener.stop_listening()

    def matches_running(self) -> int:
        """The matches under way (net.service.Part)."""
        return self.registry.running()

    def stopService(self) -> Deferred[None]:
        super().stopService()
        stopping: Deferred[None] = Deferred.fromCoroutine(self._stop())
        return stopping

    async def _stop(self) -> None:
        if self._sweep.running:
            self._sweep.stop()
        if self._house is not None:
            self._house.stop()
        await DeferredList([d for listener in self.listeners if (d := listener.stopService())])
        await self._say_goodbye()
        await self.accounts.stop()
        refused = sum((factory.refusals.counts for factory in self.factories), Counter())
        _log.info(
            "matches: {matches}; refusals: {refusals}",
            matches=dict(self.matches.counts),
            refusals=dict(refused),
        )

    async def _say_goodbye(self) -> None:
        """Close every connection, and cut those that don't take it."""
        for connection in self._connections():
            connection.close()
        for _ in range(20):
            if not self._connections():
                return
            await deferLater(self._reactor, GOODBYE / 20, lambda: None)
        for connection in self._connections():
            connection.drop()

    def _connections(self) -> list[Any]:
        return [c for factory in self.factories for c in factory.connections]


def sweep_interval(settings: Settings) -> float:
    """Seconds between two looks for what has timed out: a tenth of the shortest limit."""
    limits = settings.limits
    times = (
        limits.login_timeout, limits.idle_timeout, settings.move_timeout, settings.wait_timeout
    )  # fmt: skip
    return min(max(min((t for t in times if t), default=50.0) / 10, 0.05), 5.0)


def _report(culprit: Occupant | Watcher) -> None:
    _log.failure("{culprit} failed to take an event", culprit=culprit)

"""The Connect Four server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac import options as read
from tictac.doors.connectfour.server import DOOR, ConnectFourFactory
from tictac.doors.connectfour.wire import MAX_LINE
from tictac.lobby import computer
from tictac.lobby.registry import MemoryRegistry
from tictac.net.connection import Limits
from tictac.net.part import (
    Parameter,
    PartMaker,
    PartService,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.thinking import Thinkers

_log = Logger()


class Thinker(computer.Thinker, Protocol):
    """Whoever finds yellow's moves, to be started and stopped."""

    @property
    def ready(self) -> bool:
        """Whether a move that is asked for now will be found."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> Deferred[None]:
        """Answer nobody any longer; fires when nothing of it is left."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the Connect Four server is asked for.

    ``ports`` are endpoint descriptions, ``seconds_a_move`` how long the computer thinks.
    """

    ports: Sequence[str]
    limits: Limits
    seconds_a_move: float = 1.0
    eager: bool = True


class ConnectFourService(PartService):
    """Listeners, and a ``thinker`` that it starts and stops; the games are in ``registry``."""

    def __init__(
        self, reactor: Any, settings: Settings, thinker: Thinker, registry: MemoryRegistry
    ) -> None:
        self.games: Counter[str] = Counter()
        self._registry = registry
        self._thinker = thinker
        self._clock = reactor
        self._settings = settings
        super().__init__(
            reactor,
            "connectfour",
            settings.ports,
            self._make_factory,
            sweep_interval(settings.limits.idle_timeout),
            settings.eager,
            2 * MAX_LINE,
        )

    def _make_factory(self, proxied: bool) -> ConnectFourFactory:
        settings = self._settings
        return ConnectFourFactory(
            self._registry,
            self._thinker,
            self.games,
            settings.seconds_a_move,
            self._clock,
            time.monotonic,
            settings.limits,
            proxied,
        )

    def begin(self) -> None:
        self._thinker.start()

    def serving(self) -> bool:
        return super().serving() and self._thinker.ready

    def matches_running(self) -> int:
        return self._registry.running(DOOR)

    async def end(self) -> None:
        await self._thinker.stop()
        _log.info(
            "connectfour: games: {games}; refusals: {refusals}",
            games=dict(self.games),
            refusals=self.refusals(),
        )


_PARAMETERS: list[Parameter] = [
    ("connectfour-idle", None, 600.0, "Seconds of silence in Connect Four.", read.seconds),
    ("connectfour-think", None, 1.0, "Seconds the computer thinks about a move.", read.seconds),
    ("connectfour-workers", None, 0, "Processes that think; 0: one a core.", read.count),
]


def make_settings(options: Mapping[str, Any], ports: Sequence[str]) -> Settings:
    """The options of the Connect Four server, as values of its own types."""
    return Settings(
        ports=ports,
        limits=connection_limits(options, 0, options["connectfour-idle"]),
        seconds_a_move=options["connectfour-think"],
        eager=not options["no-eager-send"],
    )


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> ConnectFourService:
    size = options["connectfour-workers"] or os.cpu_count() or 1
    thinkers = Thinkers(shared.reactor, size, options["max-questions-per-peer"])
    settings = make_settings(options, ports)
    return ConnectFourService(shared.reactor, settings, thinkers, shared.lobby())


PART = PartMaker(
    port="connectfour",
    port_help="Listen for Connect Four on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
)

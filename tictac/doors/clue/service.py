"""The Clue server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.logger import Logger

from tictac import options as read
from tictac.doors.clue.seating import ClueSeating, Settings
from tictac.doors.clue.server import MAX_LINE, ClueFactory
from tictac.errors import SetupError
from tictac.games.clue.board import read_board, shipped_board
from tictac.games.clue.cards import SEATS
from tictac.games.clue.players import PLAYERS
from tictac.games.clue.rules import MAX_ROUNDS
from tictac.lobby.registry import MemoryRegistry
from tictac.net.connection import Limits
from tictac.net.part import (
    Flag,
    Parameter,
    PartMaker,
    PartService,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.thinking import Thinkers

_log = Logger()

DEFAULT_PLAYER = "sensible"


class ClueService(PartService):
    """The seating, its listeners, and the processes in which the server's players think."""

    def __init__(
        self,
        reactor: Any,
        ports: Sequence[str],
        settings: Settings,
        registry: MemoryRegistry,
        thinkers: Thinkers,
        limits: Limits,
        pairs: bool = True,
        eager: bool = True,
    ) -> None:
        self.seating = ClueSeating(registry, settings, reactor, thinkers)
        self._thinkers = thinkers
        self._thinks = settings.computers > 0

        def make_factory(proxied: bool) -> ClueFactory:
            return ClueFactory(
                reactor,
                time.monotonic,
                limits=limits,
                proxied=proxied,
                seating=self.seating,
                pairs=pairs,
            )

        sweep = sweep_interval(limits.login_timeout, limits.idle_timeout)
        super().__init__(reactor, "clue", ports, make_factory, sweep, eager, 2 * MAX_LINE)

    def begin(self) -> None:
        if self._thinks:
            self._thinkers.start()
        self.seating.open()

    def serving(self) -> bool:
        return super().serving() and (self._thinkers.ready or not self._thinks)

    def matches_running(self) -> int:
        return self.seating.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        self.seating.finish()

    async def _stop(self) -> None:
        # All at once: nobody shall be told that the others go one by one.
        self.seating.close()
        await super()._stop()

    async def end(self) -> None:
        await self._thinkers.stop()
        _log.info(
            "clue: games: {games}; refusals: {refusals}",
            games=dict(self.seating.endings),
            refusals=self.refusals(),
        )


# The options


def _humans(text: str | int) -> int:
    humans = read.count(text)
    if not 1 <= humans <= SEATS:
        raise ValueError(f"{humans} isn't from 1 to {SEATS}")
    return humans


def read_players(text: str) -> tuple[str, ...]:
    """Names of players with commas. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r:.40} isn't a list of names")
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in PLAYERS:
            raise ValueError(f"{name!r:.40} is none of {', '.join(PLAYERS)}")
    return names


_PARAMETERS: list[Parameter] = [
    ("clue-humans", None, 1, "Seats of a game of Clue that wait for connections, 1 to 6.", _humans),
    ("clue-players", None, None, "The server's players for the other seats.", read_players),
    ("clue-seed", None, None, "Makes deals and dice repeatable.", read.count),
    ("clue-name-timeout", None, 60.0, "Seconds from connecting to Clue to the name.", read.seconds),
    ("clue-move-timeout", None, 120.0, "Seconds for an answer in Clue.", read.seconds),
    ("clue-max-rounds", None, MAX_ROUNDS, "Rounds after which a game is closed.", read.positive),
    ("clue-board", None, None, "A file with another map.", None),
    ("clue-workers", None, 0, "Processes that think in Clue; 0: one a core.", read.count),
]

_FLAGS: list[Flag] = [
    ("clue-mini", None, "Every connection to Clue is a game of its own without cards."),
    ("unrevised-counter", None, "Don't say who showed the card of a counter in Clue."),
]


def make_settings(options: Mapping[str, Any]) -> Settings:
    """What the options ask for. Raises SetupError."""
    humans, mini = options["clue-humans"], bool(options["clue-mini"])
    players = options["clue-players"]
    if players is None:
        players = (DEFAULT_PLAYER,) * (SEATS - humans)
    if not mini and len(players) != SEATS - humans:
        raise SetupError(
            f"--clue-players names {len(players)} players, and --clue-humans {humans}"
            f" leaves {SEATS - humans} seats"
        )
    file = options["clue-board"]
    return Settings(
        read_board(Path(file)) if file is not None else shipped_board(),
        humans,
        players,
        mini,
        options["clue-seed"],
        options["clue-max-rounds"],
    )


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> ClueService:
    settings = make_settings(options)
    size = options["clue-workers"] or os.cpu_count() or 1
    return ClueService(
        shared.reactor,
        ports,
        settings,
        shared.lobby(),
        Thinkers(shared.reactor, size, options["max-questions-per-peer"]),
        connection_limits(options, options["clue-name-timeout"], options["clue-move-timeout"]),
        not (settings.mini or options["unrevised-counter"]),
        not options["no-eager-send"],
    )


PART = PartMaker(
    port="clue",
    port_help="Play Clue on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
    flags=_FLAGS,
)

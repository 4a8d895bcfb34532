"""The objects that play a tournament, made from the values of the command line."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TextIO

from twisted.internet.task import deferLater
from twisted.logger import Logger

from tictac.engine_pool import EnginePool
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.plugins.tournament.plan import Pairing
from tictac.plugins.tournament.running.contestants import (
    Account,
    Allowed,
    Bot,
    Computer,
    Contestant,
)
from tictac.plugins.tournament.running.file import TournamentFile
from tictac.plugins.tournament.running.live import PATH, SCRIPT, LivePage, LiveScript
from tictac.plugins.tournament.running.players import PlayerSpec
from tictac.plugins.tournament.running.progress import progress
from tictac.plugins.tournament.running.rooms import TournamentRooms
from tictac.plugins.tournament.running.runner import Runner
from tictac.plugins.tournament.running.serving import Server, make_server
from tictac.plugins.tournament.tournament import Tournament

_log = Logger()

LAST_LOOK = 5.0
"""Seconds for which a watched page is served after the end."""


@dataclass(frozen=True)
class Setup:
    """The settings of a run, as :mod:`tictac.plugins.tournament.running.commands` has read them.

    If only computers play, with no database and no port, there is no server.
    """

    terms: Terms
    players: Mapping[str, PlayerSpec]
    tournament: Tournament
    file: TournamentFile
    scratch: Path
    allowed: Allowed
    think: float
    jobs: int
    patience: float
    rejoin: float
    database: str | None
    ports: Sequence[str]
    web: Sequence[str]

    @property
    def accounts(self) -> list[str]:
        """The names of the players with accounts."""
        return [each.name for each in self.players.values() if each.kind == "account"]

    @property
    def seconds(self) -> float:
        """Seconds on the clock of a player, with all periods."""
        return self.terms.time.total if self.terms.time else 0.0

    @property
    def errors(self) -> Path:
        """The folder with the standard error of commands."""
        return self.file.path.with_name(f"{self.file.path.name}.errors")

    @property
    def serves(self) -> bool:
        """Whether the tournament needs a server."""
        alone = all(each.kind == "computer" for each in self.players.values())
        return not alone or bool(self.database or self.ports or self.web)


async def play(reactor: Any, setup: Setup, stream: TextIO) -> bool:
    """Play to the end, or until the reactor stops; return whether the tournament ended.

    The progress goes to ``stream``. Raises SetupError.
    """
    server = _server(reactor, setup) if setup.serves else None
    registry = server.rooms.registry if server else Registry(0, time.monotonic, _report)
    engines = EnginePool(reactor, setup.jobs)
    seating = TournamentRooms(registry, setup.terms, reactor.callLater)
    rng = Random()

    def make(name: str, seat: int, pairing: Pairing) -> Contestant:
        player = setup.players[name]
        if player.kind == "account":
            return Account(name, runner.waiting_area)
        if player.kind == "computer":
            return Computer(name, player.what, seating, reactor, engines, rng, setup.think)
        assert server is not None
        errors, title = setup.errors / file_name(name), f"{name}, game {pairing.number}"
        return Bot(
            name, seat, player.what, player.protocol, server.rooms.lobby, reactor,
            setup.allowed, errors, title,
        )  # fmt: skip

    runner = Runner(
        reactor, setup.tournament, setup.file, seating, make, setup.jobs, setup.accounts,
        setup.patience,
    )  # fmt: skip
    live: LivePage | None = None
    reactor.addSystemEventTrigger("before", "shutdown", runner.stop)
    if server is not None:
        server.seat_accounts(runner.waiting_area)
        server.start(reactor)
        if setup.ports or setup.web:
            print("\n".join(server.places()), file=stream)
        if server.web is not None:
            link = "/match/{}".format if setup.database else None
            live = LivePage(runner, time.monotonic, link)
            server.web.add(PATH, live)
            server.web.add(SCRIPT, LiveScript())
    slow = setup.terms.game_type.slow
    if any(each.kind == "computer" and each.what in slow for each in setup.players.values()):
        engines.start()
        reactor.addSystemEventTrigger("before", "shutdown", engines.stop)
    is_over = await runner.run(progress(setup.tournament, stream))
    if is_over and live is not None and live.is_watched:
        await deferLater(reactor, LAST_LOOK)  # so that browsers show the end
    return is_over


def _server(reactor: Any, setup: Setup) -> Server:
    return make_server(
        reactor, setup.database, setup.scratch, setup.ports, setup.web, setup.seconds, setup.rejoin
    )


def _report(culprit: object) -> None:
    _log.failure("{culprit} failed to take an event", culprit=culprit)


def file_name(player: str) -> str:
    """Return the name of a player's file: names of players may have slashes."""
    return re.sub(r"[^\w.-]", "_", player).lstrip(".") + ".txt"

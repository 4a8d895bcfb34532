"""The complete server that a tournament runs in its own process."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService

from tictac.lobby.interfaces import Archivist
from tictac.lobby.journal import Outcome, Packed
from tictac.net.logins import LoginConnection
from tictac.net.plugin import ProtocolService
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.hosting.service import TournamentService
from tictac.plugins.tournament.running.contestants import HOST, Allowed
from tictac.plugins.tournament.running.file import TournamentFile
from tictac.plugins.tournament.running.players import PlayerSpec
from tictac.plugins.tournament.running.roles import PlayerRole
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.reactor import Reactor
from tictac.server.make import Options, makeService

COME = "Players come to {} port {}."
PAGE = "The page of the tournament is at http://{}:{}/tournament/{}."


class WithoutOutcomes:
    """Saves matches with ``archivist``, but no outcomes (lobby.interfaces.Archivist).

    The tournament counts its games itself when they end.
    """

    def __init__(self, archivist: Archivist) -> None:
        self.pack = archivist.pack
        self._archivist = archivist

    def keep(self, packed: Packed | None, outcome: Outcome | None = None) -> bool:
        """Keep a match, if there is one."""
        return packed is not None and self._archivist.keep(packed)


@dataclass(frozen=True)
class Setup:
    """The settings of a run, as :mod:`tictac.plugins.tournament.running.commands` has read them.

    ``cup`` is the tournament after ``lines``. Up to ``jobs`` games run side by side. The seat of a
    disconnected player is held for ``rejoin`` seconds.
    """

    players: Mapping[str, PlayerSpec]
    cup: Cup
    lines: Sequence[Line]
    file: TournamentFile
    scratch: Path
    allowed: Allowed
    think: float
    jobs: int
    rejoin: float
    database: str | None
    ports: Sequence[str]
    web: Sequence[str]

    @property
    def accounts(self) -> list[str]:
        """The names of the players with accounts."""
        return [each.name for each in self.players.values() if each.kind == "account"]

    @property
    def programs(self) -> frozenset[str]:
        """The names of the players without accounts: commands and computers."""
        return frozenset(self.players).difference(self.accounts)

    @property
    def seconds(self) -> float:
        """Seconds on the clock of a player, with all periods."""
        return self.cup.plan.clock.total if self.cup.plan.clock else 0.0

    @property
    def errors(self) -> Path:
        """The folder with the standard error of commands."""
        return self.file.path.with_name(f"{self.file.path.name}.errors")


@dataclass
class Server:
    """A server with its services for rooms and tournaments, and optionally for the web page."""

    service: MultiService
    rooms: Any
    tournaments: TournamentService
    web: ProtocolService | None

    def seat_players(self, tournament: str, names: Collection[str]) -> None:
        """Let the accounts of these names play in the tournament."""

        def session(connection: LoginConnection, lobby: Lobby) -> Session:
            return Session(connection, lobby, PlayerRole(self.tournaments.desk, tournament, names))

        for factory in self.rooms.factories:
            factory.session = session

    def is_watched(self) -> bool:
        """Return whether a page is connected."""
        return self.web is not None and any(each.connections for each in self.rooms.factories)

    def start(self, reactor: Reactor) -> None:
        """Serve until the reactor stops."""
        self.service.privilegedStartService()
        reactor.addSystemEventTrigger("before", "shutdown", self.service.stopService)
        self.service.startService()
        registry = self.rooms.registry
        registry.archivist = WithoutOutcomes(registry.archivist)

    def places(self, tournament: str) -> Iterator[str]:
        """Yield sentences with the addresses on which the server listens."""
        for part, words in ((self.rooms, COME), (self.web, PAGE)):
            for listener in part.listeners if part is not None else ():
                address: Any = listener.port.getHost() if listener.port is not None else None
                if hasattr(address, "port"):
                    yield words.format(address.host, address.port, tournament)


def make_server(reactor: Reactor, setup: Setup) -> Server:
    """Return a server for a tournament, not yet started; exit with one line on an error."""
    options = Options()
    given = {
        "database": setup.database or str(setup.scratch / "users.db"), "journal": "none",
        "archive-queue": 0, "drain": 0, "idle-timeout": 0, "rejoin-timeout": setup.rejoin,
        "max-rooms": 0, "max-rooms-per-connection": 0, "computer-workers": setup.jobs,
        # The shortest time sets how often the server checks the clocks.
        "move-timeout": setup.seconds,
    }  # fmt: skip
    arguments = [f"--{name}={value}" for name, value in given.items()]
    arguments += [] if setup.database else ["--no-archive"]
    arguments += [f"--web={each}" for each in setup.web]
    ports = setup.ports
    if not (ports or setup.web):
        ports = [f"tcp:0:interface={HOST}"]  # a server needs a port
    arguments += [f"--port={each}" for each in ports]
    options.parseOptions(arguments)
    service = makeService(options, reactor)
    for claim in service.claims:
        claim.release()  # a server with this database still decides its own tournaments
    service.claims = ()
    parts = {part.what: part for part in service.parts}
    return Server(service, parts["rooms"], parts["tournaments"], parts.get("web"))

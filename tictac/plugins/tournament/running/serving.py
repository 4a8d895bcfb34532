"""The complete server that a tournament runs in its own process."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService

from tictac.lobby.interfaces import Archivist
from tictac.lobby.journal import Outcome, Packed
from tictac.net.logins import LoginConnection
from tictac.net.plugin import ProtocolService
from tictac.plugins.tournament.hosting.service import TournamentService
from tictac.plugins.tournament.running.contestants import HOST
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


def make_server(
    reactor: Reactor,
    database: str | None,
    scratch: Path,
    ports: Sequence[str],
    web: Sequence[str],
    seconds: float,
    rejoin: float,
    workers: int,
) -> Server:
    """Return a server for a tournament, not yet started; exit with one line on an error.

    The server saves matches in ``database``, if there is one. ``seconds`` is the time on a clock.
    ``rejoin`` is the number of seconds for which the seat of a disconnected player is held. Slow
    computers think in up to ``workers`` processes.
    """
    options = Options()
    given = {
        "database": database or str(scratch / "users.db"), "drain": 0, "idle-timeout": 0,
        "max-rooms": 0, "max-rooms-per-connection": 0, "archive-queue": 0, "rejoin-timeout": rejoin,
        "journal": "none", "computer-workers": workers,
        # The shortest time sets how often the server checks the clocks.
        "move-timeout": seconds,
    }  # fmt: skip
    arguments = [f"--{name}={value}" for name, value in given.items()]
    arguments += [] if database else ["--no-archive"]
    arguments += [f"--web={each}" for each in web]
    if not (ports or web):
        ports = [f"tcp:0:interface={HOST}"]  # a server needs a port
    arguments += [f"--port={each}" for each in ports]
    options.parseOptions(arguments)
    service = makeService(options, reactor)
    for claim in service.claims:
        claim.release()  # a server with this database still decides its own tournaments
    service.claims = ()
    parts = {part.what: part for part in service.parts}
    return Server(service, parts["rooms"], parts["tournaments"], parts.get("web"))

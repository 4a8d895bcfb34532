"""The server that a tournament runs by itself: a whole one, for this process alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService

from tictac.plugins.tournament.running.contestants import HOST, WaitingArea
from tictac.plugins.tournament.running.roles import account_session
from tictac.tap import Options, makeService

PAGE = "The page of the tournament is at http://{}:{}/tournament."


@dataclass
class Server:
    """The server: its parts for ``rooms``, and for the page, if there is one
    (part.ProtocolService).
    """

    service: MultiService
    rooms: Any
    web: Any

    def seat_accounts(self, waiting_area: WaitingArea) -> None:
        """Let those with accounts wait there."""
        for factory in self.rooms.factories:
            factory.session = partial(account_session, waiting_area)

    def start(self, reactor: Any) -> None:
        """Serve until the reactor stops."""
        self.service.privilegedStartService()
        self.service.startService()
        reactor.addSystemEventTrigger("before", "shutdown", self.service.stopService)

    def places(self) -> Iterator[str]:
        """Where it listens, in words."""
        for part, words in ((self.rooms, "Players come to {} port {}."), (self.web, PAGE)):
            for listener in part.listeners if part is not None else ():
                address: Any = listener.port.getHost() if listener.port is not None else None
                if hasattr(address, "port"):
                    yield words.format(address.host, address.port)


def make_server(
    reactor: Any,
    database: str | None,
    scratch: Path,
    ports: Sequence[str],
    web: Sequence[str],
    seconds: float,
    rejoin: float,
) -> Server:
    """A server for a tournament, not yet started. Ends the program with a line where it can't be.

    Matches are kept in ``database``, if there is one; ``seconds`` are on a clock, and ``rejoin``
    are those in which a player who was cut off may come back.
    """
    options = Options()
    given = {
        "database": database or str(scratch / "users.db"), "drain": 0, "idle-timeout": 0,
        "max-rooms": 0, "max-rooms-per-connection": 0, "archive-queue": 0, "rejoin-timeout": rejoin,
        "journal": "none",
        # The shortest time says how often the clocks are looked at.
        "move-timeout": seconds,
    }  # fmt: skip
    arguments = [f"--{name}={value}" for name, value in given.items()]
    arguments += [] if database else ["--no-archive"]
    arguments += [f"--web={each}" for each in web]
    if not (ports or web):
        ports = [f"tcp:0:interface={HOST}"]  # a server listens somewhere
    arguments += [f"--port={each}" for each in ports]
    options.parseOptions(arguments)
    service = makeService(options, reactor)
    parts = {part.what: part for part in service.parts}
    return Server(service, parts["rooms"], parts.get("web"))

"""The server that a tournament runs in its own process: a complete one."""

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
    """A server, with its service for ``rooms``, and the one for ``web`` if there is a page."""

    service: MultiService
    rooms: Any
    web: Any

    def seat_accounts(self, waiting_area: WaitingArea) -> None:
        """Let the accounts of the tournament wait in ``waiting_area``."""
        for factory in self.rooms.factories:
            factory.session = partial(account_session, waiting_area)

    def start(self, reactor: Any) -> None:
        """Serve until the reactor stops."""
        self.service.privilegedStartService()
        self.service.startService()
        reactor.addSystemEventTrigger("before", "shutdown", self.service.stopService)

    def places(self) -> Iterator[str]:
        """Yield sentences with the addresses on which the server listens."""
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
    """Return a server for a tournament, not yet started; exit with one line on an error.

    The server saves matches in ``database``, if there is one. ``seconds`` is the time on a clock.
    ``rejoin`` is the number of seconds for which the seat of a disconnected player is held.
    """
    options = Options()
    given = {
        "database": database or str(scratch / "users.db"), "drain": 0, "idle-timeout": 0,
        "max-rooms": 0, "max-rooms-per-connection": 0, "archive-queue": 0, "rejoin-timeout": rejoin,
        "journal": "none",
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
    parts = {part.what: part for part in service.parts}
    return Server(service, parts["rooms"], parts.get("web"))

"""Tournaments that are played without processes, a network or a clock of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IProtocol

from tests.helpers import Server
from tests.terminal.processes import PATIENCE, ROOT
from tictac.errors import AlreadyPlaying, Refusal
from tictac.game import Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Ended
from tictac.lobby.interfaces import Occupant
from tictac.lobby.terms import Play, Terms, terms_for
from tictac.plugins.tournament.running.contestants import LIMITS, WRONG, Here
from tictac.plugins.tournament.running.players import seat_makers
from tictac.plugins.tournament.running.roles import BotRole, WaitingPlayer
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.testing.connection import FakeTransport


def terms(game: str = "tictactoe", **options: Value) -> Terms:
    """Return the terms of a tournament's games."""
    return terms_for(game_type_of(game), options, time=TimeControl(60.0))


class Bot:
    """A command (plugin.Contestant, roles.SeatRequester) that notes what its connections tell.

    It sits down as its connection.
    """

    limits = LIMITS

    def __init__(self, server: Server, name: str, seat: int = 0, protocol: str = "") -> None:
        self.name, self.seat = name, seat
        self.guest: WaitingPlayer | None = None
        self.cheated: list[str] = []
        self.is_lost = False
        seats = seat_makers()[protocol].seats
        assert seats is not None
        self._factory = seats(self, server.clock, server.lobby)
        self.transport = self.connect()

    def connect(self) -> FakeTransport:
        """Open a connection of the bot's own."""
        protocol: Any = IProtocol(self._factory.buildProtocol(None))
        transport = FakeTransport(protocol, "127.0.0.1")
        protocol.makeConnection(transport)
        return transport

    def send(self, *messages: str | bytes) -> None:
        """Send lines, or bytes as they are."""
        for message in messages:
            data = message if isinstance(message, bytes) else message.encode() + b"\n"
            self.transport.arrive(data)

    def ask(self, **request: object) -> list[dict[str, Any]]:
        """Send a request of the lobby protocol: what has come since the last."""
        self.send(json.dumps(request))
        return self.messages()

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages received, in the lobby protocol."""
        return [json.loads(line) for line in self.transport.take().splitlines()]

    def lines(self) -> list[str]:
        """Return the lines received."""
        return self.transport.take().decode().splitlines()

    # plugin.Contestant and roles.SeatRequester

    def session(self, connection: Any, lobby: Lobby) -> Session:
        return Session(connection, lobby, BotRole(self))

    def come(self, occupant: Occupant) -> None:
        occupant.user = self.name
        try:
            self.wait(Here(occupant))
        except AlreadyPlaying:
            occupant.close()

    def wait(self, guest: WaitingPlayer) -> None:
        if self.guest is not None:
            raise AlreadyPlaying("it has come already")
        self.guest = guest

    def lost(self, occupant: Occupant) -> None:
        self.left(Here(occupant))

    def left(self, guest: WaitingPlayer) -> None:
        self.is_lost = self.is_lost or guest == self.guest

    def refused(self, refusal: Refusal) -> None:
        if isinstance(refusal, WRONG):
            self.cheated.append(str(refusal))

    # roles.WaitingPlayer

    def take_seat(self, room: str) -> Occupant:
        assert self.guest is not None
        return self.guest.take_seat(room)


class Alive:
    """Whether some process holds the FIFO at ``path`` open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def __bool__(self) -> bool:
        try:
            os.read(self.descriptor, 1)
        except BlockingIOError:
            return True
        return False

    def wait_for_end(self) -> None:
        """Wait until no process holds it. One that is killed closes its files in any order."""
        os.set_blocking(self.descriptor, True)
        assert os.read(self.descriptor, 1) == b""

    def close(self) -> None:
        """Look no more."""
        os.close(self.descriptor)


class Ends:
    """The ends of rooms (lobby.interfaces.RoomObserver); ``first`` fires with the first one."""

    def __init__(self) -> None:
        self.found: list[Ended] = []
        self.first: Deferred[Ended] = Deferred()

    def room_opened(self, name: str, terms: Terms) -> None:
        """Ignore a new room."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Note the end."""
        self.found.append(ended)
        if not self.first.called:
            self.first.callback(ended)


ROOM = "cup.1"


def begin(server: Server, terms: Terms, **players: WaitingPlayer) -> Ends:
    """Let the players of these names begin a game of a tournament, in ROOM."""
    ends, names = Ends(), tuple(players)
    server.registry.observers.append(ends)
    play = Play("cup", 1, 1, names, (None,) * len(names))
    start = terms.game.start(len(names), server.registry.rng)
    server.registry.convene(ROOM, replace(terms, play=play), start)
    for player in players.values():
        server.registry.join(player.take_seat(ROOM), ROOM, "PLAYER", seated_by="cup")
    return ends


BOT = Path(__file__).with_name("bot.py")


TICTAC = [sys.executable, "-c", "from tictac.server.cli import main; raise SystemExit(main())"]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run ``tictac tournament`` to its end."""
    return subprocess.run(
        [*TICTAC, "tournament", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=4 * PATIENCE, check=False,
    )  # fmt: skip

"""People with a wish at the client, who type lines or have a script."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.client.network import Network
from tests.terminal.helpers import Person
from tictac.plugins.client.connection import LobbyClient, LobbyReconnector
from tictac.plugins.client.plain import Plain
from tictac.plugins.client.seek import Seek
from tictac.plugins.client.shell import Shell
from tictac.terminal.style import Style


class Player:
    """Somebody with a wish who has lines read out, or a script."""

    def __init__(
        self,
        network: Network,
        wish: Seek,
        keyboard: bool = True,
        lines: Sequence[str] = (),
        screen: bool = False,
    ) -> None:
        self.network = network
        self.person = Person(keyboard, screen)
        client = network.connect()
        self.pump = network.pumps[-1]

        async def again() -> LobbyClient:
            return network.connect()

        clock = network.server.clock
        link = LobbyReconnector(client, clock, lambda: Deferred.fromCoroutine(again()), Random(0))
        self.shell = Shell(link, Style(), wish, "host:1", None, clock.seconds, marks=False)
        self.shell.screen = Plain(self.person.terminal)
        self.leaving = Deferred.fromCoroutine(self.shell.run())
        self.type(*(["secret"] if wish.user is not None else []), *lines)

    def type(self, *lines: str) -> None:
        self.network.flush()
        self.person.type(*lines)
        self.network.flush()

    def read(self) -> str:
        self.network.flush()
        return self.person.read()

    def cut(self) -> None:
        """Cut the connection; both sides notice."""
        self.network.flush()
        self.network.pumps.remove(self.pump)
        for protocol in (self.pump.serverIO.protocol, self.pump.client):
            protocol.connectionLost(Failure(ConnectionLost()))


class LinesCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.network = Network()

    def sit(
        self, keyboard: bool = True, *lines: str, screen: bool = False, **wish: object
    ) -> Player:
        wished = Seek(**wish)  # type: ignore[arg-type]
        return Player(self.network, wished, keyboard, lines, screen)

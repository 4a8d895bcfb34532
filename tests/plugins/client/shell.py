"""People at the client's shell, in front of a real server without a network."""

from __future__ import annotations

from random import Random

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.client.network import Network
from tictac.net.inbox import Inbox
from tictac.plugins.client.connection import LobbyReconnector
from tictac.plugins.client.keyring import Keyring
from tictac.plugins.client.seek import Seek
from tictac.plugins.client.shell import Shell
from tictac.terminal.style import Style


class Screen:
    """A terminal, played by the test (screen.Screen)."""

    is_script = False

    def __init__(self) -> None:
        self.said: list[str] = []
        self.lines: Inbox[str] = Inbox(int, int)
        self.answers: list[str | None] = []
        self.asked: list[str] = []

    def show(self, text: str) -> None:
        self.said += text.split("\n")

    fail = show

    def line_waits(self) -> bool:
        raise AssertionError("nobody who is asked back writes ahead")

    def ask(self, question: str, hidden: bool = False) -> Deferred[str | None]:
        self.asked.append(question)
        return succeed(self.answers.pop(0))

    def next_line(self) -> Deferred[str]:
        return self.lines.next()


class Player:
    """Somebody at a shell."""

    def __init__(
        self, network: Network, wish: Seek | None = None, keyring: Keyring | None = None
    ) -> None:
        self.network, self.screen = network, Screen()
        client = network.connect()
        self.pump = network.pumps[-1]
        seconds = network.server.clock.seconds
        link = LobbyReconnector(
            client, network.server.clock, lambda: succeed(network.connect()), Random(0)
        )
        self.shell = Shell(link, Style(), wish or Seek(), "host:1", keyring, seconds)
        self.shell.screen = self.screen
        self.status = Deferred.fromCoroutine(self.shell.run())
        network.flush()

    def type(self, *lines: str, answers: tuple[str | None, ...] = ()) -> list[str]:
        """Type lines, and answer what is asked; what is said then."""
        self.screen.answers += answers
        for line in lines:
            self.screen.lines.put(line)
            self.network.flush()
        return self.read()

    def read(self) -> list[str]:
        """Return the lines printed since the last time."""
        self.network.flush()
        said = list(self.screen.said)
        self.screen.said.clear()
        return said

    def log_in(self, user: str) -> list[str]:
        return self.type(f"login {user}", answers=("secret",))

    def cut(self) -> None:
        """Cut the connection; both sides notice."""
        self.network.pumps.remove(self.pump)
        for protocol in (self.pump.serverIO.protocol, self.pump.client):
            protocol.connectionLost(Failure(ConnectionLost()))
        self.pump = self.network.pumps[-1] if self.network.pumps else self.pump


class ShellCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.network = Network()
        self.keyring = Keyring(temporary_directory(self) / "tictac" / "servers.json")
        self.alice = self.player("alice")
        self.bob = self.player("bob")

    def player(self, user: str, keyring: Keyring | None = None) -> Player:
        player = Player(self.network, keyring=keyring)
        assert f"Welcome {user}" in player.log_in(user)
        return player

    def begin(self, *options: str) -> None:
        """Begin a match of Reversi on 4x4 in the room den; alice moves first."""
        self.alice.type(" ".join(["open reversi size=4 room=den", *options]))
        self.bob.type("join den")
        self.network.wait(0.5)  # until the lobby has told of it
        self.alice.read()

"""What the author of the protocol tests; tests/test_outside.py runs it where it is installed."""

from __future__ import annotations

import socket
from contextlib import redirect_stdout
from io import StringIO

from tictac_outside.finger import FingerFactory
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tictac.games.all import game_type_of
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.server.cli import main
from tictac.testing.connection import Caller
from tictac.testing.server import Guest, Server, raise_fault


def listed(registry: Registry) -> list[str]:
    """Return what a client receives before the server closes the connection."""
    caller = Caller(FingerFactory(registry), end="\r\n")
    assert caller.closed
    return caller.read()


class ProtocolTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.registry = Registry(0, Clock().seconds, raise_fault)
        self.alice, self.bob = (Guest(self.registry, name) for name in ("alice", "bob"))

    def test_a_public_room_is_a_line(self) -> None:
        self.registry.create(self.alice, "den")
        assert listed(self.registry) == ["den\tTic-tac-toe\t1 of 2"]
        self.registry.join(self.bob, "den", "PLAYER")
        assert listed(self.registry) == ["den\tTic-tac-toe\t2 of 2"]

    def test_a_private_room_isnt_listed(self) -> None:
        self.registry.create(
            self.alice, "den", terms_for(game_type_of("tictactoe"), {}, key="sesame")
        )
        assert listed(self.registry) == []


class ServerTests(SynchronousTestCase):
    def test_the_port_has_the_limits_of_the_options(self) -> None:
        server = Server("finger", "--max-connections-per-peer", "1")
        server.registry.create(Guest(server.registry, "alice"), "den")
        first = server.connect(end="\r\n")
        assert first.read() == ["den\tTic-tac-toe\t1 of 2"]
        [factory] = server.service.factories
        assert factory.buildProtocol(first.transport.getPeer()) is None
        first.transport.lose()
        assert server.connect().closed


class CommandTests(SynchronousTestCase):
    def test_what_the_server_sends_is_printed(self) -> None:
        here, there = socket.socketpair()
        with there:
            there.sendall(b"den\tTic-tac-toe\t1 of 2\r\n")
        self.patch(socket, "create_connection", lambda *_: here)
        with redirect_stdout(StringIO()) as printed:
            assert main(["finger", "7979"]) == 0
        assert printed.getvalue().splitlines() == ["den\tTic-tac-toe\t1 of 2"]

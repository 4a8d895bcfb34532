"""`tictac rooms`: its arguments, and a server that isn't there."""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
from pathlib import Path

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost, ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.helpers import Person
from tictac.plugins.classics.rooms.commands import add_parser, connect_and_play

TICTAC = Path(sys.executable).with_name("tictac")


class ArgumentsTests(SynchronousTestCase):
    """The command line."""

    def parse(self, *arguments: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        return parser.parse_args(["rooms", *arguments])

    def test_address_and_framing(self) -> None:
        for arguments in (["--bare", "host", "1"], ["host", "1", "--bare"]):
            args = self.parse(*arguments)
            self.assertEqual((args.address, args.bare), (["host", "1"], True))
        self.assertFalse(self.parse("host", "1").bare)

    def test_coming_back(self) -> None:
        for option, reconnect in (([], None), (["--reconnect"], True), (["--no-reconnect"], False)):
            self.assertIs(self.parse("host", "1", *option).reconnect, reconnect)

    def test_wrong_arguments(self) -> None:
        for arguments in (
            [], ["host"], ["host", "1", "2"], ["host", "http"], ["host", "-1"], ["host", ""]
        ):  # fmt: skip
            args = self.parse(*arguments)
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(args.run(args), 1, arguments)
            expected = "Error: Expecting 2 arguments: <server address> <port>\n"
            self.assertEqual(errors.getvalue(), expected)


class ConnectingTests(SynchronousTestCase):
    """Reaching the server, or not."""

    def setUp(self) -> None:
        self.reactor = MemoryReactorClock()
        self.person = Person()

    def start(self, host: str, port: int, reconnect: bool | None = None) -> Deferred[int]:
        return Deferred.fromCoroutine(
            connect_and_play(self.reactor, self.person.terminal, host, port, False, reconnect)
        )

    def lose(self, reconnect: bool | None) -> Deferred[int]:
        """Log in, and lose the connection."""
        status = self.start("127.0.0.1", 8123, reconnect)
        _, _, factory, _, _ = self.reactor.tcpClients[0]
        connection = factory.buildProtocol(IPv4Address("TCP", "127.0.0.1", 8123))
        assert connection is not None
        connection.makeConnection(StringTransport())
        self.person.type("LOGIN", "alice", "secret")
        connection.dataReceived(b"LOGIN:ACKSTATUS:0\n")
        connection.connectionLost(Failure(ConnectionLost()))
        self.reactor.advance(1)
        return status

    def test_who_comes_back_after_a_loss(self) -> None:
        for keyboard, screen, reconnect, comes in [
            (True, True, None, True),
            (True, True, False, False),
            (True, False, None, False),
            (False, True, None, False),
            (False, False, None, False),
            (False, False, True, True),
        ]:
            self.reactor, self.person = MemoryReactorClock(), Person(keyboard, screen)
            status = self.lose(reconnect)
            addresses = [client[:2] for client in self.reactor.tcpClients]
            self.assertEqual(addresses, [("127.0.0.1", 8123)] * (2 if comes else 1))
            if comes:
                status.cancel()
                self.failureResultOf(status)
            else:
                self.assertEqual(self.successResultOf(status), 1)
                lost = "Error: lost the connection to the server.\n"
                self.assertEqual(self.person.read_errors(), lost)

    def test_refused(self) -> None:
        status = self.start("127.0.0.1", 8123)
        _, _, factory, _, _ = self.reactor.tcpClients[0]
        factory.clientConnectionFailed(
            self.reactor.connectors[0], Failure(ConnectionRefusedError())
        )
        self.reactor.advance(1)  # the endpoint tries its other addresses, if any, a bit later
        self.assertEqual(self.successResultOf(status), 1)
        expected = "Error: cannot connect to server at 127.0.0.1 and 8123.\n"
        self.assertEqual(self.person.read_errors(), expected)

    def test_no_such_port(self) -> None:
        self.assertEqual(self.successResultOf(self.start("127.0.0.1", 99999)), 1)
        expected = "Error: cannot connect to server at 127.0.0.1 and 99999.\n"
        self.assertEqual(self.person.read_errors(), expected)

    def test_giving_up_while_connecting(self) -> None:
        status = self.start("127.0.0.1", 8123)
        status.cancel()
        self.assertTrue(self.reactor.connectors[0].stoppedConnecting)
        self.failureResultOf(status)
        self.assertEqual(self.person.read_errors(), "")


class ProcessTests(SynchronousTestCase):
    """The installed command."""

    def test_impossible_name(self) -> None:
        done = subprocess.run(
            [TICTAC, "rooms", "no such host", "8123"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
        expected = b"Error: cannot connect to server at no such host and 8123.\n"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", expected))

    def test_no_reactor_for_other_commands(self) -> None:
        code = "import sys, tictac.server.cli; print('twisted.internet.reactor' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, timeout=300
        )
        self.assertEqual(done.stdout, b"False\n")

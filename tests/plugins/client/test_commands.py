"""`tictac play`: its arguments, and reaching the server."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionLost, ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.helpers import Person, complaint
from tictac.games.all import GAMES
from tictac.lobby.clock import TimeControl
from tictac.plugins.client import program
from tictac.plugins.client.address import ServerAddress
from tictac.plugins.client.commands import add_parser, wish_of
from tictac.plugins.client.program import play_plainly
from tictac.plugins.client.seek import Seek


class ArgumentsTests(SynchronousTestCase):
    def parse(self, words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        return parser.parse_args(["play", "host", "1", *words.split()])

    def test_what_is_wished(self) -> None:
        for words, wish in (
            ("", Seek()),
            ("--guest", Seek(guest=True)),
            ("--user alice", Seek(user="alice")),
            ("--game nim", Seek("nim")),
            ("--game nim --seek --guest", Seek("nim", seek=True, guest=True)),
            (
                "--game tictactoe --option rows=4 --option columns=5 --computer best --user al",
                Seek("tictactoe", ("rows=4", "columns=5"), "best", user="al"),
            ),
            ("--game nim --room den --key k", Seek("nim", room="den", key="k")),
            ("--game nim --seek --rated", Seek("nim", seek=True, rated=True)),
            ("--game nim --clock 300+3", Seek("nim", clock=TimeControl(300, 3))),
            ("--game nim --clock 5md3", Seek("nim", clock=TimeControl(300, delay=3))),
            (
                "--game nim --clock 60+3x30",
                Seek("nim", clock=TimeControl(60, period=30, periods=3)),
            ),
            ("--game nim --clock 60", Seek("nim", clock=TimeControl(60, 0))),
            ("--watch", Seek(watch="")),
            ("--watch den --key k", Seek(watch="den", key="k")),
        ):
            self.assertEqual(wish_of(self.parse(words)), wish, words)

    def test_clocks_that_are_none(self) -> None:
        for words in ("+", "3+", "-3", "1+2+3", "soon"):
            said = complaint(self.parse, f"--game nim --clock={words}")
            self.assertIn("isn't a clock such as 300+3", said)

    def test_what_does_not_go_together(self) -> None:
        for words, error in (
            ("--room den", "--room needs --game"),
            ("--option rows=4", "--option needs --game"),
            ("--key k", "--key needs --game or --watch"),
            ("--watch --room den", "--room needs --game"),
            ("--game nim --watch", "--game and --watch don't go together"),
            ("--game nim --seek --room den", "--seek and --room don't go together"),
            ("--game nim --seek --computer best", "--seek and --computer don't go together"),
            ("--game nim --guest --user al", "--guest and --user don't go together"),
            ("--game nim --rated --guest", "--rated and --guest don't go together"),
            ("--game nim --rated --computer best", "--rated and --computer don't go together"),
            ("--watch --rated", "--rated needs --game"),
            ("--game nim --second", "--second needs --computer"),
        ):
            args = self.parse(words)
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(args.run(args), 1, words)
            self.assertEqual(errors.getvalue(), f"Error: {error}.\n")


_HELLO = {"do": "hello", "id": 1, "draws": list(GAMES), "takes": ["challenge"]}
HELLO = json.dumps(_HELLO).encode() + b"\n"


class ConnectingCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = MemoryReactorClock()
        self.person = Person()

    def connect(self, at: int = -1) -> StringTransport:
        """Let the server take the newest connection."""
        self.connection = self.reactor.tcpClients[at][2].buildProtocol(None)
        assert self.connection is not None
        transport = StringTransport()
        self.connection.makeConnection(transport)
        return transport


class OtherProtocolTests(ConnectingCase):
    """A server that doesn't speak the lobby protocol, met by the shell and by a script."""

    def setUp(self) -> None:
        super().setUp()
        self.person = Person(keyboard=True, screen=True)

    def visit(self, plain: bool = False) -> Deferred[int]:
        """Go there as the shell does, or line by line."""
        place, terminal = ServerAddress("127.0.0.1", 8123), self.person.terminal
        if plain:
            visiting = play_plainly(self.reactor, terminal, place, Seek())
        else:
            visiting = program._visit(cast(Any, self.reactor), terminal, place, Seek(), True)
        return Deferred.fromCoroutine(visiting)

    def silence(self) -> None:
        self.reactor.advance(program.PATIENCE)

    def badauth(self) -> None:
        assert self.connection is not None
        self.connection.dataReceived(b"BADAUTH\n")

    def http(self) -> None:
        assert self.connection is not None
        self.connection.dataReceived(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def hang_up(self) -> None:
        assert self.connection is not None
        self.connection.connectionLost(Failure(ConnectionDone()))

    NOT_LOBBY = (
        "127.0.0.1:8123 doesn't speak the lobby protocol;"
        " for the rooms protocol: tictac rooms 127.0.0.1 8123"
    )
    PAGE = (
        "127.0.0.1:8123 is the port of a page:"
        " open http://127.0.0.1:8123/ in a browser, or name the other port"
    )
    HUNG_UP = (
        "127.0.0.1:8123 closed the connection without an answer: does it speak TLS? Try"
        " tls://127.0.0.1:8123. For the rooms protocol: tictac rooms 127.0.0.1 8123"
    )

    def test_why_it_cant_be_played_there(self) -> None:
        for answer, why in (
            (self.silence, self.NOT_LOBBY),
            (self.badauth, self.NOT_LOBBY),
            (self.http, self.PAGE),
            (self.hang_up, self.HUNG_UP),
        ):
            for plain in (False, True):
                self.setUp()
                status = self.visit(plain)
                transport = self.connect()
                self.assertEqual(transport.value(), HELLO)
                self.reactor.advance(program.PATIENCE - 0.1)
                self.assertEqual(self.person.read(), "")
                answer()
                self.assertEqual(self.person.read_errors(), f"Error: {why}.\n")
                self.assertEqual(self.successResultOf(status), 1)
                self.assertTrue(transport.disconnecting)

    def test_what_was_typed_meanwhile_is_for_the_shell(self) -> None:
        typed: list[str] = []

        async def edit(reactor: object, link: object, place: ServerAddress, *rest: object) -> int:
            _, early = rest
            assert isinstance(early, list)
            typed.extend(early)
            return 0

        self.patch(program, "_edit", edit)
        status = self.visit()
        self.connect()
        self.person.type("guest", "open nim")
        assert self.connection is not None
        self.connection.dataReceived(b'{"answer": 1}\n')
        self.assertTrue(self.person.transport.disconnecting)
        self.person.terminal.connectionLost()
        self.assertEqual((self.successResultOf(status), typed), (0, ["guest", "open nim"]))
        self.assertEqual(self.person.settings.calls, ["restore"])

    def test_who_is_tired_of_waiting_quits(self) -> None:
        status = self.visit()
        transport = self.connect()
        self.person.type("quit")
        self.assertEqual(self.successResultOf(status), 0)
        self.assertTrue(transport.disconnecting)
        self.silence()
        self.assertEqual(self.person.read(), "")

    def test_a_server_that_says_why_it_closes_speaks_it(self) -> None:
        status = self.visit()
        self.connect()
        assert self.connection is not None
        self.connection.dataReceived(b'{"event": "closing", "message": "the server stops"}\n')
        self.hang_up()
        self.assertEqual(self.successResultOf(status), 1)
        said = "Error: the server has closed the connection: the server stops.\n"
        self.assertEqual(self.person.read_errors(), said)


class ConnectingTests(ConnectingCase):
    def start(self, port: int, reconnect: bool | None = None) -> Deferred[int]:
        place = ServerAddress("127.0.0.1", port)
        return Deferred.fromCoroutine(
            play_plainly(self.reactor, self.person.terminal, place, Seek(), reconnect)
        )

    def test_the_first_byte_says_which_protocol(self) -> None:
        self.start(8123)
        self.assertEqual(self.connect().value(), HELLO)

    def test_no_server(self) -> None:
        status = self.start(8123)
        factory = self.reactor.tcpClients[0][2]
        refused = Failure(ConnectionRefusedError())
        factory.clientConnectionFailed(self.reactor.connectors[0], refused)
        self.reactor.advance(1)  # the endpoint tries its other addresses, if any, a bit later
        self.assertEqual(self.successResultOf(status), 1)
        expected = "Error: there is no server at 127.0.0.1 port 8123.\n"
        self.assertEqual(self.person.read_errors(), expected)

    def test_who_comes_back_after_a_loss(self) -> None:
        for keyboard, reconnect, comes in (
            (True, None, True), (True, False, False), (False, None, False), (False, True, True),
        ):  # fmt: skip
            self.reactor, self.person = MemoryReactorClock(), Person(keyboard, keyboard)
            self.patch(program, "_keyring", lambda place: None)
            status = self.start(8123, reconnect)
            self.connect()
            assert self.connection is not None
            self.connection.dataReceived(b'{"answer": 1}\n{"answer": 2, "games": []}\n')
            self.connection.connectionLost(Failure(ConnectionLost()))
            self.reactor.advance(1)
            self.assertEqual(len(self.reactor.tcpClients), 2 if comes else 1)
            if comes:
                status.cancel()
                self.failureResultOf(status)
            else:
                self.assertEqual(self.successResultOf(status), 1)
                lost = "Error: lost the connection to the server.\n"
                self.assertEqual(self.person.read_errors(), lost)

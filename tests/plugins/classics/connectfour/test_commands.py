"""`tictac connectfour`: its arguments, its questions, and a server that isn't there."""

from __future__ import annotations

import argparse
import contextlib
import io
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.helpers import Person
from tictac.plugins.classics.connectfour.commands import add_parser, play

ENDED = "Error: the input has ended, and the game has not.\n"


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return parser.parse_args(["connectfour", *arguments])


class ArgumentsTests(SynchronousTestCase):
    def test_defaults(self) -> None:
        args = parse()
        assert (args.host, args.port, args.username, args.network) == (None, None, None, False)
        assert (args.columns, args.rows) == (7, 6)

    def test_all_of_them(self) -> None:
        args = parse("host", "4444", "--username", "boo", "--columns", "4", "--rows", "20")
        assert (args.host, args.port, args.username) == ("host", 4444, "boo")
        assert (args.columns, args.rows) == (4, 20)

    def test_wrong_ones(self) -> None:
        board = "A board has 4 to 20 columns and as many rows"
        port = "A port is a number from 1 to 65535"
        name = "A user name is anything without white space, of a line at most"
        for arguments, why in (
            (["--columns", "3"], board), (["--rows", "21"], board), (["--rows", "x"], board),
            (["--rows", ""], board), (["--rows", "9" * 5000], board), (["--columns", "²"], board),
            (["h", "http"], port), (["h", "0"], port), (["h", "65536"], port), (["h", "²"], port),
            (["a b"], "A host has a name or an address without blanks"),
            (["h", "1", "--username", "a b"], name), (["h", "1", "--username", ""], name),
            (["h", "1", "--username", "x" * 300], name),
        ):  # fmt: skip
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                ended = self.assertRaises(SystemExit, parse, *arguments)
            assert (ended.code, why in errors.getvalue()) == (2, True), arguments


class PlayingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.person = Person()

    def start(self, *arguments: str) -> Deferred[int]:
        return Deferred.fromCoroutine(play(self.reactor, self.person.terminal, parse(*arguments)))

    def asked_for(self) -> tuple[str, int]:
        """Return the address to which the client has tried to connect."""
        host, port, *_ = self.reactor.tcpClients[0]
        return host, port

    def test_no_address_is_a_game_of_two(self) -> None:
        self.start()
        assert self.person.read().startswith("1 2 3 4 5 6 7\n. .")
        self.setUp()
        self.start("--columns", "4", "--rows", "5")
        assert self.person.read().startswith("1 2 3 4\n" + ". . . .\n" * 5 + "It is red's turn.")
        assert not self.reactor.tcpClients

    def test_it_asks_for_what_isnt_given(self) -> None:
        questions = {"Host: ": "127.0.0.1", "Port (4444): ": "5555", "User name: ": "boo"}
        for given, asked in (
            (["--network"], 3),
            (["--username", "boo"], 2),
            (["127.0.0.1"], 2),
            (["127.0.0.1", "5555"], 1),
            (["127.0.0.1", "5555", "--username", "boo"], 0),
        ):
            self.setUp()
            self.start(*given)
            seen = self.person.read()
            while not self.reactor.tcpClients:
                self.person.type(questions[seen])
                seen, asked = self.person.read(), asked - 1
            assert asked == 0
            assert self.asked_for() == ("127.0.0.1", 5555)

    def test_it_asks_again(self) -> None:
        self.start("--network")
        for question, wrong, right, why in (
            ("Host: ", ["", "a b"], "127.0.0.1", "A host has a name or an address without blanks."),
            ("Port (4444): ", ["x", "99999"], "", "A port is a number from 1 to 65535."),
            ("User name: ", ["", "a b"], "boo",
             "A user name is anything without white space, of a line at most."),
        ):  # fmt: skip
            assert self.person.read() == question
            for typed in wrong:
                self.person.type(typed)
                assert self.person.read() == f"{why}\n{question}"
            self.person.type(right)
        assert self.asked_for() == ("127.0.0.1", 4444)

    def test_the_input_ends_at_a_question(self) -> None:
        status = self.start("--network")
        self.person.type("127.0.0.1")
        self.person.end_input()
        assert self.successResultOf(status) == 1
        assert self.person.read_errors() == ENDED

    def test_refused(self) -> None:
        status = self.start("127.0.0.1", "4444", "--username", "boo")
        factory = self.reactor.tcpClients[0][2]
        factory.clientConnectionFailed(
            self.reactor.connectors[0], Failure(ConnectionRefusedError())
        )
        self.reactor.advance(1)
        assert self.successResultOf(status) == 1
        why = "Error: cannot connect to 127.0.0.1 port 4444: Connection was refused by other side."
        assert self.person.read_errors() == f"{why}\n"
        assert self.person.read() == ""

    def test_it_introduces_itself_and_asks_for_the_size(self) -> None:
        self.start("127.0.0.1", "4444", "--username", "boo", "--columns", "9")
        client = self.reactor.tcpClients[0][2].buildProtocol(None)
        transport = StringTransport()
        client.makeConnection(transport)
        client.dataReceived(b"WELCOME boo\r\n")
        assert transport.value() == b"I32CFSP_HELLO boo\r\nAI_GAME 9 6\r\n"
        client.dataReceived(b"READY\r\n")
        assert "1 2 3 4 5 6 7 8 9\n" in self.person.read()

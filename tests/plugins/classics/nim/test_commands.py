"""`tictac nim`: its arguments, and a server that isn't there."""

from __future__ import annotations

import argparse
import contextlib
import io
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.nim.helpers import turn
from tests.terminal.helpers import Person, complaint
from tictac.plugins.classics.nim.commands import add_parser, connect_and_play
from tictac.plugins.classics.nim.wire import TYPES, Types
from tictac.testing.connection import FakeTransport


class ArgumentsTests(SynchronousTestCase):
    def parse(self, *arguments: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        return parser.parse_args(["nim", *arguments])

    def test_the_defaults_of_the_document(self) -> None:
        args = self.parse()
        assert (args.host, args.port, args.types) == ("localhost", 5370, TYPES)
        assert (args.auto, args.games, args.timeout) == (None, 0, 300)

    def test_h_is_the_host_and_p_the_port(self) -> None:
        args = self.parse("-h", "example.com", "-p", "99")
        assert (args.host, args.port) == ("example.com", 99)

    def test_the_others(self) -> None:
        args = self.parse("--types", "6,5,4,3,2,1", "--auto", "random", "--games", "3")
        assert (args.types, args.auto, args.games) == (Types(6, 5, 4, 3, 2, 1), "random", 3)

    def test_help_is_help_alone(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as ended:
            self.parse("--help")
        assert ended.value.code == 0
        assert "-h HOST" in out.getvalue()

    def test_what_is_wrong(self) -> None:
        for arguments, why in (
            (["-h"], "expected one argument"),
            (["-p", "http"], "'http' isn't a whole number"),
            *((["-p", each], "a port is from 1 to 65535") for each in ("70000", "0", "-5")),
            (["--types", "1,2"], "isn't six numbers"),
            (["--types", "0,1,2,3,4,5"], "from 1 to 255"),
            (["--auto", "cheat"], "invalid choice"),
            (["--games", "-1"], "below 0"),
            (["--timeout", "-1"], "isn't a time in seconds"),
            (["host"], "unrecognized arguments"),
        ):
            assert why in complaint(self.parse, *arguments), arguments


class ConnectingTests(SynchronousTestCase):
    def start(self, *arguments: str) -> tuple[MemoryReactorClock, Person, Deferred[int]]:
        reactor, person = MemoryReactorClock(), Person()
        args = ArgumentsTests().parse(*arguments)
        playing = connect_and_play(reactor, person.terminal, args)
        return reactor, person, Deferred.fromCoroutine(playing)

    def test_it_gives_up_after_its_own_time(self) -> None:
        reactor, person, status = self.start("-h", "127.0.0.1", "--timeout", "7")
        protocol: Any = reactor.tcpClients[0][2].buildProtocol(None)
        transport = FakeTransport(protocol)
        protocol.makeConnection(transport)
        person.type("1 1")
        transport.arrive(turn(24, 17, 3))
        reactor.advance(7)
        assert self.successResultOf(status) == 1
        error = "Error: the server is at fault: no answer for 7 seconds.\n"
        assert person.read_errors() == error

    def test_it_takes_part_with_its_own_types(self) -> None:
        reactor, _, status = self.start("-h", "127.0.0.1", "--types", "9,8,7,6,5,4")
        _, port, factory, _, _ = reactor.tcpClients[0]
        assert port == 5370
        protocol: Any = factory.buildProtocol(None)
        transport = FakeTransport(protocol)
        protocol.makeConnection(transport)
        assert transport.take() == b"\x09"
        transport.arrive(b"\x06")
        self.assertNoResult(status)
        transport.arrive(b"\x01")
        assert self.successResultOf(status) == 1

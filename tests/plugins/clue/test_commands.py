"""`tictac clue`: its arguments, and a server that isn't there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.plugins.clue.helpers import BOARD
from tests.terminal.helpers import Person, complaint
from tictac.plugins.clue.commands import add_parser, connect_and_play
from tictac.testing.connection import FakeTransport


class ArgumentsTests(SynchronousTestCase):
    def parse(self, *arguments: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        return parser.parse_args(["clue", "example.com", "7000", *arguments])

    def test_the_defaults(self) -> None:
        args = self.parse()
        assert (args.host, args.port, args.name) == ("example.com", 7000, "guest")
        assert (args.strategy, args.board, args.seed) == ("person", None, None)

    def test_the_port(self) -> None:
        parser = argparse.ArgumentParser()
        add_parser(parser.add_subparsers())
        assert parser.parse_args(["clue", "example.com"]).port == 7000
        for port in ("70000", "0", "-5", "http"):
            given = ["clue", "example.com", "--", port]
            assert "argument PORT: " in complaint(lambda *a: parser.parse_args(a), *given), port

    def test_the_others(self) -> None:
        args = self.parse(
            "--name", " Ann Ö ", "--strategy", "detective", "--board", "x.txt", "--seed", "3"
        )  # fmt: skip
        assert (args.name, args.strategy) == ("Ann Ö", "detective")
        assert (args.board, args.seed) == (Path("x.txt"), 3)

    def test_the_letter_of_the_original(self) -> None:
        assert self.parse("-l").strategy == "leech"

    def test_what_is_wrong(self) -> None:
        for arguments, why in (
            (["--name", ""], "isn't a name"),
            (["--name", "x" * 65], "isn't a name"),
            (["--name", "a\nb"], "isn't a name"),
            (["--name", "\udcff"], "a name that isn't UTF-8"),
            (["--strategy", "cheat"], "invalid choice"),
            (["--seed", "x"], "isn't a whole number"),
            (["more"], "unrecognized arguments"),
        ):
            assert why in complaint(self.parse, *arguments), arguments


class ConnectingTests(SynchronousTestCase):
    def start(self, *arguments: str) -> tuple[Any, Person, Deferred[int]]:
        reactor, person = MemoryReactorClock(), Person()
        args = ArgumentsTests().parse(*arguments)
        args.host = "127.0.0.1"
        playing = connect_and_play(reactor, person.terminal, args)
        return reactor, person, Deferred.fromCoroutine(playing)

    def test_a_map_that_cannot_be_read(self) -> None:
        reactor, person, status = self.start("--board", "/nowhere/map.txt")
        assert self.successResultOf(status) == 1
        assert person.read_errors().startswith("Error: can't read the map /nowhere/map.txt: ")
        assert not reactor.tcpClients

    def test_it_takes_part_on_its_map(self) -> None:
        file = temporary_directory(self) / "map.txt"
        file.write_text("\n".join(BOARD.rows))
        reactor, person, status = self.start("--name", "ann", "--board", str(file))
        _, port, factory, _, _ = reactor.tcpClients[0]
        assert port == 7000
        protocol: Any = factory.buildProtocol(None)
        transport = FakeTransport(protocol)
        protocol.makeConnection(transport)
        assert transport.take() == b"ann\n"
        self.assertNoResult(status)
        person.end_input()
        transport.arrive(b"hello\n0\nturn\n((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))\n")
        assert self.successResultOf(status) == 0

    def test_nobody_there(self) -> None:
        _, person, status = self.start()
        assert not status.called
        args = ArgumentsTests().parse()
        args.port = 70000
        failing = Deferred.fromCoroutine(
            connect_and_play(MemoryReactorClock(), person.terminal, args)
        )
        assert self.successResultOf(failing) == 1
        assert person.read_errors() == (
            "Error: cannot connect to server at example.com and 70000.\n"
        )  # fmt: skip

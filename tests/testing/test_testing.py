"""What strangers' tests are built on complains where it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import SynchronousTestCase

from tictac.game import Played
from tictac.games.all import GAMES
from tictac.lobby.events import Event, Position
from tictac.lobby.registry import Registry
from tictac.testing.conformance import MOST_REFUSED, Case, GameConformance
from tictac.testing.connection import Caller
from tictac.testing.server import Guest, play_out, raise_fault


class Greeter(Protocol):
    """Says hello, and reads once between two pauses."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(b"hello")

    def dataReceived(self, data: bytes) -> None:
        self.heard.append(data)
        self.transport.pauseProducing()  # type: ignore[union-attr]


class GreeterFactory(Factory):
    def buildProtocol(self, addr: IAddress | None) -> Greeter:
        return Greeter()


class CallerTests(SynchronousTestCase):
    def test_a_line_without_an_end_is_a_failure(self) -> None:
        with self.assertRaisesRegex(AssertionError, "has no end: 'hello'"):
            Caller(GreeterFactory()).read()

    def test_what_comes_while_the_protocol_pauses_waits(self) -> None:
        caller = Caller(GreeterFactory())
        caller.send("one", b"two")
        assert caller.protocol.heard == [b"one\n"]
        caller.transport.resumeProducing()
        assert caller.protocol.heard == [b"one\n", b"two"]


class Clumsy(Guest):
    def receive(self, event: Event) -> None:
        raise ValueError("no")


class PlayOutTests(SynchronousTestCase):
    def test_a_player_who_cant_move_is_a_failure(self) -> None:
        registry = Registry(0, lambda: 0.0, raise_fault)
        alice, bob = Guest(registry, "alice"), Guest(registry, "bob")
        registry.create(alice, "den")
        registry.join(bob, "den", "PLAYER")
        with self.assertRaisesRegex(AssertionError, "bob couldn't move: .*Refused"):
            play_out("den", bob, alice)


class ConformanceTests(SynchronousTestCase):
    """Of a game with many moves in many positions: Gomoku."""

    def conformance(self, shape: Callable[[str], object] | None = None) -> GameConformance:
        """Return the tests of that game."""
        tests = GameConformance()
        options = {"rows": 15, "columns": 15, "strike": 5}
        tests.case = Case(GAMES["tictactoe"], options, playouts=1, shape=shape)
        return tests

    def test_a_view_of_another_shape_is_a_failure(self) -> None:
        self.conformance(shape=len).test_all_views_have_the_shape_of_the_first()
        with self.assertRaisesRegex(AssertionError, "and not 0 is the shape of "):
            marks = self.conformance(shape=lambda view: len(view) - view.count("0"))
            marks.test_all_views_have_the_shape_of_the_first()

    def test_of_the_moves_of_other_positions_a_sample_is_made(self) -> None:
        tests = self.conformance()
        made = Counter[object]()
        play = tests.game.play

        def count(position: Position, move: str, rng: Random | None) -> Played[Position]:
            made[position] += 1
            return play(position, move, rng)

        positions = len([*tests.random_positions()])
        self.patch(tests.game, "play", count)
        tests.test_other_moves_are_refused_and_change_nothing()
        assert positions > MOST_REFUSED and max(made.values()) == MOST_REFUSED


class FaultTests(SynchronousTestCase):
    def test_what_an_occupant_raises_is_the_tests(self) -> None:
        registry = Registry(0, lambda: 0.0, raise_fault)
        with self.assertRaises(ValueError):
            registry.create(Clumsy(registry, "alice"), "den")

"""What strangers' tests are built on complains where it should."""

from __future__ import annotations

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import SynchronousTestCase

from tictac.lobby.events import Event
from tictac.lobby.registry import Registry
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


class FaultTests(SynchronousTestCase):
    def test_what_an_occupant_raises_is_the_tests(self) -> None:
        registry = Registry(0, lambda: 0.0, raise_fault)
        with self.assertRaises(ValueError):
            registry.create(Clumsy(registry, "alice"), "den")

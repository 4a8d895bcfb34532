"""A player who was cut off comes back, message by message (rooms.md, "Coming back")."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server, Visitor
from tictac.net.connection import Limits

HELD = 30


class RejoiningCase(SynchronousTestCase):
    end = b"\n"
    rejoin_timeout: float = HELD
    limits: Limits | None = None
    rejoins = True

    def setUp(self) -> None:
        self.server = Server(rejoin_timeout=self.rejoin_timeout, limits=self.limits)
        self.server.factory.rejoins = self.rejoins

    def connect(self, user: str) -> Visitor:
        return self.server.log_in(user, self.end)

    def match(self) -> tuple[Visitor, Visitor, Visitor]:
        """Begin a match of alice and bob that vera watches; it is bob's turn."""
        alice, bob, vera = everybody = tuple(map(self.connect, ("alice", "bob", "vera")))
        alice.send("CREATE:den")
        vera.send("JOIN:den:VIEWER")
        bob.send("JOIN:den:PLAYER")
        alice.send("PLACE:1:1")
        for visitor in everybody:
            visitor.read()
        return alice, bob, vera


class LinesTests(RejoiningCase):
    def test_the_match_goes_on(self) -> None:
        for gone, back, turn in ((0, "alice", False), (1, "bob", True)):
            self.setUp()
            players = list(self.match())
            players[gone].hang_up()
            players[gone] = self.connect(back)
            assert players[gone].ask("JOIN:den:PLAYER") == [
                "JOIN:ACKSTATUS:0", "INPROGRESS:bob:alice", "BOARDSTATUS:000010000",
            ]  # fmt: skip
            assert [p.read() for p in players] == [[], [], []]
            placed = ["BOARDSTATUS:200010000"]
            players[1].send("PLACE:0:0")
            assert [p.read() for p in players] == [placed] * 3, turn

    def test_the_seat_is_for_nobody_else(self) -> None:
        alice, _, _ = self.match()
        alice.hang_up()
        for user in ("carol", "bob"):
            assert self.connect(user).ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:2"]
        # Nor is it listed as one that can be had.
        assert self.connect("carol").ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:"]

    def test_as_long_as_the_connection_isnt_known_to_be_lost(self) -> None:
        alice, _, _ = self.match()
        back = self.connect("alice")
        assert back.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:2"]
        alice.hang_up()
        assert back.ask("JOIN:den:PLAYER")[0] == "JOIN:ACKSTATUS:0"

    def test_a_login_is_needed(self) -> None:
        alice, _, _ = self.match()
        alice.hang_up()
        assert self.server.connect(self.end).ask("JOIN:den:PLAYER") == ["BADAUTH"]

    def test_too_late(self) -> None:
        _, bob, vera = self.match()
        bob.hang_up()
        self.server.expire(HELD - 1)
        assert vera.read() == []
        self.server.expire(1)
        assert vera.read() == ["GAMEEND:000010000:2:alice"]
        assert self.connect("bob").ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:1"]

    def test_forfeit_counts_at_once(self) -> None:
        alice, bob, _ = self.match()
        bob.send("FORFEIT")
        bob.hang_up()
        assert alice.read() == ["GAMEEND:000010000:2:alice"]

    def test_the_creator_of_a_room_that_waits(self) -> None:
        alice = self.connect("alice")
        alice.send("CREATE:den")
        alice.hang_up()
        back, bob = self.connect("alice"), self.connect("bob")
        assert bob.ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:den"]
        assert back.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0"]
        assert bob.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:alice:bob"]
        assert back.read() == ["BEGIN:alice:bob"]

    def test_a_viewer_joins_as_always(self) -> None:
        _, _, vera = self.match()
        vera.hang_up()
        back = self.connect("vera")
        assert back.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0", "INPROGRESS:bob:alice"]


class BareTests(LinesTests):
    """Peers that take one read for one message."""

    end = b""


class ThrownOutTests(RejoiningCase):
    """The seat is held whatever the connection went for."""

    limits = Limits(max_unsent=65536 + 1)

    def test_who_takes_nothing(self) -> None:
        alice, bob, _ = self.match()
        alice.choke()
        bob.send("PLACE:0:0")
        assert alice.dropped
        alice.hang_up()
        assert bob.read() == ["BOARDSTATUS:200010000"]
        assert self.connect("alice").ask("JOIN:den:PLAYER")[0] == "JOIN:ACKSTATUS:0"


class ByDefaultTests(RejoiningCase):
    """The registry holds seats for other protocols, and the operator has said nothing of it."""

    rejoins = False

    def test_a_lost_connection_is_a_forfeit(self) -> None:
        alice, bob, vera = self.match()
        bob.hang_up()
        assert alice.read() == vera.read() == ["GAMEEND:000010000:2:alice"]

    def test_players_may_sit_opposite_themselves(self) -> None:
        alice, again = self.connect("alice"), self.connect("alice")
        alice.send("CREATE:den")
        assert again.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:alice:alice"]

    def test_who_came_by_the_lobby_protocol_may_rejoin(self) -> None:
        alice, bob = self.connect("alice"), self.server.connect()
        alice.send("CREATE:den")
        login = '{"do":"login","user":"bob","password":"secret"}'
        bob.send(login, '{"do":"join","room":"den"}')
        bob.hang_up()
        alice.read()
        alice.send("PLACE:1:1")
        assert alice.read() == ["BOARDSTATUS:000010000"]
        alice.hang_up()
        assert self.server.registry.running() == 0


class AtOnceTests(RejoiningCase):
    rejoin_timeout = 0

    def test_0_is_a_forfeit_at_once(self) -> None:
        alice, bob, vera = self.match()
        bob.hang_up()
        assert alice.read() == vera.read() == ["GAMEEND:000010000:2:alice"]
        assert self.connect("bob").ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:1"]

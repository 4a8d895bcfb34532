"""What the rooms server puts up with, and what not (rooms.md, "Limits")."""

from __future__ import annotations

from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import ManualPool
from tests.helpers import Server, Visitor
from tictac.net.budget import MOVE
from tictac.net.connection import Limits

HERE, THERE = "192.0.2.1", "2001:db8::1"


class ConnectionsTests(SynchronousTestCase):
    def test_so_many_in_all(self) -> None:
        server = Server(limits=Limits(max_connections=3))
        visitors = [server.connect(host=f"192.0.2.{number}") for number in range(4)]
        assert [visitor.closed for visitor in visitors] == [False, False, False, True]
        assert visitors[3].transport.take() == b""
        visitors[0].hang_up()
        assert not server.connect().closed
        assert server.connect().closed

    def test_so_many_of_one_peer(self) -> None:
        server = Server(limits=Limits(max_connections_per_peer=2))
        visitors = [server.connect(host=HERE) for _ in range(3)]
        assert [visitor.closed for visitor in visitors] == [False, False, True]
        assert not server.connect(host=THERE).closed
        visitors[1].hang_up()
        assert not server.connect(host=HERE).closed
        assert server.connect(host=HERE).closed

    def test_one_that_was_refused_frees_nothing_when_it_goes(self) -> None:
        for limits in (Limits(max_connections=1), Limits(max_connections_per_peer=1)):
            server = Server(limits=limits)
            server.connect()
            for _ in range(3):
                refused = server.connect()
                assert refused.closed
                refused.hang_up()
            assert server.connect().closed

    def test_one_that_was_refused_isnt_served(self) -> None:
        server = Server(limits=Limits(max_connections=1))
        server.connect()
        refused = server.connect()
        refused.protocol.dataReceived(b"FORFEIT\n")  # as TLS may still pass on
        refused.protocol.dataReceived(b"LOGIN:alice:secret")
        server.clock.advance(1)
        assert refused.transport.take() == b""

    def test_0_is_no_limit(self) -> None:
        server = Server(limits=Limits(max_connections=0, max_connections_per_peer=0))
        assert not any(server.connect().closed for _ in range(500))


class BudgetTests(SynchronousTestCase):
    """A FORFEIT costs 8 units. The one that uses up what is left is still answered."""

    limits = Limits(budget=320, budget_burst=640)  # of a connection 80 a second, 160 at once

    def flood(self, server: Server, visitor: Visitor, number: int) -> int:
        """Send so many messages at the same moment; how many are answered."""
        visitor.transport.arrive(*[b"FORFEIT\n"] * number)
        return len(visitor.read())

    def test_beyond_it_a_connection_waits_and_loses_nothing(self) -> None:
        # The clock may start anywhere: a monotonic one begins when the machine does.
        for origin in (0.0, 0.1, 1234.567, 98765.4321, 1.7e9 + 0.3):
            server = Server(limits=self.limits, origin=origin)
            visitor = server.connect()
            assert self.flood(server, visitor, 25) == 21, origin
            assert visitor.transport.producerState == "paused"
            server.clock.pump([0.1] * 3)
            assert len(visitor.read()) == 3
            server.clock.pump([0.1] * 3)
            assert len(visitor.read()) == 1
            assert visitor.transport.producerState == "producing" and not visitor.closed

    def test_what_waits_is_answered_in_order(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        self.flood(server, visitor, 19)
        visitor.send("FORFEIT", "LOGIN:alice:wrong", "LOGIN:alice:secret", "ROOMLIST:VIEWER")
        server.clock.pump([0.1] * 10)
        answers = ["BADAUTH", "LOGIN:ACKSTATUS:2", "LOGIN:ACKSTATUS:0", "ROOMLIST:ACKSTATUS:0:"]
        assert visitor.read() == answers

    def test_a_move_that_came_alone_waits_too(self) -> None:
        server = Server(limits=self.limits)
        alice, bob = server.log_in("alice"), server.log_in("bob")
        alice.ask("CREATE:den")
        bob.ask("JOIN:den:PLAYER")
        alice.read()
        alice.send(*["PLACE:5:5"] * 40)
        assert len(alice.read()) < 40
        bob.read()
        alice.send("PLACE:1:1")
        assert bob.read() == []
        server.clock.pump([0.1] * 50)
        assert bob.read() == ["BOARDSTATUS:000010000"]

    def test_moves_that_come_singly_are_paid_for_in_lumps(self) -> None:
        server = Server(limits=self.limits)
        alice, bob = server.log_in("alice"), server.log_in("bob")
        alice.ask("CREATE:den")
        bob.ask("JOIN:den:PLAYER")
        purse = alice.protocol.purse
        server.clock.advance(1)
        before = purse.paid
        alice.send(*["PLACE:0:0"] * 7)
        assert purse.paid == before
        alice.send("PLACE:0:0")
        self.assertAlmostEqual(purse.paid, 1 + 8 * MOVE * purse.price)

    def test_who_goes_pays_for_its_last_moves(self) -> None:
        server = Server(limits=self.limits)
        alice, bob = server.log_in("alice"), server.log_in("bob")
        alice.ask("CREATE:den")
        bob.ask("JOIN:den:PLAYER")
        purse = alice.protocol.purse
        server.clock.advance(1)
        alice.send(*["PLACE:0:0"] * 3)
        alice.protocol.connectionLost(Failure(ConnectionDone()))
        self.assertAlmostEqual(purse.paid, 1 + 3 * MOVE * purse.price)

    def test_who_takes_its_answers_late_waits_too(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        assert self.flood(server, visitor, 21) == 21
        visitor.choke()
        assert visitor.transport.producer is not None
        visitor.transport.producer.resumeProducing()
        assert self.flood(server, visitor, 1) == 0
        server.clock.pump([0.1] * 3)
        assert len(visitor.read()) == 1

    def test_no_more_than_the_burst_is_saved_up(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        server.clock.advance(3000)
        assert self.flood(server, visitor, 25) == 21

    def test_a_steady_peer_never_waits(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        for _ in range(2000):
            server.clock.advance(0.101)
            assert self.flood(server, visitor, 1) == 1
        assert not server.factory.budget.waits

    def test_who_has_waited_for_a_minute_without_a_break_is_cut(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        self.flood(server, visitor, 1000)
        server.clock.pump([0.1] * 595)
        assert not visitor.dropped
        server.clock.pump([0.1] * 10)
        assert visitor.dropped
        assert server.factory.refusals.counts["rate"] == 1

    def test_who_has_a_break_isnt(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        for _ in range(30):
            self.flood(server, visitor, 30)
            server.clock.pump([0.1] * 50)
        assert server.factory.budget.waits["connection"] > 100 and not visitor.closed

    def test_who_hangs_up_meanwhile_is_forgotten(self) -> None:
        server = Server(limits=self.limits)
        visitor = server.connect()
        self.flood(server, visitor, 25)
        assert server.factory.budget.waiting == 1
        visitor.hang_up()
        assert server.factory.budget.waiting == 0 and not server.clock.getDelayedCalls()

    def test_0_is_no_limit(self) -> None:
        for limits in (Limits(budget=0), Limits(budget_burst=0)):
            server = Server(limits=limits)
            visitor = server.connect()
            assert self.flood(server, visitor, 5000) == 5000


class LoginTimeoutTests(SynchronousTestCase):
    def test_a_minute_to_log_in(self) -> None:
        server = Server()
        silent = server.connect()
        server.expire(59)
        busy = server.connect()
        busy.ask("LOGIN:alice:wrong")
        assert not silent.closed
        server.expire(1)
        assert silent.closed
        server.expire(58)
        busy.ask("LOGIN:alice:wrong")  # trying doesn't help
        assert not busy.closed
        server.expire(1)
        assert busy.closed

    def test_who_is_in_stays(self) -> None:
        server = Server()
        alice = server.log_in("alice")
        server.expire(61)
        assert not alice.closed

    def test_it_doesnt_run_while_a_password_is_checked(self) -> None:
        pool = ManualPool()
        server = Server(pool=pool)
        visitor = server.connect()
        server.expire(50)
        visitor.send("LOGIN:alice:wrong")
        server.expire(600)
        assert not visitor.closed
        pool.finish_all()
        assert visitor.read() == ["LOGIN:ACKSTATUS:2"]
        server.expire(9.9)
        assert not visitor.closed
        server.expire(0.2)
        assert visitor.closed

    def test_who_doesnt_take_the_end_of_the_connection_is_cut(self) -> None:
        # A peer that reads nothing would otherwise keep its place for ever.
        server = Server()
        visitor = server.connect()
        visitor.choke()
        visitor.send("FORFEIT")
        server.expire(60)
        assert visitor.closed and not visitor.dropped
        server.expire(60)
        assert visitor.dropped
        assert server.factory.refusals.counts["login-timeout"] == 1

    def test_0_is_no_limit(self) -> None:
        server = Server(limits=Limits(login_timeout=0, idle_timeout=0))
        visitor = server.connect()
        server.expire(10**9)
        assert not visitor.closed


class IdleTimeoutTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.alice = self.server.log_in("alice")

    def test_an_hour_of_silence_outside_a_room(self) -> None:
        self.server.expire(3599)
        assert not self.alice.closed
        self.server.expire(1)
        assert self.alice.closed

    def test_any_message_starts_it_again(self) -> None:
        for message in ("ROOMLIST:PLAYER", "CREATE:a.b", "HELLO"):
            self.server.expire(3599)
            self.alice.send(message)
        self.server.expire(3599)
        assert not self.alice.closed

    def test_in_a_room_it_doesnt_run(self) -> None:
        self.alice.send("CREATE:den")
        vera = self.server.log_in("vera")
        vera.send("JOIN:den:VIEWER")
        self.server.expire(10_000)
        assert not self.alice.closed and not vera.closed

    def test_after_the_room_it_begins_anew(self) -> None:
        self.alice.send("CREATE:den")
        vera = self.server.log_in("vera")
        vera.send("JOIN:den:VIEWER")
        self.server.clock.advance(10_000)
        self.alice.send("FORFEIT")
        self.server.expire(3599)
        assert not self.alice.closed and not vera.closed
        self.server.expire(1)
        assert self.alice.closed and vera.closed

    def test_without_a_limit_for_the_login_it_holds_for_strangers_too(self) -> None:
        server = Server(limits=Limits(login_timeout=0))
        stranger = server.connect()
        server.expire(3600)
        assert stranger.closed

    def test_0_is_no_limit(self) -> None:
        server = Server(limits=Limits(idle_timeout=0))
        alice = server.log_in("alice")
        server.expire(10**9)
        assert not alice.closed


class MoveAndWaitTimeoutTests(SynchronousTestCase):
    """The registry keeps the time; here is what the peers read of it."""

    def test_a_player_who_doesnt_move_has_forfeited(self) -> None:
        server = Server()
        alice, bob, vera = map(server.log_in, ("alice", "bob", "vera"))
        alice.send("CREATE:den")
        bob.send("JOIN:den:PLAYER")
        vera.send("JOIN:den:VIEWER")
        alice.send("PLACE:1:1")
        for visitor in (alice, bob, vera):
            visitor.read()
        server.clock.advance(600)
        server.registry.expire(600, 3600)
        for visitor in (alice, bob, vera):
            assert visitor.read() == ["GAMEEND:000010000:2:alice"]
            assert not visitor.closed

    def test_a_room_that_nobody_joins_is_closed(self) -> None:
        server = Server()
        alice = server.log_in("alice")
        alice.ask("CREATE:den")
        server.clock.advance(3600)
        server.registry.expire(600, 3600)
        assert alice.read() == ["GAMEEND:000000000:1"]
        assert alice.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]


class UnsentTests(SynchronousTestCase):
    """Who doesn't read is dropped, and hurts nobody."""

    def match(self, limits: Limits) -> tuple[Server, Visitor, Visitor, Visitor]:
        server = Server(limits=limits)
        alice, bob, vera = map(server.log_in, ("alice", "bob", "vera"))
        alice.send("CREATE:den")
        vera.send("JOIN:den:VIEWER")
        bob.send("JOIN:den:PLAYER")
        for visitor in (alice, bob, vera):
            visitor.read()
        return server, alice, bob, vera

    def test_a_viewer_who_never_reads(self) -> None:
        # 64 KiB wait in the transport when it says so: 44 bytes more are two boards.
        _, alice, bob, vera = self.match(Limits(max_unsent=65536 + 44))
        vera.choke()
        alice.send("PLACE:1:1")
        bob.send("PLACE:0:0")
        assert not vera.closed
        alice.send("PLACE:0:2")
        assert vera.dropped
        vera.hang_up()
        bob.send("PLACE:1:0")
        alice.send("PLACE:2:0")
        for visitor in (alice, bob):
            assert visitor.read()[-1] == "GAMEEND:221010100:0:alice"

    def test_a_player_who_never_reads_has_forfeited(self) -> None:
        _, alice, bob, vera = self.match(Limits(max_unsent=65536 + 1))
        bob.choke()
        alice.send("PLACE:1:1")
        assert bob.dropped
        bob.hang_up()
        for visitor in (alice, vera):
            assert visitor.read() == ["BOARDSTATUS:000010000", "GAMEEND:000010000:2:alice"]

    def test_who_reads_after_all_starts_at_nothing(self) -> None:
        _, alice, bob, vera = self.match(Limits(max_unsent=65536 + 44))
        producer = vera.transport.producer
        assert producer is not None
        moves = ("1:1", "0:0", "2:0", "0:2", "1:0", "1:2")
        for number, move in enumerate(moves):
            if number % 2 == 0:
                producer.resumeProducing()
                producer.pauseProducing()
            (alice, bob)[number % 2].send(f"PLACE:{move}")
        assert not vera.closed
        alice.send("PLACE:0:1")
        assert vera.dropped

    def test_who_takes_no_answers_gets_no_more_of_them(self) -> None:
        server = Server()
        visitor = server.connect()
        visitor.choke()
        visitor.send("FORFEIT", "FORFEIT")
        assert visitor.read() == [] and visitor.transport.producerState == "paused"
        assert visitor.transport.producer is not None
        visitor.transport.producer.resumeProducing()
        assert visitor.read() == ["BADAUTH"] * 2

    def test_what_waits_for_its_turn_to_a_bare_peer_counts(self) -> None:
        server = Server(limits=Limits(max_unsent=210))
        bare = server.connect(b"")
        bare.ask("FORFEIT")
        bare.transport.arrive(*[b"CREATE:den"] * 31)  # the first is on its way, 30 wait
        assert not bare.closed
        bare.transport.arrive(b"CREATE:den")
        assert bare.dropped

    def test_0_is_no_limit(self) -> None:
        _, alice, bob, vera = self.match(Limits(max_unsent=0))
        vera.choke()
        alice.send("PLACE:1:1")
        bob.send("PLACE:0:0")
        assert not vera.closed

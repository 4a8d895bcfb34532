"""What an address and its connections may make the server do (protect.md, "Budgets")."""

from __future__ import annotations

from ipaddress import ip_network
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server, TurnClock
from tictac.net import budget as net_budget
from tictac.net.budget import (
    CONNECTION,
    MOVE,
    PAGE,
    SIGN_OF_LIFE,
    SLICE,
    TURN,
    WEBSOCKET,
    Budget,
    Place,
    Purse,
    budget_of,
)
from tictac.net.connection import Limits
from tictac.protocols.lobby.wire import Games, Hello, Join, Leave, Lobby, Login, Move, Open

HERE, THERE = "192.0.2.1", "192.0.2.2"


class Payer:
    """Does some things, each of so many units, and waits if it must."""

    place: Place | None = None

    def __init__(self, purse: Purse, units: int, things: int) -> None:
        self.purse = purse
        self.units = units
        self.things = things
        self.used = purse.used
        self.done = 0

    def go_on(self) -> None:
        while self.done < self.things:
            self.place = self.purse.keeps(self)
            if self.place is not None:
                return
            self.done += 1
            self.purse.spend(self.units, self)


class PurseCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = TurnClock()
        self.budget = Budget(self.clock, self.clock.seconds, 8000, 80_000)
        self.purse = self.budget.purse(HERE)

    def payer(self, units: int, things: int = 10**6, purse: Purse | None = None) -> Payer:
        payer = Payer(purse or self.purse, units, things)
        payer.go_on()
        return payer

    def purse_of(self, number: int) -> Purse:
        return self.budget.purse(f"192.0.2.{number}")

    def use_up(self) -> None:
        """Leave the address nothing."""
        spender = Payer(self.purse, 1, 0)
        self.purse.spend(80_001, spender)
        self.clock.turn()


class TurnTests(PurseCase):
    def test_all_addresses_that_wait_share_a_turn(self) -> None:
        for number in (1, 8, 40):
            budget = Budget(self.clock, self.clock.seconds, 8000, 80_000)
            payers = [
                self.payer(4, purse=budget.purse(f"192.0.2.{address}")) for address in range(number)
            ]
            self.clock.turn()  # now all of them wait
            found = [sum(payer.done for payer in payers)]
            for _ in range(2 * number):
                self.clock.turn()
                found.append(sum(payer.done for payer in payers))
            for before, after in pairwise(found):
                assert TURN <= 4 * (after - before) < TURN + 4, (number, found)

    def test_all_addresses_get_the_same(self) -> None:
        payers = [self.payer(units, purse=self.purse_of(units)) for units in (1, 6, 61)]
        before = [payer.done * payer.units for payer in payers]
        for _ in range(1000):
            self.clock.turn()
        gained = [payer.done * payer.units - b for payer, b in zip(payers, before, strict=True)]
        assert max(gained) - min(gained) <= 61 + SLICE, gained

    def test_a_trusted_address_gets_ten_times_as_much(self) -> None:
        self.budget = Budget(
            self.clock, self.clock.seconds, 8000, 80_000, trusted=[ip_network(THERE)]
        )
        payers = [self.payer(6, purse=self.budget.purse(host)) for host in (HERE, THERE)]
        before = [payer.done for payer in payers]
        for _ in range(1000):
            self.clock.turn()
        other, trusted = (payer.done - b for payer, b in zip(payers, before, strict=True))
        assert 8 < trusted / other < 12

    def test_a_player_waits_for_no_flood(self) -> None:
        for number in range(3, 11):
            self.payer(1, purse=self.purse_of(number))
        for _ in range(100):
            self.clock.turn()
        player = Payer(self.budget.purse(THERE), 6, 0)
        for moves in range(1, 50):
            player.things = moves
            if player.place is None:
                player.go_on()
            self.clock.rightNow += 0.0005
            self.clock.turn()  # at the latest, it is the first of the next turn
            assert player.done == moves

    def test_addresses_that_come_at_once_share_a_burst(self) -> None:
        payers = [self.payer(1, purse=self.purse_of(number)) for number in range(40)]
        first, others = payers[0].done, sum(payer.done for payer in payers[1:])
        assert SLICE * 0.9 <= first <= SLICE * 1.1, "one that is alone has it for itself"
        assert others <= 39 * (TURN + 1), "but the next ones come to one that waits"

    def test_addresses_that_take_turns_at_bursts_share_them_too(self) -> None:
        done = 0
        for number in range(40):
            # Each stops before it would have to wait.
            payer = Payer(self.purse_of(number), 1, SLICE - 60)
            payer.go_on()
            done += payer.done
            payer.things = 0
        assert done <= 40 * 50 + 2 * SLICE

    def test_an_address_alone_has_its_turn_as_well(self) -> None:
        payer = self.payer(1)
        self.clock.turn()
        before = payer.done
        self.clock.turn()
        assert payer.done - before == TURN

    def test_who_has_gone_leaves_no_calls(self) -> None:
        payer = self.payer(1)
        assert payer.place is not None
        self.purse.forget(payer.place)
        for _ in range(3):
            self.clock.turn()
        assert not self.clock.getDelayedCalls() and not self.purse.shut
        assert self.budget.waiting == 0

    def test_who_does_nothing_takes_a_part_of_the_turn_too(self) -> None:
        class Idler(Payer):
            def go_on(self) -> None:
                if self.place is None:
                    super().go_on()
                self.done += 1

        self.payer(1)
        idlers = [Idler(self.purse, 1, 10**6) for _ in range(100)]
        for idler in idlers:
            idler.place = self.purse.keeps(idler)
            idler.used = 0
        for _ in range(3):
            self.clock.turn()
        assert sum(idler.done for idler in idlers) <= 3 * TURN

    def test_it_is_not_upset_by_whom_it_serves(self) -> None:
        # A connection that continues can make another address wait, as by an answer for it.
        others = [Payer(self.purse_of(number), 1, 10**6) for number in range(3, 6)]

        class Starter(Payer):
            def go_on(self) -> None:
                if self.done and others:
                    others.pop().go_on()
                super().go_on()

        starter = Starter(self.purse, 1, 10**6)
        starter.go_on()
        for _ in range(20):
            self.clock.turn()
            assert len(self.clock.getDelayedCalls()) == 1
        assert not others

    def test_what_is_no_faster_than_the_rate_waits_for_no_turn(self) -> None:
        payer = Payer(self.purse, 1, 0)
        for _ in range(80_000):
            payer.things += 1
            payer.go_on()
            self.clock.rightNow += 1 / 8000
        assert payer.done == 80_000 and not self.budget.waits
        assert not self.clock.getDelayedCalls(), "no timer on the path of a move"

    def test_many_addresses_that_play_steadily_wait_for_no_turn(self) -> None:
        for pause, units in ((1 / 40, MOVE), (1 / 200, MOVE), (1 / 10, 8 * MOVE), (1 / 40, 10)):
            self.setUp()
            players = [Payer(self.purse_of(number), units, 0) for number in range(60)]
            for step in range(600):
                player = players[step % 60]
                player.things += 1
                player.go_on()
                self.clock.rightNow += pause / 60
            assert not self.budget.waits and not self.clock.getDelayedCalls(), (pause, units)

    def test_its_connections_share_a_turn(self) -> None:
        payers = [self.payer(1) for _ in range(4)]
        for _ in range(400):
            self.clock.turn()
        done = [payer.done for payer in payers]
        assert max(done) - min(done) <= 2 * SLICE


class FairTests(PurseCase):
    def test_an_address_gets_its_rate(self) -> None:
        self.use_up()
        payers = [self.payer(61) for _ in range(95)]
        before = sum(payer.done for payer in payers)
        self.clock.pump([0.001] * 5000)
        units = 61 * (sum(payer.done for payer in payers) - before)
        assert 39_000 < units < 41_000

    def test_its_connections_get_the_same(self) -> None:
        self.use_up()
        dear, cheap = self.payer(60), self.payer(1)
        self.clock.pump([0.001] * 5000)
        assert abs(dear.done * 60 - cheap.done) <= 256 + 60

    def test_many_that_ask_too_much_dont_keep_another_waiting(self) -> None:
        self.use_up()
        for _ in range(95):
            self.payer(61)
        self.clock.pump([0.001] * 2000)
        player = Payer(self.purse, MOVE, 0)
        waited = []
        for _ in range(20):
            self.clock.pump([0.001] * 500)  # between two moves
            player.things += 1
            player.go_on()
            for ms in range(1000):
                if player.done == player.things:
                    waited.append(ms)
                    break
                self.clock.advance(0.001)
        # One that is new comes when the others have had their turn.
        assert len(waited) == 20 and max(waited[3:]) <= 10

    def test_who_connects_anew_has_no_advantage(self) -> None:
        self.use_up()
        payer = self.payer(61)
        self.clock.pump([0.001] * 1000)
        before = payer.done
        others = []
        for _ in range(100):
            others.append(self.payer(61, 1))
            self.clock.pump([0.001] * 15)
        assert payer.done - before > 50

    def test_who_has_gone_is_passed_over(self) -> None:
        self.use_up()
        first, second = self.payer(1), self.payer(1)
        assert first.place is not None and self.budget.waiting == 2
        self.purse.forget(first.place)
        assert self.budget.waiting == 1
        self.clock.pump([0.001] * 100)
        assert first.done == 0 and second.done > 0


class ClassTests(PurseCase):
    """300 people behind one address, by what they do (protect.md, "Budgets")."""

    def spend(self, *units: int) -> None:
        for each in units:
            self.purse.spend(each, self.someone)
        self.clock.advance(0)

    def test_it_never_waits(self) -> None:
        self.someone = Payer(self.purse, 0, 0)
        page = [PAGE + 10] * 6  # 60 KiB
        lists = Lobby.units + 59
        for _ in range(300):  # all at once
            self.spend(*page, *[CONNECTION] * 6, WEBSOCKET)
            self.spend(Hello.units, Login.units, Games.units + 3, lists)
        assert not self.purse.is_empty()
        for _ in range(60):  # seconds in which they play
            for _ in range(150):
                self.spend(Move.units, SIGN_OF_LIFE)
            self.spend(*[Open.units, Join.units, Leave.units] * 5)
            self.clock.advance(1)
            assert not self.purse.is_empty()
        assert not self.budget.waits


class ManyAddressesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def budget(self, **how: Any) -> Budget:
        return Budget(self.clock, self.clock.seconds, 100, 1000, **how)

    def test_all_of_one_customer_are_one(self) -> None:
        budget = self.budget()
        assert budget.purse("2001:db8::1") is budget.purse("2001:db8::2")
        assert budget.purse("2001:db8::1") is not budget.purse("2001:db8:0:1::1")
        assert budget.purse("::ffff:192.0.2.1") is budget.purse(HERE)

    def test_a_trusted_net_has_ten_times_as_much(self) -> None:
        budget = self.budget(trusted=[ip_network("192.0.2.0/24")])
        rates = [budget.purse(host).rate for host in (HERE, "198.51.100.1", "UNIXAddress")]
        assert rates == [1000, 100, 100]
        purse = budget.purse(HERE)
        purse.spend(10_000, Payer(purse, 0, 0))
        assert not purse.is_empty()
        purse.spend(1, Payer(purse, 0, 0))
        assert purse.is_empty()

    def test_one_address_of_a_customer_can_be_trusted(self) -> None:
        trusted, other = "2001:db8::1", "2001:db8::2"
        for hosts in ([trusted, other], [other, trusted]):
            budget = self.budget(trusted=[ip_network(trusted)])
            rates = {host: budget.purse(host).rate for host in hosts}
            assert rates == {trusted: 1000, other: 100}

    def test_those_with_the_most_left_are_forgotten_first(self) -> None:
        budget = self.budget(capacity=3)
        hosts = [f"192.0.2.{number}" for number in range(4)]
        purses = [budget.purse(host) for host in hosts[:3]]
        for units, purse in zip((500, 10, 90), purses, strict=True):
            purse.spend(units, Payer(purse, 0, 0))
        budget.purse(hosts[3])
        assert budget.purse(hosts[0]) is purses[0] and budget.purse(hosts[2]) is purses[2]
        assert budget.purse(hosts[1]) is not purses[1]

    def test_a_reactor_has_one(self) -> None:
        given = (8000.0, 80_000.0, ())
        budget = budget_of(self.clock, self.clock.seconds, *given)
        assert budget_of(self.clock, self.clock.seconds, *given) is budget
        other = Clock()
        assert budget_of(other, other.seconds, *given) is not budget

    def test_an_address_that_waits_has_a_line_an_hour(self) -> None:
        budget = self.budget()
        lines: list[str] = []
        said = SimpleNamespace(info=lambda text, **values: lines.append(text.format(**values)))
        self.patch(net_budget, "_log", said)
        for host, hours in ((HERE, 0), (HERE, 0), (THERE, 0), (HERE, 1)):
            self.clock.advance(hours * 3600)
            purse = budget.purse(host)
            purse.spend(1500, Payer(purse, 0, 0))
            self.clock.pump([0, 10])
        assert lines == [
            f"{host} waits: more than 100 units per second" for host in (HERE, THERE, HERE)
        ]


class InputTests(SynchronousTestCase):
    """Long messages and reads without a message, over the rooms protocol and the lobby's."""

    def paid(self, *reads: bytes) -> float:
        server = Server()
        visitor = server.connect()
        visitor.transport.arrive(b"\n" if reads[0][:1] != b"{" else b'{"do":"ping"}\n')
        purse = server.factory.budget.purse("192.0.2.1")
        before = purse.paid
        visitor.transport.arrive(*reads)
        return round((purse.paid - before) / purse.price)

    def test_a_long_message_costs_more(self) -> None:
        for line, units in (
            (b"LOGIN:" + b":" * 8000, 4 + 31),
            (b"JOIN:" + b"x" * 8000 + b":PLAYER", 10 + 31),
            (b'{"do":"ping","x":[' + b"1," * 4000 + b"1]}", 1 + 31),
            (b'{"do":"ping","x":"' + b"\\u00e9" * 1300 + b'"}', 1 + 30),
            (b'{"x":' + b"[" * 8000, 4 + 31),
        ):
            assert self.paid(line + b"\n") == units, line[:20]

    def test_bytes_that_end_no_message_cost_something(self) -> None:
        message = b"LOGIN:" + b":" * 1000
        assert self.paid(*[bytes([byte]) for byte in message]) > 1000
        assert self.paid(*[bytes([byte]) for byte in b'{"do":"ping"   }']) >= 16

    def test_they_dont_end_the_silence(self) -> None:
        server = Server(limits=Limits(login_timeout=0, idle_timeout=10))
        visitor = server.connect()
        visitor.transport.arrive(b"\n")
        for _ in range(12):
            server.clock.advance(1)
            visitor.transport.arrive(b"x")
            server.factory.expire()
        assert visitor.transport.disconnecting or visitor.transport.disconnected


class SharedReactorTests(SynchronousTestCase):
    def test_a_program_that_asks_for_too_much_doesnt_keep_another_waiting(self) -> None:
        server = Server(limits=Limits(budget=800, budget_burst=1600))
        greedy = [server.connect() for _ in range(20)]
        polite = server.log_in("alice")
        for each in greedy:
            each.transport.arrive(*[b'{"do":"games"}\n'] * 500)
        server.clock.pump([0.01] * 200)
        waited = []
        for _ in range(10):
            server.clock.pump([0.01] * 50)
            polite.send("ROOMLIST:VIEWER")
            steps = 0
            while not polite.read():
                server.clock.advance(0.01)
                steps += 1
                assert steps < 1000
            waited.append(steps)
        assert max(waited) <= 2
        assert not server.factory.refusals.counts

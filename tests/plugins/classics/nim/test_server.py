"""The Nim server byte by byte: the document's match, who meets whom, and every error."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.nim.helpers import EXIT, LOSE, PLAY, WIN, move, nim_house, turn
from tests.tables import Guest
from tictac.net.connection import Limits
from tictac.plugins.classics.nim.wire import Types
from tictac.plugins.games.nim.rules import Deal

START = turn(24, 17, 3)

MATCH = [
    ("03 00 00000006", "02 03 00000012 00000011 00000003"),
    ("03 01 00000011", "02 02 00000012 00000003"),
    ("03 01 00000002", "02 02 00000012 00000001"),
    ("03 00 00000011", "02 02 00000001 00000001"),
    ("03 00 00000001", "02 01 00000001"),
]
"""The document's match: what one player sends, and what the other one gets for it."""


class ServerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.house = nim_house()

    def come(self, number: int) -> list[Guest]:
        """Return this number of guests, who sent `play` in this order."""
        guests = [self.house.connect() for _ in range(number)]
        for guest in guests:
            guest.send(PLAY)
        return guests

    def expect(self, *pairs: tuple[Guest, bytes]) -> None:
        """Check what each of these guests has received, in one write."""
        for guest, data in pairs:
            assert guest.take() == data

    def tearDown(self) -> None:
        for connection in list(self.house.factory.connections):
            connection.transport.lose()
        assert self.house.is_clean()


class DocumentTests(ServerCase):
    def play(self, cut: int) -> None:
        """Play the match of the document, sent in pieces of ``cut`` bytes."""
        first, second = players = self.come(2)
        self.expect((first, START), (second, b""))
        for sent, got in MATCH:
            data = bytes.fromhex(sent)
            players[0].send(*[data[i : i + cut] for i in range(0, len(data), cut)])
            self.expect((players[0], b""), (players[1], bytes.fromhex(got)))
            players.reverse()
        players[0].send(move(0, 1))
        self.expect((players[0], WIN), (players[1], LOSE))
        assert players[1].closed and not players[0].closed

    def test_the_match_byte_for_byte(self) -> None:
        self.play(cut=100)

    def test_bytes_one_at_a_time(self) -> None:
        self.play(cut=1)

    def test_with_types_of_its_own(self) -> None:
        self.house = nim_house(types=Types(11, 12, 13, 14, 15, 16))
        first, second = self.house.connect(), self.house.connect()
        first.send(b"\x0b")
        second.send(b"\x0b")
        assert first.take() == b"\x0c" + START[1:]
        second.send(b"\x10")
        assert first.take() == b"\x0e"

    def test_messages_in_one_piece(self) -> None:
        self.house = nim_house(deal=Deal(fixed=(1, 1, 1)))
        first, second = self.house.connect(), self.house.connect()
        second.send(PLAY + EXIT)
        assert second.closed
        first.send(PLAY)
        assert first.take() == b""
        third = self.house.connect()
        third.send(PLAY)
        first.send(move(0, 1) + EXIT)
        assert third.transport.take_writes() == [turn(1, 1), WIN]
        assert first.closed


class FiveTests(ServerCase):
    """Five in the queue: one withdraws, one breaks off, one cheats."""

    def test_who_wins_stays_and_meets_whom(self) -> None:
        first, second, third, fourth, fifth = self.come(5)
        sixth = self.house.connect()
        self.expect((first, START), *((g, b"") for g in (second, third, fourth, fifth)))
        third.send(EXIT)
        assert third.closed and not third.take()
        first.send(move(0, 6))
        assert second.take() == turn(18, 17, 3)
        second.hang_up()  # breaks off, on its turn
        self.expect((first, WIN), (fourth, START))
        fourth.send(move(1, 1))
        assert first.take() == turn(24, 16, 3)
        first.send(move(1, 17))  # more than there is
        assert first.closed and not first.take()
        self.expect((fourth, WIN), (fifth, START))
        fifth.send(move(2, 3))
        assert fourth.take() == turn(24, 17)
        sixth.send(PLAY)
        fourth.send(EXIT)
        self.expect((fifth, WIN), (sixth, START))
        assert dict(self.house.endings) == {"left": 1, "refused": 1, "forfeited": 1}
        assert dict(self.house.refusals) == {"illegal-move": 1}

    def test_the_same_with_two_tables(self) -> None:
        self.house = nim_house(count=2)
        first, second, third, fourth, fifth = self.come(5)
        self.expect((first, START), (third, START), (fifth, b""))
        third.hang_up()
        self.expect((fourth, WIN), (fifth, START), (first, b""), (second, b""))


class ErrorsTests(ServerCase):
    """The server disconnects whoever errs, and its opponent has won."""

    def check(self, data: bytes, kind: str, mover: bool = True) -> None:
        self.setUp()
        first, second = self.come(2)
        assert first.take() == START
        culprit, victim = (first, second) if mover else (second, first)
        culprit.send(data)
        assert culprit.closed and culprit.take() == b""
        assert victim.take() == WIN and not victim.closed
        assert dict(self.house.refusals) == {kind: 1}
        assert dict(self.house.endings) == {"refused": 1}
        culprit.hang_up()
        assert victim.take() == b""
        assert dict(self.house.endings) == {"refused": 1}

    def test_undefined_types_and_those_of_the_server(self) -> None:
        for data in (b"\x00", b"\x07", b"\xff" * 1000, START, WIN, LOSE, b"GET / HTTP/1.0\r\n"):
            for mover in (True, False):
                self.check(data, "malformed", mover)

    def test_moves_that_cant_be_made(self) -> None:
        for data in (move(3, 1), move(0, 0), move(0, 25), move(255, 2**32 - 1)):
            self.check(data, "illegal-move")

    def test_a_move_out_of_turn(self) -> None:
        self.check(move(0, 1), "not-your-turn", mover=False)

    def test_two_moves_at_once(self) -> None:
        first, second = self.come(2)
        first.send(move(0, 1) * 2)
        assert first.closed
        assert second.transport.take_writes() == [turn(23, 17, 3), WIN]

    def test_a_second_play(self) -> None:
        for mover in (True, False):
            self.check(PLAY, "already-playing", mover)

    def test_in_the_queue_and_before_play(self) -> None:
        for begin, data, kind in (
            (b"", move(0, 1), "not-your-turn"), (b"", b"\x00", "malformed"),
            (PLAY, PLAY, "already-playing"), (PLAY, move(0, 1), "not-your-turn"),
        ):  # fmt: skip
            self.setUp()
            guest = self.house.connect()
            guest.send(begin, data)
            assert guest.closed
            assert dict(self.house.refusals) == {kind: 1}
            assert not self.house.endings

    def test_nothing_is_heard_from_who_is_out(self) -> None:
        first, second, third = self.come(3)
        assert first.take() == START
        first.protocol.dataReceived(b"\x00" + EXIT + PLAY)
        first.protocol.dataReceived(move(0, 1))  # as TLS may still pass on
        self.expect((second, WIN), (third, START), (first, b""))

    @settings(max_examples=200)
    @given(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=12)), max_size=30))
    def test_any_bytes_of_anybody(self, pieces: list[tuple[int, bytes]]) -> None:
        self.setUp()
        guests = self.come(4)
        for number, data in pieces:
            if guests[number].closed:
                guests[number].hang_up()
                guests[number] = self.house.connect()
                guests[number].send(PLAY)
            guests[number].send(data)
            assert self.house.seating.running() <= 1
        for guest in guests:
            guest.hang_up()
        assert self.house.is_clean()


class TimeTests(ServerCase):
    def test_sixty_seconds_for_play(self) -> None:
        guest = self.house.connect()
        self.house.expire(59.9)
        assert not guest.closed
        self.house.expire(0.1)
        assert guest.closed
        assert dict(self.house.refusals) == {"play-timeout": 1}
        assert not self.house.endings

    def test_sixty_seconds_for_a_move(self) -> None:
        self.house.clock.advance(1000)
        first, second = self.come(2)
        self.house.expire(59)
        first.send(move(0, 1))
        self.expect((first, START), (second, turn(23, 17, 3)))
        self.house.expire(59.9)
        assert not first.closed and not second.closed
        self.house.expire(0.1)
        assert second.closed and not first.closed
        self.expect((first, WIN), (second, b""))
        assert dict(self.house.endings) == {"timed out": 1}
        assert dict(self.house.refusals) == {"move-timeout": 1}

    def test_half_a_move_is_none(self) -> None:
        first, second = self.come(2)
        self.house.expire(50)
        first.send(b"\x03\x00")
        self.house.expire(10)
        assert first.closed
        assert second.take() == WIN

    def test_a_match_that_takes_too_long_is_lost_by_the_slower_one(self) -> None:
        for slow in (0, 1):
            self.setUp()
            pair = self.come(2)
            for number in range(20):
                mover = number % 2
                self.house.expire(50 if mover == slow else 30)
                pair[mover].send(move(0, 1))
            self.house.expire(50)
            pair[0].send(move(0, 1))
            self.house.expire(49)
            assert not any(player.closed for player in pair)
            self.house.expire(1)
            assert pair[slow].closed and not pair[1 - slow].closed
            assert pair[1 - slow].transport.take().endswith(WIN)
            assert dict(self.house.refusals) == {"match-timeout": 1}
            assert dict(self.house.endings) == {"timed out": 1}

    def test_the_next_match_has_all_of_the_time(self) -> None:
        first, second, third = self.come(3)
        for _ in range(8):
            self.house.expire(50)
            first.send(move(0, 1))
            self.house.expire(50)
            second.send(move(0, 1))
        second.send(EXIT)
        for _ in range(8):
            self.house.expire(50)
            third.send(move(0, 1))
            self.house.expire(50)
            first.send(move(0, 1))
        assert not first.closed and not third.closed

    def test_none_in_the_queue_and_for_the_waiting_winner(self) -> None:
        self.house = nim_house(match_timeout=0)
        first, second, third = self.come(3)
        for _ in range(10):
            self.house.expire(50)
            first.send(move(0, 1))
            self.house.expire(50)
            second.send(move(0, 1))
        second.send(EXIT)
        third.send(EXIT)
        assert first.transport.take().endswith(WIN)
        self.house.expire(100_000)
        assert not first.closed

    def test_0_is_no_limit(self) -> None:
        limits = Limits(login_timeout=0)
        self.house = nim_house(limits=limits, match_timeout=0, move_timeout=0)
        silent = self.house.connect()
        first, _ = self.come(2)
        self.house.expire(1e6)
        assert not silent.closed and not first.closed


class LimitsTests(ServerCase):
    def test_who_sends_too_fast_waits(self) -> None:
        self.house = nim_house(limits=Limits(budget=24, budget_burst=80))
        first, second = self.come(2)
        for player in (first, second, first, second, first):
            player.send(move(0, 1))
        assert first.transport.producerState == "paused"
        self.house.clock.pump([0.1] * 20)
        assert first.transport.producerState == "producing" and not first.closed

"""Connect Four and Nim behind WebSockets of the page: the same protocols, a message a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.connectfour.helpers import fail
from tests.helpers import FakeTransport
from tests.nim.helpers import EXIT, LIST, LOSE, PLAY, WIN, house_tables, move, turn
from tests.web.helpers import Guest, WebServer, frame, frames
from tictac.connectfour.server import ConnectFourFactory
from tictac.games.nim.rules import Deal
from tictac.lobby.registry import MemoryRegistry
from tictac.net.connection import ConnectionFactory, Limits
from tictac.nim.server import NimFactory
from tictac.nim.wire import split_messages
from tictac.web.pages import Pages
from tictac.web.site import Site
from tictac.web.sockets import BinarySocketFactory, SocketFactory, SocketResource
from tictac.worker import Question

CONNECTFOUR, NIM = "/ws/connectfour", "/ws/nim"


class Fourth:
    """Always plays the fourth column."""

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        return succeed("4")


class GameServer(WebServer):
    """A site with both games, and no rooms."""

    def __init__(self, limits: Limits | None = None, deal: Deal = LIST) -> None:
        limits = limits or Limits(login_timeout=60)
        clock: Any = Clock()
        self.games: Counter[str] = Counter()
        lobby = MemoryRegistry(0, clock.seconds, fail)
        self.four = ConnectFourFactory(lobby, Fourth(), self.games, 0, clock, clock.seconds, limits)
        self.nim = NimFactory(house_tables(clock, deal), clock, clock.seconds, limits)
        self.fours = SocketFactory(self.four, (), clock)
        self.nims = BinarySocketFactory(self.nim, (), clock, split_messages)
        doors = {
            CONNECTFOUR.encode(): SocketResource(self.fours),
            NIM.encode(): SocketResource(self.nims),
        }
        self.clock = clock
        self.site = Site(Pages({}, doors), clock, clock.seconds, limits, 20, 64)

    def play(self, path: str, *headers: str) -> Guest:
        """A page that has asked for one of the games."""
        guest = Guest(self.connect())
        guest.upgrade(*headers, path=path)
        return guest

    def nim_match(self) -> Guest:
        """A page in a match of Nim."""
        guest = self.play(NIM)
        assert nim(guest, PLAY) == [turn(24, 17, 3)]
        return guest

    def behind(self) -> tuple[ConnectionFactory, ConnectionFactory]:
        """The factories of both."""
        return self.four, self.nim


def nim(guest: Guest, *messages: bytes) -> list[bytes]:
    """Send messages, a binary frame each; the messages that come back."""
    guest.transport.arrive(*[frame(message, opcode=2) for message in messages])
    found = frames(guest.transport.take())
    assert {opcode for opcode, _ in found} <= {2}, found
    return [payload for _, payload in found]


class SignOfLifeTests(SynchronousTestCase):
    def test_an_empty_message_is_answered_with_one_and_is_no_move(self) -> None:
        server = GameServer()
        four, match = server.play(CONNECTFOUR), server.nim_match()
        assert four.ask("", "I32CFSP_HELLO boo", "", "AI_GAME") == ["", "WELCOME boo", "", "READY"]
        assert nim(match, b"") == [b""]


class ConnectFourTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = GameServer()
        self.guest = self.server.play(CONNECTFOUR)

    def begin(self) -> None:
        assert self.guest.ask("I32CFSP_HELLO boo", "AI_GAME") == ["WELCOME boo", "READY"]

    def test_a_game_with_a_pop_and_an_impossible_move(self) -> None:
        self.begin()
        assert self.guest.ask("DROP 1") == ["OKAY", "DROP 4", "READY"]
        assert self.guest.ask("POP 4") == ["INVALID", "READY"]
        assert self.guest.ask("POP 1") == ["OKAY", "DROP 4", "READY"]
        assert self.guest.ask("DROP 2") == ["OKAY", "DROP 4", "READY"]
        self.guest.send("DROP 3")
        *said, end = frames(self.guest.transport.take())
        assert said == [(1, b"OKAY"), (1, b"DROP 4"), (1, b"WINNER_YELLOW")]
        assert end == (8, b"\x03\xe9")
        assert self.server.games == {"yellow": 1}

    def test_a_page_that_is_closed_leaves(self) -> None:
        self.begin()
        self.guest.transport.lose()
        assert self.server.games == {"left": 1}
        assert not self.server.four.connections and not self.server.fours.sockets

    def test_junk(self) -> None:
        self.guest.send("HELLO")
        assert self.guest.close_frame() == (4000, "malformed")

    def test_binary(self) -> None:
        self.guest.transport.arrive(frame(b"AI_GAME", opcode=2))
        assert self.guest.close_frame() == (4000, "not-one-line")

    def test_a_message_that_is_too_long(self) -> None:
        self.guest.send("I32CFSP_HELLO " + "x" * 243)
        assert self.guest.close_frame()[0] == 1009
        assert self.server.four.refusals.counts == {"message-too-long": 1}


class NimTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = GameServer()

    def test_a_match_won_and_another_one(self) -> None:
        guest = GameServer(deal=Deal(fixed=(2, 1, 1))).play(NIM)
        assert nim(guest, PLAY) == [turn(2, 1, 1)]
        assert nim(guest, move(0, 2)) == [turn(1)]
        assert nim(guest, move(0, 1)) == [WIN]
        assert nim(guest, PLAY) == [turn(2, 1, 1)]

    def test_a_match_lost(self) -> None:
        guest = GameServer(deal=Deal(fixed=(2, 1, 1))).play(NIM)
        nim(guest, PLAY)
        assert nim(guest, move(0, 1)) == [turn(1, 1)]
        guest.transport.arrive(frame(move(0, 1), opcode=2))
        assert frames(guest.transport.take()) == [(2, LOSE), (8, b"\x03\xe9")]

    def test_messages_may_be_cut_and_joined(self) -> None:
        guest = self.server.play(NIM)
        data = PLAY + move(2, 3)
        cut = [data[:3], data[3:]]
        assert nim(guest, *cut) == [turn(24, 17, 3), turn(17, 17)]

    def test_a_newline_is_a_byte_like_others(self) -> None:
        guest = self.server.nim_match()
        [answer] = nim(guest, move(0, 10))
        assert answer[0] == turn(1)[0]

    def test_a_byte_a_frame(self) -> None:
        guest = self.server.nim_match()
        assert nim(guest, *[bytes([byte]) for byte in move(2, 3)]) == [turn(17, 17)]

    def test_who_leaves(self) -> None:
        guest = self.server.nim_match()
        guest.transport.arrive(frame(EXIT, opcode=2))
        assert guest.close_frame() == (1001, "")
        assert self.server.nim.seating.endings == {"forfeited": 1}

    def test_text(self) -> None:
        guest = self.server.nim_match()
        guest.transport.arrive(frame(PLAY))
        assert guest.close_frame() == (4000, "not-binary")
        assert self.server.nim.seating.endings == {"refused": 1}

    def test_junk(self) -> None:
        guest = self.server.nim_match()
        guest.transport.arrive(frame(b"\xff", opcode=2))
        assert guest.close_frame() == (4000, "malformed")

    def test_a_message_that_is_too_long(self) -> None:
        guest = self.server.nim_match()
        guest.transport.arrive(frame(b"\3" * 8193, opcode=2))
        assert guest.close_frame()[0] == 1009
        assert self.server.nim.refusals.counts == {"message-too-long": 1}

    def test_who_says_nothing(self) -> None:
        guest = self.server.play(NIM)
        self.server.clock.advance(60)
        self.server.nim.expire()
        assert guest.close_frame() == (4000, "play-timeout")


class BothTests(SynchronousTestCase):
    def test_a_foreign_page(self) -> None:
        server = GameServer()
        for path in (CONNECTFOUR, NIM):
            assert server.play(path, "Origin: http://evil.test").status == 403
        for factory in server.behind():
            assert factory.refusals.counts == {"foreign-origin": 1}
            assert not factory.connections

    def test_what_is_no_websocket(self) -> None:
        server = GameServer()
        assert [server.get(path)[0] for path in (CONNECTFOUR, NIM)] == [426, 426]


class SlowReaderTests(SynchronousTestCase):
    """Pages that ask for answers and read none are dropped, and nobody else waits for them."""

    LIMITS = Limits(rate=0, max_unsent=70_000)

    def drop(self, server: GameServer, guest: Guest, *asked: bytes) -> None:
        guest.choke()
        other = server.play(NIM)
        turns = 0
        while not guest.dropped:
            guest.transport.arrive(*asked)
            turns += 1
            assert turns < 1000
        assert turns > 100, "some may wait"
        assert len(nim(other, PLAY)) == 1

    def test_impossible_moves(self) -> None:
        server = GameServer(self.LIMITS)
        guest = server.play(CONNECTFOUR)
        guest.ask("I32CFSP_HELLO boo", "AI_GAME")
        self.drop(server, guest, frame(b"DROP 8"))
        assert server.four.refusals.counts["too-much-unsent"] == 1
        assert server.games == {"closed": 1}

    def test_matches_that_are_won(self) -> None:
        server = GameServer(self.LIMITS, Deal(fixed=(1, 1, 1)))
        guest = server.play(NIM)
        asked = [frame(message, opcode=2) for message in (PLAY, move(0, 1), move(0, 1))]
        self.drop(server, guest, *asked)
        assert server.nim.refusals.counts == {"too-much-unsent": 1}


@settings(max_examples=60)
@given(
    st.sampled_from([CONNECTFOUR, NIM]),
    st.sampled_from([None, 1, 2]),
    st.lists(st.binary(max_size=300), max_size=5),
)
def test_any_bytes_at_all(path: str, opcode: int | None, data: list[bytes]) -> None:
    server = GameServer()
    other, guest = server.nim_match(), server.play(path)
    transport: FakeTransport = guest.transport
    for piece in data:
        transport.arrive(frame(piece, opcode) if opcode else piece)
    assert nim(other, move(2, 3)) == [turn(17, 17)]
    transport.lose()
    assert sum(len(factory.connections) for factory in server.behind()) == 1

"""The session server byte by byte, and that nothing is left of it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Generator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.registry_suite import Guest as Viewer
from tests.plugins.classics.session.helpers import (
    FIRST_WINS,
    NOBODY_WINS,
    SECOND_WINS,
    SessionHouse,
    integers,
    session_house,
)
from tests.tables import Guest
from tictac.games.tictactoe.opponent import choose
from tictac.games.tictactoe.rules import Rules
from tictac.lobby.events import Ended, Joined, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.net.connection import Limits
from tictac.plugins.classics.session.server import Pairs
from tictac.testing.connection import FakeTransport


class Knowing(Viewer):
    """A viewer of another protocol that supports all events."""

    supports_all_events = True


class JavaClient:
    """What the public Java clients of this protocol do, call for call.

    They are of one kind: they call readInt and writeInt of Java's data streams on a socket, one
    after the other, where a read waits. Here a read that would wait yields.
    """

    def __init__(self, house: SessionHouse, moves: list[tuple[int, int]]) -> None:
        self.guest = house.connect()
        self.moves = iter(moves)
        self.log: list[str] = []
        self._bytes = b""
        self._steps = self._run()
        self._wanted = next(self._steps)

    def run(self) -> None:
        """Go on for as long as there is something to read."""
        self._bytes += self.guest.transport.take()
        while self._wanted is not None and len(self._bytes) >= 4:
            (value,) = struct.unpack(">i", self._bytes[:4])
            self._bytes = self._bytes[4:]
            self._wanted = self._steps.send(value)

    def _run(self) -> Generator[str | None, int, None]:
        player = yield "readInt"
        self.log.append(f"player {player}")
        if player == 1:
            yield "readInt"  # whatever it is
            self.log.append("my turn")
        going_on = True
        while going_on:
            if player == 1:
                self._send_move()
                going_on = yield from self._receive_info(player)
            else:
                going_on = yield from self._receive_info(player)
                if going_on:
                    self._send_move()
        yield None

    def _send_move(self) -> None:
        row, column = next(self.moves)
        self.guest.send(struct.pack(">i", row), struct.pack(">i", column))

    def _receive_info(self, player: int) -> Generator[str | None, int, bool]:
        status = yield "readInt"
        if status in (1, 2):
            self.log.append("won" if status == player else "lost")
            if status != player:
                yield from self._receive_move()
        elif status == 3:
            self.log.append("over")
            if player == 2:
                yield from self._receive_move()
        else:
            yield from self._receive_move()
            return True
        return False

    def _receive_move(self) -> Generator[str | None, int, None]:
        row = yield "readInt"
        column = yield "readInt"
        self.log.append(f"{row},{column}")


class ServerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.house = session_house()

    def pair(self) -> tuple[Guest, Guest]:
        """Return two players at the start of a match."""
        first, second = self.house.connect(), self.house.connect()
        assert first.transport.take() == integers(1, 1)
        assert second.take() == integers(2)
        return first, second

    def tearDown(self) -> None:
        for connection in list(self.house.factory.connections):
            connection.transport.lose()
        assert self.house.is_clean()


class DocumentTests(ServerCase):
    """The table of events, row by row."""

    def test_connecting(self) -> None:
        first = self.house.connect()
        assert first.take() == integers(1)
        second = self.house.connect()
        assert first.take() == integers(1)
        assert second.take() == integers(2)

    def check(self, moves: list[tuple[int, int]], status: int, cut: int) -> None:
        self.setUp()
        mover, other = self.pair()
        for number, (row, column) in enumerate(moves, 1):
            data = integers(row, column)
            mover.send(*[data[i : i + cut] for i in range(0, 8, cut)])
            last = number == len(moves)
            assert mover.take() == (integers(status) if last else b"")
            assert other.take() == integers(status if last else 4, row, column)
            assert (mover.closed, other.closed) == (last, last)
            mover, other = other, mover

    def test_every_ending_and_bytes_one_at_a_time(self) -> None:
        for cut in (8, 3, 1):
            self.check(FIRST_WINS, 1, cut)
            self.check(SECOND_WINS, 2, cut)
            self.check(NOBODY_WINS, 3, cut)

    def test_a_newcomer_meets_no_one_who_has_left(self) -> None:
        for _ in range(3):
            gone = self.house.connect()
            gone.hang_up()
        self.pair()

    def test_nor_one_who_has_left_without_the_reactor_knowing(self) -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        self.addCleanup(near.close)
        waiting = self.house.connect()
        waiting.transport.socket = near  # type: ignore[attr-defined]
        assert not self.house.seating.running()
        far.close()
        self.pair()
        waiting.hang_up()
        assert self.house.seating.running() == 1

    def test_who_has_left_on_arrival_meets_nobody(self) -> None:
        waiting = self.house.connect()
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        far.close()
        protocol = self.house.factory.buildProtocol(None)
        transport = FakeTransport(protocol)
        transport.socket = near  # type: ignore[attr-defined]
        protocol.makeConnection(transport)
        assert transport.disconnected and transport.take() == b""
        transport.lose()
        assert waiting.take() == integers(1)
        assert self.house.connect().take() == integers(2)

    def test_who_is_there_or_has_just_spoken_hasnt_left(self) -> None:
        near, far = socket.socketpair()
        near.setblocking(False)
        for each in (near, far):
            self.addCleanup(each.close)
        waiting = self.house.connect()
        waiting.transport.socket = near  # type: ignore[attr-defined]
        assert not waiting.protocol.has_gone()
        far.sendall(b"x")
        assert not waiting.protocol.has_gone()
        near.close()
        assert waiting.protocol.has_gone()

    def test_a_move_out_of_turn_waits(self) -> None:
        first, second = self.pair()
        second.send(integers(0, 0))
        assert (first.take(), second.take()) == (b"", b"")
        first.send(integers(1, 1))
        assert (first.take(), second.take()) == (integers(4, 0, 0), integers(4, 1, 1))

    def test_what_waited_comes_with_the_start_in_one_write(self) -> None:
        first = self.house.connect()
        first.send(integers(2, 2))
        second = self.house.connect()
        assert second.take() == integers(2, 4, 2, 2)
        assert first.transport.take() == integers(1, 1)


class JavaClientTests(ServerCase):
    def play(self, moves: list[tuple[int, int]]) -> tuple[list[str], list[str]]:
        """Let two such clients play these moves; return what each of them recorded."""
        one = JavaClient(self.house, moves[0::2])
        two = JavaClient(self.house, moves[1::2])
        for _ in range(len(moves) + 1):
            one.run()
            two.run()
        assert one._wanted is None and two._wanted is None
        assert one._bytes == two._bytes == b""
        assert one.guest.closed and two.guest.closed
        return one.log, two.log

    def spell(self, moves: list[tuple[int, int]]) -> list[str]:
        return [f"{row},{column}" for row, column in moves]

    def test_player_1_wins(self) -> None:
        one, two = self.play(FIRST_WINS)
        *before, last = self.spell(FIRST_WINS[0::2])
        assert one == ["player 1", "my turn", *self.spell(FIRST_WINS[1::2]), "won"]
        assert two == ["player 2", *before, "lost", last]

    def test_player_2_wins(self) -> None:
        one, two = self.play(SECOND_WINS)
        *before, last = self.spell(SECOND_WINS[1::2])
        assert one == ["player 1", "my turn", *before, "lost", last]
        assert two == ["player 2", *self.spell(SECOND_WINS[0::2]), "won"]

    def test_nobody_wins(self) -> None:
        one, two = self.play(NOBODY_WINS)
        *before, last = self.spell(NOBODY_WINS[0::2])
        assert one == ["player 1", "my turn", *self.spell(NOBODY_WINS[1::2]), "over"]
        assert two == ["player 2", *before, "over", last]


class ErrorsTests(ServerCase):
    """No error code is ever sent; the connection closes, and then its opponent's."""

    def check(self, culprit: Guest, victim: Guest, kind: str) -> None:
        assert culprit.closed and victim.closed
        assert culprit.take() == victim.take() == b""
        assert dict(self.house.refusals) == {kind: 1}
        assert dict(self.house.endings) == {"refused": 1}

    def test_an_occupied_cell(self) -> None:
        first, second = self.pair()
        first.send(integers(1, 1))
        second.take()
        second.send(integers(1, 1))
        self.check(second, first, "illegal-move")

    def test_what_cant_be_a_move(self) -> None:
        for data in (integers(0, 3), integers(-1), integers(3), b"GET / HTTP/1.0\r\n", b"\xff" * 9):
            for culprit in (0, 1):
                self.setUp()
                players = self.pair()
                players[culprit].send(data)
                self.check(players[culprit], players[1 - culprit], "not-a-move")

    def test_the_culprit_is_closed_first(self) -> None:
        first, second = self.pair()
        order = []
        first.transport.loseConnection = lambda: order.append("first")  # type: ignore[method-assign]
        second.transport.loseConnection = lambda: order.append("second")  # type: ignore[method-assign]
        second.send(integers(9))
        assert order == ["second", "first"]

    def test_a_stranger_who_waits_is_thrown_out(self) -> None:
        stranger = self.house.connect()
        stranger.send(b"HELLO, IS ANYBODY THERE?")
        assert stranger.closed
        self.pair()

    def test_whoever_hangs_up_closes_the_other_one(self) -> None:
        for leaver in (0, 1):
            self.setUp()
            players = self.pair()
            players[leaver].hang_up()
            assert players[1 - leaver].closed
            assert players[1 - leaver].take() == b""
            assert dict(self.house.endings) == {"left": 1}

    def test_who_sends_too_fast_waits(self) -> None:
        self.house = session_house(Limits(idle_timeout=0, budget=24, budget_burst=80))
        first, second = self.pair()
        second.take()
        first.send(integers(0), integers(0))
        first.send(integers(1), integers(1))
        assert first.transport.producerState == "paused" and not first.closed
        self.house.clock.pump([0.1] * 20)
        assert first.transport.producerState == "producing" and not first.closed

    @settings(max_examples=200)
    @given(st.lists(st.tuples(st.booleans(), st.binary(max_size=9)), max_size=20))
    def test_any_bytes_of_both(self, pieces: list[tuple[bool, bytes]]) -> None:
        self.setUp()
        players = self.pair()
        for which, data in pieces:
            players[which].send(data)
        assert players[0].closed == players[1].closed
        for player in players:
            player.hang_up()
        assert self.house.is_clean()


class EarlyMovesTests(ServerCase):
    """Moves that come before their turn."""

    def test_those_of_player_2_come_one_a_turn(self) -> None:
        first, second = self.pair()
        second.send(integers(0, 0, 0, 1))
        first.send(integers(1, 1))
        assert (first.take(), second.take()) == (integers(4, 0, 0), integers(4, 1, 1))
        first.send(integers(2, 2))
        assert (first.take(), second.take()) == (integers(4, 0, 1), integers(4, 2, 2))

    def test_one_that_has_become_impossible_ends_it_in_its_turn(self) -> None:
        first, second = self.pair()
        second.send(integers(1, 1, 0, 0))
        first.send(integers(1, 1))
        assert first.closed and second.closed
        assert (first.take(), second.take()) == (b"", integers(4, 1, 1))
        assert dict(self.house.endings) == {"refused": 1}
        assert dict(self.house.refusals) == {"illegal-move": 1}

    def test_so_does_one_of_somebody_who_was_alone(self) -> None:
        first = self.house.connect()
        first.send(integers(1, 1, 1, 1))
        second = self.house.connect()
        assert (first.transport.take(), second.take()) == (integers(1, 1), integers(2, 4, 1, 1))
        second.send(integers(0, 0))
        assert first.closed and second.closed
        assert (first.take(), second.take()) == (integers(4, 0, 0), b"")

    def test_a_whole_match_at_once(self) -> None:
        first, second = self.pair()
        second.send(*[integers(*move) for move in SECOND_WINS[1::2]])
        first.send(*[integers(*move) for move in SECOND_WINS[0::2]])
        told = [integer for move in SECOND_WINS[1:-1:2] for integer in (4, *move)]
        assert first.transport.take() == integers(*told, 2, *SECOND_WINS[-1])
        told = [integer for move in SECOND_WINS[0::2] for integer in (4, *move)]
        assert second.transport.take() == integers(*told, 2)
        assert first.closed and second.closed

    def test_a_sixth_is_too_many(self) -> None:
        for alone in (True, False):
            self.setUp()
            player = self.house.connect() if alone else self.pair()[1]
            player.send(integers(*[0] * 10))
            assert not player.closed
            player.send(integers(0))
            assert player.closed
            assert dict(self.house.refusals) == {"not-a-move": 1}

    @given(st.randoms(use_true_random=False), st.booleans())
    @settings(max_examples=50)
    def test_both_see_the_same_board(self, rng: Random, hasty: bool) -> None:
        """Moves of both, legal in the end, sent in turn or all of player 2 before."""
        self.setUp()
        rules = Rules()
        board, cells = rules.initial(), []
        while rules.outcome(board) is None:
            free = rules.legal_moves(board)
            cells.append(rng.choice(free) if hasty else choose(rules, board, rng))
            board = rules.play(board, cells[-1])
        order = list(enumerate(cells))
        if hasty:
            order.sort(key=lambda pair: (pair[0] % 2 == 0, pair[0]))
        players = self.pair()
        for number, cell in order:
            players[number % 2].send(integers(*divmod(cell, 3)))
        outcome = rules.outcome(board)
        assert outcome is not None
        status = int(outcome.winner or 3)
        for seat, player in enumerate(players):
            told = [(4, *divmod(cell, 3)) for cell in cells[1 - seat :: 2]]
            if len(cells) % 2 == seat:
                told[-1] = (status, *told[-1][1:])
            else:
                told.append((status,))  # type: ignore[arg-type]
            expected = [integer for message in told for integer in message]
            assert player.transport.take() == integers(*expected)
            assert player.closed


class LobbyTests(ServerCase):
    """A session is a room of the lobby, for others to watch."""

    def setUp(self) -> None:
        super().setUp()
        self.registry = self.house.registry
        self.vera = Knowing(self.registry, "vera")

    def watched(self) -> tuple[Guest, Guest]:
        """Return two players whom vera watches; her first events are dropped."""
        players = self.pair()
        self.registry.join(self.vera, "session 1", "VIEWER")
        self.vera.news()
        return players

    def test_it_has_a_name_and_guests(self) -> None:
        self.house.connect()
        assert self.registry.public_rooms() == []
        self.house.connect()
        self.pair()
        rooms = self.registry.public_rooms()
        assert [room.name for room in rooms] == ["session 1", "session 2"]
        users = [member.user for room in rooms for member in room.players]
        assert len(set(users)) == 4 and all(user.startswith("guest-") for user in users)

    def test_whoever_watches_sees_the_match(self) -> None:
        first, second = self.watched()
        for number, move in enumerate(FIRST_WINS):
            (first, second)[number % 2].send(integers(*move))
        *moves, end = self.vera.news()
        assert [type(event) for event in moves] == [Placed] * 4
        assert isinstance(end, Ended) and (end.ending, end.seat, end.move) == ("won", 0, "2:0")

    def test_what_viewers_do_isnt_told(self) -> None:
        first, second = self.watched()
        self.registry.say(self.vera, "hello")
        self.registry.leave(self.vera)
        assert (first.take(), second.take()) == (b"", b"")
        first.send(integers(1, 1))
        assert (first.take(), second.take()) == (b"", integers(4, 1, 1))

    def test_nobody_else_takes_a_seat(self) -> None:
        self.pair()
        self.registry.join(self.vera, "session 1", "PLAYER")
        assert isinstance(self.vera.events[-1], Refused)

    def test_a_name_that_is_taken_is_left_out(self) -> None:
        self.registry.create(self.vera, "session 1")
        players = self.pair()
        assert [room.name for room in self.registry.public_rooms()] == ["session 1", "session 2"]
        for player in players:
            player.hang_up()
        self.registry.leave(self.vera)
        assert dict(self.house.endings) == {"left": 1}

    def test_rooms_that_others_make_are_limited_without_it(self) -> None:
        pairs = [self.pair() for _ in range(300)]
        self.registry.create(self.vera, "den")
        assert isinstance(self.vera.news()[0], Joined)
        assert self.house.seating.running() == len(pairs)
        self.registry.leave(self.vera)

    def test_seats_are_held_for_nobody(self) -> None:
        registry = Registry(
            0, self.house.clock.seconds, self.house.faults.append, 30, rng=Random(1)
        )
        seating = Pairs(registry, 600)
        self.house.factory.seating = seating
        first, second = self.pair()
        first.hang_up()
        assert second.closed and registry.public_rooms() == []


class TimeTests(ServerCase):
    def test_silence_closes_the_match(self) -> None:
        self.house.clock.advance(5000)
        first, second = self.pair()
        self.house.expire(599)
        first.send(integers(1, 1))
        assert second.take() == integers(4, 1, 1)
        self.house.expire(599)
        second.send(integers(0, 0)[:7])
        assert not first.closed and not second.closed
        self.house.expire(1)
        assert first.closed and second.closed
        assert dict(self.house.endings) == {"timed out": 1}
        assert dict(self.house.refusals) == {"move-timeout": 1}

    def test_waiting_for_an_opponent_has_no_limit(self) -> None:
        waiting = self.house.connect()
        self.house.expire(1e6)
        assert not waiting.closed
        self.house.connect()
        self.house.expire(599)
        assert not waiting.closed
        self.house.expire(1)
        assert waiting.closed

    def test_0_is_no_limit(self) -> None:
        self.house = session_house(move_timeout=0)
        first, _ = self.pair()
        self.house.expire(1e6)
        assert not first.closed

    def test_who_doesnt_take_the_end_is_cut(self) -> None:
        first, second = self.pair()
        second.hang_up()
        self.house.expire(4.9)
        assert first.closed and not first.transport.disconnected
        self.house.expire(0.1)
        assert first.transport.disconnected


class CrowdTests(ServerCase):
    def test_a_thousand_sessions_side_by_side(self) -> None:
        self.house = session_house(Limits(idle_timeout=0, max_connections_per_peer=0, budget=0))
        pairs = [self.pair() for _ in range(1000)]
        assert self.house.seating.running() == 1000
        games = (FIRST_WINS, SECOND_WINS, NOBODY_WINS)
        for turn in range(9):
            for number, players in enumerate(pairs):
                moves = games[number % 3]
                if turn < len(moves):
                    # A byte at a time for some of them.
                    data = integers(*moves[turn])
                    pieces = [bytes([b]) for b in data] if number % 10 == 0 else [data]
                    players[turn % 2].send(*pieces)
        assert all(player.closed for players in pairs for player in players)
        for number, (first, second) in enumerate(pairs):
            status = number % 3 + 1
            last = games[number % 3][-1]
            told = integers(status), integers(status, *last)
            mover = 0 if len(games[number % 3]) % 2 else 1
            assert first.transport.take().endswith(told[mover])
            assert second.transport.take().endswith(told[1 - mover])
            first.hang_up()
            second.hang_up()
        assert self.house.is_clean()
        assert dict(self.house.endings) == {"won": 667, "drawn": 333}

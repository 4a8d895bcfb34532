"""The client's side of the conversation, with servers in step and out of it."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectionClosed, ConnectionDone, ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.test.iosim import FakeTransport, IOPump, connect
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.connectfour.helpers import (
    DRAWN_BY_RED,
    DRAWN_BY_YELLOW,
    RED_GIVES_IT_AWAY,
    RED_WINS,
    YELLOW_GIVES_IT_AWAY,
    YELLOW_WINS,
    RandomThinker,
    Server,
    moves,
    said,
)
from tictac.errors import IllegalMove
from tictac.net.client_connection import UnknownMessage
from tictac.plugins.classics.connectfour.client import ConnectFourClient, ServerGame
from tictac.plugins.games.connectfour.rules import DRAW, RED, YELLOW, Move, Outcome, Rules

LOST = ConnectionDone()


class Served:
    """A game whose server is the test."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.client = ConnectFourClient(Clock())
        self.transport = StringTransport()
        self.client.makeConnection(self.transport)
        self.game = ServerGame(self.client, rules or Rules())

    def begin(self) -> Served:
        """Play up to the first move."""
        beginning = Deferred.fromCoroutine(self.game.begin("boo"))
        self.serve("WELCOME boo", "READY")
        assert beginning.called
        self.sent()
        return self

    def serve(self, *lines: str) -> None:
        """Let the server send lines, in one piece."""
        self.client.dataReceived("".join(line + "\r\n" for line in lines).encode())

    def hang_up(self, why: ConnectionClosed = LOST) -> None:
        """Let the connection be lost."""
        self.client.connectionLost(Failure(why))

    def sent(self) -> list[str]:
        """Return the lines that the client sent since the last time."""
        lines: list[str] = self.transport.value().decode().split("\r\n")
        self.transport.clear()
        assert lines.pop() == ""
        return lines

    def play(self, move: Move) -> Deferred[Move | None]:
        """Make red's move, and wait for yellow's."""
        self.game.make(move)
        assert self.sent() == [str(move)]
        return Deferred.fromCoroutine(self.game.next_move())

    def replay(self, red: Iterable[str], yellow: Iterable[str]) -> None:
        """Play the moves of both sides; the server answers each with READY."""
        for mine, answer in zip(red, yellow, strict=True):
            self.play(moves(mine)[0])
            self.serve("OKAY", *said(answer), "READY")


class BeginningTests(SynchronousTestCase):
    def test_hello_and_the_size(self) -> None:
        for rules, asked in ((Rules(), "AI_GAME"), (Rules(8, 6), "AI_GAME 8 6")):
            served = Served(rules)
            beginning = Deferred.fromCoroutine(served.game.begin("boo"))
            assert served.sent() == ["I32CFSP_HELLO boo"]
            served.serve("WELCOME boo")
            assert served.sent() == [asked]
            self.assertNoResult(beginning)
            served.serve("READY")
            self.assertIsNone(self.successResultOf(beginning))

    def test_a_server_that_doesnt_answer_so(self) -> None:
        for lines, received in (
            (["WELCOME bob"], b"WELCOME bob"),
            (["READY"], b"READY"),
            (["WELCOME boo", "OKAY"], b"OKAY"),
            (["WELCOME boo", "WELCOME boo"], b"WELCOME boo"),
            (["HTTP/1.1 400 Bad Request"], b"HTTP/1.1 400 Bad Request"),
            ([""], b""),
        ):
            served = Served()
            beginning = Deferred.fromCoroutine(served.game.begin("boo"))
            served.serve(*lines)
            assert self.failureResultOf(beginning, UnknownMessage).value.message == received

    def test_a_server_that_hangs_up(self) -> None:
        for lines in ([], ["WELCOME boo"]):
            served = Served()
            beginning = Deferred.fromCoroutine(served.game.begin("boo"))
            served.serve(*lines)
            served.hang_up()
            self.failureResultOf(beginning, ConnectionDone)


class MoveTests(SynchronousTestCase):
    def test_a_move_and_its_answer(self) -> None:
        served = Served().begin()
        answer = served.play(moves("3")[0])
        assert served.game.position.to_move == YELLOW
        for line in ("OKAY", "DROP 4"):
            served.serve(line)
            self.assertNoResult(answer)
        served.serve("READY")
        assert self.successResultOf(answer) == moves("4")[0]
        assert served.game.position.rows[-1] == "..RY..."
        assert served.game.outcome is None

    def test_the_server_never_hears_of_an_impossible_move(self) -> None:
        served = Served().begin()
        for move in moves("8 0 -1 -7"):
            with self.assertRaises(IllegalMove):
                served.game.make(move)
        assert served.sent() == []

    def test_a_move_that_the_server_doesnt_take_is_undone(self) -> None:
        served = Served().begin()
        before = served.game.position
        answer = served.play(moves("3")[0])
        served.serve("INVALID", "READY")
        self.failureResultOf(answer, IllegalMove)
        assert served.game.position == before
        served.replay(["3"], ["4"])
        assert served.game.position.rows[-1] == "..RY..."

    def test_the_end(self) -> None:
        for game, last, winner in (
            (RED_WINS, ["WINNER_RED"], RED),
            (RED_GIVES_IT_AWAY, ["WINNER_YELLOW"], YELLOW),
            (YELLOW_WINS, ["OKAY", "DROP 2", "WINNER_YELLOW"], YELLOW),
            (YELLOW_GIVES_IT_AWAY, ["OKAY", "POP 1", "WINNER_RED"], RED),
        ):
            served = self.before_the_end(game)
            answer = served.play(moves(game[0])[-1])
            served.serve(*last)
            assert self.successResultOf(answer) == (moves(game[1])[-1] if len(last) > 1 else None)
            assert served.game.outcome == Outcome(winner)
            assert served.transport.disconnecting

    def before_the_end(self, game: tuple[str, str], rules: Rules | None = None) -> Served:
        """Play a game up to red's last move, and not further."""
        red = game[0].split()[:-1]
        served = Served(rules).begin()
        served.replay(red, game[1].split()[: len(red)])
        return served

    def test_a_close_is_a_draw_when_the_position_says_so(self) -> None:
        for game, last in (
            (DRAWN_BY_RED, ["OKAY"]),
            (DRAWN_BY_RED, []),
            (DRAWN_BY_YELLOW, ["OKAY", "POP 2"]),
        ):
            for why in (ConnectionDone(), ConnectionLost()):
                served = self.before_the_end(game, Rules(repetition=True))
                answer = served.play(moves(game[0])[-1])
                served.serve(*last)
                self.assertNoResult(answer)
                served.hang_up(why)
                self.successResultOf(answer)
                assert served.game.outcome == DRAW

    def test_any_other_close_isnt(self) -> None:
        for last in ([], ["OKAY"], ["OKAY", "DROP 4"], ["INVALID"]):
            served = Served().begin()
            answer = served.play(moves("3")[0])
            served.serve(*last)
            served.hang_up()
            self.failureResultOf(answer, ConnectionDone)
            assert served.game.outcome is None
        served = self.before_the_end(RED_WINS)
        answer = served.play(moves("3")[0])
        served.hang_up()
        self.failureResultOf(answer, ConnectionDone)

    def test_after_a_repetition_the_game_goes_on(self) -> None:
        served = Served().begin()
        served.replay(["1", "-1"] * 5, ["2", "-2"] * 5)
        assert served.game.outcome is None
        answer = served.play(moves("1")[0])
        served.hang_up()
        self.failureResultOf(answer, ConnectionDone)

    def test_while_the_person_thinks_the_server_is_silent(self) -> None:
        for stirred, error in (("READY", UnknownMessage), ("hello?", UnknownMessage), (None, None)):
            served = Served().begin()
            waiting = served.game.stirred()
            if stirred is not None:
                served.serve(stirred)
            else:
                served.hang_up()
            self.failureResultOf(waiting, error or ConnectionDone)

    def test_asking_whether_it_stirs_takes_nothing_away(self) -> None:
        served = Served().begin()
        waiting = served.game.stirred()
        waiting.cancel()
        self.failureResultOf(waiting, CancelledError)
        served.replay(["3"], ["4"])


class MisbehaviourTests(SynchronousTestCase):
    """After red's DROP 3, unless said otherwise."""

    ANSWERS = {
        "another word": (["READY"], b"READY"),
        "a name": (["WELCOME boo"], b"WELCOME boo"),
        "lower case": (["okay"], b"okay"),
        "an empty line": ([""], b""),
        "a move without OKAY": (["DROP 4"], b"DROP 4"),
        "a winner too early": (["WINNER_RED"], b"WINNER_RED"),
        "nothing after INVALID but a move": (["INVALID", "DROP 4"], b"DROP 4"),
        "two times OKAY": (["OKAY", "OKAY"], b"OKAY"),
        "OKAY and no move": (["OKAY", "READY"], b"READY"),
        "OKAY and a winner": (["OKAY", "WINNER_YELLOW"], b"WINNER_YELLOW"),
        "a column too far": (["OKAY", "DROP 8"], b"DROP 8"),
        "column 0": (["OKAY", "DROP 0"], b"DROP 0"),
        "a column far too far": (["OKAY", "DROP " + "9" * 200], b"DROP " + b"9" * 200),
        "a pop of red's": (["OKAY", "POP 3"], b"POP 3"),
        "a pop of nothing": (["OKAY", "POP 1"], b"POP 1"),
        "a move that isn't one": (["OKAY", "DROP x"], b"DROP x"),
        "no READY": (["OKAY", "DROP 4", "OKAY"], b"OKAY"),
        "a second move": (["OKAY", "DROP 4", "DROP 4"], b"DROP 4"),
        "nobody has won": (["OKAY", "DROP 4", "WINNER_YELLOW"], b"WINNER_YELLOW"),
    }

    def test_what_it_may_not_say(self) -> None:
        for name, (lines, received) in self.ANSWERS.items():
            with self.subTest(name):
                served = Served().begin()
                answer = served.play(moves("3")[0])
                served.serve(*lines)
                error = self.failureResultOf(answer, UnknownMessage).value
                assert error.message == received
                assert served.game.outcome is None

    def test_what_it_may_not_say_at_the_end(self) -> None:
        for game, lines in (
            (RED_WINS, ["OKAY", "DROP 4", "READY"]),
            (RED_WINS, ["WINNER_YELLOW"]),
            (YELLOW_WINS, ["OKAY", "DROP 2", "READY"]),
            (YELLOW_WINS, ["OKAY", "DROP 2", "WINNER_RED"]),
            (DRAWN_BY_RED, ["WINNER_RED"]),
            (DRAWN_BY_YELLOW, ["OKAY", "POP 2", "WINNER_YELLOW"]),
        ):
            served = MoveTests().before_the_end(game, Rules(repetition=True))
            answer = served.play(moves(game[0])[-1])
            served.serve(*lines)
            received = self.failureResultOf(answer, UnknownMessage).value.message.decode()
            assert received == (lines[0] if lines[0] == "OKAY" and game is RED_WINS else lines[-1])

    def test_a_line_without_an_end(self) -> None:
        served = Served().begin()
        answer = served.play(moves("3")[0])
        served.client.dataReceived(b"x" * 300)
        assert self.failureResultOf(answer, UnknownMessage).value.message == b"x" * 300
        assert served.transport.disconnected

    def test_a_full_column(self) -> None:
        served = Served(Rules(4, 4)).begin()
        served.replay(["1", "1"], ["1", "1"])
        answer = served.play(moves("2")[0])
        served.serve("OKAY", "DROP 1")
        self.failureResultOf(answer, UnknownMessage)

    @given(
        st.lists(
            st.sampled_from(
                ["OKAY", "READY", "INVALID", "WINNER_RED", "WINNER_YELLOW", "DROP 4", "POP 4", "x"]
            )
        )
    )
    def test_only_what_is_in_step_is_believed(self, lines: list[str]) -> None:
        served = Served().begin()
        answer = served.play(moves("3")[0])
        served.serve(*lines)
        served.hang_up()
        if lines[:2] == ["INVALID", "READY"]:
            self.failureResultOf(answer, IllegalMove)
        elif lines[:3] == ["OKAY", "DROP 4", "READY"]:
            assert self.successResultOf(answer) == moves("4")[0]
        else:
            self.failureResultOf(answer, UnknownMessage, ConnectionDone)


class SideBySideTests(SynchronousTestCase):
    """Our client against our server: each checks every word of the other."""

    def start(self, server: Server, rules: Rules, rng: Random) -> tuple[Deferred[Outcome], IOPump]:
        """Start a game of random moves; return its outcome and the pump that runs it."""
        client = ConnectFourClient(server.clock)
        protocol = server.factory.buildProtocol(None)
        pump = connect(
            protocol, FakeTransport(protocol, isServer=True),
            client, FakeTransport(client, isServer=False),
        )  # fmt: skip

        async def play() -> Outcome:
            game = ServerGame(client, rules)
            await game.begin("boo")
            while game.outcome is None:
                game.make(rng.choice(rules.legal_moves(game.position)))
                await game.next_move()
            return game.outcome

        return Deferred.fromCoroutine(play()), pump

    def test_fifty_games_side_by_side(self) -> None:
        rng = Random(4)
        server = Server(RandomThinker(rng))
        sizes = [Rules(), Rules(4, 4), Rules(4, 5), Rules(9, 4), Rules(20, 20)]
        games: list[tuple[Deferred[Outcome], Any]] = [
            self.start(server, sizes[number % 5], rng) for number in range(50)
        ]
        assert server.running == 0
        while not all(ended.called for ended, _ in games):
            server.clock.advance(1)  # they share the budget of an address
            moved = [pump.pump() for ended, pump in games if not ended.called]
            assert any(moved), "they hang"
        for _, pump in games:
            pump.flush()
        words = {RED: "red", YELLOW: "yellow", None: "drawn"}
        outcomes = [words[self.successResultOf(ended).winner] for ended, _ in games]
        assert server.games == {word: outcomes.count(word) for word in set(outcomes)}
        assert (server.running, server.refusals) == (0, {})
        assert {"red", "yellow"} <= set(outcomes)

"""Whole games at a terminal: two people, and one person against a server."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.connectfour.helpers import (
    DRAWN_BY_RED,
    DRAWN_BY_YELLOW,
    YELLOW_GIVES_IT_AWAY,
    YELLOW_WINS,
    hint,
    moves,
    said,
)
from tests.terminal.helpers import Person
from tictac.plugins.classics.connectfour.client import ConnectFourClient
from tictac.plugins.classics.connectfour.console import draw_board, play_here, play_server
from tictac.plugins.games.connectfour.rules import Rules
from tictac.terminal.style import Style

ENDED = "Error: the input has ended, and the game has not.\n"
LOST = "Error: lost the connection to the server.\n"
WELCOME = "Welcome boo. You are red, the server is yellow.\n"
RED_TURN, YELLOW_TURN = "It is red's turn.\n", "It is yellow's turn.\n"
EMPTY = "1 2 3 4 5 6 7\n" + ". . . . . . .\n" * 6


def drawn(game: str, rules: Rules | None = None) -> str:
    """Return the board after the moves of both sides."""
    rules = rules or Rules()
    position = rules.initial()
    for move in moves(game):
        position = rules.play(position, move)
    return "".join(line + "\n" for line in draw_board(position))


def both(red: str, yellow: str) -> str:
    """Return the moves of both sides in turns."""
    turns = red.split(), [*yellow.split(), ""]
    return " ".join(f"{one} {other}" for one, other in zip(*turns, strict=False))


class TwoPeopleTests(SynchronousTestCase):
    def setUp(self, rules: Rules | None = None) -> None:
        self.person = Person()
        self.status = Deferred.fromCoroutine(
            play_here(self.person.terminal, Style(), rules or Rules())
        )

    def test_a_whole_game(self) -> None:
        seen = EMPTY + RED_TURN + hint()
        assert self.person.read() == seen
        for number, typed in enumerate(["1", "2", "1", "2", "1", "2"], 1):
            self.person.type(typed)
            board = drawn(" ".join(["1", "2", "1", "2", "1", "2"][:number]))
            assert self.person.read() == board + (YELLOW_TURN if number % 2 else RED_TURN)
        self.person.type("1")
        assert self.person.read() == drawn("1 2 1 2 1 2 1") + "Red has won.\n"
        assert self.successResultOf(self.status) == 0

    def test_games_end_as_they_do(self) -> None:
        for game, end in (
            (YELLOW_WINS, "Yellow has won."),
            (YELLOW_GIVES_IT_AWAY, "Red has won."),
            (DRAWN_BY_RED, "The game is a draw."),
            (DRAWN_BY_YELLOW, "The game is a draw."),
        ):
            self.setUp(Rules(repetition=True))
            self.person.type(*said(both(*game)))
            assert self.person.read().endswith(drawn(both(*game)) + end + "\n")
            assert self.successResultOf(self.status) == 0

    def test_a_repetition_is_no_end(self) -> None:
        self.person.type(*said("1 2 -1 -2 " * 3))
        assert self.person.read().endswith(EMPTY + RED_TURN)
        self.assertNoResult(self.status)

    def test_it_asks_again_after_anything_it_cant_use(self) -> None:
        self.setUp(Rules(4, 4))
        self.person.type("1", "1", "1", "1", "2")
        self.person.read()
        for typed, problem in (
            ("1", "Column 1 is full."),
            ("5", "Column 5 isn't on a board of 4 columns."),
            ("0", "Column 0 isn't on a board of 4 columns."),
            ("DROP -1", "Column -1 isn't on a board of 4 columns."),
            ("POP 1", "There is nothing of yours to pop in column 1."),
            ("POP 3", "There is nothing of yours to pop in column 3."),
            ("POP 7", "Column 7 isn't on a board of 4 columns."),
            ("", "That was an empty line."),
            ("four", "That isn't a move: four."),
            ("DROP", "That isn't a move: DROP."),
        ):
            self.person.type(typed)
            assert self.person.read() == f"{problem}\n{hint(4)}", typed
        self.person.type("9" * 5000)
        assert self.person.read().endswith(f"columns.\n{hint(4)}")
        self.person.type("2")
        assert self.person.read() == drawn("1 1 1 1 2 2", Rules(4, 4)) + RED_TURN

    def test_a_whole_script_at_once(self) -> None:
        self.person.type(*["1", "x", "2", "1", "2", "1", "2", "9", "1"])
        self.person.end_input()
        assert self.person.read().endswith("Red has won.\n")
        assert self.successResultOf(self.status) == 0

    def test_the_end_of_the_input(self) -> None:
        for typed in ([], ["1"], ["1", "x"]):
            self.setUp()
            self.person.type(*typed)
            self.person.end_input()
            assert self.successResultOf(self.status) == 1
            assert self.person.read_errors() == ENDED

    def test_leaving(self) -> None:
        self.person.type("1", "quit")
        assert self.successResultOf(self.status) == 0
        assert self.person.read_errors() == ""


class ServerTests(SynchronousTestCase):
    def setUp(
        self,
        *typed: str,
        rules: Rules | None = None,
        keyboard: bool = False,
        told: tuple[str, ...] = ("WELCOME boo", "READY"),
    ) -> None:
        self.person = Person(keyboard)
        self.person.type(*typed)
        self.clock = Clock()
        self.client = ConnectFourClient(self.clock)
        self.transport = StringTransport()
        self.client.makeConnection(self.transport)
        self.status = Deferred.fromCoroutine(
            play_server(self.client, self.person.terminal, Style(), rules or Rules(), "boo")
        )
        self.serve(*told)

    def serve(self, *lines: str) -> None:
        self.client.dataReceived("".join(line + "\r\n" for line in lines).encode())

    def sent(self) -> list[str]:
        """Return the lines sent since the last time."""
        lines: list[str] = self.transport.value().decode().splitlines()
        self.transport.clear()
        return lines

    def check_lost(self) -> None:
        self.client.connectionLost(Failure(ConnectionDone()))
        assert self.successResultOf(self.status) == 1
        assert self.person.read_errors() == LOST

    def test_who_took_too_long_is_told_so(self) -> None:
        self.clock.advance(601)
        self.person.type("x")
        self.client.connectionLost(Failure(ConnectionDone()))
        assert self.successResultOf(self.status) == 1
        error = "Error: the server has closed the connection: you took longer than 600 seconds.\n"
        assert self.person.read_errors() == error

    def test_an_empty_line_of_the_server_is_named(self) -> None:
        self.serve("")
        assert self.successResultOf(self.status) == 1
        error = "Error: the server sent a message that doesn't fit now: an empty line\n"
        assert self.person.read_errors() == error

    def test_a_person_can_leave_a_server_that_is_silent(self) -> None:
        for told in ((), ("WELCOME boo", "READY")):
            self.setUp(keyboard=True, told=told)
            if told:
                self.person.type("3")
            self.person.read()
            self.clock.advance(5.1)
            assert self.person.read() == "No answer yet from 192.168.1.1:54321. QUIT leaves.\n"
            self.person.type("quit")
            assert self.successResultOf(self.status) == 0

    def test_a_script_leaves_a_server_that_is_silent(self) -> None:
        self.setUp(told=())
        self.person.end_input()
        self.clock.advance(5.1)
        self.assertNoResult(self.status)
        self.clock.advance(25)
        assert self.successResultOf(self.status) == 1
        error = "Error: 192.168.1.1:54321 hasn't answered for 30 seconds."
        assert error in self.person.read_errors()

    def test_a_server_that_goes_while_it_thinks(self) -> None:
        self.person.type("3")
        self.clock.advance(601)
        self.check_lost()

    def test_a_whole_game(self) -> None:
        assert self.sent() == ["I32CFSP_HELLO boo", "AI_GAME"]
        assert self.person.read() == WELCOME + EMPTY + RED_TURN + hint()
        for number in (1, 2, 3):
            self.person.type("3")
            played = " ".join(["3 4"] * (number - 1))
            assert self.person.read() == drawn(f"{played} 3") + YELLOW_TURN
            assert self.sent() == ["DROP 3"]
            self.serve("OKAY", "DROP 4", "READY")
            assert self.person.read() == "Yellow: DROP 4\n" + drawn(f"{played} 3 4") + RED_TURN
        self.person.type("3")
        assert self.person.read() == drawn("3 4 3 4 3 4 3")
        self.serve("WINNER_RED")
        assert self.person.read() == "Red has won.\n"
        assert self.successResultOf(self.status) == 0
        assert self.transport.disconnecting

    def test_the_server_doesnt_hear_what_cant_be_used(self) -> None:
        self.person.read()
        self.sent()
        self.person.type("8", "POP 1", "", "what?")
        assert self.sent() == []
        assert self.person.read() == "".join(
            f"{problem}\n{hint()}"
            for problem in (
                "Column 8 isn't on a board of 7 columns.",
                "There is nothing of yours to pop in column 1.",
                "That was an empty line.",
                "That isn't a move: what?.",
            )
        )

    def test_a_whole_script_at_once(self) -> None:
        self.setUp("3", "nonsense", "POP 3", "3", "quit")
        self.person.end_input()
        for answer in said("4 4"):
            self.serve("OKAY", answer, "READY")
        assert self.sent() == ["I32CFSP_HELLO boo", "AI_GAME", *said("3 -3 3")]
        self.serve("OKAY", "DROP 4", "READY")
        assert self.successResultOf(self.status) == 0

    def test_yellow_wins(self) -> None:
        self.setUp(*said(YELLOW_WINS[0]))
        *first, last = said(YELLOW_WINS[1])
        for answer in first:
            self.serve("OKAY", answer, "READY")
        self.person.read()
        self.serve("OKAY", last, "WINNER_YELLOW")
        assert self.person.read() == f"Yellow: {last}\n{drawn(both(*YELLOW_WINS))}Yellow has won.\n"
        assert self.successResultOf(self.status) == 0

    def test_a_draw(self) -> None:
        self.setUp(*said(DRAWN_BY_RED[0]), rules=Rules(repetition=True))
        for answer in said(DRAWN_BY_RED[1]):
            self.serve("OKAY", answer, "READY")
        self.serve("OKAY")
        self.client.connectionLost(Failure(ConnectionDone()))
        assert self.person.read().endswith(drawn(both(*DRAWN_BY_RED)) + "The game is a draw.\n")
        assert self.successResultOf(self.status) == 0

    def test_a_move_that_the_server_doesnt_take(self) -> None:
        self.person.type("3")
        self.person.read()
        self.serve("INVALID", "READY")
        refused = "The server doesn't take this move.\n"
        assert self.person.read() == refused + EMPTY + RED_TURN + hint()

    def test_a_server_out_of_step(self) -> None:
        for lines, received in (
            (["OKAY", "DROP 8"], "DROP 8"),
            (["WINNER_YELLOW"], "WINNER_YELLOW"),
            (["\x1b[2J\x07"], "\\x1b[2J\\x07"),
            (["x" * 300], "x" * 100),
        ):
            self.setUp("3")
            self.serve(*lines)
            error = f"Error: the server sent a message that doesn't fit now: {received}\n"
            assert self.person.read_errors() == error
            assert self.successResultOf(self.status) == 1
            assert self.transport.disconnecting

    def test_a_server_that_stirs_while_the_person_thinks(self) -> None:
        self.serve("READY")
        error = "Error: the server sent a message that doesn't fit now: READY\n"
        assert self.person.read_errors() == error
        assert self.successResultOf(self.status) == 1

    def test_a_server_that_goes(self) -> None:
        self.check_lost()
        self.setUp("3")
        self.check_lost()

    def test_the_end_of_the_input(self) -> None:
        self.person.end_input()
        assert self.successResultOf(self.status) == 1
        assert self.person.read_errors() == ENDED
        assert self.transport.disconnecting

    def test_leaving(self) -> None:
        self.person.type("QUIT")
        assert self.successResultOf(self.status) == 0
        assert self.transport.disconnecting

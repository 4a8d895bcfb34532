"""The session client between a server and a person or a script."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import MY_TURN, NOT_MY_TURN, drawn
from tests.plugins.classics.session.helpers import integers
from tests.terminal.helpers import Person
from tictac.errors import IllegalMove
from tictac.net.client_connection import DecodingClient, WrongMessage
from tictac.plugins.classics.session.console import HINT, LEFT, SessionBoard, play
from tictac.plugins.classics.session.wire import Decoder
from tictac.terminal.style import Style
from tictac.testing.connection import FakeTransport

WAITING = "Waiting for other player...\n"
FIRST = "You are player 1, with X.\n" + WAITING
SECOND = "You are player 2, with O.\n"


class Scene:
    """A running client; what it says to either side is read once."""

    def __init__(self, keyboard: bool = False, screen: bool = False) -> None:
        self.person = Person(keyboard, screen)
        client: DecodingClient[int] = DecodingClient(Decoder())
        self.client = client
        self.transport = FakeTransport(client)
        client.makeConnection(self.transport)
        self.read, self.sent = self.person.read, self.transport.take
        self.status: Deferred[int] = Deferred.fromCoroutine(
            play(client, self.person.terminal, Style())
        )

    def serve(self, *values: int) -> None:
        """Let the server send these."""
        self.transport.arrive(integers(*values))

    def type(self, text: str) -> None:
        """Type words, a line each."""
        self.person.type(*text.split())


class MatchTests(SynchronousTestCase):
    """Whole matches from either seat."""

    def setUp(self) -> None:
        self.scene = Scene()

    def test_player_1_wins(self) -> None:
        scene = self.scene
        scene.type("0 0 1 0 2 0")
        scene.serve(1)
        assert scene.read() == FIRST
        scene.serve(1)
        assert scene.read() == MY_TURN + drawn("100000000") + NOT_MY_TURN
        assert scene.sent() == integers(0, 0)
        scene.serve(4, 1, 1)
        assert scene.read() == (drawn("100020000") + MY_TURN + drawn("110020000") + NOT_MY_TURN)
        scene.serve(4, 2, 2)
        assert scene.sent() == integers(0, 1, 0, 2)
        scene.serve(1)
        assert scene.read().endswith(drawn("111020002") + "Congratulations, you won!\n")
        assert self.successResultOf(scene.status) == 0
        assert scene.transport.disconnecting

    def test_player_2_loses(self) -> None:
        scene = self.scene
        scene.type("1 1 2 2")
        scene.serve(2)
        assert scene.read() == SECOND + NOT_MY_TURN
        for move in ((4, 0, 0), (4, 0, 1), (1, 0, 2)):
            scene.serve(*move)
        assert scene.sent() == integers(1, 1, 2, 2)
        assert scene.read().endswith(drawn("111020002") + "Sorry you lost. Good luck next time.\n")
        assert self.successResultOf(scene.status) == 0

    def test_a_draw_in_both_seats(self) -> None:
        cells = [4, 0, 1, 7, 3, 5, 2, 6, 8]
        for seat in (1, 2):
            scene = Scene()
            own, others = cells[seat - 1 :: 2], cells[2 - seat :: 2]
            scene.type(" ".join(f"{cell % 3} {cell // 3}" for cell in own))
            scene.serve(seat, *([1] if seat == 1 else []))
            for cell in others[: 4 if seat == 1 else 5]:
                last = cell == 8
                scene.serve(3 if last else 4, cell // 3, cell % 3)
            if seat == 1:
                scene.serve(3)
            assert self.successResultOf(scene.status) == 0
            assert scene.read().endswith("Game ended in a draw\n")

    def test_any_start_signal(self) -> None:
        self.scene.serve(1, 77)
        assert self.scene.read() == FIRST + MY_TURN

    def test_wrong_input_is_asked_again(self) -> None:
        self.scene.serve(2, 4, 0, 0)
        assert self.scene.read() == SECOND + NOT_MY_TURN + drawn("100000000") + MY_TURN
        self.scene.type("3 0 0 x 2 1")
        why = "(Column/Row) values must be an integer between 0 and 2\n"
        occupied = "(0, 0) is occupied by X.\n"
        board = drawn("100002000")
        assert self.scene.read() == why + occupied + why + board + NOT_MY_TURN
        assert self.scene.sent() == integers(1, 2)


class EndsTests(SynchronousTestCase):
    def test_leaving(self) -> None:
        for leave in ("QUIT", None):
            scene = Scene()
            scene.serve(1, 1)
            if leave:
                scene.type(leave)
            else:
                scene.person.end_input()
            assert self.successResultOf(scene.status) == 0
            assert scene.transport.disconnecting and scene.sent() == b""

    def test_a_lost_connection(self) -> None:
        done, lost = ConnectionDone(), ConnectionLost()
        for told, error in (
            ((), done), ((1,), done),
            ((1,), lost), ((1, 1), lost), ((2,), lost), ((2, 4, 0), lost),
        ):  # fmt: skip
            assert self.ended(told, error) == "Error: lost the connection to the server.\n"

    def test_an_opponent_who_leaves(self) -> None:
        for told in ((1, 1), (2,), (2, 4, 0), (2, 4, 0, 0)):
            assert self.ended(told, ConnectionDone()) == f"{LEFT}\n"

    def test_time_that_has_run_out(self) -> None:
        """Both connections are closed then, too."""
        for told, who in (((1, 1), "you"), ((2,), "the other player")):
            left = f"{who} took longer than 600 seconds, or the other player has left."
            ended = self.ended(told, ConnectionDone(), 604)
            assert ended == f"The connection has ended: {left}\n"

    def ended(self, told: tuple[int, ...], error: Exception, after: float = 0) -> str:
        """Return the errors printed when the connection ends, and the program with status 1."""
        scene, clock = Scene(), Clock()
        scene.client.seconds = clock.seconds
        scene.serve(*told)
        clock.advance(after)
        scene.client.connectionLost(Failure(error))
        assert self.successResultOf(scene.status) == 1
        return scene.person.read_errors()

    def test_a_script_leaves_before_the_match(self) -> None:
        for told in ((), (1,)):
            for typed in ("exit", None):
                scene = Scene()
                scene.serve(*told)
                scene.person.type_or_end(typed)
                assert self.successResultOf(scene.status) == 0
                assert scene.transport.disconnecting

    def test_a_script_stays_for_the_result(self) -> None:
        scene = Scene()
        scene.type("0 0 1 0 2 0 QUIT")
        scene.person.end_input()
        scene.serve(1, 1, 4, 1, 1, 4, 2, 2)
        self.assertNoResult(scene.status)
        scene.serve(1)
        assert self.successResultOf(scene.status) == 0
        assert "Congratulations" in scene.read()

    def test_a_server_at_fault(self) -> None:
        for told, why in (
            ((0,), "there is no player 0"),
            ((0x48545450,), "there is no player 1213486160"),
            ((1, 1, 4), "4 before the move"),
            ((2, 4, 3, 0), "row 3 and column 0: that isn't on a board of 3x3"),
            ((2, 1, 0, 0), "status 1 in place of 4"),
            ((2, 9), "9 isn't a status"),  # at once, as the server may wait for the move
        ):
            scene = Scene()
            scene.serve(*told)
            assert self.successResultOf(scene.status) == 1, told
            assert scene.person.read_errors() == f"Error: the server is at fault: {why}.\n"
            assert scene.transport.disconnecting

    def test_it_checks_what_it_is_told_of_its_own_win(self) -> None:
        scene = Scene()
        scene.type("0 0 1 0 2 0")
        scene.serve(1, 1, 4, 1, 1, 4, 2, 2, 2)
        assert self.successResultOf(scene.status) == 1
        error = "Error: the server is at fault: status 2 in place of 1.\n"
        assert scene.person.read_errors() == error


class LoneStatusTests(SynchronousTestCase):
    """A server that ends the match without a move."""

    WON, LOST = "Congratulations, you won!\n", "Sorry you lost. Good luck next time.\n"
    DRAWN = "Game ended in a draw\n"

    def check(self, scene: Scene, result: str) -> None:
        assert scene.read().endswith(result)
        assert self.successResultOf(scene.status) == 0
        assert scene.person.read_errors() == ""
        assert scene.transport.disconnecting or scene.transport.disconnected

    def test_on_the_own_turn(self) -> None:
        for start, status, result in (
            ((1, 1), 1, self.WON), ((1, 1), 2, self.LOST), ((1, 1), 3, self.DRAWN),
            ((2, 4, 0, 0), 2, self.WON), ((2, 4, 0, 0), 1, self.LOST),
        ):  # fmt: skip
            scene = Scene()
            scene.serve(*start, status)
            self.check(scene, result)

    def test_a_win_or_a_draw_that_no_move_of_the_opponent_makes(self) -> None:
        scene = Scene()
        scene.serve(2, 2)
        self.check(scene, self.WON)
        for status, result in ((1, self.WON), (3, self.DRAWN)):
            scene = Scene()
            scene.type("0 0")
            scene.serve(1, 1, status)
            self.check(scene, result)

    def test_a_status_and_then_the_end_of_the_connection(self) -> None:
        for status, result in ((1, self.LOST), (3, self.DRAWN)):
            for why in (ConnectionDone(), ConnectionLost()):
                scene = Scene()
                scene.serve(2, status)
                self.assertNoResult(scene.status)
                scene.client.connectionLost(Failure(why))
                self.check(scene, result)


class PersonTests(SynchronousTestCase):
    def test_hints_and_prompts(self) -> None:
        scene = Scene(keyboard=True, screen=True)
        scene.serve(2)
        assert scene.read() == f"{SECOND}({HINT})\n" + NOT_MY_TURN
        scene.type("1")
        assert scene.read() == NOT_MY_TURN
        scene.serve(4, 0, 0)
        assert scene.read() == drawn("100000000") + MY_TURN + "Column: "
        scene.type("1 1")
        assert scene.read() == "Row: " + drawn("100020000") + NOT_MY_TURN
        scene.type("quit")
        assert self.successResultOf(scene.status) == 0


class KnownMatchTests(SynchronousTestCase):
    """What the client knows of the match."""

    def test_seats(self) -> None:
        one, two = SessionBoard(1), SessionBoard(2)
        assert (one.mark, one.is_my_turn, one.status) == ("1", True, 4)
        assert (two.mark, two.is_my_turn, two.status) == ("2", False, 4)
        for seat in (0, 3, -1):
            with pytest.raises(WrongMessage):
                SessionBoard(seat)

    def test_rows_come_before_columns(self) -> None:
        match = SessionBoard(1)
        match.place(0, 2)
        assert match.board == "001000000"
        match.apply_move(4, 2, 0)
        assert match.board == "001000200"

    def test_an_own_move_must_be_one(self) -> None:
        match = SessionBoard(1)
        match.place(1, 1)
        with pytest.raises(IllegalMove):
            match.place(1, 1)
        with pytest.raises(WrongMessage, match="occupied"):
            match.apply_move(4, 1, 1)

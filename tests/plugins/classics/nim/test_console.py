"""The Nim client between a server and a person, a script, or nobody."""

from __future__ import annotations

from random import Random

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.test.iosim import FakeTransport as SimTransport
from twisted.test.iosim import IOPump
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.nim.helpers import (
    EXIT,
    LOSE,
    PLAY,
    WIN,
    NimHouse,
    move,
    nim_house,
    turn,
)
from tests.terminal.helpers import Person
from tictac.plugins.classics.nim.client import NimClient
from tictac.plugins.classics.nim.console import HINT, Chooser, parse_entry, play
from tictac.plugins.games.nim import opponent
from tictac.plugins.games.nim.rules import Deal, Move
from tictac.testing.connection import FakeTransport

WAITING = "Waiting for an opponent...\n"
ASKED = "Your turn. The numbers, by position:\n"
TURN = ASKED + "1: 24   2: 17   3: 3\n"
OTHER = "The other player takes "
PROMPT = "Position and amount: "
MEANWHILE = "It isn't your turn. QUIT leaves.\n"


class Scene:
    """A running client; what it says to either side is read once."""

    def __init__(
        self,
        keyboard: bool = False,
        screen: bool = False,
        choose: Chooser | None = None,
        games: int = 0,
    ) -> None:
        self.person = Person(keyboard, screen)
        self.clock = Clock()
        self.client = NimClient(self.clock)
        self.transport = FakeTransport(self.client)
        self.client.makeConnection(self.transport)
        self.type, self.read = self.person.type, self.person.read
        self.serve, self.sent = self.transport.arrive, self.transport.take
        self.status: Deferred[int] = Deferred.fromCoroutine(
            play(self.client, self.person.terminal, choose, games)
        )


class ScriptTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.scene = Scene()
        assert self.scene.sent() == PLAY
        assert self.scene.read() == WAITING

    def test_a_match_that_is_won(self) -> None:
        scene = self.scene
        scene.type("1 6", "1 18", "1 3")
        scene.serve(turn(24, 17, 3))
        assert scene.read() == TURN + "You take 6 from position 1.\n"
        assert scene.sent() == move(0, 6)
        scene.serve(turn(18, 3))
        assert (
            scene.read() == f"{OTHER}17 from position 2.\n{ASKED}"
            "1: 18   2: 3\nYou take 18 from position 1.\n"
        )
        assert scene.sent() == move(0, 18)
        scene.serve(turn(2))
        # The 3 was the second of the list that was shown.
        assert scene.read() == (
            f"{OTHER}1 from position 2.\n{ASKED}1: 2\nFrom position 1 you can take 1 to 2.\n"
        )
        scene.type("1 2")
        assert scene.read() == "You take 2 from position 1.\n"
        scene.serve(WIN)
        assert scene.read() == "You have won!\n" + WAITING
        self.assertNoResult(scene.status)

    def test_a_match_that_is_lost(self) -> None:
        self.scene.type("1 1")
        self.scene.serve(turn(1, 1), LOSE)
        assert self.successResultOf(self.scene.status) == 0
        assert self.scene.read().endswith(
            f"You take 1 from position 1.\n{OTHER}1 from position 2.\nYou have lost.\n"
        )
        assert self.scene.transport.disconnecting
        assert self.scene.sent() == move(0, 1)

    def test_one_of_equal_numbers_has_gone(self) -> None:
        self.scene.type("1 1", "1 1")
        self.scene.serve(turn(9, 5, 5))
        self.scene.read()
        self.scene.serve(turn(8, 5))
        assert self.scene.read().startswith(f"{OTHER}5 from position 2 or 3.\n{ASKED}")

    def test_the_first_move_of_a_match_isnt_guessed(self) -> None:
        self.scene.type("1 1", "1 2")
        self.scene.serve(turn(5, 5), WIN)
        self.scene.read()
        self.scene.serve(turn(4, 3, 2))
        assert self.scene.read().startswith(ASKED)

    def test_wrong_entries_are_asked_again(self) -> None:
        self.scene.serve(turn(24, 17, 3))
        self.scene.read()
        self.scene.type("six", "0 1", "4 1", "2 0", "2 18", "2 -1", "1 2 3", "", "2 17")
        again = "Type a position and an amount, such as 2 6.\n"
        position, amount = "Positions are from 1 to 3.\n", "From position 2 you can take 1 to 17.\n"
        assert self.scene.read() == (
            again + position * 2 + amount * 3 + again + "You take 17 from position 2.\n"
        )
        assert self.scene.sent() == move(1, 17)

    def test_leaving_sends_exit(self) -> None:
        for typed in ("exit", None):
            self.setUp()
            self.scene.serve(turn(24, 17, 3))
            self.scene.person.type_or_end(typed)
            assert self.successResultOf(self.scene.status) == 0
            assert self.scene.sent() == EXIT
            assert self.scene.transport.disconnecting

    def test_a_list_of_one_number(self) -> None:
        self.scene.type("1 5")
        self.scene.serve(turn(5), WIN)
        assert self.scene.read().endswith("You take 5 from position 1.\nYou have won!\n" + WAITING)

    def test_leaving_the_queue(self) -> None:
        for typed in ("QUIT", "\n exit", None):
            for won in (b"", WIN):
                self.setUp()
                self.scene.serve(won)
                self.scene.sent()
                self.scene.person.type_or_end(typed)
                assert self.successResultOf(self.scene.status) == 0
                assert self.scene.sent() == EXIT

    def test_moves_wait_in_the_queue_and_then_quit(self) -> None:
        self.scene.type("1 24", "QUIT")
        self.scene.person.end_input()
        self.assertNoResult(self.scene.status)
        self.scene.serve(turn(24))
        # The match may be won by now: its result is yet to come.
        self.assertNoResult(self.scene.status)
        self.scene.serve(WIN)
        assert self.successResultOf(self.scene.status) == 0
        assert self.scene.sent() == move(0, 24) + EXIT

    def test_a_win_while_a_move_is_asked_for(self) -> None:
        self.scene.serve(turn(24, 17, 3), WIN)
        assert self.scene.read() == TURN + "You have won!\n" + WAITING
        self.scene.type("1 1")
        assert self.scene.sent() == b""
        self.scene.serve(turn(5, 5, 5))
        assert self.scene.sent() == move(0, 1)

    def test_a_lost_connection(self) -> None:
        for told in ([], [turn(24, 17, 3)]):
            self.setUp()
            self.scene.serve(*told)
            self.scene.client.connectionLost(Failure(ConnectionDone()))
            assert self.successResultOf(self.scene.status) == 1
            error = "Error: lost the connection to the server.\n"
            assert self.scene.person.read_errors() == error

    def test_who_took_too_long_is_told_so(self) -> None:
        clock = Clock()
        self.scene.client.seconds = clock.seconds
        self.scene.serve(turn(24, 17, 3))
        clock.advance(64)
        self.scene.type("six")
        self.scene.client.connectionLost(Failure(ConnectionDone()))
        assert self.successResultOf(self.scene.status) == 1
        error = "Error: the server has closed the connection: you took longer than 60 seconds.\n"
        assert self.scene.person.read_errors() == error

    def test_a_server_at_fault(self) -> None:
        for data, why in (
            (b"\x00", "0 isn't the type of a message"), (PLAY, "1 isn't the type of a message"),
            (b"\x02\x00", "a turn without numbers"),
            (turn(1, 2, 3) + LOSE, "a lost match that isn't over"),
            (turn(1, 2, 3) * 2, "a second turn before the move"),
            (turn(*range(1, 12)), "a match with a list of 11"),
            (b"HTTP/1.1 400 Bad Request\r\n", "72 isn't the type of a message"),
        ):  # fmt: skip
            self.setUp()
            self.scene.serve(data)
            assert self.successResultOf(self.scene.status) == 1, data
            assert self.scene.person.read_errors() == f"Error: the server is at fault: {why}.\n"
            assert self.scene.transport.disconnecting


class SilentServerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.scene = Scene()
        self.scene.type("1 6", "1 1")
        self.scene.serve(turn(24, 17, 3))

    def check_given_up(self, why: str) -> None:
        assert self.successResultOf(self.scene.status) == 1
        assert self.scene.person.read_errors() == f"Error: the server is at fault: {why}.\n"
        assert self.scene.transport.disconnecting
        assert not self.scene.clock.getDelayedCalls()

    def test_a_move_without_an_answer(self) -> None:
        self.scene.clock.advance(299)
        self.assertNoResult(self.scene.status)
        self.scene.clock.advance(1)
        self.check_given_up("no answer for 300 seconds")

    def test_each_move_has_all_of_the_time(self) -> None:
        self.scene.clock.advance(299)
        self.scene.serve(turn(18, 3))
        self.scene.clock.advance(299)
        self.assertNoResult(self.scene.status)

    def test_a_message_without_an_end(self) -> None:
        self.scene.serve(WIN, b"\x02")
        self.scene.clock.advance(200)
        self.scene.serve(b"\x02\x00")
        self.scene.clock.advance(100)
        self.check_given_up("no end of a message for 300 seconds")

    def test_in_the_queue_it_waits_as_long_as_it_takes(self) -> None:
        self.scene.serve(WIN)
        self.scene.clock.advance(1e6)
        self.scene.serve(turn(5, 5))
        self.assertNoResult(self.scene.status)

    def test_a_person_has_all_the_time_there_is(self) -> None:
        scene = Scene()
        scene.serve(turn(24, 17, 3))
        scene.clock.advance(1e6)
        self.assertNoResult(scene.status)


class PersonTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.scene = Scene(keyboard=True, screen=True)
        assert self.scene.read() == WAITING + f"({HINT})\n"

    def test_the_prompt(self) -> None:
        self.scene.serve(turn(24, 17, 3))
        # The question that waited for the server is given up, on a line without text.
        assert self.scene.read() == TURN + PROMPT
        self.scene.type("9 9")
        assert self.scene.read() == "Positions are from 1 to 3.\n" + PROMPT
        self.scene.type("2 6")
        assert self.scene.read() == "You take 6 from position 2.\n"
        self.scene.type("2 6")
        assert self.scene.read() == MEANWHILE

    def test_a_win_while_something_is_asked_begins_a_line(self) -> None:
        self.scene.serve(turn(24, 17, 3))
        self.scene.read()
        self.scene.serve(WIN)
        assert self.scene.read() == "\nYou have won!\n" + WAITING

    def test_leaving_while_waiting(self) -> None:
        self.scene.type("quit")
        assert self.successResultOf(self.scene.status) == 0
        assert self.scene.sent() == PLAY + EXIT


class EntryTests(SynchronousTestCase):
    def test_positions_count_from_one(self) -> None:
        assert parse_entry("2 6", (24, 17, 3)) == Move(1, 6)
        assert parse_entry(" 3\t3 ", (24, 17, 3)) == Move(2, 3)

    def test_what_is_none(self) -> None:
        for typed in ("", "2", "2 6 1", "a b", "2,6", "1.0 1", "1 " + "9" * 5000):
            with pytest.raises(ValueError, match="Type a position"):
                parse_entry(typed, (24, 17, 3))


class UnattendedTests(SynchronousTestCase):
    """A client that plays by itself needs no input, but obeys it."""

    def setUp(self) -> None:
        self.scene = Scene(choose=opponent.choose)

    def test_without_input_it_plays(self) -> None:
        self.scene.person.end_input()
        self.scene.serve(turn(5))
        assert self.scene.sent() == PLAY + move(0, 5)

    def test_it_can_be_told_to_leave(self) -> None:
        self.scene.type("QUIT")
        assert self.successResultOf(self.scene.status) == 0
        assert self.scene.sent() == PLAY + EXIT


class AutoTests(SynchronousTestCase):
    """Clients that play by themselves, on a real server over iosim."""

    def join(self, house: NimHouse, choose: Chooser, games: int = 0) -> tuple[Scene, IOPump]:
        scene = Scene.__new__(Scene)
        scene.person = Person()
        scene.clock = Clock()
        scene.client = NimClient(scene.clock)
        server = house.factory.buildProtocol(None)
        near = SimTransport(server, isServer=True)
        far = SimTransport(scene.client, isServer=False)
        pump = IOPump(scene.client, server, far, near, debug=False)
        server.makeConnection(near)
        scene.client.makeConnection(far)
        scene.status = Deferred.fromCoroutine(
            play(scene.client, scene.person.terminal, choose, games)
        )
        return scene, pump

    def run_all(self, *pumps: IOPump) -> None:
        while any(pump.pump() for pump in pumps):
            pass

    def test_best_play_beats_random_play_from_any_won_list(self) -> None:
        for seed in range(20):
            rng = Random(seed)
            house = nim_house(deal=Deal(fixed=(24, 17, 3)))
            best, one = self.join(house, opponent.choose, games=1)
            self.run_all(one)  # its play comes first, so it begins
            other, two = self.join(house, lambda n, d=rng: opponent.choose_at_random(n, d))  # type: ignore[misc]
            self.run_all(one, two)
            assert self.successResultOf(best.status) == 0
            assert self.successResultOf(other.status) == 0
            assert best.person.read().endswith("You have won!\n")
            assert other.person.read().endswith("You have lost.\n")
            assert house.is_clean()
            assert house.endings == {"won": 1}

    def test_a_whole_queue_plays_until_one_is_left(self) -> None:
        house, rng = nim_house(deal=Deal(1, 20)), Random(3)
        joined = [self.join(house, lambda n: opponent.choose_at_random(n, rng)) for _ in range(8)]
        self.run_all(*(pump for _, pump in joined))
        over = [scene for scene, _ in joined if scene.status.called]
        assert len(over) == 7
        [winner] = [scene for scene, _ in joined if not scene.status.called]
        assert winner.person.read().endswith("You have won!\n" + WAITING)
        assert house.endings == {"won": 7}
        winner.status.addErrback(lambda _: None)
        winner.status.cancel()
        self.run_all(*(pump for _, pump in joined))
        assert house.is_clean()

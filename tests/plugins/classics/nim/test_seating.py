"""Who waits, who plays whom and who begins; and how that looks from the lobby."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.registry_suite import Guest as Viewer
from tests.plugins.classics.nim.helpers import EXIT, LIST, LOSE, PLAY, WIN, move, nim_house, turn
from tests.tables import Guest
from tictac.lobby.events import Ended, Joined, Placed, Refused
from tictac.lobby.terms import USUAL_TERMS
from tictac.net.connection import Limits
from tictac.plugins.classics.nim.wire import TYPES
from tictac.plugins.games.nim.rules import Deal

START = turn(24, 17, 3)
TINY = Deal(fixed=(1, 1, 1))


class SeatingCase(SynchronousTestCase):
    deal = LIST
    count = 1

    def setUp(self) -> None:
        self.house = nim_house(self.count, self.deal)

    def come(self, *hosts: str) -> list[Guest]:
        """Let a guest from each of these hosts send `play`."""
        guests = [self.house.connect(host) for host in hosts]
        for guest in guests:
            guest.send(PLAY)
        return guests

    def guests(self, number: int) -> list[Guest]:
        """Let so many guests send `play`."""
        return self.come(*["192.0.2.1"] * number)

    def begun(self, *guests: Guest) -> list[int]:
        """Return the indexes of the guests whose first move was asked for since the last call."""
        return [at for at, guest in enumerate(guests) if guest.take().endswith(START)]


class BeginningTests(SeatingCase):
    def test_who_hasnt_sent_play_takes_no_part(self) -> None:
        self.house.connect()
        [first] = self.guests(1)
        assert first.take() == b""
        self.guests(1)
        assert first.take() == START

    def test_the_queue_counts_from_play(self) -> None:
        one, two, three = [self.house.connect() for _ in range(3)]
        three.send(PLAY)
        one.send(PLAY)
        assert self.begun(one, two, three) == [2]

    def test_of_two_new_ones_the_dice_choose(self) -> None:
        begun = set()
        for seed in range(20):
            self.house = nim_house(rng=Random(seed))
            begun.update(self.begun(*self.guests(2)))
        assert begun == {0, 1}

    def test_each_match_is_dealt_anew(self) -> None:
        self.house = nim_house(9, Deal())
        assert len({guest.take() for guest in self.guests(18)} - {b""}) == 9

    def test_none_begins_when_it_is_to_finish(self) -> None:
        first, second, third = self.guests(3)
        self.house.seating.finish()
        second.send(EXIT)
        assert first.transport.take() == START + WIN
        assert third.take() == b"" and self.house.seating.running() == 0


class TurnsTests(SeatingCase):
    """Players from the same place, and from others."""

    def order(self, *hosts: str, leaving: int | None = None) -> list[int]:
        """Return in which order the guests from these hosts meet the winner of the first match."""
        _, opponent = self.guests(2)
        queue = self.come(*hosts)
        if leaving is not None:
            queue[leaving].send(EXIT)
        met: list[int] = []
        while True:
            opponent.send(EXIT)
            begun = self.begun(*queue)
            if not begun:
                return met
            met += begun
            opponent = queue[begun[0]]

    def test_places_take_turns(self) -> None:
        assert self.order("a", "a", "a", "b", "b", "c") == [0, 3, 5, 1, 4, 2]

    def test_the_addresses_of_one_customer_are_one_place(self) -> None:
        assert self.order("2001:db8::1", "2001:db8::2", "192.0.2.9") == [0, 2, 1]

    def test_of_one_place_it_is_who_came_first(self) -> None:
        assert self.order("a", "a", "a", "a") == [0, 1, 2, 3]

    def test_of_many_places_it_is_who_came_first(self) -> None:
        assert self.order("a", "b", "c", "d") == [0, 1, 2, 3]

    def test_who_has_left_the_queue_is_passed_over(self) -> None:
        assert self.order("a", "a", "b", leaving=0) == [1, 2]


class LeavingTests(SeatingCase):
    def test_whoever_leaves_the_other_one_has_won(self) -> None:
        for leaver in (0, 1):
            self.setUp()
            players = self.guests(2)
            players[leaver].hang_up()
            assert players[1 - leaver].transport.take().endswith(WIN)
            assert self.house.endings == {"left": 1}

    def test_exit_before_play(self) -> None:
        guest = self.house.connect()
        guest.send(EXIT)
        assert guest.closed
        assert self.begun(*self.guests(1)) == []

    def test_the_waiting_winner_may_leave(self) -> None:
        first, second = self.guests(2)
        second.hang_up()
        first.send(EXIT)
        assert first.closed
        assert self.begun(*self.guests(2)) == [0]


class AfterAWinTests(SeatingCase):
    """What an honest client may have sent before it knew that it had won."""

    def test_one_play_is_ignored_for_each_win(self) -> None:
        first, second = self.guests(2)
        first.hang_up()
        [third] = self.guests(1)
        third.hang_up()
        second.send(PLAY, PLAY)
        assert not second.closed
        second.send(PLAY)
        assert second.closed
        assert self.house.refusals == {"already-playing": 1}

    def test_one_move_that_crossed_with_the_win_is_ignored(self) -> None:
        first, second = self.guests(2)
        second.hang_up()
        first.send(move(0, 6))
        assert not first.closed
        first.send(move(0, 6))
        assert first.closed
        assert self.house.refusals == {"not-your-turn": 1}

    def test_also_when_it_is_its_turn_in_the_next_match_where_it_cant_be_made(self) -> None:
        first, second, third = self.guests(3)
        second.hang_up()
        third.send(move(0, 24))
        first.transport.take()
        first.send(move(2, 3))
        assert not first.closed
        first.send(move(0, 17))
        assert third.transport.take() == START + turn(3)

    def test_who_wasnt_to_move_cant_have_sent_one(self) -> None:
        first, second = self.guests(2)
        first.hang_up()
        second.send(move(0, 1))
        assert second.closed

    def test_nor_who_has_made_the_last_move(self) -> None:
        self.house = nim_house(deal=TINY)
        first, second = self.guests(2)
        for player in (first, second, first):
            player.send(move(0, 1))
        assert second.transport.take() == turn(1, 1) + LOSE
        first.send(move(0, 1))
        assert first.closed


class SeveralTablesTests(SeatingCase):
    count = 2

    def test_they_are_filled_in_the_order_of_coming(self) -> None:
        assert self.begun(*self.guests(5)) == [0, 2]
        assert self.house.seating.running() == 2

    def test_one_alone_waits_for_whoever_is_free_first(self) -> None:
        _, second, third = self.guests(3)
        second.hang_up()
        assert self.begun(third) == [0]
        assert self.begun(*self.guests(2)) == [0]

    def test_a_waiting_winner_comes_before_a_free_table(self) -> None:
        first, second = self.guests(2)
        second.hang_up()
        [third] = self.guests(1)
        third.hang_up()
        assert first.transport.take() == START + WIN + WIN

    def test_the_winner_who_has_waited_longest_is_next(self) -> None:
        first, second, third, fourth = self.guests(4)
        fourth.hang_up()
        second.hang_up()
        [fifth] = self.guests(1)
        fifth.hang_up()
        assert third.transport.take() == START + WIN + WIN
        assert first.transport.take() == START + WIN

    def test_two_winners_keep_their_tables(self) -> None:
        _, second, _, fourth = self.guests(4)
        second.hang_up()
        fourth.hang_up()
        assert self.house.seating.running() == 0
        assert self.begun(*self.guests(3)) == [0, 1]


class LobbyTests(SeatingCase):
    """The tables stand in the lobby."""

    def viewer(self) -> Viewer:
        viewer = Viewer(self.house.lobby, "vera")
        viewer.supports_all_events = True
        return viewer

    def test_a_match_is_a_room_that_can_be_watched(self) -> None:
        first, second = self.guests(2)
        [room] = self.house.lobby.public_rooms()
        assert (room.name, room.terms.game_type.name, room.terms.protocol) == (
            "nim 1",
            "nim",
            "nim",
        )
        viewer = self.viewer()
        self.house.lobby.join(viewer, "nim 1", "VIEWER")
        first.send(move(0, 6))
        second.send(EXIT)
        joined, placed, ended = viewer.events
        assert isinstance(joined, Joined) and joined.turn == room.players[0].user
        assert isinstance(placed, Placed) and placed.move == "0:6"
        assert isinstance(ended, Ended) and (ended.ending, ended.seat) == ("forfeited", 0)
        assert second.transport.take() == turn(18, 17, 3)

    def test_nobody_takes_a_seat_from_there(self) -> None:
        self.guests(2)
        viewer = self.viewer()
        self.house.lobby.join(viewer, "nim 1", "PLAYER")
        [refused] = viewer.events
        assert isinstance(refused, Refused)

    def test_a_name_that_is_taken_is_passed_over(self) -> None:
        viewer = self.viewer()
        self.house.lobby.create(viewer, "nim 1", USUAL_TERMS)
        assert self.begun(*self.guests(2)) == [0]
        assert self.house.lobby.room("nim 2") is not None

    def test_who_hasnt_moved_in_time_is_told_so_to_viewers(self) -> None:
        first, _ = self.guests(2)
        viewer = self.viewer()
        self.house.lobby.join(viewer, "nim 1", "VIEWER")
        self.house.expire(60)
        ended = viewer.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.seat) == ("timed out", 1)
        assert first.closed


def split_messages(data: bytes) -> list[bytes]:
    """Split a server's data into its messages."""
    found = []
    while data:
        size = 2 + 4 * data[1] if data[0] == TYPES.turn else 1
        found.append(data[:size])
        data = data[size:]
    return found


class AnyCrowd(RuleBasedStateMachine):
    """Players who come, play, err and go in any order, held against a plain account of it."""

    def __init__(self) -> None:
        super().__init__()
        self.house = nim_house(2, Deal(1, 3), Random(0), Limits(max_connections_per_peer=0))
        self.here: dict[int, Guest] = {}
        self.playing: set[int] = set()
        self.turns: set[int] = set()
        self.last = 0

    def listen(self) -> None:
        """Take note of what everybody has been told."""
        for number, guest in list(self.here.items()):
            for message in split_messages(guest.transport.take()):
                if message in (WIN, LOSE):
                    self.turns.discard(number)
                else:
                    self.turns.add(number)
            if guest.closed:
                guest.hang_up()
                self.forget(number)

    def forget(self, number: int) -> None:
        del self.here[number]
        self.turns.discard(number)
        self.playing.discard(number)

    @rule()
    def come(self) -> None:
        self.last += 1
        self.here[self.last] = self.house.connect()

    @precondition(lambda self: self.here)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.here)))
        self.playing.add(number)
        self.here[number].send(PLAY)
        self.listen()

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), at=st.integers(0, 1), amount=st.integers(1, 2))
    def move(self, data: st.DataObject, at: int, amount: int) -> None:
        number = data.draw(st.sampled_from(sorted(self.turns)))
        protocol: Any = self.here[number].protocol
        room = self.house.lobby.room(protocol.room)
        assert room is not None
        moves = room.moves
        self.here[number].send(move(at, amount))
        if room.moves > moves:
            self.turns.discard(number)
        self.listen()

    @precondition(lambda self: self.here)
    @rule(data=st.data(), politely=st.booleans())
    def go(self, data: st.DataObject, politely: bool) -> None:
        number = data.draw(st.sampled_from(sorted(self.here)))
        if politely:
            self.here[number].send(EXIT)
        else:
            self.here[number].hang_up()
            self.forget(number)
        self.listen()

    @invariant()
    def who_has_been_asked_is_waited_for(self) -> None:
        rooms = self.house.lobby.public_rooms()
        to_move = {room.players[room.turn].user for room in rooms}
        asked: list[Any] = [self.here[number].protocol for number in self.turns]
        assert {protocol.user for protocol in asked} == to_move
        assert self.house.seating.running() == len(rooms) == len(self.turns) <= 2

    @invariant()
    def nobody_waits_in_vain(self) -> None:
        if len(self.playing) >= 4:
            assert self.house.seating.running() == 2
        elif len(self.playing) >= 2 and not vars(self.house.seating)["_winners"]:
            assert self.house.seating.running() >= 1


AnyCrowdTests = AnyCrowd.TestCase
AnyCrowdTests.settings = settings(max_examples=50, stateful_step_count=40)

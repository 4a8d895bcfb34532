"""Matches over days: seats without a connection, rooms that sleep, and the time of each move."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from random import Random
from typing import Any, NoReturn

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.any_game import Knowing
from tests.lobby.days import DaysCase, over_days
from tictac.errors import (
    BadOption,
    GuestsRefused,
    NoSuchRoom,
    NotInRoom,
    NotOffered,
    PrivateRoom,
    TooManyRooms,
    TooManyRoomsOfOneUser,
)
from tictac.games.all import game_type_of
from tictac.lobby.clock import DAY, TimeControl
from tictac.lobby.events import Ended, Placed, Retimed, Said
from tictac.lobby.journal import KeptRoom
from tictac.lobby.live_room import LiveRoom
from tictac.lobby.record import PackedRecord, RecordLine
from tictac.lobby.terms import Play, Terms, terms_for


class SeatsTests(DaysCase):
    def test_players_are_never_there_together(self) -> None:
        self.begin()
        for user in ("alice", "bob", "alice", "bob"):
            self.later(2 * DAY)
            self.play(user)
        assert not self.ends
        assert self.room().moves == 4 and self.room().players[0].user == "alice"

    def test_a_player_without_a_move_in_time_loses(self) -> None:
        self.begin()
        self.play("alice")
        self.later(3 * DAY - 1)
        assert not self.ends
        self.later(2)
        assert self.ends == [("timed out", "alice")]
        assert len(self.served.sleepers) == self.served.rooms() == 0
        assert not self.served.seats.of("alice") and not self.served.sleepers.of("alice")

    def test_each_move_gives_back_all_its_time(self) -> None:
        self.begin()
        self.later(2.9 * DAY)
        self.play("alice")
        assert self.remaining() == [3 * DAY, 3 * DAY]

    def test_the_creator_needs_not_wait(self) -> None:
        alice = Knowing(self.served, "alice")
        self.does.create(alice, "den", over_days())
        self.does.leave(alice)
        self.later(2 * DAY)
        self.sit("bob")
        assert self.room().begun

    def test_a_room_without_an_opponent_closes_after_its_days(self) -> None:
        alice = Knowing(self.served, "alice")
        self.does.create(alice, "den", over_days())
        self.does.leave(alice)
        self.later(3 * DAY + 1)
        assert self.served.room("den") is None

    def test_no_player_pauses_it(self) -> None:
        self.begin()
        alice = self.sit("alice")
        alice.news()
        self.does.pause(alice, True)
        assert alice.refusal() == ("pause", NotInRoom) and self.room().running

    def test_the_own_seat_in_a_private_room_needs_no_key(self) -> None:
        self.does.create(alice := Knowing(self.served, "alice"), "den", over_days(key="k"))
        self.does.leave(alice)
        self.does.leave(self.sit("bob", key="k"))
        self.later(1)
        self.does.leave(self.sit("bob"))
        assert self.sit("carol").refusal() == ("join", PrivateRoom)

    def test_an_offer_waits_for_an_answer(self) -> None:
        self.begin()
        alice = self.sit("alice")
        self.does.offer(alice, "draw")
        self.does.leave(alice)
        self.later(DAY)
        self.does.answer(self.sit("bob"), "draw", True)
        assert self.ends == [("agreed", None)]

    def test_after_a_takeback_both_have_all_their_time(self) -> None:
        self.begin()
        self.later(DAY)
        self.play("alice")
        self.later(DAY)
        alice, bob = self.sit("alice"), self.sit("bob")
        self.does.offer(alice, "takeback")
        self.does.answer(bob, "takeback", True)
        assert self.room().turn == 0 and self.remaining() == [3 * DAY, 3 * DAY]

    def test_a_game_of_a_tournament_begins_without_its_players(self) -> None:
        play = Play("cup", 1, 1, ("alice", "bob"), (None, None))
        self.does.convene("cup.1", over_days(play=play))
        self.later(120)
        assert not self.ends and len(self.served.sleepers) == 1
        guest = Knowing(self.served, "alice")
        self.does.join(guest, "cup.1", "PLAYER")
        room = self.served.room("cup.1")
        assert room is not None and room.begun and not room.awaited


class SleepTests(DaysCase):
    def count(self) -> tuple[int, int]:
        return len(self.served.sleepers), len(self.served.live_rooms)

    def test_an_empty_room_sleeps_until_a_player_comes(self) -> None:
        self.begin()
        self.later(1)
        assert self.count() == (1, 0)
        bob = self.sit("bob")
        assert self.count() == (0, 1)
        self.later(1)
        assert self.count() == (0, 1)
        self.does.leave(bob)
        self.later(1)
        assert self.count() == (1, 0)

    def test_a_reader_gets_a_copy_that_the_next_player_plays_in(self) -> None:
        self.begin()
        self.play("alice")
        self.later(1)
        copy = self.room()
        assert copy.turn == 1 and copy is self.room()
        assert len(self.served.sleepers) == 1 and not self.served.live_rooms
        self.sit("bob")
        assert self.room() is copy and self.served.live_rooms["den"].room is copy

    def test_a_room_that_cant_be_read_is_lost_once(self) -> None:
        self.begin()
        self.later(1)

        def lose(kept: KeptRoom) -> None:
            self.served.on_lost(kept.opened.name)

        self.served.sleepers._restore = lose
        assert self.sit("bob").refusal() == ("join", NoSuchRoom)
        assert self.lost == ["den"] and not self.served.has_room("den")

    def test_a_room_that_waits_for_its_commit_stays_awake(self) -> None:
        self.begin()
        bob = self.sit("bob")
        self.served.say(bob, "Hi!")
        self.served.leave(bob)
        self.served.expire(600, 3600)
        assert self.count() == (0, 1)

    def test_only_rooms_without_a_match_are_listed(self) -> None:
        self.does.create(Knowing(self.served, "alice"), "den", over_days())
        assert [room.name for room in self.served.public_rooms()] == ["den"]
        self.sit("bob")
        assert self.served.public_rooms() == []

    def test_its_name_is_taken(self) -> None:
        self.begin()
        self.later(1)
        carol = Knowing(self.served, "carol")
        self.does.create(carol, "den", over_days())
        assert carol.refusal()[0] == "create" and self.count() == (1, 0)

    def test_what_was_said_is_there(self) -> None:
        self.begin()
        alice = self.sit("alice")
        self.does.say(alice, "I move tomorrow.")
        self.does.leave(alice)
        self.later(1)
        said = [e.text for _, e in self.room().record if isinstance(e, Said)]
        assert said == ["I move tomorrow."]

    def test_comings_and_goings_leave_nothing_in_the_journal(self) -> None:
        self.begin()
        self.play("alice")
        before = self.lines()
        for _ in range(20):
            self.does.leave(self.sit("bob"))
            self.later(5)
        assert self.lines() == before
        assert [each[0] for each in before] == ["joined", "joined", "began", "moved"]

    def lines(self) -> list[Any]:
        with closing(sqlite3.connect(self.path)) as file:
            rows = file.execute("SELECT event FROM room_events ORDER BY number").fetchall()
        return [json.loads(text) for (text,) in rows]

    def test_a_database_that_came_back_older_gets_those_that_sleep(self) -> None:
        self.begin()
        self.play("alice")
        self.later(1)
        batch = self.outbox.everything()
        [(room_id, made)] = batch.opened.items()
        assert (made.name, made.format, len(batch.lines)) == ("den", 2, len(self.lines()))
        assert {line[0] for line in batch.lines} == {room_id}

    def test_moves_are_counted_asleep_and_awake(self) -> None:
        self.begin()
        self.play("alice")
        assert self.served.moves() == 1
        self.later(1)
        assert self.count() == (1, 0) and self.served.moves() == 1

    def test_since_when_a_player_is_away_is_known_after_the_sleep(self) -> None:
        self.begin()
        self.later(100)
        self.does.leave(self.sit("bob"))
        self.later(100)
        assert self.room().players[1].away == self.clock.seconds() - 100


class ContinueTests(DaysCase):
    """A live match that continues over days."""

    def setUp(self) -> None:
        super().setUp()
        self.black, self.white = Knowing(self.served, "alice"), Knowing(self.served, "bob")
        time = TimeControl(300, 5)
        self.does.create(self.black, "den", terms_for(game_type_of("reversi"), {}, time=time))
        self.does.join(self.white, "den", "PLAYER")
        self.does.place(self.black, self.room().game.moves(self.room().position)[0])

    def agree(self) -> None:
        self.does.offer(self.black, "days", 3)
        self.clock.advance(10)
        self.does.answer(self.white, "days", True)

    def test_each_move_has_days_from_then_on(self) -> None:
        self.agree()
        assert isinstance(self.white.news()[-1], Retimed)
        assert self.remaining() == [3 * DAY, 3 * DAY]
        self.does.leave(self.black)
        self.does.leave(self.white)
        self.later(2 * DAY)
        assert len(self.served.sleepers) == 1 and not self.served.public_rooms()
        self.play("bob")
        self.later(3 * DAY + 1)
        assert self.ends == [("timed out", "bob")]

    def test_it_is_so_after_a_restart(self) -> None:
        self.agree()
        with closing(sqlite3.connect(self.path)) as file:
            assert file.execute("SELECT format FROM rooms").fetchall() == [(2,)]
        self.restart()
        assert len(self.served.sleepers) == 1
        room = self.room()
        assert (room.terms.lasting, room.moves, room.turn) == (True, 1, 1)
        assert 3 * DAY - 2.5 <= self.remaining()[1] <= 3 * DAY

    def test_moves_can_be_taken_back_afterwards(self) -> None:
        self.agree()
        self.does.offer(self.black, "takeback")
        self.does.answer(self.white, "takeback", True)
        assert self.room().moves == 1 and self.room().turn == 0
        assert self.remaining() == [3 * DAY, 3 * DAY]

    def test_another_number_of_days_is_another_offer(self) -> None:
        self.does.offer(self.black, "days", 3)
        self.does.offer(self.white, "days", 5)
        assert self.white.refused() is NotOffered
        self.does.offer(self.white, "days", 3)
        assert self.room().terms.lasting

    def test_who_has_too_many_matches_refuses(self) -> None:
        self.served.sleepers.most_of_user = 0
        self.does.offer(self.black, "days", 3)
        assert self.black.refused() is BadOption

    def test_a_match_over_days_stays_so(self) -> None:
        self.agree()
        self.does.offer(self.white, "days", 5)
        assert self.white.refused() is NotOffered

    def test_a_guest_has_no_days(self) -> None:
        carol = Knowing(self.served, "carol")
        self.does.create(carol, "attic", terms_for(game_type_of("nim"), {}))
        self.does.join(Knowing(self.served, "guest-7"), "attic", "PLAYER")
        self.does.offer(carol, "days", 3)
        assert carol.refused() is GuestsRefused


class KilledTests(DaysCase):
    def test_a_room_sleeps_on(self) -> None:
        self.begin()
        self.play("alice")
        self.restart()
        assert (len(self.served.sleepers), len(self.served.live_rooms)) == (1, 0)
        assert list(self.served.sleepers.of("bob")) == ["den"]
        bob = self.sit("bob")
        room = self.room()
        assert room.turn == 1
        self.does.place(bob, room.game.moves(room.position)[0])
        assert isinstance(bob.news()[-1], Placed)

    def test_an_outage_costs_no_time(self) -> None:
        self.begin()
        self.later(2 * DAY)
        self.restart()
        assert DAY <= self.remaining()[0] <= DAY + 2.5
        self.later(DAY - 10)
        assert not self.ends
        self.later(15)
        assert self.ends == [("timed out", "bob")]

    def test_a_seat_in_a_room_that_waits_is_kept_too(self) -> None:
        self.does.create(Knowing(self.served, "alice"), "den", over_days())
        self.restart()
        self.later(DAY)
        self.sit("bob")
        assert self.room().begun

    def test_a_version_without_days_leaves_them_alone(self) -> None:
        self.begin()
        with closing(sqlite3.connect(self.path)) as file:
            assert file.execute("SELECT format FROM rooms").fetchall() == [(2,)]


class LimitsTests(DaysCase):
    def refused(self, user: str, terms: Terms, name: str) -> type[Exception]:
        guest = Knowing(self.served, user)
        self.does.create(guest, name, terms)
        return guest.refusal()[1]

    def test_of_an_account(self) -> None:
        self.served.sleepers.most_of_user = 1
        self.begin()
        assert self.refused("alice", over_days(), "attic") is TooManyRoomsOfOneUser
        self.later(1)
        assert self.refused("alice", over_days(), "attic") is TooManyRoomsOfOneUser

    def test_the_own_room_that_waits_is_no_other_match(self) -> None:
        self.served.sleepers.most_of_user = 1
        self.does.create(alice := Knowing(self.served, "alice"), "den", over_days())
        self.does.leave(alice)
        self.sit("alice")
        assert self.room().players[0].away is None

    def test_of_the_server(self) -> None:
        self.served.sleepers.most = 1
        self.begin()
        assert self.refused("carol", over_days(), "attic") is TooManyRooms
        self.later(1)
        assert self.refused("carol", over_days(), "attic") is TooManyRooms

    def test_other_rooms_are_counted_apart(self) -> None:
        for number in range(5):  # the registry takes three rooms
            guest = Knowing(self.served, "carol")
            self.does.create(guest, f"den {number}", over_days())
            assert guest.news()
        self.does.create(dave := Knowing(self.served, "dave"), "attic")
        assert not isinstance(dave.news()[0], Ended)

    def test_the_computer_moves_at_once(self) -> None:
        terms = over_days(computer="club", computers=1)
        assert self.refused("carol", terms, "attic") is BadOption

    def test_players_have_accounts(self) -> None:
        for user in ("guest-7", "guest-carol@home.example"):
            assert self.refused(user, over_days(), "attic") is GuestsRefused
        self.does.create(Knowing(self.served, "carol"), "den", over_days())
        assert self.sit("guest-7").refusal() == ("join", GuestsRefused)

    def test_none(self) -> None:
        self.served.sleepers.most_of_user = 0
        assert self.refused("carol", over_days(), "attic") is BadOption


class Unread(dict[str, LiveRoom]):
    """Live rooms whose number is known, and which fail if they are read one by one."""

    def __iter__(self) -> NoReturn:
        raise AssertionError("a request for one room read all rooms")

    def values(self) -> Any:
        return self

    items = values


class CostTests(DaysCase):
    def test_another_match_reads_no_list_of_rooms(self) -> None:
        """A server can have thousands of rooms, each of which would make requests dearer."""
        alice, bob = (Knowing(self.served, user) for user in ("alice", "bob"))
        self.served.live_rooms = Unread(self.served.live_rooms)
        self.does.create(alice, "den", terms_for(game_type_of("reversi"), {}))
        self.does.join(bob, "den", "PLAYER")
        self.does.forfeit(bob)
        assert self.ends == [("forfeited", "alice")]


class PassTests(DaysCase):
    """Whose turn it is follows from the record, also after a move that gives no turn away."""

    def turn(self) -> int | None:
        self.later(1)
        sleeper = self.served.sleepers.get("den")
        assert sleeper is not None and sleeper.record.turn == self.room().turn
        return sleeper.record.turn

    def test_a_player_moves_twice(self) -> None:
        self.begin(terms_for(game_type_of("reversi"), {"size": "4"}, time=TimeControl.of_days(3)))
        mover, again, rng = 0, 0, Random(3)
        while self.served.has_room("den"):
            before, mover = mover, self.turn() or 0
            again += before == mover and self.room().moves > 0
            guest, moves = (
                self.sit(("alice", "bob")[mover]),
                list(self.room().game.moves(self.room().position)),
            )
            self.does.place(guest, rng.choice(moves))
            self.does.leave(guest)
        assert again

    def test_a_move_is_taken_back(self) -> None:
        self.begin(over_days(game="nim"))
        for user in ("alice", "bob"):
            self.play(user)
        assert self.turn() == 0
        self.does.offer(bob := self.sit("bob"), "takeback")
        self.does.leave(bob)
        self.does.answer(alice := self.sit("alice"), "takeback", True)
        self.does.leave(alice)
        assert self.turn() == 1
        self.restart()
        assert self.turn() == 1


class PackedTests(SynchronousTestCase):
    def test_a_record_is_the_same_afterwards(self) -> None:
        texts = ('["joined","ål",0]', '["joined","bob",1]', '["began"]', '["said","bob","a b\\n"]')
        record = [RecordLine(n, 7.25 * n, text) for n, text in enumerate(texts, 3)]
        packed = PackedRecord.of(record)
        assert list(packed) == record
        assert (packed.users, packed.since) == (("ål", "bob"), 36.25)

    def test_times_before_the_process_stay_as_they_are(self) -> None:
        record = [RecordLine(1, -5.0, '["began"]'), RecordLine(2, -0.25, '["moved",0,"a1"]')]
        assert list(PackedRecord.of(record)) == record

    def test_days_for_each_move_end_a_pause(self) -> None:
        texts = (
            '["began",0]', '["paused","bob",true]', '["paused","bob",false]', '["retimed",0,3,0]'
        )  # fmt: skip
        assert PackedRecord.of(RecordLine(n, n, text) for n, text in enumerate(texts)).since == 3

    def test_a_paused_match_has_no_end_of_its_turn(self) -> None:
        texts = ('["began"]', '["paused","bob",true]')
        assert PackedRecord.of(RecordLine(n, n, text) for n, text in enumerate(texts)).since is None

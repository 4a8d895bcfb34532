"""Rooms of any game: terms, records, clocks, offers, talk, presence, the computer's levels."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from twisted.internet.defer import Deferred

from tests.lobby.any_game import REVERSI, AnyGameCase, Knowing
from tests.lobby.registry_suite import Guest
from tictac.engines.computer import SECONDS, THINKS, Computer
from tictac.engines.pool import ProcessesStoppedError
from tictac.engines.worker import Question
from tictac.errors import (
    BadOption,
    IllegalMove,
    NoSuchRoom,
    NotAMove,
    NotOffered,
    NotYourTurn,
    PrivateRoom,
    RoomExists,
    RoomFull,
    TooManyRoomsOfOneUser,
)
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import (
    Agreement,
    Began,
    Ended,
    Joined,
    Left,
    Listed,
    Offered,
    Placed,
    Refused,
    Said,
    Undone,
)
from tictac.lobby.offers import standing
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import USUAL_TERMS, Terms, terms_for
from tictac.testing.server import play_out


class PlayingTests(AnyGameCase):
    def test_every_game_is_played_to_its_end(self) -> None:
        for game in GAMES.values():
            room = self.begin(terms_for(game, {}))
            ended = play_out("den", *self.players)
            assert ended.ending in ("won", "drawn"), game.name
            assert room.game.result(ended.position) is not None
            assert self.alice.news() == self.bob.news() == self.vera.news()

    def test_the_position_follows_from_the_record(self) -> None:
        room = self.begin()
        for _ in range(10):
            move = room.game.moves(room.position)[0]
            self.registry.place((self.alice, self.bob)[room.turn], move)
        position = room.start
        for _, event in room.record:
            if isinstance(event, Placed):
                position = room.game.play(position, event.move, Random(0)).position
                assert position == event.position
        assert position == room.position and room.moves == 10

    def test_numbers_have_no_gaps_and_times_are_noted(self) -> None:
        self.timers.advance(5)
        room = self.begin()
        self.timers.advance(1)
        self.registry.place(self.alice, "d3")
        entries = [(when, event.number) for when, event in room.record]  # type: ignore[union-attr]
        assert entries == [(5, 1), (5, 2), (5, 3), (5, 4), (6, 5)]
        assert room.moved == 5

    def test_moves_out_of_turn_are_kept_or_refused(self) -> None:
        room = self.begin()
        self.registry.place(self.bob, "c5", keep=False)
        assert self.bob.refused() is NotYourTurn and room.kept is None
        self.registry.place(self.bob, "c5")
        assert room.kept == ([], ["c5"])

    def test_what_is_no_move_changes_nothing(self) -> None:
        room = self.begin()
        for move in ("z9", "", "0" * 1000):
            self.registry.place(self.alice, move, keep=False)
            assert self.alice.refused() is NotAMove
        assert room.number == 4

    def test_options_are_checked(self) -> None:
        with pytest.raises(BadOption):
            terms_for(game_type_of("tictactoe"), {"rows": 99})
        assert terms_for(game_type_of("tictactoe"), {"rows": 3}) is USUAL_TERMS
        assert terms_for(game_type_of("tictactoe"), {"rows": 4}).values["rows"] == 4


class PlainOccupantTests(AnyGameCase):
    def test_who_cant_tell_of_it_doesnt_see_it(self) -> None:
        self.registry.create(self.alice, "den", REVERSI)
        self.registry.create(self.bob, "lair")
        self.registry.list_rooms(self.plain, "VIEWER")
        assert self.plain.news() == [Listed(self.plain.occupant_id, "VIEWER", ("lair",))]
        self.registry.join(self.plain, "den", "VIEWER")
        event = self.plain.events[-1]
        assert isinstance(event, Refused) and type(event.refusal) is NoSuchRoom

    def test_a_room_that_it_doesnt_see_has_its_name(self) -> None:
        self.registry.create(self.alice, "den", REVERSI)
        self.registry.create(self.plain, "den")
        [event] = self.plain.news()
        assert isinstance(event, Refused) and type(event.refusal) is RoomExists

    def test_it_isnt_told_what_it_cant_tell(self) -> None:
        self.registry.create(self.plain, "den")
        self.registry.join(self.bob, "den", "PLAYER")
        self.registry.say(self.bob, "hello")
        self.registry.offer(self.bob, "draw")
        assert [type(event) for event in self.plain.news()] == [Joined, Began]
        assert [type(event) for event in self.bob.news()] == [Joined, Began, Said, Offered]


class PresenceTests(AnyGameCase):
    def test_the_others_hear_who_comes_and_goes(self) -> None:
        self.registry.create(self.alice, "den", REVERSI)
        self.registry.join(self.vera, "den", "VIEWER")
        self.registry.leave(self.vera)
        joined, left = self.alice.news()[1:]
        assert isinstance(joined, Joined) and (joined.user, joined.seat) == ("vera", None)
        assert left == Left(3, None, "vera", None)

    def test_who_plays_the_computer_or_themselves_is_alone(self) -> None:
        registry = Registry(
            0, self.timers.seconds, self.faults.append, max_rooms_per_user=2, rng=Random(1)
        )
        people = [Knowing(registry, name) for name in ("alice", "alice", "bob", "alice", "alice")]
        registry.create(people[0], "den", REVERSI)
        registry.join(people[1], "den", "PLAYER")
        registry.create(people[3], "lair", terms_for(game_type_of("reversi"), {}, computer="club"))
        registry.join(people[2], "lair", "PLAYER")
        registry.create(people[4], "nest", REVERSI)
        assert people[4].refused() is TooManyRoomsOfOneUser

    def test_private_rooms_open_to_their_key(self) -> None:
        self.registry.create(self.alice, "den", terms_for(game_type_of("reversi"), {}, key="k"))
        assert self.registry.public_rooms() == []
        for key in (None, "x"):
            self.registry.join(self.bob, "den", "PLAYER", key)
            assert self.bob.refused() is PrivateRoom
        self.registry.join(self.bob, "den", "PLAYER", "k")
        assert isinstance(self.bob.events[-1], Began)

    def test_changes_are_told_to_whoever_follows_the_lobby(self) -> None:
        changed: list[tuple[str, int]] = []
        self.registry.changed = lambda room: changed.append((room.name, len(room.players)))
        self.begin()
        assert changed == [("den", 1), ("den", 1), ("den", 2)]


class HeldSeatTests(AnyGameCase):
    rejoin_timeout = 30.0

    def test_who_is_cut_off_is_away(self) -> None:
        self.begin()
        self.registry.leave(self.bob)
        assert self.alice.news() == [Left(5, None, "bob", 1)]

    def test_who_leaves_for_good_gives_up(self) -> None:
        self.begin()
        self.registry.leave(self.bob, for_good=True)
        ended = self.alice.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.seat) == ("left", 0)


class OfferTests(AnyGameCase):
    def test_a_draw_is_agreed_on(self) -> None:
        room = self.begin()
        self.registry.offer(self.alice, "draw")
        self.registry.answer(self.bob, "draw", True)
        drawn = Ended(6, None, room.position, "agreed", None)
        assert self.vera.news() == [Offered(5, None, 0, "draw", "offered"), drawn]

    def test_or_declined_in_words_or_by_a_move(self) -> None:
        room = self.begin()
        self.offer(self.bob, "draw")
        self.registry.answer(self.alice, None, False)
        assert self.vera.news() == [Offered(6, None, 0, "draw", "declined")]
        self.registry.offer(self.bob, "draw")
        self.registry.place(self.alice, "d3")
        assert room.offer is None

    def test_what_cant_be_offered_or_answered(self) -> None:
        self.begin()
        self.registry.answer(self.alice, "draw", True)
        self.registry.offer(self.vera, "draw")
        self.registry.offer(self.bob, "draw")
        self.registry.offer(self.bob, "draw")
        self.registry.answer(self.bob, "draw", True)
        self.registry.answer(self.alice, "takeback", True)
        for guest in (self.alice, self.vera, self.bob):
            refused = [e for e in guest.news() if isinstance(e, Refused)]
            assert {type(event.refusal) for event in refused} == {NotOffered}

    def offer(self, player: Knowing, what: Agreement) -> None:
        """Let somebody offer something, of which all have heard."""
        self.registry.offer(player, what)
        assert isinstance(self.vera.news()[-1], Offered)

    def test_it_is_withdrawn_or_expires(self) -> None:
        room = self.begin()
        self.offer(self.bob, "draw")
        self.registry.answer(self.bob, "draw", False)
        assert self.vera.news() == [Offered(6, None, 1, "draw", "withdrawn")]
        self.offer(self.bob, "draw")
        self.timers.advance(59)
        self.registry.expire(0, 0, 60)
        assert self.vera.news() == []
        self.timers.advance(1)
        self.registry.expire(0, 0, 60)
        assert self.vera.news() == [Offered(8, None, 1, "draw", "expired")]
        assert room.offer is None


class TakebackTests(AnyGameCase):
    def moved(self, *moves: str, terms: Terms = REVERSI) -> Room:
        """Return a room in which these moves were made."""
        room = self.begin(terms)
        for move in moves:
            self.registry.place(self.players[room.turn], move)
        self.vera.news()
        return room

    def take_back(self, player: Knowing, other: Knowing) -> None:
        self.registry.offer(player, "takeback")
        self.registry.answer(other, "takeback", True)

    def test_the_last_move_is_taken_back(self) -> None:
        room = self.moved("d3")
        start, after = room.start, room.position
        self.take_back(self.alice, self.bob)
        offered, undone = self.vera.news()
        assert offered == Offered(6, None, 0, "takeback", "offered")
        assert undone == Undone(7, None, 0, 1, start, 0)
        assert (room.position, room.turn, room.moved) == (start, 0, 7)
        self.registry.place(self.alice, "d3")
        assert self.vera.news() == [Placed(8, None, after, 0, "d3", 1)]

    def test_and_what_followed_it(self) -> None:
        room = self.moved("d3", "c3", "c4", "e3")
        before = [event.position for _, event in room.record if isinstance(event, Placed)][1]
        self.take_back(self.alice, self.bob)
        assert self.vera.news()[-1] == Undone(10, None, 0, 2, before, 0)

    def test_again_and_again(self) -> None:
        room = self.moved("d3", "c3", "c4")
        for player, other in ((self.alice, self.bob), (self.bob, self.alice)):
            self.take_back(player, other)
        assert (room.turn, len(standing(room))) == (1, 1)
        self.take_back(self.alice, self.bob)
        assert room.position == room.start
        self.registry.offer(self.alice, "takeback")
        assert self.alice.refused() is NotOffered

    def test_a_side_that_was_skipped(self) -> None:
        rng, room = Random(2), self.moved(terms=terms_for(game_type_of("reversi"), {"size": "4"}))
        while True:
            seat = room.turn
            self.registry.place(self.players[seat], rng.choice(room.game.moves(room.position)))
            assert self.registry.room("den") is room, "a seed in which somebody is skipped"
            if room.turn == seat:
                break
        before = standing(room)[-2].position
        self.take_back(self.players[seat], self.players[1 - seat])
        assert room.position == before and room.turn == seat

    def test_time_stays_used(self) -> None:
        room = self.moved(terms=terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 2)))
        self.timers.advance(10)
        self.registry.place(self.alice, "d3")
        self.timers.advance(5)
        self.take_back(self.alice, self.bob)
        self.timers.advance(1)
        clock = room.clock
        assert clock is not None and clock.remaining(16) == [49, 55]

    def test_no_time_is_won_by_it(self) -> None:
        room = self.moved(terms=terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 180)))
        clock = room.clock
        assert clock is not None
        for _ in range(3):
            self.registry.place(self.alice, "d3")
            self.timers.advance(1)
            self.registry.place(self.bob, "c3")
            self.timers.advance(1)
            self.take_back(self.alice, self.bob)
        assert clock.remaining(6) == [57, 57]

    def test_not_where_that_leaves_no_time(self) -> None:
        room = self.moved(terms=terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 10)))
        self.registry.place(self.alice, "d3")
        self.registry.place(self.bob, "c3")
        self.timers.advance(59)
        self.registry.offer(self.alice, "takeback")
        self.timers.advance(1)
        self.registry.answer(self.bob, "takeback", True)
        assert self.bob.refused() is NotOffered and len(standing(room)) == 2
        self.registry.answer(self.bob, "takeback", False)
        self.registry.offer(self.alice, "takeback")
        assert self.alice.refused() is NotOffered

    def test_it_doesnt_end_a_pause(self) -> None:
        room = self.moved("d3")
        self.registry.pause(self.bob, True)
        self.take_back(self.alice, self.bob)
        assert room.paused

    def test_moves_that_were_kept_are_forgotten(self) -> None:
        room = self.moved("d3")
        self.registry.place(self.alice, "c4")
        self.take_back(self.alice, self.bob)
        self.registry.place(self.alice, "f5")
        assert len(standing(room)) == 1 and room.turn == 1

    def test_a_viewer_who_knows_of_no_offers_is_told_the_position(self) -> None:
        room = self.moved("1:1", terms=USUAL_TERMS)
        self.registry.join(self.plain, "den", "VIEWER")
        self.plain.news()
        self.take_back(self.alice, self.bob)
        assert self.plain.news() == [Undone(8, None, 0, 1, room.start, 0)]

    def test_not_where_a_player_knows_of_none(self) -> None:
        self.registry.create(self.alice, "den", USUAL_TERMS)
        self.registry.join(self.plain, "den", "PLAYER")
        self.registry.place(self.alice, "1:1")
        self.registry.offer(self.alice, "takeback")
        assert self.alice.refused() is NotOffered


class ClockTests(AnyGameCase):
    def timed(self) -> Room:
        return self.begin(terms_for(game_type_of("reversi"), {}, time=TimeControl(60, 5)))

    def left(self, room: Room) -> list[float]:
        assert room.clock is not None
        return room.clock.remaining(self.timers.seconds())

    def test_time_runs_for_the_side_to_move(self) -> None:
        room = self.timed()
        self.timers.advance(10)
        assert self.left(room) == [50, 60]
        self.registry.place(self.alice, "d3")
        self.timers.advance(20)
        assert self.left(room) == [55, 40]

    def test_a_clock_that_has_run_out_ends_the_match(self) -> None:
        room = self.timed()
        self.timers.advance(60)
        assert self.left(room) == [0, 60]
        self.registry.expire(600, 3600)
        ended = self.bob.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("timed out", "bob")

    def test_so_does_a_move_that_comes_too_late(self) -> None:
        self.timed()
        self.timers.advance(61)
        self.registry.place(self.alice, "d3")
        ended = self.bob.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("timed out", "bob")

    def test_the_time_for_a_move_doesnt_hold_beside_a_clock(self) -> None:
        self.timed()
        self.registry.expire(0.001, 3600)
        assert self.bob.news() == []

    def test_each_room_has_a_clock_of_its_own(self) -> None:
        terms = terms_for(game_type_of("reversi"), {}, time=TimeControl(60))
        room = self.begin(terms)
        self.timers.advance(30)
        other = Room("attic", terms)
        assert self.left(room) == [30, 60] and self.left(other) == [60, 60]


class Thinking:
    """A thinker whose answers the test gives."""

    def __init__(self) -> None:
        self.asked: list[tuple[Question, Deferred[str]]] = []

    def think(self, question: Question, line: object = None) -> Deferred[str]:
        self.asked.append((question, Deferred()))
        return self.asked[-1][1]


class ComputerTests(AnyGameCase):
    def setUp(self) -> None:
        super().setUp()
        self.thinking = Thinking()
        self.computer = Computer(self.registry, self.timers, None, Random(1), self.thinking)
        self.registry.observers.append(self.computer)

    def open(self, level: str, game: str = "reversi", time: TimeControl | None = None) -> Room:
        terms = terms_for(game_type_of(game), {}, computer=level, time=time)
        self.registry.create(self.alice, "den", terms)
        self.timers.advance(0)
        room = self.registry.room("den")
        assert room is not None and room.players[1].user == "computer"
        return room

    def test_it_comes_where_it_is_asked_for_and_answers(self) -> None:
        for game in GAMES.values():
            for level in game.levels:
                if level in game.slow:
                    continue
                room = self.open(level, game.name)
                self.registry.place(self.alice, room.game.moves(room.position)[0])
                self.timers.advance(THINKS)
                assert room.moves == 2 or self.registry.room("den") is None, (game.name, level)
                self.registry.forfeit(self.alice)

    def test_at_a_slow_level_it_is_asked_for_in_a_process(self) -> None:
        room = self.open("best")
        self.registry.place(self.alice, "d3")
        self.timers.advance(THINKS)
        question, answer = self.thinking.asked[0]
        text = room.game.dump(room.position)
        assert question == Question("reversi", room.terms.values, text, "best", SECONDS)
        move = room.game.moves(room.position)[-1]
        answer.callback(move)
        placed = self.alice.events[-1]
        assert isinstance(placed, Placed) and (placed.seat, placed.move) == (1, move)

    def test_it_wants_no_draw(self) -> None:
        self.open("beginner")
        self.registry.offer(self.alice, "draw")
        assert self.alice.news()[-1] == Offered(5, None, 1, "draw", "declined")

    def test_it_lets_moves_be_taken_back_and_goes_on(self) -> None:
        room = self.open("best")
        for _ in range(2):
            self.registry.place(self.alice, "d3")
            self.timers.advance(THINKS)
            self.registry.offer(self.alice, "takeback")  # while it thinks
            assert room.position == room.start
        self.registry.place(self.alice, "c4")
        self.timers.advance(THINKS)
        _, answer = self.thinking.asked[-1]
        answer.callback(room.game.moves(room.position)[0])
        assert len(standing(room)) == 2
        self.registry.offer(self.alice, "takeback")
        assert room.position == room.start and room.turn == 0

    def test_but_not_with_a_clock(self) -> None:
        self.open("beginner", time=TimeControl(60))
        self.registry.place(self.alice, "d3")
        self.registry.offer(self.alice, "takeback")
        assert self.alice.news()[-1] == Offered(6, None, 1, "takeback", "declined")
        self.timers.advance(THINKS)
        assert isinstance(self.alice.events[-1], Placed)

    def test_it_gives_up_when_it_cant_think(self) -> None:
        self.open("best")
        self.registry.place(self.alice, "d3")
        self.timers.advance(THINKS)
        self.thinking.asked[0][1].errback(ValueError("no descriptors"))
        ended = self.alice.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("forfeited", "alice")
        assert len(self.flushLoggedErrors(ValueError)) == 1

    def test_but_not_because_the_server_stops(self) -> None:
        room = self.open("best")
        self.registry.place(self.alice, "d3")
        self.timers.advance(THINKS)
        self.thinking.asked[0][1].errback(ProcessesStoppedError())
        assert self.registry.room("den") is room and not self.flushLoggedErrors()

    def test_it_gives_up_when_its_move_cant_be_made(self) -> None:
        self.open("best")
        self.registry.place(self.alice, "d3")
        self.timers.advance(THINKS)
        self.thinking.asked[0][1].callback("d3")
        ended = self.alice.events[-1]
        assert isinstance(ended, Ended) and (ended.ending, ended.winner) == ("forfeited", "alice")
        assert len(self.flushLoggedErrors(IllegalMove)) == 1

    def test_it_stops_thinking_when_the_match_is_over(self) -> None:
        self.open("best")
        self.registry.place(self.alice, "d3")
        self.timers.advance(THINKS)
        self.registry.forfeit(self.alice)
        assert self.thinking.asked[0][1].called

    def test_it_begins_where_the_second_seat_does(self) -> None:
        terms = terms_for(game_type_of("tictactoe"), {"first": "O"}, computer="best")
        self.registry.create(self.alice, "den", terms)
        self.timers.advance(0)
        self.timers.advance(THINKS)
        placed = self.alice.events[-1]
        assert isinstance(placed, Placed) and placed.seat == 1


class DirectMatchTests(AnyGameCase):
    """Rooms whose seats their protocol assigns."""

    terms = replace(USUAL_TERMS, protocol="session", move_timeout=7)

    def seat(self) -> None:
        self.registry.create(self.plain, "session 1", self.terms)
        self.registry.join(self.alice, "session 1", "PLAYER", seated_by="session")

    def test_nobody_else_takes_a_seat(self) -> None:
        self.registry.create(self.plain, "session 1", self.terms)
        for other in (None, "nim"):
            self.registry.join(self.alice, "session 1", "PLAYER", seated_by=other)
            assert self.alice.refused() is RoomFull
        self.registry.join(self.bob, "session 1", "PLAYER", seated_by="session")
        assert self.registry.running("session") == 1

    def test_whoever_can_tell_of_it_watches(self) -> None:
        self.seat()
        self.registry.join(self.vera, "session 1", "VIEWER")
        self.registry.place(self.plain, "1:1")
        assert isinstance(self.vera.events[-1], Placed)
        assert [room.name for room in self.registry.public_rooms()] == ["session 1"]

    def test_who_knows_only_rooms_for_all_doesnt_see_it(self) -> None:
        self.seat()
        stranger = Guest(self.registry, "sam")
        self.registry.list_rooms(stranger, "VIEWER")
        self.registry.join(stranger, "session 1", "VIEWER")
        listed, refused = stranger.news()
        assert listed == Listed(stranger.occupant_id, "VIEWER", ())
        assert isinstance(refused, Refused) and type(refused.refusal) is NoSuchRoom

    def test_it_sits_down_in_its_own_rooms_though_it_cant_tell_of_others(self) -> None:
        self.registry.create(self.alice, "nim 1", replace(REVERSI, protocol="nim"))
        self.registry.join(self.plain, "nim 1", "PLAYER", seated_by="nim")
        assert self.registry.running("nim") == 1

    def test_its_figures_arent_those_of_the_rooms(self) -> None:
        self.seat()
        self.registry.place(self.plain, "1:1")
        assert (self.registry.running(), self.registry.running("session")) == (0, 1)
        assert self.registry.rooms() == self.registry.moves() == 0
        self.registry.forfeit(self.plain)
        assert self.registry.moves() == self.registry.running("session") == 0

    def test_its_time_for_a_move_is_its_own(self) -> None:
        self.seat()
        self.timers.advance(6)
        self.registry.expire(1, 1)
        assert self.registry.running("session") == 1
        self.timers.advance(1)
        self.registry.expire(0, 0)
        assert self.plain.events[-1] == Ended(4, None, "0" * 9, "timed out", "alice", 1)

    def test_there_is_none_if_it_says_so(self) -> None:
        terms = replace(self.terms, move_timeout=0)
        self.registry.create(self.plain, "session 1", terms)
        self.registry.join(self.alice, "session 1", "PLAYER", seated_by="session")
        self.timers.advance(1e6)
        self.registry.expire(1, 1)
        assert self.registry.running("session") == 1

    def test_the_number_of_rooms_doesnt_limit_it(self) -> None:
        registry = Registry(1, self.timers.seconds, self.faults.append, rng=Random(1))
        guests = [Guest(registry, f"guest-{number}") for number in range(4)]
        registry.create(guests[0], "session 1", self.terms)
        registry.create(guests[1], "den")
        registry.create(guests[2], "session 2", self.terms)
        registry.create(guests[3], "lair")
        assert isinstance(guests[3].events[-1], Refused) and len(registry.public_rooms()) == 3

    def test_nor_does_the_number_of_rooms_of_a_user(self) -> None:
        registry = Registry(
            0, self.timers.seconds, self.faults.append, max_rooms_per_user=1, rng=Random(1)
        )
        guests = [Guest(registry, "guest-1") for _ in range(2)]
        registry.create(guests[0], "den")
        registry.create(guests[1], "session 1", self.terms)
        assert isinstance(guests[1].events[-1], Joined)

"""Rooms for more than two: they fill, pause, go on without somebody, and hide what they must."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.any_game import Knowing
from tests.lobby.race import RACE, ManySeatsCase, Position, Race
from tictac.engines.computer import THINKS, Computer
from tictac.errors import BadOption, MatchPaused, NotAMove, NotInRoom, NotOffered
from tictac.game import OpenGame, Played
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended, Paused, Placed
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for
from tictac.protocols.lobby import json_view


class OpenRace(Race, OpenGame[Position]):
    """Its points are no secret."""


class Walk(Race):
    """It leaves nothing to chance."""

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        return super().play(position, "roll 1", None)


class Rolls(Random):
    """Dice that fall as they are told."""

    def __init__(self, *numbers: int) -> None:
        super().__init__()
        self._numbers = list(numbers)

    def randint(self, a: int, b: int) -> int:
        return self._numbers.pop(0)


class DiceTests(SynchronousTestCase):
    def test_the_move_that_ends_a_match_is_rolled_once(self) -> None:
        room = Room("den", terms_for(RACE, {}), Rolls(6, 1, 4, 1))
        for occupant in ("1", "2"):
            room.join(occupant, "alice", "PLAYER")
        for occupant in ("1", "2"):
            room.place(occupant, "roll")
        after = Position((10, 1), 1)
        assert room.place("1", "roll") == [Ended(6, None, after, "won", "alice", 0, "roll 4")]


class FillingTests(ManySeatsCase):
    def test_the_match_begins_when_every_seat_is_taken(self) -> None:
        self.registry.create(self.alice, "den", terms_for(RACE, {}, seats=3))
        self.registry.join(self.bob, "den", "PLAYER")
        room = self.registry.room("den")
        assert room is not None and not room.begun
        self.registry.join(self.carol, "den", "PLAYER")
        assert self.alice.events[-1] == Began(4, None, ("alice", "bob", "carol"))
        assert room.begun

    def test_a_number_of_seats_that_the_game_hasnt(self) -> None:
        for seats in (1, 5):
            with self.assertRaisesRegex(BadOption, f"has 2 or 3 or 4 seats, not {seats}"):
                terms_for(RACE, {}, seats=seats)
        with self.assertRaisesRegex(BadOption, "takes from 1 to 2 seats, not 3"):
            terms_for(RACE, {}, seats=3, computer="beginner", computers=3)

    def test_computers_take_the_other_seats_or_as_many_as_are_wanted(self) -> None:
        computer = Computer(self.registry, self.timers, None, Random(1), None)  # type: ignore[arg-type]
        self.registry.observers.append(computer)
        self.registry.create(self.alice, "den", terms_for(RACE, {}, seats=3, computer="beginner"))
        terms = terms_for(RACE, {}, seats=3, computer="beginner", computers=1)
        self.registry.create(self.bob, "lair", terms)
        self.timers.advance(0)
        den, lair = self.registry.room("den"), self.registry.room("lair")
        assert den is not None and lair is not None
        users = [member.user for member in den.players]
        assert users == ["alice", "computer", "computer 2"] and den.is_alone("alice")
        assert not lair.begun and lair.is_alone("bob")
        self.registry.join(self.carol, "lair", "PLAYER")
        assert lair.begun and not lair.is_alone("bob")
        self.registry.place(self.alice, "roll")
        self.timers.advance(THINKS)
        self.timers.advance(THINKS)
        assert (den.moves, den.turn) == (3, 0)


class ChanceTests(ManySeatsCase):
    def test_the_record_says_what_chance_did_and_players_dont(self) -> None:
        room = self.race()
        self.registry.place(self.alice, "roll 6")
        assert self.alice.refused() is NotAMove
        self.registry.place(self.alice, "roll")
        placed = self.alice.events[-1]
        assert isinstance(placed, Placed)
        assert room.game.play(room.start, placed.move, None).position == room.position

    def test_what_is_told_hides_what_the_game_hides(self) -> None:
        room = self.race()
        self.registry.place(self.alice, "roll")
        placed = room.record[-1][1]
        assert isinstance(placed, Placed)
        points = str(room.position.points[0])
        for seat, view in ((0, points), (1, "0"), (None, "?")):
            told = json_view.event_json(placed, room, seat, 0, 0)
            assert (told["move"], told["position"]) == ("roll", view)
            whole = json_view.whole(room, seat, 0, 0)
            assert (whole["position"], whole["record"]) == (
                view,
                [[placed.number, "moved", 0, "roll"]],
            )


class GoneTests(ManySeatsCase):
    def test_the_others_go_on_without_who_gives_up_and_watches(self) -> None:
        room = self.race()
        self.registry.forfeit(self.alice)
        told = Placed(6, None, Position((None, 0, 0), 1), 0, "drop 0", 1)
        assert self.alice.news() == self.bob.news() == self.vera.news() == [told]
        assert room.seat_of(self.alice.occupant_id) is None
        self.registry.place(self.bob, "roll")
        assert len(self.alice.news()) == 1
        self.registry.forfeit(self.alice)
        assert self.alice.news() == []

    def test_the_lobby_is_told_who_has_gone(self) -> None:
        room = self.race()
        shown: list[object] = []

        def changed(room: Room) -> None:
            shown.append(json_view.summary(room, "", lambda *_: None).get("given_up"))

        self.registry.changed = changed
        self.registry.forfeit(self.bob)
        assert shown == [[1]] and len(room.players) == 3

    def test_the_last_one_has_won(self) -> None:
        self.race()
        self.registry.leave(self.alice, for_good=True)
        self.registry.leave(self.carol, for_good=True)
        ended = self.bob.events[-1]
        assert isinstance(ended, Ended)
        assert (ended.ending, ended.winner, ended.move) == ("won", "bob", "drop 2")

    def test_a_seat_that_was_held_in_vain_is_given_up(self) -> None:
        room = self.race()
        self.registry.leave(self.bob)
        self.timers.advance(30)
        self.registry.expire(600, 3600)
        assert isinstance(self.vera.events[-1], Placed) and room.players[1].gone
        back = Knowing(self.registry, "bob")
        self.registry.join(back, "den", "PLAYER")
        assert room.seat_of(back.occupant_id) is None

    def test_so_is_that_of_who_lets_the_others_wait(self) -> None:
        room = self.race()
        self.timers.advance(600)
        self.registry.expire(600, 3600)
        assert room.players[0].gone and room.turn == 1

    def test_only_two_agree_on_a_draw(self) -> None:
        self.race()
        self.registry.offer(self.bob, "draw")
        assert self.bob.refused() is NotOffered

    def test_what_was_learned_by_a_move_cant_be_taken_back(self) -> None:
        for make in (OpenRace, Walk):
            self.begin(terms_for(replace(RACE, make=make), {}, seats=2))
            self.registry.place(self.alice, "roll")
            self.registry.offer(self.alice, "takeback")
            assert self.alice.refused() is NotOffered
            self.registry.leave(self.alice, for_good=True)
            assert self.registry.room("den") is None
            self.setUp()


class PauseTests(ManySeatsCase):
    def test_nobody_moves_while_the_match_is_paused(self) -> None:
        room = self.race()
        self.registry.pause(self.bob, True)
        assert self.alice.news() == self.vera.news() == [Paused(6, None, "bob", True)]
        self.registry.place(self.alice, "roll", keep=False)
        assert self.alice.refused() is MatchPaused and room.moves == 0
        self.registry.pause(self.carol, False)
        self.registry.place(self.alice, "roll", keep=False)
        assert room.moves == 1

    def test_kept_moves_are_made_when_it_goes_on(self) -> None:
        room = self.race()
        self.registry.pause(self.bob, True)
        self.registry.place(self.alice, "roll")
        self.registry.pause(self.bob, True)
        assert room.moves == 0
        self.registry.pause(self.bob, False)
        assert room.moves == 1

    def test_no_time_runs_meanwhile(self) -> None:
        room = self.race(TimeControl(60))
        self.timers.advance(10)
        self.registry.pause(self.bob, True)
        self.timers.advance(3000)
        self.registry.expire(600, 3600)
        self.registry.pause(self.bob, False)
        self.timers.advance(5)
        assert room.clock is not None
        assert room.clock.remaining(self.timers.seconds())[0] == 45

    def test_a_pause_without_end_is_a_draw(self) -> None:
        self.race()
        self.registry.pause(self.bob, True)
        self.timers.advance(3600)
        self.registry.expire(600, 3600)
        ended = self.vera.events[-1]
        assert isinstance(ended, Ended) and ended.ending == "drawn"

    def test_only_players_of_a_match_pause_it(self) -> None:
        self.registry.create(self.alice, "den", terms_for(RACE, {}))
        self.registry.join(self.vera, "den", "VIEWER")
        for guest in (self.alice, self.vera):
            self.registry.pause(guest, True)
            assert guest.refused() is NotInRoom


class StartTests(ManySeatsCase):
    def test_a_match_goes_on_from_where_it_was(self) -> None:
        terms = terms_for(game_type_of("reversi"), {})
        game = terms.game
        start = game.play(game.start(2, Random(1)), "d3", None).position
        self.registry.create(self.alice, "den", terms, start)
        self.registry.join(self.bob, "den", "PLAYER")
        self.registry.place(self.bob, "c5")
        placed = self.bob.events[-1]
        assert isinstance(placed, Placed) and (placed.seat, placed.turn) == (1, 0)

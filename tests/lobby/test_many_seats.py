"""Rooms for more than two: they fill, pause, go on without somebody, and hide what they must."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.test_any_game import AnyGameCase, Knowing
from tictac.engines.computer import THINKS, Computer
from tictac.errors import BadOption, IllegalMove, MatchPaused, NotAMove, NotInRoom, NotOffered
from tictac.game import Game, GameType, OpenGame, Played, Result
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended, Paused, Placed
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for
from tictac.protocols.lobby import json_view


class Position(NamedTuple):
    points: tuple[int | None, ...]
    turn: int


class Race(Game[Position]):
    """Who first has ten points has won. Points are secret; None: that seat is gone."""

    def start(self, seats: int, rng: Random) -> Position:
        return Position((0,) * seats, 0)

    def turn(self, position: Position) -> int | None:
        return None if self.result(position) else position.turn

    def moves(self, position: Position) -> list[str]:
        return [] if self.result(position) else ["roll"]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        if rng is None:
            word, number = move.split()
            return (
                self._drop(position, int(number)) if word == "drop" else self._roll(position, move)
            )
        if self.result(position):
            raise IllegalMove("it is over")
        if move != "roll":
            raise NotAMove("say roll")
        return self._roll(position, f"roll {rng.randint(1, 6)}")

    def _roll(self, position: Position, move: str) -> Played[Position]:
        points = list(position.points)
        points[position.turn] = (points[position.turn] or 0) + int(move.split()[1])
        return Played(self._next(tuple(points), position.turn), move)

    def _next(self, points: tuple[int | None, ...], turn: int) -> Position:
        others = [(turn + n) % len(points) for n in range(1, len(points) + 1)]
        return Position(points, next(seat for seat in others if points[seat] is not None))

    def drop(self, position: Position, seat: int) -> Played[Position] | None:
        return self._drop(position, seat)

    def _drop(self, position: Position, seat: int) -> Played[Position]:
        points = tuple(None if at == seat else n for at, n in enumerate(position.points))
        after = (
            self._next(points, seat) if position.turn == seat else position._replace(points=points)
        )
        return Played(after, f"drop {seat}")

    def result(self, position: Position) -> Result | None:
        left = [seat for seat, points in enumerate(position.points) if points is not None]
        won = [seat for seat in left if (position.points[seat] or 0) >= 10]
        return Result((won or left)[0]) if won or len(left) == 1 else None

    def view(self, position: Position, seat: int | None) -> str:
        return "?" if seat is None else str(position.points[seat])

    def seen(self, position: Position, move: str, seat: int | None) -> str:
        return move if move.startswith("drop") else "roll"

    def dump(self, position: Position) -> str:
        return json.dumps(position)

    def load(self, text: str) -> Position:
        points, turn = json.loads(text)
        return Position(tuple(points), turn)


RACE = GameType(
    "race",
    "Race",
    "Who first has ten points has won.",
    range(2, 5),
    Race,
    levels=("beginner",),
    choose=lambda game, position, level, stop, rng: "roll",
)


class OpenRace(Race, OpenGame[Position]):
    """Its points are no secret."""


class Walk(Race):
    """It leaves nothing to chance."""

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        return super().play(position, "roll 1", None)


class ManySeatsCase(AnyGameCase):
    rejoin_timeout = 30

    def setUp(self) -> None:
        super().setUp()
        self.carol = Knowing(self.registry, "carol")

    def race(self, time: TimeControl | None = None) -> Room:
        """Begin a match of alice, bob, and carol that vera watches, and drop its events."""
        self.registry.create(self.alice, "den", terms_for(RACE, {}, seats=3, time=time))
        self.registry.join(self.vera, "den", "VIEWER")
        for guest in (self.bob, self.carol):
            self.registry.join(guest, "den", "PLAYER")
        for guest in (self.alice, self.bob, self.carol, self.vera):
            guest.told()
        room = self.registry.room("den")
        assert room is not None
        return room


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
            told = json_view.told(placed, room, seat, 0, 0)
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
        assert self.alice.told() == self.bob.told() == self.vera.told() == [told]
        assert room.seat_of(self.alice.occupant_id) is None
        self.registry.place(self.bob, "roll")
        assert len(self.alice.told()) == 1
        self.registry.forfeit(self.alice)
        assert self.alice.told() == []

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
        assert self.alice.told() == self.vera.told() == [Paused(6, None, "bob", True)]
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

"""A game of dice for two to four seats, whose points are secret, and a match of three."""

from __future__ import annotations

import json
from random import Random
from typing import NamedTuple

from tests.lobby.any_game import AnyGameCase, Knowing
from tictac.errors import IllegalMove, NotAMove
from tictac.game import Game, GameType, Played, Result
from tictac.lobby.clock import TimeControl
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for


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
            guest.news()
        room = self.registry.room("den")
        assert room is not None
        return room

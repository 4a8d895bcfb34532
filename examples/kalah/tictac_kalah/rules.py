"""Kalah: sow seeds around the board; the player with more of them in the store at the end wins.

A position is the pits of A in the order in which A sows, a slash, A's store, a space, the same of
B, a space, and the side to move, or ``-`` at the end: ``4,4,4,4,4,4/0 4,4,4,4,4,4/0 A``. A has
seat 0. A move is the number of one of the mover's pits, from 1; the last is beside the store.

The seeds of a pit go one by one into the pits that follow: the mover's own, the mover's store, and
the opponent's pits. If the last seed lands in the store, the mover moves again. If it lands in an
empty pit of the mover, and the pit opposite has seeds, the mover stores both. When one side has no
seeds left, the opponent stores all others.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove, NotAMove
from tictac.game import DRAWN, OpenGame, Played, Result

SIDES = "AB"


class Position(NamedTuple):
    """The seeds in A's pits and store, then in B's, and the seat to move: None at the end."""

    seeds: tuple[int, ...]
    mover: int | None


class Kalah(OpenGame[Position]):
    """The game with ``pits`` on each side, and ``seeds`` in each pit at first."""

    def __init__(self, pits: int, seeds: int) -> None:
        self.pits = pits
        self._first = Position(((seeds,) * pits + (0,)) * 2, 0)

    def start(self, seats: int, rng: Random) -> Position:
        return self._first

    def turn(self, position: Position) -> int | None:
        return position.mover

    def moves(self, position: Position) -> list[str]:
        if position.mover is None:
            return []
        pits = self.side(position, position.mover)[:-1]
        return [str(number) for number, seeds in enumerate(pits, 1) if seeds]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        if move not in map(str, range(1, self.pits + 1)):
            raise NotAMove(f"a move is a pit, from 1 to {self.pits}, not {move!r:.40}")
        if position.mover is None:
            raise IllegalMove("the game is over")
        if move not in self.moves(position):
            raise IllegalMove(f"pit {move} is empty")
        return Played(self._sow([*position.seeds], position.mover, int(move) - 1), move)

    def result(self, position: Position) -> Result | None:
        if position.mover is not None:
            return None
        mine, theirs = (self.side(position, seat)[-1] for seat in (0, 1))
        return DRAWN if mine == theirs else Result(int(theirs > mine))

    def dump(self, position: Position) -> str:
        sides = (self.side(position, seat) for seat in (0, 1))
        texts = [f"{','.join(map(str, side[:-1]))}/{side[-1]}" for side in sides]
        return " ".join([*texts, "-" if position.mover is None else SIDES[position.mover]])

    def load(self, text: str) -> Position:
        *sides, mover = text.replace("/", ",").split(" ")
        seeds = tuple(int(number) for side in sides for number in side.split(","))
        return Position(seeds, None if mover == "-" else SIDES.index(mover))

    def side(self, position: Position, seat: int) -> tuple[int, ...]:
        """Return the seeds of a seat: its pits, then its store."""
        home = seat * (self.pits + 1)
        return position.seeds[home : home + self.pits + 1]

    def _sow(self, seeds: list[int], mover: int, pit: int) -> Position:
        home = mover * (self.pits + 1)
        store, closed = home + self.pits, (1 - mover) * (self.pits + 1) + self.pits
        at, left, seeds[home + pit] = home + pit, seeds[home + pit], 0
        while left:
            at = (at + 1) % len(seeds)
            if at != closed:
                seeds[at] += 1
                left -= 1
        opposite = 2 * self.pits - at
        if home <= at < store and seeds[at] == 1 and seeds[opposite]:
            seeds[store] += seeds[opposite] + 1
            seeds[at] = seeds[opposite] = 0
        halves = seeds[: self.pits + 1], seeds[self.pits + 1 :]
        if all(any(half[:-1]) for half in halves):
            return Position(tuple(seeds), mover if at == store else 1 - mover)
        return Position(tuple(n for half in halves for n in (*[0] * self.pits, sum(half))), None)

"""The rules of Nim: take from one number at a time; the player who takes the last wins.

Source: nim.md, "The game". A :class:`Position` has the nonzero numbers, in order, and the side to
move. The list shrinks when a number becomes zero, so the indices of moves refer to the numbers
that are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove

FEWEST, MOST = 3, 10
"""How many numbers a game begins with."""

LARGEST = 2**32 - 1
"""The largest integer in four bytes."""

Numbers = tuple[int, ...]


class Move(NamedTuple):
    """A move that takes ``amount`` from the number at ``at``, an index from 0."""

    at: int
    amount: int


class Position(NamedTuple):
    """The numbers that are left, each above 0, and the side to move: 0 began, 1 is the other."""

    numbers: Numbers
    mover: int = 0


def take(numbers: Numbers, move: Move) -> Numbers:
    """Return the rest of ``numbers`` after ``move``, without a zero.

    Raises :class:`~tictac.errors.IllegalMove` for an index outside the list, and for an
    amount below 1 or above the number.
    """
    at, amount = move
    if not 0 <= at < len(numbers):
        raise IllegalMove(f"there is no number {at + 1} in a list of {len(numbers)}")
    left = numbers[at] - amount
    if amount < 1 or left < 0:
        raise IllegalMove(f"{amount} can't be taken from {numbers[at]}")
    return numbers[:at] + ((left,) if left else ()) + numbers[at + 1 :]


def moves_between(before: Numbers, after: Numbers) -> list[Move]:
    """Return every move from ``before`` to ``after``.

    There are several, of the same amount, when one of several equal neighbors becomes zero.
    """
    if len(after) == len(before):
        pairs = enumerate(zip(before, after, strict=True))
        changed = [(at, old, new) for at, (old, new) in pairs if old != new]
        return [
            Move(at, old - new) for at, old, new in changed if len(changed) == 1 and 0 < new < old
        ]
    gone = (i for i in range(len(before)) if before[:i] + before[i + 1 :] == after)
    return [Move(i, before[i]) for i in gone]


@dataclass(frozen=True, slots=True)
class Deal:
    """The numbers at the start: ``fixed``, or 3 to 10 numbers from ``low`` to ``high``.

    ``size`` sets how many numbers a game has. Raises ValueError if no game can begin so: the fixed
    ones must be 3 to 10 integers from 1 to 2**32 - 1.
    """

    low: int = 1
    high: int = 100
    fixed: Numbers | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= LARGEST:
            raise ValueError(f"{self.low}-{self.high} isn't a range within 1-{LARGEST}")
        if self.fixed is None:
            return
        if not FEWEST <= len(self.fixed) <= MOST:
            raise ValueError(f"a list has {FEWEST} to {MOST} numbers, not {len(self.fixed)}")
        for number in self.fixed:
            if not 1 <= number <= LARGEST:
                raise ValueError(f"{number} isn't from 1 to {LARGEST}")

    def draw(self, rng: Random) -> Numbers:
        """Return the numbers of the next game."""
        if self.fixed is not None:
            return self.fixed
        size = self.size or rng.randint(FEWEST, MOST)
        return tuple(rng.randint(self.low, self.high) for _ in range(size))

"""A clock for each seat of a match: a value that is told the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Clock:
    """``initial`` seconds for each seat, and ``increment`` more after each of its moves.

    ``left`` is what each seat had when its time was last reckoned, which was at ``since``;
    ``running`` is the seat whose time runs.
    """

    initial: float
    increment: float = 0.0
    left: list[float] = field(default_factory=list)
    running: int | None = None
    since: float = 0.0

    def start(self, seats: int, turn: int, now: float) -> None:
        """The match begins, and it is the turn of seat ``turn``."""
        self.left = [self.initial] * seats
        self.running, self.since = turn, now

    def moved(self, turn: int | None, now: float) -> None:
        """The seat whose time runs has moved; now it is the turn of seat ``turn``."""
        if self.running is not None:
            self.left[self.running] = self.remaining(now)[self.running] + self.increment
        self.running, self.since = turn, now

    def take_back(self, seats: Sequence[int]) -> None:
        """Take the increments of moves back, which these seats had made: no time is to be won."""
        for seat in seats:
            self.left[seat] -= self.increment

    def can_take_back(self, seats: Sequence[int], now: float) -> bool:
        """Whether each of these seats has time left after that."""
        left = self.remaining(now)
        return all(left[seat] > self.increment * seats.count(seat) for seat in seats)

    def pause(self, paused: bool, turn: int, now: float) -> None:
        """Let nobody's time run, as at the end of the match, or that of seat ``turn`` again."""
        self.left = self.remaining(now)
        self.running, self.since = None if paused else turn, now

    def remaining(self, now: float) -> list[float]:
        """What each seat has, in seconds from 0."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - (now - self.since))
        return left

    def is_out(self, now: float) -> bool:
        """Whether the seat whose time runs has none left."""
        return self.running is not None and self.remaining(now)[self.running] <= 0

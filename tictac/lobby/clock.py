"""Time controls, in every form in which they are kept, sent or typed; and the clocks of a match.

Another kind of time control is a field of TimeControl, of the lobby's schema, and of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any

from tictac.errors import BadOption

_BOUNDS = {
    "initial": (1, 10_800), "increment": (0, 180), "delay": (0, 180), "period": (1, 180),
    "periods": (1, 20),
}  # fmt: skip
"""The least and the most that players can ask for."""

_TYPED = r"(\d{1,6})(m?)(?:\+(\d{1,6})|d(\d{1,6})|\+([1-9]\d{0,2})x([1-9]\d{0,5}))?"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The seconds that each seat has: ``initial``, and what its moves add.

    A move adds the ``increment``; and what it took, up to ``delay`` (Bronstein); and, when the main
    time is over, what it took of a ``period`` (byo-yomi). There are so many ``periods``; one that
    runs out is gone. Raises ValueError.
    """

    initial: float
    increment: float = 0
    delay: float = 0
    period: float = 0
    periods: int = 0

    def __post_init__(self) -> None:
        fields = self.initial, self.increment, self.delay, self.period, self.periods
        if not all(0 <= each < 1e9 for each in fields) or self.periods > 0 == self.period:
            raise ValueError(f"no time control: {fields!s:.80}")

    @property
    def plain(self) -> bool:
        """Whether ``initial`` and ``increment`` say it all, as they did in older versions."""
        return not (self.delay or self.periods)

    @property
    def total(self) -> float:
        """The seconds after which a seat that never moves has lost."""
        return self.initial + self.period * self.periods

    def added(self, left: float, used: float) -> float:
        """Return the seconds that a move adds which took ``used``, and left so many."""
        more = self.increment + min(self.delay, used)
        if left + more < self.period * self.periods:
            more = self.period * self._periods_left(left + more) - left
        return more

    def shown(self, left: float) -> str:
        """Return what a clock shows on which so many seconds are left, with all periods."""
        main = left - self.period * self.periods
        if not self.periods:
            return minutes(left) + (f" (delay {self.delay:g} s)" if self.delay else "")
        if main > 0:
            return f"{minutes(main)} + {self.periods}x{self.period:g} s"
        count = self._periods_left(left)
        words = f"{count} periods left" if count > 1 else "last period"
        return f"{minutes(left - self.period * (count - 1))} ({words})"

    def _periods_left(self, left: float) -> int:
        return max(1, ceil(left / self.period - 1e-6))  # sums of floats are a little wrong

    def dump(self) -> list[Any]:
        """Return it for files and other servers; an older one takes it for a plain clock."""
        more = [self.delay, self.period, self.periods]
        return [self.initial, self.increment, *([] if self.plain else [more])]

    @classmethod
    def load(cls, fields: Sequence[Any]) -> TimeControl:
        """Return what :meth:`dump` has written. Raises ValueError or TypeError."""
        initial, increment, *others = fields
        (more,) = others or [()]
        return cls(initial, increment, *more)

    def told(self) -> dict[str, float]:
        """Return it for the lobby protocol."""
        return {n: s for n, s in asdict(self).items() if s or n in ("initial", "increment")}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> TimeControl:
        """Return what a client of the lobby protocol asks for. Raises BadOption."""
        for name, given in fields.items():
            if name not in _BOUNDS:
                raise BadOption(f'"clock" has no {name!r:.40}; it has {", ".join(_BOUNDS)}')
            (least, most), types = _BOUNDS[name], (int,) if name == "periods" else (int, float)
            if type(given) not in types or not least <= given <= most:
                number = "a number" if float in types else "a whole number"
                raise BadOption(f'"{name}" of "clock" is {number} from {least} to {most}')
        if "initial" not in fields:
            raise BadOption('"clock" needs "initial"')
        kind = {name for name, given in fields.items() if given} - {"initial"}
        if kind not in (set(), {"increment"}, {"delay"}, {"period", "periods"}):
            raise BadOption('"clock" has "increment", "delay", or both "period" and "periods"')
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Return what is typed like 300, 5m+3, 300d3, or 10m+3x30. Raises ValueError."""
        found = re.fullmatch(_TYPED, text, re.ASCII)
        if found is None:
            raise ValueError(f"{text!r:.40} is no clock such as 300+3, 300d3, or 600+3x30")
        initial, *others = (int(each or 0) for each in found.group(1, 3, 4, 6, 5))
        return cls(initial * (60 if found[2] else 1), *others)


def minutes(seconds: float) -> str:
    """So many seconds, as clocks show them."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


@dataclass(slots=True)
class Clock:
    """A clock for each seat of a match: a value that is told the time.

    ``left`` is what each seat had, with all periods, when the turn of seat ``running`` began, at
    ``since``. None: the match hasn't begun. While it is ``stopped`` since some time, no time runs.
    ``added`` is what each move has added.
    """

    control: TimeControl
    left: list[float]
    running: int | None = None
    since: float = 0.0
    stopped: float | None = None
    added: list[float] = field(default_factory=list)

    def turn_to(self, turn: int, now: float) -> None:
        """It is the turn of that seat: at the beginning, or after a takeback."""
        self.left = self.remaining(now)
        self.running, self.since = turn, now if self.stopped is None else self.stopped

    def moved(self, turn: int | None, now: float) -> None:
        """The seat whose time runs has moved; now it is the turn of seat ``turn``."""
        now = now if self.stopped is None else self.stopped
        seat, more = self.running, 0.0
        if seat is not None:
            had = self.left[seat]
            left = max(0.0, had - (now - self.since))
            more = self.control.added(left, had - left)
            self.left[seat] = left + more
        self.added.append(more)
        self.running, self.since = turn, now

    def take_back(self, seats: Sequence[int]) -> None:
        """Take back what moves of these seats, the last ones, have added: no time is to be won."""
        for seat in reversed(seats):
            self.left[seat] -= self.added.pop()

    def can_take_back(self, seats: Sequence[int], now: float) -> bool:
        """Return whether each of these seats has time left after that."""
        left = self.remaining(now)
        for seat, more in zip(seats, self.added[-len(seats) :], strict=True):
            left[seat] -= more
        return all(left[seat] > 0 for seat in seats)

    def pause(self, paused: bool, now: float) -> None:
        """Let nobody's time run, as at the end of the match, or let it run again."""
        if self.stopped is not None:
            self.since += now - self.stopped
        self.stopped = now if paused else None

    def remaining(self, now: float) -> list[float]:
        """Return what each seat has, in seconds from 0."""
        left = list(self.left)
        if self.running is not None:
            now = now if self.stopped is None else self.stopped
            left[self.running] = max(0.0, left[self.running] - (now - self.since))
        return left

    def is_out(self, now: float) -> bool:
        """Return whether the seat whose time runs has none left."""
        return self.running is not None and self.remaining(now)[self.running] <= 0

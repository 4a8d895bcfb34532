"""Time controls as they are saved, sent, and typed; and the clocks of a match.

A new time control needs a field here, in the schema of the lobby protocol, and in the web client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any

from tictac.errors import BadOption

DAY = 86_400
"""Seconds."""

_BOUNDS = {
    "initial": (1, 10_800), "increment": (0, 180), "delay": (0, 180), "period": (1, 180),
    "periods": (1, 20), "days": (1, 14),
}  # fmt: skip
"""The minimum and the maximum of each field that players can ask for."""

_FEW = r"\d{1,6}(?:\.\d{1,2})?"
_TYPED = rf"(\d{{1,6}})(m?)(?:\+({_FEW})|d({_FEW})|\+([1-9]\d{{0,2}})x([1-9]\d{{0,5}}))?"
_TYPED_DAYS = r"([1-9]|1[0-4])d"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The seconds of each seat: ``initial``, and what its moves add. Raises ValueError.

    A move adds the ``increment``, and the time it took, up to ``delay`` (Bronstein). After the main
    time, it adds what it took of a ``period`` (byo-yomi). ``periods`` is their number. With days
    for each move, the delay is as long as the main time, so that a move adds all that it took.
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

    @classmethod
    def of_days(cls, days: int) -> TimeControl:
        """Return the time control with so many days for each move."""
        return cls(days * DAY, delay=days * DAY)

    @property
    def days(self) -> int:
        """The days for each move; 0: the players stay until the end."""
        return int(self.initial) // DAY if self.delay == self.initial else 0

    @property
    def plain(self) -> bool:
        """Whether only ``initial`` and ``increment`` are set."""
        return not (self.delay or self.periods)

    @property
    def total(self) -> float:
        """The seconds after which a seat that never moves loses."""
        return self.initial + self.period * self.periods

    def added(self, left: float, used: float) -> float:
        """Return the seconds added by a move that took ``used`` and left ``left`` seconds."""
        more = self.increment + min(self.delay, used)
        if left + more < self.period * self.periods:
            more = self.period * self._periods_left(left + more) - left
        return more

    def shown(self, left: float) -> str:
        """Return the text of a clock with ``left`` seconds, which include all periods."""
        main = left - self.period * self.periods
        if self.days:
            return days_and_hours(left)
        if not self.periods:
            return minutes(left) + (f" (delay {self.delay:g} s)" if self.delay else "")
        if main > 0:
            return f"{minutes(main)} + {self.periods}x{self.period:g} s"
        count = self._periods_left(left)
        words = f"{count} periods left" if count > 1 else "last period"
        return f"{minutes(left - self.period * (count - 1))} ({words})"

    def _periods_left(self, left: float) -> int:
        return max(1, ceil(left / self.period - 1e-6))  # sums of floats are a little wrong

    def dump(self) -> list[object]:
        """Return the fields for files and journals; a plain clock has only two."""
        more = [self.delay, self.period, self.periods]
        return [self.initial, self.increment, *([] if self.plain else [more])]

    @classmethod
    def load(cls, fields: Sequence[Any]) -> TimeControl:
        """Return the time control that :meth:`dump` wrote. Raises ValueError or TypeError."""
        initial, increment, *others = fields
        (more,) = others or [()]
        return cls(initial, increment, *more)

    def fields(self) -> dict[str, float]:
        """Return the fields for the lobby protocol."""
        if self.days:
            return {"days": self.days}
        return {n: s for n, s in asdict(self).items() if s or n in ("initial", "increment")}

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> TimeControl:
        """Return the time control of a lobby request. Raises BadOption."""
        for name, given in fields.items():
            if name not in _BOUNDS:
                raise BadOption(f'"clock" has no {name!r:.40}; it has {", ".join(_BOUNDS)}')
            (least, most), is_whole = _BOUNDS[name], name in ("periods", "days")
            types = (int,) if is_whole else (int, float)
            if type(given) not in types or not least <= given <= most:
                number = "a number" if float in types else "a whole number"
                raise BadOption(f'"{name}" of "clock" is {number} from {least} to {most}')
        if "days" in fields:
            if len(fields) > 1:
                raise BadOption('"clock" has "days" alone')
            return cls.of_days(fields["days"])
        if "initial" not in fields:
            raise BadOption('"clock" needs "initial", or "days"')
        kind = {name for name, given in fields.items() if given} - {"initial"}
        if kind not in (set(), {"increment"}, {"delay"}, {"period", "periods"}):
            raise BadOption('"clock" has "increment", "delay", or both "period" and "periods"')
        return cls(**fields)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Return a typed time control. Raises ValueError.

        Examples: 300, 5m+3, 30+0.3, 300d3, 10m+3x30, and 3d.
        """
        if days := re.fullmatch(_TYPED_DAYS, text, re.ASCII):
            return cls.of_days(int(days[1]))
        found = re.fullmatch(_TYPED, text, re.ASCII)
        if found is None:
            raise ValueError(f"{text!r:.40} isn't a clock such as 300+3, 300d3, 600+3x30, or 3d")
        increment, delay, period = map(_number, found.group(3, 4, 6))
        initial = int(found[1]) * (60 if found[2] else 1)
        return cls(initial, increment, delay, period, int(found[5] or 0))


def _number(text: str | None) -> float:
    return float(text) if text and "." in text else int(text or 0)


def minutes(seconds: float) -> str:
    """Return seconds as minutes and seconds, like 4:05."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def days_and_hours(seconds: float) -> str:
    """Return seconds as 2 days 4 h, as hours and minutes (4:05 h), or as minutes, like 4:05."""
    days, rest = divmod(int(seconds), DAY)
    if days:
        return f"{days} day{'s' * (days > 1)} {rest // 3600} h"
    return f"{rest // 3600}:{rest // 60 % 60:02} h" if rest >= 3600 else minutes(rest)


@dataclass(slots=True)
class Clock:
    """The clocks of the seats of a match; the caller passes the time.

    ``left`` has the seconds of each seat, with all periods, at ``since``, when the turn of seat
    ``running`` began (None: no match yet). ``stopped`` is the time since which all clocks stand
    still. ``added`` has the seconds that each move added.
    """

    control: TimeControl
    left: list[float]
    running: int | None = None
    since: float = 0.0
    stopped: float | None = None
    added: list[float] = field(default_factory=list)

    def turn_to(self, turn: int, now: float) -> None:
        """Begin the turn of a seat, at the start of the match or after a takeback.

        With days for each move, all seats have these again.
        """
        days, seats = self.control.days, len(self.left)
        self.left = [self.control.total] * seats if days else self.remaining(now)
        self.running, self.since = turn, now if self.stopped is None else self.stopped

    def moved(self, turn: int | None, now: float) -> None:
        """Note a move of the seat whose time runs, and begin the turn of seat ``turn``."""
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
        """Subtract the seconds that the last moves added, so that a takeback gains no time."""
        for seat in reversed(seats):
            self.left[seat] -= self.added.pop()

    def can_take_back(self, seats: Sequence[int], now: float) -> bool:
        """Return whether each of these seats has time left after :meth:`take_back`."""
        if self.control.days:
            return True
        left = self.remaining(now)
        for seat, more in zip(seats, self.added[-len(seats) :], strict=True):
            left[seat] -= more
        return all(left[seat] > 0 for seat in seats)

    def pause(self, paused: bool, now: float) -> None:
        """Stop all clocks, as at the end of the match, or let them run again."""
        if self.stopped is not None:
            self.since += now - self.stopped
        self.stopped = now if paused else None

    def remaining(self, now: float) -> list[float]:
        """Return the remaining seconds of each seat, never below 0."""
        left = list(self.left)
        if self.running is not None:
            now = now if self.stopped is None else self.stopped
            left[self.running] = max(0.0, left[self.running] - (now - self.since))
        return left

    def is_out(self, now: float) -> bool:
        """Return whether the seat whose time runs has none left."""
        return self.running is not None and self.remaining(now)[self.running] <= 0

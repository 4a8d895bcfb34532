"""The plan of a series, and the tournament that a series has at a time of day.

Each day of the series has an *arena* in its hours, and then a *night*: a tournament of the
players of that day. After the end of the series come *finals*: rounds of all players, until their
ratings are far enough apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tictac.errors import BadOption, Refusal
from tictac.game import Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.terms import terms_for
from tictac.plugins.tournament.view import Json

Kind = Literal["day", "night", "final"]

NIGHTS = ("round-robin", "swiss", "none")

_ID = re.compile("[a-z0-9]{1,5}", re.ASCII)
_HOURS = re.compile(r"(\d\d):(\d\d)-(\d\d):(\d\d)", re.ASCII)


def check_series_id(series: str) -> str:
    """Return the id of a series, with which the ids of its tournaments begin. Raises BadOption."""
    if not _ID.fullmatch(series):
        raise BadOption(f"the id of a series has 1 to 5 of a-z and 0-9, unlike {series!a:.40}")
    return series


class Slot(NamedTuple):
    """A tournament that is due: its id, and its beginning and end in seconds since 1970.

    A night can last until ``ends``, when the next arena begins.
    """

    tournament: str
    kind: Kind
    begins: float
    ends: float


@dataclass(frozen=True)
class SeriesPlan:
    """The settings of a series.

    - ``clock``: the time control of each game. A player without a connection loses by it.
    - ``levels``: the levels of the computer that take part, as fixed marks.
    - ``group``: only accounts of this group can enter, if it isn't empty.
    - ``hours``: the hours of the arena in the time ``zone``, such as 06:00-23:30.
    - ``night``: the system of each night, or "none". ``games``: the games of each pair in a round.
    - ``enough``: a pair isn't paired at night after so many games with the same versions.
    - ``ends``: the end in seconds since 1970; None: an admin freezes the series.
    - ``most``: the maximum games of a pair in the finals.
    """

    name: str
    game: str
    clock: TimeControl
    options: Mapping[str, Value] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    group: str = ""
    zone: str = "UTC"
    hours: str = "06:00-23:30"
    night: str = "round-robin"
    games: int = 2
    enough: int = 20
    ends: float | None = None
    most: int = 200

    def dump(self) -> dict[str, object]:
        """Return the plan as values for JSON."""
        dumped = asdict(replace(self, options=dict(self.options)))
        ends = None if self.ends is None else datetime.fromtimestamp(self.ends, UTC)
        shown = None if ends is None else ends.strftime("%Y-%m-%dT%H:%M:%SZ")
        return dumped | {"clock": self.clock.fields(), "ends": shown, "levels": list(self.levels)}

    def marks(self) -> dict[str, float]:
        """Return the ratings of the levels that are known for these options."""
        game_type = game_type_of(self.game)
        if dict(self.options) != dict(game_type.values({})):
            return {}
        return {each: game_type.ratings[each] for each in self.levels if each in game_type.ratings}

    def slot(self, series: str, now: float) -> Slot | None:
        """Return the tournament of this time; None after the end of an arena without a night."""
        zone = ZoneInfo(self.zone)
        today = datetime.fromtimestamp(now, zone).date()
        opens, closes = self._hours_of(today, zone)
        if now < opens:
            today -= timedelta(days=1)
            begins, ends = self._hours_of(today, zone)[1], opens
        elif now < closes:
            return Slot(_id(series, today), "day", opens, closes)
        else:
            next_day = self._hours_of(today + timedelta(days=1), zone)[0]
            begins, ends = closes, next_day
        if self.night == "none":
            return None
        return Slot(f"{_id(series, today)}n", "night", begins, ends)

    def opens_next(self, now: float) -> float:
        """Return when the next arena begins, in seconds since 1970."""
        zone = ZoneInfo(self.zone)
        today = datetime.fromtimestamp(now, zone).date()
        opens = self._hours_of(today, zone)[0]
        return opens if opens > now else self._hours_of(today + timedelta(days=1), zone)[0]

    def _hours_of(self, day: date, zone: ZoneInfo) -> tuple[float, float]:
        opens, closes = _times(self.hours)
        return tuple(datetime.combine(day, at, zone).timestamp() for at in (opens, closes))  # type: ignore[return-value]


def _id(series: str, day: date) -> str:
    return f"{series}-{day:%y%m%d}"


def _times(hours: str) -> tuple[time, time]:
    found = _HOURS.fullmatch(hours)
    if found is None:
        raise ValueError(hours)
    one, two, three, four = map(int, found.groups())
    return time(one, two), time(three, four)


def load_series(dumped: object) -> SeriesPlan:
    """Return the plan in a JSON object, from SeriesPlan.dump or a user. Raises BadOption."""
    if not isinstance(dumped, Mapping):
        raise BadOption("a plan is an object")
    known = {each.name for each in fields(SeriesPlan)}
    if strange := [name for name in dumped if name not in known]:
        raise BadOption(f"a plan has no {strange[0]!a:.40}: it has {', '.join(sorted(known))}")
    values: Json = {name: each for name, each in dumped.items() if each is not None}
    for name in ("name", "game", "clock"):
        if name not in values:
            raise BadOption(f"a series needs {name}")
    for name, most in (("name", 40), ("game", 40), ("group", 40), ("zone", 64)):
        text = values.setdefault(name, "UTC" if name == "zone" else "")
        if not isinstance(text, str) or len(text) > most or not text.isprintable():
            raise BadOption(f"{name} is a text of up to {most} characters")
    for name, most in (("games", 20), ("enough", 1000), ("most", 1000)):
        number = values.get(name, 1)
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
            raise BadOption(f"{name} is a whole number from 1 to {most}")
    if not values["name"].strip():
        raise BadOption("name is a text of 1 to 40 characters")
    if values.get("night", "none") not in NIGHTS:
        raise BadOption(f"night is one of {', '.join(NIGHTS)}")
    values["clock"] = _read_clock(values["clock"])
    values["ends"] = _read_time(values.get("ends"))
    values["levels"] = _read_levels(values["game"], values.get("levels", ()))
    try:
        ZoneInfo(values["zone"])
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadOption("zone is a time zone such as Europe/Berlin") from None
    try:
        opens, closes = _times(values.get("hours", "06:00-23:30"))
    except (TypeError, ValueError):
        raise BadOption("hours are two times of a day, such as 06:00-23:30") from None
    if opens >= closes:
        raise BadOption("hours end on the day on which they begin")
    options = values.get("options", {})
    if not isinstance(options, Mapping):
        raise BadOption("options is an object")
    game_type = game_type_of(values["game"])
    terms = terms_for(game_type, dict(options), time=values["clock"])
    if terms.seats != 2:
        raise BadOption("a series is for games of two")
    return SeriesPlan(**(values | {"options": terms.values}))


def _read_clock(value: object) -> TimeControl:
    if not isinstance(value, Mapping):
        raise BadOption("clock is an object")
    try:
        clock = TimeControl.read(value)
    except Refusal as refusal:
        raise BadOption(f"clock: {refusal}") from None
    if clock.days:
        raise BadOption("clock is in seconds in a series")
    return clock


def _read_time(value: object) -> float | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(str(value))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadOption("ends is a time like 2026-11-27T15:30:00Z") from None


def _read_levels(game: str, value: object) -> tuple[str, ...]:
    known = game_type_of(game).levels
    if not isinstance(value, list | tuple) or any(each not in known for each in value):
        raise BadOption(f"levels are some of {', '.join(known) or 'none'}")
    return tuple(dict.fromkeys(value))

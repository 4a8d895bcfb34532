"""The plan of a tournament, as a value and as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from math import inf, isfinite
from typing import Any

from tictac.errors import BadOption, Refusal
from tictac.game import Value
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.tournament.plan import SYSTEMS, Sprt, System

MOST_PLAYERS: Mapping[System, int] = {
    "swiss": 200,
    "round-robin": 40,
    "knock-out": 512,
    "arena": 1000,
}
"""Maximum number of players in a tournament on a server, by system."""

MOST_GAMES = 10_000
"""Maximum number of games in a tournament on a server."""

MOST_GAMES_OF_COMMAND = 1_000_000
"""Maximum number of games in a tournament of `tictac tournament`."""

NOT_OF_USERS = ("openings", "sprt", "alone", "skip")
"""The fields of plans that only `tictac tournament` and a series have."""

_OF_SERVER = {"games": 100, "more": 10, "grace": 3600}
"""Maximum values of fields on a server."""

MAX_NAME = 40
"""Maximum characters of a tournament's name."""

YEAR = 366 * 86_400.0

MOST_LENGTH = 7 * 86_400
"""Maximum seconds of an arena whose plan has its length."""

LEAST_LEFT, MOST_LEFT = 30.0, 120.0
"""The limits of the seconds before an arena's end in which it pairs no players: half of a player's
time on the clock, and at most a quarter of the arena."""

_ID = re.compile("[a-z0-9-]{1,13}", re.ASCII)


def check_id(tournament: str) -> str:
    """Return the id of a tournament. Raises BadOption for a text that can't be one."""
    if not _ID.fullmatch(tournament):
        raise BadOption(f"an id has 1 to 13 of a-z, 0-9, and -, unlike {tournament!a:.40}")
    return tournament


@dataclass(frozen=True)
class CupPlan:
    """The settings of a tournament. Times are seconds since 1970, and durations are seconds.

    - ``games``: the games of each pair or group in a round; the players take each seat in turn.
    - ``rounds``: the rounds of a Swiss system; 0 for as many as the number of players needs.
    - ``more``: the maximum extra games of a drawn pair in a knock-out.
    - ``begins``: the time of the beginning; without it, an admin begins the tournament.
    - ``ends``: the end of an arena, after which open games still count (``closes``).
    - ``length``: the duration of an arena that has no end yet; the beginning replaces it by one.
    - ``grace``: the seconds until an absent player loses. ``rest``: the pause between two rounds.
    - ``group``: only accounts of this group can enter, if it isn't empty.
    - ``guests``: players without an account can enter.
    - ``fill``: the level of the computer that enters at the beginning if the number of players is
      odd; empty for none.
    - ``skip``: the pairs that don't meet in a series, by the players' numbers. In an arena, other
      players must be there for them.

    Only plans of ``tictac tournament`` use these:

    - ``openings``: the lists of moves with which games begin.
    - ``sprt``: the sequential test that ends a tournament of two players.
    - ``alone``: each player plays one game at a time. Without it, the limits of a server don't
      apply, and absences have no consequences.
    """

    name: str
    system: System
    game: str
    options: Mapping[str, Value] = field(default_factory=dict)
    seats: int = 2
    games: int = 1
    rounds: int = 0
    more: int = 2
    begins: float | None = None
    ends: float | None = None
    clock: TimeControl | None = None
    rated: bool = False
    grace: float = 60.0
    rest: float = 20.0
    group: str = ""
    guests: bool = False
    fill: str = ""
    skip: tuple[tuple[int, int], ...] = ()
    openings: tuple[tuple[str, ...], ...] = ()
    sprt: Sprt | None = None
    alone: bool = True
    length: float | None = None

    @property
    def is_arena(self) -> bool:
        """Whether the tournament is an arena, which has no rounds."""
        return self.system == "arena"

    @property
    def takes_latecomers(self) -> bool:
        """Whether players can enter after the beginning."""
        return self.system in ("swiss", "arena")

    @property
    def lasts(self) -> bool:
        """Whether games take days, so that a player plays several at a time."""
        return self.clock is not None and self.clock.days > 0

    @property
    def pairs_ahead(self) -> bool:
        """Whether a round can be paired before the games of the previous round end."""
        return self.system == "round-robin" and (self.lasts or not self.alone)

    @property
    def most_games(self) -> int:
        """The maximum number of games."""
        return MOST_GAMES if self.alone else MOST_GAMES_OF_COMMAND

    def closes(self, began: float) -> float:
        """Return the time after which an arena that began at a time pairs no players.

        Otherwise, games would begin that can only end long after the arena.
        """
        assert self.ends is not None
        half = self.clock.initial / 2 if self.clock else 0.0
        return self.ends - min(MOST_LEFT, max(LEAST_LEFT, half), (self.ends - began) / 4)

    def terms(self) -> Terms:
        """Return the terms of the tournament's rooms. Raises NoSuchGame or BadOption."""
        game_type = game_type_of(self.game)
        return terms_for(
            game_type, dict(self.options), self.seats, time=self.clock, rated=self.rated
        )

    def dump(self) -> dict[str, object]:
        """Return the plan as values for JSON."""
        dumped = {each.name: getattr(self, each.name) for each in fields(self)}
        dumped |= {"options": dict(self.options), "clock": self.clock and self.clock.fields()}
        for name in ("begins", "ends"):
            dumped[name] = None if dumped[name] is None else utc_text(dumped[name])
        dumped["sprt"] = self.sprt and asdict(self.sprt)
        usual = {each.name: each.default for each in fields(self)}
        # An older version reads the plan if it has no field that is new to it.
        rare = (*NOT_OF_USERS, "length")
        return {
            name: value
            for name, value in dumped.items()
            if name not in rare or value != usual[name]
        }

    def begun(self, ends: str) -> CupPlan:
        """Return the plan of an arena with an end, a time as text, in place of its length."""
        return replace(self, ends=_time(ends), length=None)

    def changes(self, later: CupPlan) -> bool:
        """Return whether ``later`` differs in a field that is fixed after the beginning."""
        return replace(later, ends=self.ends, rounds=self.rounds) != self


def utc_text(at: float) -> str:
    """Return a time in seconds since 1970 as ISO 8601 text."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def load_plan(dumped: object, but: Collection[str] = ()) -> CupPlan:
    """Return the plan in a JSON object, from CupPlan.dump or a user. Raises BadOption.

    The object must not have the fields in ``but``.
    """
    if not isinstance(dumped, Mapping):
        raise BadOption("a plan is an object")
    known = {each.name for each in fields(CupPlan)}.difference(but)
    if strange := [name for name in dumped if name not in known]:
        raise BadOption(f"a plan has no {strange[0]!a:.40}: it has {', '.join(sorted(known))}")
    given = {name: value for name, value in dumped.items() if value is not None}
    for name in ("name", "system", "game"):
        if name not in given:
            raise BadOption(f"a plan needs {name}: {_CHECKS[name][1]}")
    values: dict[str, Any] = {}
    for name, value in given.items():
        fits, words = _CHECKS[name]
        if not fits(value):
            raise BadOption(f"{name} is {words}")
        values[name] = _READERS.get(name, lambda each: each)(value)
    values["name"] = values["name"].strip()
    if values["system"] == "arena":
        values.setdefault("grace", 20.0)
    return _checked(CupPlan(**values))


def check_times(plan: CupPlan, now: float, is_timed: bool) -> None:
    """Raise BadOption if the times of a new plan are impossible.

    ``is_timed`` says whether the server limits the time of each move.
    """
    for name, at in (("begins", plan.begins), ("ends", plan.ends)):
        if at is not None and not now < at < now + YEAR:
            raise BadOption(f"{name} is a time from now on, within a year")
    if plan.clock is None and not is_timed:
        raise BadOption("clock is needed: without one, a game might never end")


def _checked(plan: CupPlan) -> CupPlan:
    for name, most in _OF_SERVER.items():
        if plan.alone and getattr(plan, name) > most:
            raise BadOption(f"{name} is at most {most}")
    if plan.sprt is not None and (plan.seats, plan.system) != (2, "round-robin"):
        raise BadOption("an SPRT needs a round robin of two players")
    if plan.seats != 2 and plan.system != "round-robin":
        raise BadOption("seats is 2 in every system but round-robin")
    if (plan.ends is not None) + (plan.length is not None) != plan.is_arena:
        raise BadOption("ends is when an arena ends: an arena needs it or length, others neither")
    if plan.begins is not None and plan.ends is not None and plan.ends <= plan.begins:
        raise BadOption("ends is after begins")
    if plan.is_arena and plan.games != 1:
        raise BadOption("games is 1 in an arena")
    if plan.system == "swiss" and plan.rounds >= MOST_PLAYERS["swiss"]:
        raise BadOption("rounds is less than the number of players")
    if plan.system != "swiss" and plan.rounds:
        raise BadOption("rounds needs a Swiss system")
    if plan.lasts and (plan.is_arena or plan.guests or not plan.alone):
        raise BadOption("clock is in seconds in an arena, with guests, and without a server")
    terms = plan.terms()
    if plan.skip and (plan.seats != 2 or plan.system not in ("round-robin", "arena")):
        raise BadOption("skip needs a round robin of two, or an arena")
    if plan.rated and terms.seats != 2:
        raise BadOption("rated is for games of two")
    if plan.fill and (plan.rated or plan.lasts):
        raise BadOption("fill is for unrated tournaments that don't take days")
    if plan.fill and plan.fill not in (levels := game_type_of(plan.game).levels):
        raise BadOption(f"fill is one of {', '.join(levels) or 'none'}")
    if plan.guests and (plan.rated or plan.group):
        raise BadOption("guests is for unrated tournaments without a group")
    return replace(plan, options=terms.values)


def _is_number(low: float, high: float) -> Callable[[object], bool]:
    def fits(value: object) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return isfinite(value) and low <= value <= high

    return fits


def _is_whole(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and _is_number(low, high)(value)


def _is_text(most: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and len(value) <= most and value.isprintable()


def _is_time(value: object) -> bool:
    try:
        _time(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _time(value: Any) -> float:
    at = datetime.fromisoformat(value)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _clock(value: Mapping[str, object]) -> TimeControl:
    try:
        return TimeControl.read(value)
    except Refusal as refusal:
        raise BadOption(f"clock: {refusal}") from None


def _is_openings(value: object) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(each, Sequence) and all(isinstance(move, str) for move in each) for each in value
    )


def _is_pairs(value: object) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(each, Sequence) and len(each) == 2 and all(map(_is_whole(1, 1000), each))
        for each in value
    )


def _sprt(value: Mapping[str, float]) -> Sprt:
    try:
        test = Sprt(*(float(value[name]) for name in ("elo0", "elo1", "alpha", "beta")))
    except (KeyError, TypeError, ValueError):
        raise BadOption("sprt has the numbers elo0, elo1, alpha, and beta") from None
    if not -inf < test.elo0 < test.elo1 < inf:  # nor is one NaN
        raise BadOption("elo1 of an SPRT must be above elo0")
    if not (0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise BadOption("alpha and beta of an SPRT lie between 0 and 0.5")
    return test


_READERS: Mapping[str, Callable[[Any], object]] = {
    "begins": _time,
    "ends": _time,
    "length": float,
    "clock": _clock,
    "grace": float,
    "rest": float,
    "skip": lambda value: tuple(map(tuple, value)),
    "openings": lambda value: tuple(map(tuple, value)),
    "sprt": _sprt,
}

_OBJECT = (lambda value: isinstance(value, Mapping)), "an object"
_TIME = _is_time, "a time like 2026-11-27T15:30:00Z"

_CHECKS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "name": (
        lambda value: _is_text(MAX_NAME)(value) and bool(str(value).strip()),
        f"a text of 1 to {MAX_NAME} characters",
    ),
    "system": (lambda value: value in SYSTEMS, f"one of {', '.join(SYSTEMS)}"),
    "game": (_is_text(40), "the name of a game"),
    "options": _OBJECT,
    "seats": (_is_whole(2, 100), "a whole number from 2"),
    "games": (_is_whole(1, MOST_GAMES_OF_COMMAND), "a whole number from 1"),
    "rounds": (_is_whole(0, 1000), "a whole number from 1, or 0 for as many as find a winner"),
    "more": (_is_whole(0, 1000), "a whole number up to 10"),
    "begins": _TIME,
    "ends": _TIME,
    "length": (_is_number(10, MOST_LENGTH), f"seconds from 10 to {MOST_LENGTH}"),
    "clock": _OBJECT,
    "rated": (lambda value: isinstance(value, bool), "true or false"),
    "grace": (_is_number(5, YEAR), "seconds from 5 to 3600"),
    "rest": (_is_number(0, 3600), "seconds up to 3600"),
    "group": (_is_text(40), "a text of up to 40 characters"),
    "guests": (lambda value: isinstance(value, bool), "true or false"),
    "fill": (_is_text(40), "a level of the computer"),
    "skip": (_is_pairs, "a list of pairs of players' numbers"),
    "openings": (_is_openings, "a list of lists of moves"),
    "sprt": _OBJECT,
    "alone": (lambda value: isinstance(value, bool), "true or false"),
}

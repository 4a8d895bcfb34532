"""The values of a tournament: its plan, its games, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, log2
from random import Random
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from tictac.errors import SetupError
from tictac.game import Value

System = Literal["round-robin", "swiss", "knock-out", "arena"]
SYSTEMS: tuple[System, ...] = get_args(System)

ABSENT = "absent"
"""The ending of a game that wasn't played: it counts for points, not for ratings or pairings."""

MOST_GAMES = 1_000_000
"""Maximum of games in a tournament."""


class Pairing(NamedTuple):
    """A game of a tournament: ``seats`` are the players in the order of the game's seats.

    Games are numbered from 1. ``opening`` has the moves that the tournament makes before the
    players' moves; ``deal`` is the seed of the game's Random. Both are the same for the games of
    an encounter that differ only in the seats.
    """

    number: int
    round: int
    seats: tuple[str, ...]
    opening: tuple[str, ...] = ()
    deal: int = 0


class Fault(NamedTuple):
    """A player's fault: one word for the results, and a sentence without its period."""

    how: str
    why: str


class Played(NamedTuple):
    """A finished game, with a score from 0 to 1 for each seat.

    ``how`` is one word: the ending of the match (lobby.events.Ending), or the fault that lost the
    match, such as ``crashed``. ``match`` is the ID of the match in the archive. ``faults`` has the
    faults of players by name, also those of players who lost nothing by them.
    """

    pairing: Pairing
    scores: tuple[float, ...]
    how: str
    match: str | None = None
    faults: Mapping[str, Fault] = MappingProxyType({})

    @property
    def why(self) -> str:
        """The reasons of all faults, with the players' names."""
        return "; ".join(f"{name}: {fault.why}" for name, fault in self.faults.items())


def fault_of_loser(seats: Sequence[str], scores: Sequence[float], how: str) -> dict[str, Fault]:
    """Return the loser's fault in a game of two that ended by a clock or a lost connection."""
    if how in _ENDINGS and sorted(scores) == [0, 1]:
        return {seats[scores.index(0)]: Fault(how, _ENDINGS[how])}
    return {}


_ENDINGS = {"timed out": "its clock ran out", "left": "it closed its connection"}
"""Endings of matches that are a fault of the loser, and the reasons."""


@dataclass(frozen=True)
class Sprt:
    """A sequential test of whether the first player is ``elo1`` or only ``elo0`` better.

    ``alpha`` is the probability of accepting ``elo1`` wrongly, ``beta`` of rejecting it wrongly.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True)
class Plan:
    """The rules of a tournament. ``entries`` are the players' names, the best first.

    Players who meet play ``games`` games, and take each seat in turn. ``rounds`` are those of a
    Swiss system; 0 means as many as find a winner. ``more`` is the maximum of further pairs of
    games for a drawn pair of a knock-out. No game begins after ``ends`` (seconds since 1970). With
    ``sprt``, two players play until the test is decided, or their games are over.
    """

    system: System
    game: str
    entries: tuple[str, ...]
    options: Mapping[str, Value] = field(default_factory=dict)
    seats: int = 2
    games: int = 2
    rounds: int = 0
    more: int = 2
    ends: float | None = None
    openings: tuple[tuple[str, ...], ...] = ()
    sprt: Sprt | None = None
    seed: int = 0

    def check(self) -> None:
        """Raise SetupError if the values of the plan don't fit together."""
        count, seats = len(self.entries), self.seats
        if len(set(self.entries)) < count:
            raise SetupError("two players of the tournament have the same name")
        if count < seats:
            raise SetupError(f"{self.game} for {seats} needs {seats} players, not {count}")
        if seats != 2 and self.system != "round-robin":
            raise SetupError(f"a {self.system} is for two at a table; for {seats}: round-robin")
        if self.games < 1 or self.more < 0 or self.rounds < 0:
            raise SetupError("games is at least 1, more and rounds at least 0")
        if self.system == "swiss" and self.rounds > count - 1 + count % 2:
            raise SetupError(f"no players meet twice, so {count} players have fewer rounds")
        if self.system == "arena" and self.ends is None:
            raise SetupError("an arena needs a time at which it ends")
        if self.sprt:
            if (count, seats, self.system) != (2, 2, "round-robin"):
                raise SetupError("an SPRT needs a round robin of two players")
            if not -inf < self.sprt.elo0 < self.sprt.elo1 < inf:  # nor is one NaN
                raise SetupError("elo1 of an SPRT must be above elo0")
            if not (0 < self.sprt.alpha < 0.5 and 0 < self.sprt.beta < 0.5):
                raise SetupError("alpha and beta of an SPRT lie between 0 and 0.5")

    @property
    def swiss_rounds(self) -> int:
        """Number of rounds of a Swiss system."""
        return self.rounds or ceil(log2(len(self.entries)))

    def pairing(
        self, number: int, round_: int, names: Sequence[str], turn: int, deal: int
    ) -> Pairing:
        """Return game ``number`` of the players ``names``, moved on by ``turn`` seats."""
        turn %= len(names)
        opening = self.openings[deal % len(self.openings)] if self.openings else ()
        rng = Random(f"{self.seed} {deal}").getrandbits(31)
        return Pairing(number, round_, (*names[turn:], *names[:turn]), opening, rng)

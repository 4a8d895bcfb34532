"""What a tournament is, as values: its plan, its games, and how they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, log2
from random import Random
from typing import Literal, NamedTuple, get_args

from tictac.errors import SetupError
from tictac.game import Value

System = Literal["round-robin", "swiss", "knock-out", "arena"]
SYSTEMS: tuple[System, ...] = get_args(System)

ABSENT = "absent"
"""How a game ended that nobody played: it counts as points, but not for ratings or as a meeting."""

MOST_GAMES = 1_000_000
"""Nobody waits for the end of a tournament of more."""


class Pairing(NamedTuple):
    """A game of a tournament: ``seats`` are the players in the order of the game's seats.

    ``number`` is its own, from 1. ``opening`` are moves that are made before the players are asked;
    ``deal`` is the seed of the game's dice. Both are the same for the games of an encounter that
    differ in who sits where.
    """

    number: int
    round: int
    seats: tuple[str, ...]
    opening: tuple[str, ...] = ()
    deal: int = 0


class Played(NamedTuple):
    """A game that has ended: a score from 0 to 1 for each seat.

    ``how`` is a word: how the match ended (lobby.events.Ending), or what a player did that lost
    it, as ``crashed``; ``match`` is its ID in the archive.
    """

    pairing: Pairing
    scores: tuple[float, ...]
    how: str
    match: str | None = None


@dataclass(frozen=True)
class Sprt:
    """A sequential test of whether the first player is ``elo1`` or only ``elo0`` better.

    ``alpha`` is the chance to find it so though it isn't, ``beta`` that to miss it.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True)
class Plan:
    """What is to be played. ``entries`` are the players' names, the best first.

    Whoever meets plays ``games`` games, and takes each seat in turn. ``rounds`` are a Swiss
    system's (0: as many as find a winner); ``more`` is how often a drawn pair of a knock-out plays
    on. Nothing begins after ``ends`` (seconds since 1970). With ``sprt`` two players play until it
    is decided, or their games are over.
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
        """Raise SetupError where this is no plan."""
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
            raise SetupError(f"nobody meets twice, so {count} players have fewer rounds")
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
        """How many rounds a Swiss system has."""
        return self.rounds or ceil(log2(len(self.entries)))

    def pairing(
        self, number: int, round_: int, names: Sequence[str], turn: int, deal: int
    ) -> Pairing:
        """Make game ``number`` of those ``names``, who have moved up by ``turn`` seats."""
        turn %= len(names)
        opening = self.openings[deal % len(self.openings)] if self.openings else ()
        rng = Random(f"{self.seed} {deal}").getrandbits(31)
        return Pairing(number, round_, (*names[turn:], *names[:turn]), opening, rng)

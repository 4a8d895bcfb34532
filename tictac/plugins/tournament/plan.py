"""Values of tournaments: systems, faults, and a sequential test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

System = Literal["round-robin", "swiss", "knock-out", "arena"]
SYSTEMS: tuple[System, ...] = get_args(System)

ABSENT = "absent"
"""The ending of an unplayed game, which counts for points, but not for ratings or pairings."""

SET = "set"
"""The ending of a game whose result an admin set, which counts like a played game."""


class Fault(NamedTuple):
    """A player's fault: a word for the results, and a reason as a clause for people."""

    how: str
    why: str


class Played(NamedTuple):
    """A finished game: its players and a score from 0 to 1 for each, by their seats.

    ``opening`` has the moves before the players' moves. Games with the same ``deal`` have the same
    start. ``how`` is one word: the ending of the match (lobby.events.Ending), or the fault that
    lost the match, such as ``crashed``. ``match`` is the ID of the match in the archive. ``faults``
    has the faults of players by name, including faults that cost the player nothing.
    """

    number: int
    round: int
    seats: tuple[str, ...]
    opening: tuple[str, ...]
    deal: int
    scores: tuple[float, ...]
    how: str
    match: str | None
    faults: Mapping[str, Fault]

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

    Both are normalized Elo (sprt.py).

    ``alpha`` is the probability of accepting ``elo1`` wrongly, ``beta`` of rejecting it wrongly.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

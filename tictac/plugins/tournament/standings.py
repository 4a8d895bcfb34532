"""Standings: points, tie-breaks under the names of FIDE's Handbook (C.07), and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from tictac.plugins.tournament.elo import Estimate, ratings
from tictac.plugins.tournament.results import Results, Score


class Standing(NamedTuple):
    """A player's place.

    ``measures`` decide the place, by name, the most important first. Players who are level in all
    measures have the same rank.
    """

    rank: int
    name: str
    measures: Mapping[str, float]
    played: Score
    rating: Estimate


def rank(results: Results, measures: Mapping[str, Mapping[str, float]]) -> list[Standing]:
    """Return all players, the best first; level players in the order of entry."""
    rated = ratings(results)
    return [
        Standing(place, n, measures[n], results.played[n], rated[n])
        for place, n in places(results.names, measures)
    ]


def places(
    names: Sequence[str], measures: Mapping[str, Mapping[str, float]]
) -> list[tuple[int, str]]:
    """Return each player after the rank, the best first; level players in the order of entry."""

    def worth(name: str) -> list[float]:
        return [-round(value, 6) for value in measures[name].values()]

    found: list[tuple[int, str]] = []
    for _, level in groupby(sorted(names, key=worth), key=worth):
        place = len(found) + 1
        found += [(place, name) for name in level]
    return found


def sonneborn_berger(results: Results, name: str, points: Mapping[str, float]) -> float:
    """Return the points of the beaten opponents, plus half the points of the drawn ones."""
    met = results.against.get(name, {})
    return sum(score.points * points[other] for other, score in met.items())


def buchholz(opponents: Iterable[float], cut: int = 0) -> float:
    """Return the sum of the opponents' points without the ``cut`` lowest."""
    return sum(sorted(opponents)[cut:])


def of_swiss(
    points: float, met: Sequence[tuple[float, float]], missed: int, game_points: float
) -> dict[str, float]:
    """Return the measures of a player of a Swiss system.

    ``met`` are the scores against opponents, each with the opponent's points. A missed round counts
    as one against a player with the same points.
    """
    opponents = [other for _, other in met] + [points] * missed
    return {
        "points": points,
        "Buchholz Cut-1": buchholz(opponents, cut=1),
        "Buchholz": buchholz(opponents),
        "Sonneborn-Berger": sum(score * other for score, other in met),
        "game points": game_points,
    }


def direct_encounter(results: Results, points: Mapping[str, float]) -> dict[str, float]:
    """Return each player's score against those with equal points, or 0 if some haven't met."""
    found = dict.fromkeys(results.names, 0.0)
    for _, some in groupby(sorted(results.names, key=points.__getitem__), key=points.__getitem__):
        level = list(some)
        met = {n: [results.between(n, other) for other in level if other != n] for n in level}
        if all(score.games for scores in met.values() for score in scores):
            found |= {name: sum((score.points for score in met[name]), 0.0) for name in level}
    return found

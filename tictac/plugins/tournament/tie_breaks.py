"""Standings: points, tie-breaks under the names of FIDE's Handbook (C.07), and ratings.

Articles are those of the edition that was in force until March 2026.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from tictac.plugins.tournament.crosstable import Results, Score
from tictac.plugins.tournament.elo import Estimate, ratings
from tictac.plugins.tournament.swiss import Round

DIRECT_ENCOUNTER = "direct encounter"
"""The only measure that is a place, so the lowest value is the best."""


class Standing(NamedTuple):
    """A player's place in the standings.

    ``measures`` decide the place, by name, the most important first. Players with equal measures
    share a rank.
    """

    rank: int
    name: str
    measures: Mapping[str, float]
    played: Score
    rating: Estimate


def rank(results: Results, measures: Mapping[str, Mapping[str, float]]) -> list[Standing]:
    """Return the standings, the best player first; equal players in the order of entry."""
    rated = ratings(results)
    return [
        Standing(place, n, measures[n], results.played[n], rated[n])
        for place, n in places(results.names, measures)
    ]


def places(
    names: Sequence[str], measures: Mapping[str, Mapping[str, float]]
) -> list[tuple[int, str]]:
    """Return pairs of a rank and a player, the best first; equal players in the order of entry."""

    def worth(name: str) -> list[float]:
        return [
            round(value if what == DIRECT_ENCOUNTER else -value, 6)
            for what, value in measures[name].items()
        ]

    found: list[tuple[int, str]] = []
    for _, level in groupby(sorted(names, key=worth), key=worth):
        place = len(found) + 1
        found += [(place, name) for name in level]
    return found


def sonneborn_berger(results: Results, name: str, points: Mapping[str, float]) -> float:
    """Return the points of the beaten opponents, plus half the points of the drawn ones.

    In a round robin a forfeited game counts like a played one (C.07, article 15.4).
    """
    met = results.met.get(name, {})
    return sum(score.points * points[other] for other, score in met.items())


def buchholz(played: Iterable[float], voluntary: Iterable[float] = (), cut: int = 0) -> float:
    """Return the sum of the opponents' points without the ``cut`` lowest ones.

    ``played`` has the points of opponents in played rounds, and ``voluntary`` the points that count
    for voluntarily unplayed rounds, which are cut first (C.07, article 16.5).
    """
    return sum([*sorted(voluntary), *sorted(played)][cut:])


def adjusted(rounds: Sequence[Round]) -> float:
    """Return the points of a player for the tie-breaks of the opponents (C.07, article 16.3).

    An absence counts as a draw, unless the player was present in a later round.
    """
    points, left = sum(each.score for each in rounds), True
    for each in reversed(rounds):
        left = left and each.is_voluntary
        if left and each.kind == "absent":
            points += 0.5
    return points


def of_swiss(rounds: Mapping[int, Sequence[Round]], number: int) -> dict[str, float]:
    """Return the measures of a player of a Swiss system; ``rounds`` are those of all players.

    An unplayed round counts as one against a dummy with the points of the player (C.07, 16.4).
    """
    theirs = rounds[number]
    points = sum(each.score for each in theirs)
    worth = [
        adjusted(rounds[each.opponent]) if each.kind == "played" else points for each in theirs
    ]
    met = list(zip(theirs, worth, strict=True))
    played = [other for each, other in met if not each.is_voluntary]
    voluntary = [other for each, other in met if each.is_voluntary]
    return {
        "points": points,
        "Buchholz Cut-1": buchholz(played, voluntary, cut=1),
        "Buchholz": buchholz(played, voluntary),
        "Sonneborn-Berger": sum(each.score * other for each, other in met),
    }


def direct_encounter(results: Results, points: Mapping[str, float]) -> dict[str, float]:
    """Return each player's place among those with equal points by the games between them.

    Players who remain equal are compared by the games among them alone (C.07, article 6). The place
    is 0 if these games decide nothing, or if some of the players haven't met.
    """
    found = dict.fromkeys(results.names, 0.0)
    for _, some in groupby(sorted(results.names, key=points.__getitem__), key=points.__getitem__):
        ranked = _encountered(results, list(some))
        if len(ranked) > 1:
            place = 1
            for level in ranked:
                found |= dict.fromkeys(level, float(place))
                place += len(level)
    return found


def _encountered(results: Results, level: list[str]) -> list[list[str]]:
    """Return equal players in groups by their direct encounters, the best group first."""
    met = {n: [results.met[n].get(other) for other in level if other != n] for n in level}
    if not all(score is not None for scores in met.values() for score in scores):
        return [level]
    gained = {n: sum(score.points for score in met[n] if score) for n in level}
    order = sorted(level, key=lambda name: -gained[name])
    groups = [list(some) for _, some in groupby(order, key=gained.__getitem__)]
    if len(groups) == 1:
        return groups
    return [part for group in groups for part in _encountered(results, group)]

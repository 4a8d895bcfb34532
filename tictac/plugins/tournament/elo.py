"""Ratings with error bars, from all results at once.

The model is Elo's. A player who is ``d`` better is expected to score 1 / (1 + 10^(-d/400)); a draw
is half a win. As in Ordo and BayesElo, the ratings are those under which the results are the most
likely. Their errors follow from Fisher's information. As in BayesElo, each player also draws one
game with an average player, so a player who wins every game has a rating, too. Glicko-2
(tictac/ratings) doesn't fit here: it follows players who change, by the order of their matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, log10, sqrt
from operator import mul
from typing import NamedTuple

from tictac.plugins.tournament.crosstable import Results, Score

UNIT = 400 / log(10)
"""Elo per unit of the logistic curve."""

SURE = 1.959964
"""Standard deviations from the mean that hold 95 % of the results."""

CLOSE, ROUNDS = 1e-4, 1000
"""Smallest step of the search for the ratings, in logistic units, and its maximum of rounds."""


class Estimate(NamedTuple):
    """An Elo rating or difference, and its ``error``: half of the 95 % confidence interval."""

    elo: float
    error: float


def difference(score: Score) -> Estimate:
    """Return how much better a player is than an opponent, computed as cutechess-cli does."""
    games, mean = score.games, score.points / max(1, score.games)
    if not games:
        return Estimate(0.0, inf)
    squares = score.wins * (1 - mean) ** 2 + score.draws * (0.5 - mean) ** 2
    off = SURE * sqrt(squares + score.losses * mean**2) / games
    if not 0 < mean - off <= mean + off < 1:
        return Estimate(_elo(mean), inf)
    return Estimate(_elo(mean), (_elo(mean + off) - _elo(mean - off)) / 2)


def _elo(score: float) -> float:
    if not 0 < score < 1:
        return inf if score >= 1 else -inf
    return -400 * log10(1 / score - 1)


def ratings(results: Results) -> dict[str, Estimate]:
    """Return each player's rating; the average is 0."""
    names = results.names
    index = {name: number for number, name in enumerate(names)}
    met = [
        [
            (index[other], score.games, score.points)
            for other, score in results.against.get(name, {}).items()
        ]
        for name in names
    ]
    found = _most_likely(met)
    mean = sum(found) / len(found)
    return {
        name: Estimate((found[number] - mean) * UNIT, SURE * UNIT * sqrt(variance))
        for number, (name, variance) in enumerate(
            zip(names, _variances(_information(met, found)), strict=True)
        )
    }


Met = list[list[tuple[int, int, float]]]
"""For each player the opponents: number, games, and the player's points."""


def _expected(one: float, other: float) -> float:
    return 1 / (1 + exp(other - one))


def _most_likely(met: Met) -> list[float]:
    """Return the most likely ratings, found by Newton's method for one player at a time."""
    found = [0.0] * len(met)
    for _ in range(ROUNDS):
        moved = 0.0
        for number, own in enumerate(found):
            average = _expected(own, 0.0)
            missing, slope = 0.5 - average, average * (1 - average)
            for other, games, points in met[number]:
                expected = 1 / (1 + exp(found[other] - own))
                missing += points - games * expected
                slope += games * expected * (1 - expected)
            step = max(-1.0, min(1.0, missing / slope))
            found[number] += step
            moved = max(moved, abs(step))
        if moved < CLOSE:
            break
    return found


def _information(met: Met, found: Sequence[float]) -> list[list[float]]:
    """Return Fisher's information matrix."""
    rows = [[0.0] * len(found) for _ in found]
    for number, own in enumerate(found):
        average = _expected(own, 0.0)
        rows[number][number] = average * (1 - average)
        for other, games, _ in met[number]:
            expected = _expected(own, found[other])
            known = games * expected * (1 - expected)
            rows[number][number] += known
            rows[number][other] -= known
    return rows


def _variances(rows: list[list[float]]) -> list[float]:
    """Return the variance of each rating minus the average, by Cholesky's decomposition."""
    lower: list[list[float]] = []
    for number, row in enumerate(rows):
        own: list[float] = []
        for other, done in enumerate(lower):
            own.append((row[other] - sum(map(mul, own, done))) / done[other])
        own.append(sqrt(row[number] - sum(map(mul, own, own))))
        lower.append(own)
    count = len(rows)
    columns = []  # of the inverse of ``lower``, from the diagonal down
    sums = [0.0] * count
    for first in range(count):
        column: list[float] = []
        for number in range(first, count):
            rest = float(number == first) - sum(map(mul, lower[number][first:], column))
            column.append(rest / lower[number][number])
            sums[number] += column[-1]
        columns.append(column)
    common = sum(map(mul, sums, sums)) / count**2
    return [
        sum(map(mul, column, column)) - 2 / count * sum(map(mul, column, sums[first:])) + common
        for first, column in enumerate(columns)
    ]

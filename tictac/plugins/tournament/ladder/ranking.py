"""Ratings of all players of a series from the sums of their games, with levels as fixed marks.

The model and the prior are those of tournament.elo: each player also draws one game with an average
player. Here, the ratings of some players are known, and the others are on their scale. Therefore a
player's rating stays where it is while others improve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import exp, sqrt
from operator import mul
from typing import NamedTuple

from tictac.plugins.tournament.elo import SURE, UNIT

AVERAGE = 1500.0
"""The rating of the prior's average player without any mark: that of new accounts."""

CLOSE, ROUNDS = 1e-4, 500
"""Smallest step of the search for the ratings, in logistic units, and its maximum of rounds."""

EXACT = 200
"""Maximum players whose errors come from the whole matrix; the work grows by its cube."""

POINTS = 16
"""Points of the scale for the errors that more players share."""


class Sums(NamedTuple):
    """The games of a pair: how many the first player won, drew, and lost.

    ``fresh`` counts those since one of them had another version.
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    fresh: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.won + self.drawn + self.lost

    def turned(self) -> Sums:
        """Return the sums as the second player sees them."""
        return Sums(self.lost, self.drawn, self.won, self.fresh)

    def plus(self, more: Sums) -> Sums:
        """Return the sums of all these games."""
        return Sums(*[one + other for one, other in zip(self, more, strict=True)])


class Estimate(NamedTuple):
    """A rating, half of its 95 % confidence interval, and the number of games."""

    rating: float
    error: float
    games: int


Pairs = Mapping[tuple[str, str], Sums]
"""Sums by the names of two players, in alphabetical order."""


class Ranking:
    """The ratings of the players in ``pairs``, found step by step: ``for _ in ranking.steps()``.

    A step takes one player, whose work grows with the number of opponents. ``marks`` are known
    ratings. ``before`` are ratings near which the search begins.
    """

    def __init__(
        self, pairs: Pairs, marks: Mapping[str, float], before: Mapping[str, float] | None = None
    ) -> None:
        self.estimates: dict[str, Estimate] = {}
        """The result after the last step; marks have no error."""
        self._met: dict[str, list[tuple[str, int, float]]] = {}
        for (one, other), sums in pairs.items():
            if sums.games and not (one in marks and other in marks):
                points = sums.won + sums.drawn / 2
                self._met.setdefault(one, []).append((other, sums.games, points))
                self._met.setdefault(other, []).append((one, sums.games, sums.games - points))
        self._marks = marks
        self._average = sum(marks.values()) / len(marks) if marks else AVERAGE
        begin = {**dict.fromkeys(self._met, self._average), **(before or {}), **marks}
        self._found = {name: (each - self._average) / UNIT for name, each in begin.items()}

    def steps(self) -> Iterator[None]:
        """Find the ratings by Newton's method, for one player at a time, and then their errors."""
        free = [name for name in self._met if name not in self._marks]
        for _ in range(ROUNDS):
            moved = 0.0
            for name in free:
                missing, slope = self._slope(name)
                step = max(-1.0, min(1.0, missing / slope))
                self._found[name] += step
                moved = max(moved, abs(step))
                yield
            if moved < CLOSE:
                break
        if not self._marks and free:  # only differences count
            mean = sum(self._found[name] for name in free) / len(free)
            for name in free:
                self._found[name] -= mean
        yield from self._find_errors(free)

    def _find_errors(self, free: list[str]) -> Iterator[None]:
        """Find the errors: without marks, those of the differences from the average of all."""
        variances = {name: 1 / self._slope(name)[1] for name in free}
        if len(free) <= EXACT:
            yield from self._invert(free, variances)
        else:
            yield from self._estimate(free, variances)
        for name, rating in self._marks.items():
            self.estimates[name] = Estimate(rating, 0.0, 0)
        for name, met in self._met.items():
            rating = self._average + UNIT * self._found[name]
            error = SURE * UNIT * sqrt(variances[name]) if name in variances else 0.0
            games = sum(games for _, games, _ in met)
            self.estimates[name] = Estimate(rating, error, games)

    def _invert(self, free: list[str], variances: dict[str, float]) -> Iterator[None]:
        """Replace the variances of own games by those of the whole information matrix.

        Each step takes one row or column.
        """
        number = {name: nth for nth, name in enumerate(free)}
        lower: list[list[float]] = []  # Cholesky's decomposition
        for name in free:
            row = [0.0] * len(lower) + [1 / variances[name]]
            for other, games, _ in self._met[name]:
                if number.get(other, len(row)) < len(lower):
                    expected = _expected(self._found[name], self._found[other])
                    row[number[other]] -= games * expected * (1 - expected)
            for nth, done in enumerate(lower):
                row[nth] = (row[nth] - sum(map(mul, row[:nth], done))) / done[nth]
            row[-1] = sqrt(row[-1] - sum(each * each for each in row[:-1]))
            lower.append(row)
            yield
        columns, sums = list[list[float]](), [0.0] * len(free)
        for first in range(len(free)):  # a column of the inverse of ``lower``
            column: list[float] = []
            for nth in range(first, len(free)):
                rest = float(nth == first) - sum(map(mul, lower[nth][first:], column))
                column.append(rest / lower[nth][nth])
                sums[nth] += column[-1]
            columns.append(column)
            yield
        part = 0 if self._marks else 1 / max(1, len(free))  # of the average that is taken off
        common = part**2 * sum(map(mul, sums, sums))
        for first, (name, column) in enumerate(zip(free, columns, strict=True)):
            with_all = sum(map(mul, column, sums[first:]))
            variances[name] = sum(map(mul, column, column)) - 2 * part * with_all + common

    def _estimate(self, free: list[str], variances: dict[str, float]) -> Iterator[None]:
        """Replace the variances of players' own games by estimates of those among all players.

        The error of a player has two parts. The first comes from the own games, and from those of
        the opponents by which an error comes back to the player: two terms of the series of the
        inverse matrix. The second is shared by all players of about the same rating. It comes from
        the matrix for ``POINTS`` points of the scale, between which players move linearly with
        both neighbors. With 200 players, the errors are 0.88 to 1.15 times those of the whole
        matrix, and with 1000 players, 1 to 1.03 times, unless all players meet only the next ones
        by rating.
        """
        order = sorted(free, key=lambda name: self._found[name])
        place = {}
        for nth, name in enumerate(order):
            point, share = divmod(nth * (POINTS - 1) / len(order), 1)
            place[name] = (int(point), 1 - share), (int(point) + 1, share)
        matrix = [[0.0] * POINTS for _ in range(POINTS)]
        own = {}
        for name in order:
            row, back = [0.0] * POINTS, 1.0
            for point, share in place[name]:
                row[point] += share / variances[name]
            for other, games, _ in self._met[name]:
                if other in place:
                    expected = _expected(self._found[name], self._found[other])
                    weight = games * expected * (1 - expected)
                    back += weight * weight * variances[name] * variances[other]
                    for point, share in place[other]:
                        row[point] -= share * weight
            for point, share in place[name]:
                matrix[point] = [a + share * b for a, b in zip(matrix[point], row, strict=True)]
            own[name] = back * variances[name]
            yield
        shared = _inverse(matrix)
        if not self._marks:
            shared = _centered(shared, [each for both in place.values() for each in both])
        for name in order:
            both = place[name]
            variances[name] = own[name] + sum(
                a * b * shared[i][j] for i, a in both for j, b in both
            )

    def _slope(self, name: str) -> tuple[float, float]:
        """Return the points that are missing to the expected ones, and how these change."""
        own = self._found[name]
        average = _expected(own, 0.0)
        missing, slope = 0.5 - average, average * (1 - average)
        for other, games, points in self._met[name]:
            expected = _expected(own, self._found[other])
            missing += points - games * expected
            slope += games * expected * (1 - expected)
        return missing, slope


def _expected(one: float, other: float) -> float:
    return 1 / (1 + exp(other - one))


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Return the inverse of a positive definite matrix, by Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *map(float, (i == j for j in range(size)))] for i, row in enumerate(matrix)]
    for nth in range(size):
        pivot = [each / rows[nth][nth] for each in rows[nth]]
        rows[nth] = pivot
        for other, row in enumerate(rows):
            if other != nth and row[nth]:
                rows[other] = [a - row[nth] * b for a, b in zip(row, pivot, strict=True)]
    return [row[size:] for row in rows]


def _centered(matrix: list[list[float]], places: list[tuple[int, float]]) -> list[list[float]]:
    """Return the covariances of differences from the average of players at these places."""
    weights = [0.0] * len(matrix)
    for point, share in places:
        weights[point] += 2 * share / len(places)
    with_all = [sum(map(mul, row, weights)) for row in matrix]
    common = sum(map(mul, with_all, weights))
    return [
        [each - with_all[i] - with_all[j] + common for j, each in enumerate(row)]
        for i, row in enumerate(matrix)
    ]


def unseparated(estimates: Mapping[str, Estimate]) -> list[tuple[str, str]]:
    """Return the neighbors by rating whose difference is within its 95 % confidence interval."""
    order = sorted(estimates, key=lambda name: (-estimates[name].rating, name))
    found = []
    for one, other in pairwise(order):
        above, below = estimates[one], estimates[other]
        error = sqrt(above.error**2 + below.error**2)
        if above.rating - below.rating < error:
            found.append((one, other))
    return found

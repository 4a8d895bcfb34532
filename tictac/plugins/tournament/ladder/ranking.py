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
"""Maximum players whose errors follow from all the others' errors; the work grows by its cube."""


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
        """Find the errors by the information matrix, of which each step takes one row or column."""
        variances = {name: 1 / self._slope(name)[1] for name in free}
        if len(free) <= EXACT:
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
            for first, name in enumerate(free):  # a column of the inverse
                column: list[float] = []
                for nth in range(first, len(free)):
                    rest = float(nth == first) - sum(map(mul, lower[nth][first:], column))
                    column.append(rest / lower[nth][nth])
                variances[name] = sum(map(mul, column, column))
                yield
        for name, rating in self._marks.items():
            self.estimates[name] = Estimate(rating, 0.0, 0)
        for name, met in self._met.items():
            rating = self._average + UNIT * self._found[name]
            error = SURE * UNIT * sqrt(variances[name]) if name in variances else 0.0
            games = sum(games for _, games, _ in met)
            self.estimates[name] = Estimate(rating, error, games)

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

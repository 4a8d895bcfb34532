"""The sequential probability ratio test of fastchess: pairs of games, and normalized Elo.

Two games with the same deal and opening and with swapped seats are a *pair*. The first player has 0
to 2 points in it. The five counts of these results have a smaller variance than three counts of
games, because a deal that favors a seat does so in both games.

``elo0`` and ``elo1`` are *normalized* Elo: the difference from an even score, in standard
deviations of a game. Therefore, a test takes as many games if draws are frequent as if they are
rare. The test compares the most likely distributions of results that have these differences.

Source: M. Van den Bergh, "Comments on normalized Elo" and "Comparing the approximations for the
generalized log likelihood ratio".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from typing import NamedTuple

from tictac.plugins.tournament.elo import UNIT
from tictac.plugins.tournament.plan import Sprt

NONE = 1e-3
"""The count of a result that has not occurred yet, as in fastchess: a test needs all five."""

POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The results of a pair, as a share of its two points."""

NORMAL = 2 * UNIT / sqrt(2)
"""Normalized Elo per standard deviation of a pair."""

ROUNDS, CLOSE = 10, 1e-7
"""Maximum steps of the search for a distribution, and the smallest change of a step."""


class Verdict(NamedTuple):
    """The state of a test: the log-likelihood ratio and its bounds.

    ``accepted`` is the accepted hypothesis, ``H0`` or ``H1``, or None while the test goes on.
    ``pairs`` has the number of pairs in which the first player has 0, ½, 1, 1½, and 2 points.
    """

    ratio: float
    lower: float
    upper: float
    accepted: str | None
    pairs: tuple[int, ...]


def bounds(test: Sprt) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a test ends."""
    return log(test.beta / (1 - test.alpha)), log((1 - test.beta) / test.alpha)


@lru_cache(maxsize=16)
def decide(test: Sprt, pairs: tuple[int, ...]) -> Verdict:
    """Return the verdict for the pairs of the first player (Verdict.pairs)."""
    lower, upper = bounds(test)
    ratio = _ratio(test, pairs) if any(pairs) else 0.0
    accepted = "H1" if ratio >= upper else "H0" if ratio <= lower else None
    return Verdict(ratio, lower, upper, accepted, pairs)


def _ratio(test: Sprt, pairs: Sequence[int]) -> float:
    counts = [count or NONE for count in pairs]
    seen = [count / sum(counts) for count in counts]
    low, high = (_most_likely(seen, elo / NORMAL) for elo in (test.elo0, test.elo1))
    return sum(
        count * log(more / less) for count, less, more in zip(counts, low, high, strict=True)
    )


def _most_likely(seen: Sequence[float], deviations: float) -> list[float]:
    """Return the likeliest distribution whose mean is so many deviations above an even score."""
    found = [1 / len(POINTS)] * len(POINTS)
    for _ in range(ROUNDS):
        mean = sum(map(float.__mul__, found, POINTS))
        deviation = sqrt(sum(p * (x - mean) ** 2 for p, x in zip(found, POINTS, strict=True)))
        # How the condition changes with the probability of each result.
        change = [
            x - 0.5 - deviations / 2 * deviation * (1 + ((x - mean) / deviation) ** 2)
            for x in POINTS
        ]
        weight = _root(seen, change)
        before = found
        found = [p / (1 + weight * each) for p, each in zip(seen, change, strict=True)]
        if max(abs(one - other) for one, other in zip(before, found, strict=True)) < CLOSE:
            break
    return found


def _root(seen: Sequence[float], change: Sequence[float]) -> float:
    """Return the weight with which the changes have a mean of 0, by bisection."""
    low, high = -1 / max(change), -1 / min(change)
    while True:
        weight = (low + high) / 2
        if not low < weight < high:
            return weight
        if sum(p * x / (1 + weight * x) for p, x in zip(seen, change, strict=True)) > 0:
            low = weight
        else:
            high = weight

"""Glicko-2: ratings of players, from the results of matches.

Source: M. E. Glickman, "Example of the Glicko-2 system" (2022), also for names of numbers and
steps. A period is one match. The time between two matches counts in periods, so that a typical
player's deviation goes from 60 to 110 in a year, as on lichess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, inf, log, pi, sqrt
from typing import NamedTuple

TAU = 0.5
"""The constant for the change of a volatility: from 0.3 to 1.2."""

SCALE = 173.7178
"""Points in a unit of Glickman's own scale."""

CLOSE = 1e-6
"""Tolerance of the search for a volatility."""

PERIODS_A_DAY = 0.21436

MOST_DEVIATION, LEAST_DEVIATION = 350.0, 45.0
"""Limits of a deviation: a newcomer's, and one at which matches still have an effect."""

PROVISIONAL = 110.0
"""The deviation from which a rating is provisional."""


class Rating(NamedTuple):
    """A player's rating; the defaults are a newcomer's."""

    rating: float = 1500.0
    deviation: float = MOST_DEVIATION
    volatility: float = 0.06

    @property
    def provisional(self) -> bool:
        """Whether the rating is still uncertain."""
        return self.deviation >= PROVISIONAL

    def after(self, days: float) -> Rating:
        """Return the rating after so many days without a match."""
        phi = _widened(self.deviation / SCALE, self.volatility, max(0.0, days) * PERIODS_A_DAY)
        return self._replace(deviation=min(MOST_DEVIATION, phi * SCALE))


def rate(own: Rating, results: Iterable[tuple[Rating, float]], periods: float = 1.0) -> Rating:
    """Return the rating after a period of matches, each an opponent's rating and the score.

    ``periods`` is the part of a period by which the deviation isn't widened yet.
    """
    mu, phi, sigma = (own.rating - 1500) / SCALE, own.deviation / SCALE, own.volatility
    # Steps 3 and 4
    precision = won = 0.0
    for other, score in results:
        g = 1 / sqrt(1 + 3 * (other.deviation / SCALE / pi) ** 2)
        expected = 1 / (1 + exp(-g * (mu - (other.rating - 1500) / SCALE)))
        precision += g * g * expected * (1 - expected)
        won += g * (score - expected)
    v = 1 / precision if precision else inf
    # Steps 5 to 8
    if precision:
        sigma = _volatility(phi, sigma, v, v * won)
    phi = 1 / sqrt(1 / _widened(phi, sigma, periods) ** 2 + 1 / v)
    mu += phi * phi * won
    deviation = min(MOST_DEVIATION, max(LEAST_DEVIATION, phi * SCALE))
    return Rating(mu * SCALE + 1500, deviation, sigma)


def after_match(before: Sequence[Rating], winner: int | None) -> list[Rating]:
    """Return the new ratings of the players of a match, in the order of seats.

    ``winner`` is None for a draw. Each pair counts as a result, except pairs of losers.
    """
    after = []
    for seat, own in enumerate(before):
        met = [
            (other, 0.5 if winner is None else float(seat == winner))
            for number, other in enumerate(before)
            if number != seat and winner in (None, seat, number)
        ]
        after.append(rate(own, met, periods=0))
    return after


def _widened(phi: float, sigma: float, periods: float) -> float:
    return sqrt(phi * phi + periods * sigma * sigma)


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """Compute step 5: the zero of ``f``, by the Illinois algorithm."""
    a = log(sigma * sigma)
    known, surprise = phi * phi + v, delta * delta

    def f(x: float) -> float:
        return exp(x) * (surprise - known - exp(x)) / (2 * (known + exp(x)) ** 2) - (x - a) / TAU**2

    low = a
    if surprise > known:
        high = log(surprise - known)
    else:
        high = a - TAU
        while f(high) < 0:
            high -= TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)

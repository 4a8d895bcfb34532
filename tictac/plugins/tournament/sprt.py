"""The sequential probability ratio test of cutechess-cli.

The test uses the model of BayesElo, in which a draw has an Elo of its own, computed from the
results. ``elo0`` and ``elo1`` are ordinary Elo, scaled to that model.
"""

from __future__ import annotations

from math import exp, log, log1p, log10
from typing import NamedTuple

from tictac.plugins.tournament.crosstable import Score
from tictac.plugins.tournament.elo import UNIT
from tictac.plugins.tournament.plan import Sprt

NONE = 1e-3
"""The count of a result that has not occurred yet, as on fishtest.

Without it, a player with no loss could not win a test, and a game without draws could have no test.
"""


class Verdict(NamedTuple):
    """The state of a test: the log-likelihood ratio and its bounds.

    ``accepted`` is the accepted hypothesis, ``H0`` or ``H1``, or None while the test goes on.
    """

    ratio: float
    lower: float
    upper: float
    accepted: str | None


def bounds(test: Sprt) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a test ends."""
    return log(test.beta / (1 - test.alpha)), log((1 - test.beta) / test.alpha)


def decide(test: Sprt, score: Score) -> Verdict:
    """Return the verdict for the results of the first player."""
    lower, upper = bounds(test)
    ratio = _ratio(test, score) if score.games else 0.0
    accepted = "H1" if ratio > upper else "H0" if ratio < lower else None
    return Verdict(ratio, lower, upper, accepted)


def _ratio(test: Sprt, score: Score) -> float:
    wins, draws, losses = (count or NONE for count in score)
    games = wins + draws + losses
    win, loss = wins / games, losses / games
    draw_elo = 200 * log10((1 - loss) / loss * (1 - win) / win)
    x = 10 ** (-draw_elo / 400)
    scale = 4 * x / (1 + x) ** 2
    found = 0.0
    for elo, sign in ((test.elo0 / scale, 1), (test.elo1 / scale, -1)):
        # The negated logarithms of the probabilities to win and to lose. The one of a draw is
        # their sum and a term that depends on draw_elo alone.
        win = _softplus((draw_elo - elo) / UNIT)
        loss = _softplus((draw_elo + elo) / UNIT)
        found += sign * ((wins + draws) * win + (losses + draws) * loss)
    return found


def _softplus(x: float) -> float:
    """Return ``log(1 + exp(x))``."""
    return max(x, 0.0) + log1p(exp(-abs(x)))

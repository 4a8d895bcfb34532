"""The sequential probability ratio test, as cutechess-cli has it.

It uses the model of BayesElo, in which a draw has an Elo of its own that is found from the results;
``elo0`` and ``elo1`` are ordinary Elo and are scaled to it.
"""

from __future__ import annotations

from math import log, log10
from typing import NamedTuple

from tictac.tournament.plan import Sprt
from tictac.tournament.results import Score

NONE = 1e-3
"""What stands for results of a kind that hasn't come yet, as on fishtest: else nobody could win
a test without a loss, nor a game without draws have one."""


class Verdict(NamedTuple):
    """How a test stands: the log-likelihood ratio between its bounds; ``accepted`` is the
    hypothesis that was, ``H0`` or ``H1``, or None while it goes on."""

    ratio: float
    lower: float
    upper: float
    accepted: str | None


def bounds(test: Sprt) -> tuple[float, float]:
    """Where a test ends."""
    return log(test.beta / (1 - test.alpha)), log((1 - test.beta) / test.alpha)


def decide(test: Sprt, score: Score) -> Verdict:
    """What the results of the first player say."""
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
    for elo, sign in ((test.elo1 / scale, 1), (test.elo0 / scale, -1)):
        win = 1 / (1 + 10 ** ((draw_elo - elo) / 400))
        loss = 1 / (1 + 10 ** ((draw_elo + elo) / 400))
        found += sign * (wins * log(win) + draws * log(1 - win - loss) + losses * log(loss))
    return found

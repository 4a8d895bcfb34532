"""Ratings and errors beside the published methods of BayesElo and Ordo, as far as these agree.

- **BayesElo** (R. Coulom) has a model of draws and of the first move, and finds the most likely
  ratings by minorization and maximization (D. Hunter, 2004). With its parameters at 0, a draw is a
  win and a loss, that is, two games; here it is half of a win of one game. So the ratings of games
  without draws are equal, up to the prior: BayesElo draws against the actual opponents, tictac
  against the average.
- **Ordo** (M. Ballicora) finds the ratings for which expected and actual points are equal, without
  a prior. Its errors are the deviations of the ratings of simulated tournaments.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import exp, log, sqrt
from random import Random

import pytest

from tictac.plugins.tournament.elo import SURE, UNIT
from tictac.plugins.tournament.ladder.ranking import Estimate, Pairs, Ranking, Sums

NAMES = "abcdefgh"
STRENGTHS = {name: 120.0 * nth - 420 for nth, name in enumerate(NAMES)}


def ranked(pairs: Pairs) -> dict[str, Estimate]:
    ranking = Ranking(pairs, {})
    for _ in ranking.steps():
        pass
    return ranking.estimates


def played(rng: Random, strengths: Mapping[str, float], games: int, draws: float) -> Pairs:
    """Return a tournament of all pairs; a share ``draws`` of the even games is drawn."""
    found = {}
    for one, other in combinations(sorted(strengths), 2):
        expected = 1 / (1 + exp((strengths[other] - strengths[one]) / UNIT))
        drawn = draws * 2 * min(expected, 1 - expected)
        counts = [0, 0, 0]
        for _ in range(games):
            at = rng.random()
            counts[0 if at < expected - drawn / 2 else 1 if at < expected + drawn / 2 else 2] += 1
        found[one, other] = Sums(*counts)
    return found


def centered(values: Mapping[str, float]) -> dict[str, float]:
    mean = sum(values.values()) / len(values)
    return {name: each - mean for name, each in values.items()}


def bayeselo(
    pairs: Pairs, advantage: float, drawelo: float, prior: float = 2.0
) -> dict[str, float]:
    """Return BayesElo's ratings; each game counts half with each seat, as ladders swap them.

    With t and d for the advantage and the draws, the first of a pair wins with the probability
    t a / (t a + d b), and loses with b / (d t a + b). ``prior`` draws are spread over the games of
    a player.
    """
    t, d = 10 ** (advantage / 400), 10 ** (drawelo / 400)
    games = dict.fromkeys(NAMES, 0.0)
    for (one, other), sums in pairs.items():
        games[one] += sums.games
        games[other] += sums.games
    seen: list[tuple[str, str, float, float, float]] = []  # by seats: won, drawn, lost
    for (one, other), sums in pairs.items():
        each = sums.drawn + prior / 2 * sum(sums.games / games[name] for name in (one, other))
        seen.append((one, other, sums.won / 2, each / 2, sums.lost / 2))
        seen.append((other, one, sums.lost / 2, each / 2, sums.won / 2))
    gammas = dict.fromkeys(NAMES, 1.0)
    for _ in range(3000):
        above, below = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
        for one, other, won, drawn, lost in seen:
            a, b = gammas[one], gammas[other]
            first, second = (won + drawn) / (t * a + d * b), (lost + drawn) / (d * t * a + b)
            above[one] += won + drawn
            above[other] += lost + drawn
            below[one] += first * t + second * d * t
            below[other] += first * d + second
        gammas = {name: above[name] / below[name] for name in NAMES}
    return centered({name: UNIT * log(each) for name, each in gammas.items()})


def ordo(pairs: Pairs) -> dict[str, float]:
    """Return the ratings for which the expected points are the actual ones."""
    found = dict.fromkeys(NAMES, 0.0)
    for _ in range(3000):
        missing, slope = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
        for (one, other), sums in pairs.items():
            expected = 1 / (1 + exp((found[other] - found[one]) / UNIT))
            more = sums.won + sums.drawn / 2 - sums.games * expected
            for name, points in ((one, more), (other, -more)):
                missing[name] += points
                slope[name] += sums.games * expected * (1 - expected)
        steps = {name: UNIT * missing[name] / slope[name] / 2 for name in NAMES}
        found = centered({name: found[name] + steps[name] for name in NAMES})
        if max(map(abs, steps.values())) < 0.001:
            break
    return found


@pytest.mark.parametrize(("prior", "most"), [(2.0, 15), (0.5, 6)])
def test_without_draws_the_ratings_are_those_of_bayeselo(prior: float, most: float) -> None:
    """BayesElo's prior of two draws, each a win and a loss, is four times as strong as ours."""
    pairs = played(Random(3), STRENGTHS, games=40, draws=0)
    ours = centered({name: each.rating for name, each in ranked(pairs).items()})
    theirs = bayeselo(pairs, advantage=0, drawelo=0, prior=prior)
    assert max(abs(ours[name] - theirs[name]) for name in NAMES) < most


def test_with_draws_bayeselo_has_another_scale_and_the_same_order() -> None:
    """With its default parameters, the differences are in a fixed relation to ours."""
    pairs = played(Random(3), STRENGTHS, games=200, draws=0.4)
    ours = centered({name: each.rating for name, each in ranked(pairs).items()})
    theirs = bayeselo(pairs, advantage=32.8, drawelo=97.3)
    assert sorted(NAMES, key=ours.__getitem__) == sorted(NAMES, key=theirs.__getitem__)
    scale = sum(ours[name] * theirs[name] for name in NAMES)
    scale /= sum(theirs[name] ** 2 for name in NAMES)
    assert 0.8 < scale < 1.25
    assert max(abs(ours[name] - scale * theirs[name]) for name in NAMES) < 12


@pytest.mark.parametrize("draws", [0, 0.4])
def test_the_ratings_are_those_of_ordo(draws: float) -> None:
    """The prior is one game of 280, so it pulls the best by some points to the average."""
    pairs = played(Random(5), STRENGTHS, games=40, draws=draws)
    ours = centered({name: each.rating for name, each in ranked(pairs).items()})
    theirs = ordo(pairs)
    assert max(abs(ours[name] - theirs[name]) for name in NAMES) < 6
    assert abs(ours["h"]) < abs(theirs["h"]) and abs(ours["a"]) < abs(theirs["a"])


@pytest.mark.parametrize(("draws", "least", "most"), [(0, 0.85, 1.2), (0.4, 0.95, 1.6)])
def test_the_errors_are_those_of_simulated_tournaments(
    draws: float, least: float, most: float
) -> None:
    """Ordo simulates; errors here come from the model, in which a drawn game has the same weight.

    So with draws, the errors here are the larger ones. A deviation of 200 samples has an error of
    5 %.
    """
    rng = Random(8)
    found = ranked(played(rng, STRENGTHS, games=40, draws=draws))
    truth = {name: each.rating for name, each in found.items()}
    squares = dict.fromkeys(NAMES, 0.0)
    samples = 200
    for _ in range(samples):
        again = ordo(played(rng, truth, games=40, draws=draws))
        for name, each in centered(truth).items():
            squares[name] += (again[name] - each) ** 2
    for name in NAMES:
        simulated = SURE * sqrt(squares[name] / samples)
        ratio = found[name].error / simulated
        assert least < ratio < most, (name, ratio)

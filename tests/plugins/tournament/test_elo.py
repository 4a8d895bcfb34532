"""Ratings and differences with error bars."""

from __future__ import annotations

from math import inf, log
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import names, results_of
from tictac.plugins.tournament.crosstable import Score
from tictac.plugins.tournament.elo import Estimate, difference, ratings


def rated(*games: tuple[str, str, float], players: int = 0) -> dict[str, Estimate]:
    known = names(players) or tuple(sorted({n for g in games for n in g[:2]}))
    return ratings(results_of(known, *games))


def test_a_difference_is_that_of_cutechess() -> None:
    # 70 % is 400 log10(7/3). The deviation of a game is the root of .6 (.3)^2 + .2 (.7)^2
    # + .2 (.2)^2 = 0.4; that of the mean of 100 a tenth of it: 62.16 to 77.84 %.
    found = difference(Score(60, 20, 20))
    assert found.elo == pytest.approx(147.19, abs=0.01)
    assert found.error == pytest.approx((218.35 - 86.30) / 2, abs=0.05)


@pytest.mark.parametrize(
    ("score", "elo"), [(Score(3, 0, 0), inf), (Score(0, 0, 3), -inf), (Score(0, 0, 0), 0.0)]
)
def test_of_few_games_the_error_has_no_bound(score: Score, elo: float) -> None:
    assert difference(score) == (elo, inf)


def test_draws_make_a_difference_surer() -> None:
    assert difference(Score(10, 80, 10)).error < difference(Score(50, 0, 50)).error / 2


def test_the_average_is_zero_and_who_wins_is_better() -> None:
    found = rated(("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 0.5))
    assert sum(each.elo for each in found.values()) == pytest.approx(0, abs=1e-6)
    assert found["a"].elo > found["b"].elo > found["d"].elo > found["c"].elo - 1


def test_of_many_games_a_rating_is_what_the_score_says() -> None:
    found = rated(*[("a", "b", float(n % 4 > 0)) for n in range(4000)])
    # 3 of 4: 400 log10(3) apart. For each half of 1.96 * 400 / ln 10 / sqrt(4000 * 3/16).
    assert found["a"].elo - found["b"].elo == pytest.approx(190.85, abs=0.5)
    assert found["a"].error == pytest.approx(6.22, abs=0.02)


def test_who_is_met_through_others_is_rated_by_them() -> None:
    games = [("a", "b", 1.0), ("a", "b", 0.0), ("b", "c", 1.0), ("b", "c", 1.0)] * 10
    found = rated(*games)
    assert found["a"].elo == pytest.approx(found["b"].elo, abs=10)
    assert found["c"].elo < found["a"].elo - 400


def test_who_wins_all_is_rated_without_being_sure() -> None:
    few, many = (rated(*[("a", "b", 1.0)] * games) for games in (2, 20))
    assert 0 < few["a"].elo < many["a"].elo < 1000
    assert few["a"].error > 200


def test_more_games_make_it_surer() -> None:
    games = [("a", "b", 0.5), ("b", "c", 0.5), ("c", "a", 0.5)]
    assert rated(*games * 9)["a"].error < rated(*games)["a"].error / 2


@pytest.mark.parametrize("seed", range(4))
def test_ratings_and_errors_are_those_of_a_numerical_search(seed: int) -> None:
    """An optimizer finds the most likely ratings, and their errors from the curvature."""
    optimize = pytest.importorskip("scipy.optimize", reason="pip install scipy")
    rng, players = Random(seed), "abcde"
    games: list[tuple[str, str, float]] = []
    for _ in range(rng.choice([12, 60, 300])):
        one, other = rng.sample(players, 2)
        games.append((one, other, rng.choice([0.0, 0.5, 1.0, 1.0])))
    index = {name: number for number, name in enumerate(players)}

    def unlikely(found: list[float]) -> float:
        """Return minus the logarithm of the likelihood, and of a draw with an average player."""
        total = 0.0
        for one, other, score in games:
            expected = 1 / (1 + 10 ** ((found[index[other]] - found[index[one]]) / 400))
            total -= score * log(expected) + (1 - score) * log(1 - expected)
        for own in found:
            expected = 1 / (1 + 10 ** (-own / 400))
            total -= (log(expected) + log(1 - expected)) / 2
        return total

    best = optimize.minimize(unlikely, [0.0] * 5, method="BFGS", options={"gtol": 1e-7}).x
    curves = optimize.approx_fprime(
        best, lambda at: optimize.approx_fprime(at, unlikely, 1e-2), 1e-2
    )
    found = rated(*games, players=0)
    center = [[(one == other) - 1 / 5 for other in range(5)] for one in range(5)]
    variances = center @ linalg(curves) @ center
    for name, number in index.items():
        assert found[name].elo == pytest.approx(best[number] - sum(best) / 5, abs=0.5)
        assert found[name].error == pytest.approx(
            1.959964 * variances[number][number] ** 0.5, rel=0.02
        )


def linalg(curves: Any) -> Any:
    """Return the inverse of a matrix."""
    return pytest.importorskip("numpy").linalg.inv((curves + curves.T) / 2)


def test_who_has_not_played_is_known_least() -> None:
    found = rated(("p1", "p2", 1.0), players=3)
    assert found["p3"].error > found["p1"].error


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"), st.sampled_from("efgh"), st.sampled_from([0.0, 0.5, 1.0])
        ),
        max_size=40,
    )
)
def test_whatever_the_results_the_order_of_games_says_nothing(
    games: list[tuple[str, str, float]],
) -> None:
    every = [*games, ("a", "b", 0.5), ("c", "d", 0.5), ("e", "f", 0.5), ("g", "h", 0.5)]
    one, other = rated(*every), rated(*reversed(every))
    for name in one:
        assert one[name].elo == pytest.approx(other[name].elo, abs=0.1)
        assert 0 < one[name].error < 1500

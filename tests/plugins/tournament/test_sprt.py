"""The sequential test: figures that fastchess publishes with its own tests, and worked-out ones."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.plugins.tournament.elo import UNIT
from tictac.plugins.tournament.plan import Sprt
from tictac.plugins.tournament.sprt import bounds, decide


def test_the_bounds_are_walds() -> None:
    assert bounds(Sprt(0, 5)) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert bounds(Sprt(0, 5, 0.05, 0.1)) == pytest.approx((log(2 / 19), log(18)))


@pytest.mark.parametrize(
    ("elo0", "elo1", "pairs", "ratio"),
    [
        # fastchess, app/tests/sprt_test.cpp: "normalized pentanomial" 1 to 3. Pairs of a win and a
        # loss count as two draws.
        (0, 2, (365, 16618, 36029 + 200, 16974, 390), 2.25),
        (-1.75, 0.25, (127, 4883, 10311 + 401, 5150, 104), 3.01),
        (0, 5, (0, 0, 0, 0, 5550), 111.82),
    ],
)
def test_the_ratio_is_that_of_fastchess(
    elo0: float, elo1: float, pairs: tuple[int, ...], ratio: float
) -> None:
    assert decide(Sprt(elo0, elo1), pairs).ratio == pytest.approx(ratio, rel=0.01)


def test_of_many_games_the_ratio_is_that_of_a_normal_distribution() -> None:
    """Its mean and deviation alone decide, and the ratio is a difference of squares."""
    pairs = (1000, 5000, 9000, 5400, 1100)
    count = sum(pairs)
    mean = sum(n * x for n, x in zip(pairs, (0, 0.25, 0.5, 0.75, 1), strict=True)) / count
    square = sum(n * x * x for n, x in zip(pairs, (0, 0.25, 0.5, 0.75, 1), strict=True)) / count
    deviations = (mean - 0.5) / sqrt(square - mean**2)
    low, high = (sqrt(2) * elo / (2 * UNIT) for elo in (0, 4))
    by_hand = count / 2 * ((deviations - low) ** 2 - (deviations - high) ** 2)
    assert decide(Sprt(0, 4), pairs).ratio == pytest.approx(by_hand, rel=0.01)


@pytest.mark.parametrize(
    ("pairs", "accepted"),
    [
        ((0, 0, 0, 0, 0), None),
        ((5, 10, 20, 12, 5), None),
        ((100, 200, 300, 300, 200), "H1"),
        ((200, 300, 300, 200, 100), "H0"),
        # No pair was lost yet, or each seat wins.
        ((0, 0, 0, 0, 60), "H1"),
        ((0, 0, 2000, 0, 0), "H0"),
    ],
)
def test_what_is_accepted(pairs: tuple[int, ...], accepted: str | None) -> None:
    assert decide(Sprt(0, 20), pairs).accepted == accepted


@given(st.tuples(*[st.integers(0, 500)] * 5))
def test_to_see_it_from_the_other_side_turns_the_ratio(pairs: tuple[int, ...]) -> None:
    one = decide(Sprt(-10, 10), pairs).ratio
    other = decide(Sprt(-10, 10), pairs[::-1]).ratio
    assert one == pytest.approx(-other, abs=1e-3)


def test_pairs_say_more_than_their_games() -> None:
    """When deals favor a seat, each pair has a win and a loss: nothing is left to chance."""
    fair, unfair = (10, 0, 80, 0, 20), (40, 0, 20, 0, 50)
    assert decide(Sprt(0, 20), fair).ratio > decide(Sprt(0, 20), unfair).ratio > 0

"""The sequential test: figures worked out from its definition."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.plugins.tournament.crosstable import Score
from tictac.plugins.tournament.plan import Sprt
from tictac.plugins.tournament.sprt import bounds, decide


def test_the_bounds_are_walds() -> None:
    assert bounds(Sprt(0, 5)) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert bounds(Sprt(0, 5, 0.05, 0.1)) == pytest.approx((log(2 / 19), log(18)))


def test_a_ratio_worked_out_by_hand() -> None:
    # A quarter won, a quarter lost: a draw is worth 200 log10(9) = 190.85 Elo, of which BayesElo's
    # scale is 3/4. So Elo 0 to 30 is 0 to 40 there, where 10^(40/400) = 1.258925: who is that much
    # better wins 1.258925 / 4.258925, loses 1 / 4.776776 and draws the rest, 0.495057.
    by_hand = 100 * log(0.295597 / 0.25) + 200 * log(0.495057 / 0.5) + 100 * log(0.209346 / 0.25)
    assert decide(Sprt(0, 30), Score(100, 200, 100)).ratio == pytest.approx(by_hand, abs=1e-3)


@pytest.mark.parametrize(
    ("score", "accepted"),
    [
        (Score(0, 0, 0), None),
        (Score(12, 30, 10), None),
        (Score(300, 500, 200), "H1"),
        (Score(200, 500, 300), "H0"),
        # No draws are possible, or none was lost yet.
        (Score(90, 0, 30), "H1"),
        (Score(1000, 0, 1000), "H0"),
        (Score(50, 0, 0), "H1"),
        (Score(0, 100, 0), "H0"),
    ],
)
def test_what_is_accepted(score: Score, accepted: str | None) -> None:
    assert decide(Sprt(0, 20), score).accepted == accepted


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_to_see_it_from_the_other_side_turns_the_ratio(wins: int, draws: int, losses: int) -> None:
    one = decide(Sprt(-10, 10), Score(wins, draws, losses)).ratio
    other = decide(Sprt(-10, 10), Score(losses, draws, wins)).ratio
    assert one == pytest.approx(-other, abs=1e-6)

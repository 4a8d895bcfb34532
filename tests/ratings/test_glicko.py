"""Glicko-2 as it was published, and what comes of many matches."""

from __future__ import annotations

from random import Random

import pytest

from tictac.ratings.glicko import PROVISIONAL, SCALE, Rating, after_match, rate

# "Example of the Glicko-2 system", the player and his three matches.
EXAMPLE = Rating(1500, 200, 0.06)
MATCHES = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]


def test_the_published_example_to_its_last_printed_digit() -> None:
    after = rate(EXAMPLE, MATCHES)
    mu, phi = round((after.rating - 1500) / SCALE, 4), round(after.deviation / SCALE, 4)
    assert (mu, phi) == (-0.2069, 0.8722)
    assert str(after.volatility)[:7] == "0.05999"  # cut off, not rounded, as in the paper
    # The paper goes back to points from those digits: exactly it is 1464.0507 and 151.5165.
    assert (round(mu * SCALE + 1500, 2), round(phi * SCALE, 2)) == (1464.06, 151.52)
    assert (round(after.rating, 4), round(after.deviation, 4)) == (1464.0507, 151.5165)


def test_who_plays_no_match_is_known_less() -> None:
    typical = Rating(1500, 60)
    assert round(typical.after(365).deviation) == PROVISIONAL  # in a year, as lichess has it
    assert rate(typical, []).deviation == typical.after(1 / 0.21436).deviation


@pytest.mark.parametrize(
    ("deviation", "matches"), [(350, 11), (250, 10), (200, 8), (150, 6), (130, 4), (115, 1)]
)
def test_a_rating_is_sure_after_some_matches_with_an_equal(deviation: int, matches: int) -> None:
    """The page says so in advance: tests/plugins/web/js/ratings.test.js."""
    own, equal = Rating(1500, deviation), Rating(1500, PROVISIONAL)
    for _ in range(matches):
        assert own.provisional
        own, _ = after_match([own, equal], None)
    assert not own.provisional


def test_a_great_surprise_makes_a_rating_volatile() -> None:
    assert rate(Rating(1500, 45), [(Rating(2500, 45), 1.0)] * 5).volatility > 0.06


def test_ten_players_of_known_strength_come_out_in_order() -> None:
    dice = Random(1)
    strengths = [825 + 150 * number for number in range(10)]
    ratings = [Rating() for _ in strengths]
    for _ in range(2_000):
        one, two = dice.sample(range(10), 2)
        chance = 1 / (1 + 10 ** ((strengths[two] - strengths[one]) / 400))
        before = [ratings[one].after(0.01), ratings[two].after(0.01)]
        ratings[one], ratings[two] = after_match(before, int(dice.random() > chance))
    assert sorted(ratings) == ratings
    assert not any(rating.provisional for rating in ratings)


def test_of_more_than_two_each_has_met_the_winner() -> None:
    newcomers = [Rating()] * 3
    first, second, third = after_match(newcomers, 0)
    assert first.rating > 1500 > second.rating and second == third
    assert second == after_match(newcomers[:2], 0)[1]
    assert {drawn.rating for drawn in after_match(newcomers, None)} == {1500}

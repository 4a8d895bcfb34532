"""Ratings from sums of games."""

from __future__ import annotations

from math import exp, log, sqrt
from random import Random
from unittest.mock import patch

import pytest

from tictac.plugins.tournament.elo import SURE, UNIT
from tictac.plugins.tournament.ladder.ranking import (
    AVERAGE,
    EXACT,
    Estimate,
    Pairs,
    Ranking,
    Sums,
    unseparated,
)


def ranked(pairs: Pairs, **marks: float) -> dict[str, Estimate]:
    ranking = Ranking(pairs, marks)
    for _ in ranking.steps():
        pass
    return ranking.estimates


def test_a_mark_stays_where_it_is() -> None:
    found = ranked({("ann", "club"): Sums(10, 0, 10)}, club=1700)
    assert found["club"].rating == 1700 and found["club"].error == 0
    assert found["ann"].rating == pytest.approx(1700, abs=0.1)


def test_others_change_nothing_for_those_who_met_marks_alone() -> None:
    before = ranked({("ann", "club"): Sums(15, 0, 5)}, club=1700)
    after = ranked({("ann", "club"): Sums(15, 0, 5), ("bob", "club"): Sums(100, 0, 0)}, club=1700)
    assert after["ann"].rating == pytest.approx(before["ann"].rating, abs=0.1)


def test_without_marks_the_average_is_that_of_new_accounts() -> None:
    found = ranked({("ann", "bob"): Sums(8, 2, 4), ("bob", "eve"): Sums(3, 1, 9)})
    assert sum(each.rating for each in found.values()) / 3 == pytest.approx(AVERAGE)


def test_a_player_who_wins_each_game_has_a_rating() -> None:
    found = ranked({("ann", "club"): Sums(50, 0, 0)}, club=1500)
    assert 1500 < found["ann"].rating < 2700 and found["ann"].error > 100


def test_two_players_and_a_mark_by_hand() -> None:
    """One player, one mark, n games: the equations can be solved on paper.

    With s points of n games and one draw with the mark's average, the expected score is
    (s + 1/2) / (n + 1), and the information is (n + 1) p (1 - p).
    """
    found = ranked({("ann", "club"): Sums(12, 6, 2)}, club=1600)["ann"]
    p = 15.5 / 21
    assert found.rating == pytest.approx(1600 + UNIT * log(p / (1 - p)), abs=0.1)
    assert found.error == pytest.approx(SURE * UNIT / sqrt(21 * p * (1 - p)), rel=1e-3)


def test_errors_are_those_of_the_inverse_information() -> None:
    """Two unknown players who met each other and a mark, with the inverse of a 2 x 2 matrix."""
    pairs = {("ann", "bob"): Sums(6, 0, 4), ("ann", "club"): Sums(5, 0, 5)}
    found = ranked(pairs, club=1500)
    ann, bob = ((found[name].rating - 1500) / UNIT for name in ("ann", "bob"))

    def information(one: float, other: float, games: int) -> float:
        p = 1 / (1 + exp(other - one))
        return games * p * (1 - p)

    both = information(ann, bob, 10)
    a = both + information(ann, 0, 10) + information(ann, 0, 1)
    b = both + information(bob, 0, 1)
    assert found["ann"].error == pytest.approx(SURE * UNIT * sqrt(b / (a * b - both**2)), rel=1e-3)
    assert found["bob"].error == pytest.approx(SURE * UNIT * sqrt(a / (a * b - both**2)), rel=1e-3)


def test_a_thousand_players_take_many_small_steps() -> None:
    """The reactor goes on between two steps, each of which sees one player's opponents."""
    rng = Random(1)
    names = [f"p{number:03}" for number in range(1000)]
    pairs = {}
    for number, name in enumerate(names[1:], 1):
        for other in rng.sample(names[:number], min(number, 5)):
            pairs[other, name] = Sums(rng.randint(0, 5), 1, rng.randint(0, 5))
    ranking = Ranking(pairs, {})
    assert sum(1 for _ in ranking.steps()) >= len(names) > EXACT
    assert len(ranking.estimates) == 1000


def test_neighbors_within_their_errors_are_not_separated() -> None:
    estimates = {
        "ann": Estimate(1700, 30, 100), "bob": Estimate(1690, 30, 100),
        "eve": Estimate(1500, 30, 100),
    }  # fmt: skip
    assert unseparated(estimates) == [("ann", "bob")]


@pytest.mark.parametrize(("width", "levels"), [(0.05, 0), (0.05, 1), (0.3, 0), (1.0, 0), (1.0, 1)])
def test_errors_among_many_are_near_those_of_the_whole_matrix(width: float, levels: int) -> None:
    """Opponents are near in the order, by ``width`` of all players, as in an arena, or anywhere."""
    rng, count = Random(7), EXACT
    strengths = sorted(rng.gauss(0, 1.2) for _ in range(count))
    pairs: dict[tuple[str, str], Sums] = {}
    for _ in range(count * 15):
        one, other = rng.randrange(count), round(rng.gauss(0, width * count))
        other = (other + one) % count if width == 1 else other + one
        if one == other or not 0 <= other < count:
            continue
        names = f"p{min(one, other):03}", f"p{max(one, other):03}"
        wins = rng.random() < 1 / (1 + exp(strengths[max(one, other)] - strengths[min(one, other)]))
        pairs[names] = pairs.get(names, Sums()).plus(Sums(int(wins), 0, int(not wins)))
    pairs |= {(f"p{nth:03}", "pz"): Sums(2, 0, 2) for nth in range(0, count, 2) if levels}
    marks = {"pz": 1500.0} if levels else {}
    exact, near = ranked(pairs, **marks), Ranking(pairs, marks)
    with patch(f"{Ranking.__module__}.EXACT", 0):
        assert sum(1 for _ in near.steps()) > count
    ratios = [near.estimates[name].error / exact[name].error for name in exact if name != "pz"]
    assert min(ratios) > 0.85 and max(ratios) < 1.15
    assert 0.95 < sum(ratios) / len(ratios) < 1.07


def test_without_marks_errors_fall_with_each_game() -> None:
    """The average is fixed by definition: that nothing ties it to a scale is no error."""
    few, many = (ranked({("ann", "bob"): Sums(n, 0, n)})["ann"].error for n in (100, 10_000))
    assert many == pytest.approx(few / 10, rel=0.05)
    assert many == pytest.approx(SURE * UNIT / 2 / sqrt(20_001 * 0.25), rel=0.05)

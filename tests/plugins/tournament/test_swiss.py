"""Who meets whom by the Dutch rules: what FIDE's Handbook (C.04.1 and C.04.3) promises."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.cups import cup_of, due, end_all, go_on
from tests.plugins.tournament.helpers import names
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.standings import standings
from tictac.plugins.tournament.swiss import dutch

pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")


def test_the_upper_half_meets_the_lower_and_the_first_seat_changes() -> None:
    assert dutch([[]] * 8, [0.0] * 8, 5, True) == [(1, 5), (6, 2), (3, 7), (8, 4)]
    assert dutch([[]] * 8, [0.0] * 8, 5, False) == [(5, 1), (2, 6), (7, 3), (4, 8)]


def test_winners_meet_winners_and_take_the_other_seat() -> None:
    order = names(8)
    cup = go_on(end_all(go_on(cup_of("swiss", 8, rounds=3)), order))
    # Of those with a point and of those without again the upper half meets the lower. p1 and p3
    # had the first seat, p2 and p4 the second; of two who want the same the better seed gets it.
    assert due(cup) == [("p4", "p1"), ("p2", "p3"), ("p5", "p8"), ("p7", "p6")]


def end_at_random(cup: Cup, rng: Random) -> Cup:
    """End the open games with any scores."""
    for number in [*cup.open]:
        score = rng.choice([0.0, 0.5, 1.0])
        cup = cup.add(["ended", number, [score, 1 - score], "won", None])
    return cup


@settings(max_examples=30)
@given(st.integers(2, 14), st.integers(1, 2), st.randoms())
def test_nobody_meets_twice_or_has_two_byes_and_seats_are_balanced(
    players: int, games: int, rng: Random
) -> None:
    rounds = players // 2 + players % 2
    cup = go_on(cup_of("swiss", players, games=games, rounds=rounds))
    while cup.phase != "over":
        cup = go_on(end_at_random(cup, rng))
    met = Counter(frozenset(each.seats) for each in cup.games.values())
    assert set(met.values()) == {games}
    assert len({number for _, number in cup.byes}) == len(cup.byes)
    if games == 1:
        early = [each.seats for each in cup.games.values() if each.round < rounds]
        ahead = Counter(one for one, _ in early)
        ahead.subtract(other for _, other in early)
        assert all(abs(more) <= 2 for more in ahead.values())


def test_who_wins_more_of_the_games_wins_the_match() -> None:
    cup = go_on(cup_of("swiss", 2, games=3))
    for number, first in enumerate((1.0, 0.5, 0.5), 1):
        scores = [first, 1 - first] if cup.games[number].seats[0] == 1 else [1 - first, first]
        cup = cup.add(["ended", number, scores, "won", None])
    best, other = standings(cup)
    assert (best.number, best.points, best.measures["game points"]) == (1, 1, 2)
    assert (other.points, other.measures["game points"]) == (0, 1)


def test_who_did_not_come_may_be_met_again() -> None:
    assert dutch([["   2 w +"], ["   1 b -"]], [1.0, 0.0], 2, True)
    assert not dutch([["   2 w 1"], ["   1 b 0"]], [1.0, 0.0], 2, True)


def test_buchholz_is_the_sum_of_the_opponents_points() -> None:
    cup = go_on(cup_of("swiss", 4, rounds=2))
    cup = go_on(end_all(cup, names(4)))  # p1 beats p3, p2 beats p4
    cup = go_on(end_all(cup, names(4)))  # p1 beats p2, p3 beats p4
    measures = {cup.entries[each.number].name: each.measures for each in standings(cup)}
    assert [measures[name]["points"] for name in names(4)] == [2, 1, 1, 0]
    assert [measures[name]["Buchholz"] for name in names(4)] == [2, 2, 2, 2]
    assert [measures[name]["Buchholz Cut-1"] for name in names(4)] == [1, 2, 2, 1]
    assert [measures[name]["Sonneborn-Berger"] for name in names(4)] == [2, 0, 0, 0]

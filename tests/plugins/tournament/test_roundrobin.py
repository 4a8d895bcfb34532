"""Who meets whom where everybody meets everybody."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tictac.plugins.tournament.roundrobin import berger, groups

FIDE_6 = "1-6 2-5 3-4, 6-4 5-3 1-2, 2-6 3-1 4-5, 6-5 1-4 2-3, 3-6 4-2 5-1"
FIDE_8 = (
    "1-8 2-7 3-6 4-5, 8-5 6-4 7-3 1-2, 2-8 3-1 4-7 5-6, 8-6 7-5 1-4 2-3,"
    " 3-8 4-2 5-1 6-7, 8-7 1-6 2-5 3-4, 4-8 5-3 6-2 7-1"
)
"""Handbook C.05, annex 1."""


def written(players: int) -> str:
    return ", ".join(" ".join(f"{a}-{b}" for a, b in pairs) for pairs in berger(players))


def test_the_tables_are_fides() -> None:
    assert written(6) == FIDE_6
    assert written(8) == FIDE_8


def test_of_an_odd_number_one_is_free_a_round() -> None:
    assert written(5) == "2-5 3-4, 5-3 1-2, 3-1 4-5, 1-4 2-3, 4-2 5-1"


@given(st.integers(2, 40))
def test_everybody_meets_everybody_once_and_begins_half_the_time(players: int) -> None:
    rounds = list(berger(players))
    pairs = [pair for pairs in rounds for pair in pairs]
    assert sorted(map(sorted, pairs)) == [
        list(each) for each in combinations(range(1, players + 1), 2)
    ]
    assert all(len({n for pair in some for n in pair}) == 2 * len(some) for some in rounds)
    first = Counter(one for one, _ in pairs)
    assert {2 * first[each] - (players - 1) for each in range(1, players + 1)} <= {-1, 0, 1}


@given(st.integers(3, 6), st.integers(0, 2))
def test_of_more_seats_every_group_meets_once(seats: int, more: int) -> None:
    players = seats + more
    found = [group for (group,) in groups(players, seats)]
    every = combinations(range(1, players + 1), seats)
    assert sorted(map(sorted, found)) == [list(each) for each in every]
    if not more:
        assert found == [tuple(range(1, seats + 1))]

"""Who meets whom where everybody meets everybody."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, count
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import names, plan_of, play
from tictac.plugins.tournament.plan import Plan
from tictac.plugins.tournament.roundrobin import berger
from tictac.plugins.tournament.tournament import Tournament

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


@given(st.integers(2, 8), st.integers(1, 5))
def test_a_pair_plays_its_games_from_both_sides_with_the_same_deal(
    players: int, games: int
) -> None:
    plan = plan_of("round-robin", players, games, openings=(("1",), ("2",), ("3",)))
    tournament = play(Tournament(plan), Random(1))
    deals: dict[tuple[object, ...], set[tuple[str, ...]]] = {}
    for each in tournament.played:
        _, _, seats, opening, deal = each.pairing
        deals.setdefault((frozenset(seats), opening, deal), set()).add(seats)
    pairs = players * (players - 1) // 2
    assert sorted(map(len, deals.values())) == [1] * (games % 2 * pairs) + [2] * (
        games // 2 * pairs
    )


def test_openings_come_by_turns() -> None:
    plan = plan_of("round-robin", 3, 2, openings=(("1",), ("2",)))
    opened = [pairing.opening[0] for pairing in Tournament(plan).due({}, 0.0)]
    assert opened == ["1", "1", "2", "2", "1", "1"]


def test_all_meet_once_before_anybody_meets_again() -> None:
    first = Tournament(plan_of("round-robin", 5, 4)).due({}, 0.0, 20)
    assert len({frozenset(pairing.seats) for pairing in first}) == 10


def test_numbers_count_the_games() -> None:
    numbers = [each.number for each in Tournament(plan_of("round-robin", 5, 3)).due({}, 0.0)]
    assert numbers == [number for number, _ in zip(count(1), range(30), strict=False)]


@given(st.integers(3, 6), st.integers(0, 2))
def test_of_more_seats_every_group_plays_and_everybody_takes_each_seat(
    seats: int, more: int
) -> None:
    players = seats + more
    tournament = Tournament(Plan("round-robin", "clue", names(players), seats=seats, games=seats))
    due = tournament.due({}, 0.0, 1000)
    groups = list(combinations(names(players), seats))
    assert sorted({tuple(sorted(each.seats)) for each in due}) == groups
    sat = Counter((name, seat) for each in due for seat, name in enumerate(each.seats))
    assert set(sat.values()) == {len(groups) * seats // players}

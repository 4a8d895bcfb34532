"""Who meets whom by the Dutch rules: what FIDE's Handbook (C.04.1 and C.04.3) promises."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import let_win, names, plan_of, play, round_of
from tictac.errors import SetupError
from tictac.plugins.tournament.plan import ABSENT, Played
from tictac.plugins.tournament.swiss import dutch
from tictac.plugins.tournament.tournament import Tournament

pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")


def test_the_upper_half_meets_the_lower_and_the_first_seat_changes() -> None:
    assert dutch([[]] * 8, [0.0] * 8, 5, True) == [(1, 5), (6, 2), (3, 7), (8, 4)]
    assert dutch([[]] * 8, [0.0] * 8, 5, False) == [(5, 1), (2, 6), (7, 3), (4, 8)]


def test_winners_meet_winners_and_take_the_other_seat() -> None:
    tournament = Tournament(plan_of("swiss", 8, rounds=3))
    order = names(8)
    let_win(tournament, order)
    # Of those with a point and of those without again the upper half meets the lower. p1 and p3
    # had the first seat, p2 and p4 the second; of two who want the same the better seed gets it.
    assert let_win(tournament, order) == [("p4", "p1"), ("p2", "p3"), ("p5", "p8"), ("p7", "p6")]


def test_the_last_of_an_odd_number_has_a_bye_worth_a_win() -> None:
    tournament = Tournament(plan_of("swiss", 5, rounds=2))
    assert tournament.byes == [(1, "p5")]
    let_win(tournament, names(5))
    assert tournament.byes == [(1, "p5"), (2, "p4")]


@settings(max_examples=30)
@given(st.integers(2, 14), st.integers(1, 2), st.randoms())
def test_nobody_meets_twice_or_has_two_byes_and_seats_are_balanced(
    players: int, games: int, rng: Random
) -> None:
    rounds = players // 2 + players % 2
    tournament = play(Tournament(plan_of("swiss", players, games, rounds=rounds)), rng)
    met = Counter(frozenset(each.pairing.seats) for each in tournament.played)
    assert set(met.values()) == {games}
    assert len({name for _, name in tournament.byes}) == len(tournament.byes)
    if games == 1:
        early = [seats for number in range(1, rounds) for seats in round_of(tournament, number)]
        ahead = Counter(one for one, _ in early)
        ahead.subtract(other for _, other in early)
        assert all(abs(more) <= 2 for more in ahead.values())


def test_who_wins_more_of_the_games_wins_the_match() -> None:
    tournament = Tournament(plan_of("swiss", 2, 3))
    for pairing, first in zip(tournament.due({}, 0.0), (1.0, 0.5, 0.5), strict=True):
        score = first if pairing.seats[0] == "p1" else 1 - first
        tournament.note(Played(pairing, (score, 1 - score), "won"))
    best, other = tournament.standings()
    assert (best.name, best.measures["points"], best.measures["game points"]) == ("p1", 1, 2)
    assert (other.measures["points"], other.measures["game points"]) == (0, 1)


def test_who_did_not_come_may_be_met_again() -> None:
    tournament = Tournament(plan_of("swiss", 2, rounds=1))
    (due,) = tournament.due({}, 0.0)
    tournament.note(Played(due, (1.0, 0.0), ABSENT))
    assert dutch([["   2 w +"], ["   1 b -"]], [1.0, 0.0], 2, True)
    assert not dutch([["   2 w 1"], ["   1 b 0"]], [1.0, 0.0], 2, True)


def test_it_ends_where_no_round_can_be_paired() -> None:
    every = [play(Tournament(plan_of("swiss", 6, rounds=5)), Random(seed)) for seed in range(9)]
    stuck = [tournament for tournament in every if tournament.total != 15]
    assert stuck
    assert all(len(tournament.played) == tournament.total for tournament in stuck)


def test_buchholz_is_the_sum_of_the_opponents_points() -> None:
    tournament = Tournament(plan_of("swiss", 4, rounds=2))
    let_win(tournament, names(4))  # p1 beats p3, p2 beats p4
    let_win(tournament, names(4))  # p1 beats p2, p3 beats p4
    measures = {each.name: each.measures for each in tournament.standings()}
    assert [measures[name]["points"] for name in names(4)] == [2, 1, 1, 0]
    assert [measures[name]["Buchholz"] for name in names(4)] == [2, 2, 2, 2]
    assert [measures[name]["Buchholz Cut-1"] for name in names(4)] == [1, 2, 2, 1]
    assert [measures[name]["Sonneborn-Berger"] for name in names(4)] == [2, 0, 0, 0]


def test_a_bye_counts_as_an_opponent_with_the_same_points() -> None:
    tournament = Tournament(plan_of("swiss", 3, rounds=2))
    while let_win(tournament, names(3)):
        pass
    third = next(each for each in tournament.standings() if each.name == "p3")
    assert third.measures["points"] == 1
    assert third.measures["Buchholz"] == 1 + 2


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(SetupError, match=r"pip install '\.\[swiss\]'"):
        Tournament(plan_of("swiss", 4))

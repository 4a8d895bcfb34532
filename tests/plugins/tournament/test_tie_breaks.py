"""Tie-breaks, and results of games with more seats."""

from __future__ import annotations

from tests.plugins.tournament.helpers import results_of
from tictac.plugins.tournament.crosstable import Results, Score
from tictac.plugins.tournament.tie_breaks import buchholz, direct_encounter, rank, sonneborn_berger


def test_sonneborn_berger_counts_whom_one_has_beaten() -> None:
    # a beats the winner c, b the last.
    games = (("a", "c", 1.0), ("b", "d", 1.0), ("c", "b", 1.0), ("c", "d", 1.0), ("a", "b", 0.5))
    results = results_of(tuple("abcd"), *games)
    found = [sonneborn_berger(results, name, results.points) for name in "abcd"]
    assert results.points == {"a": 1.5, "b": 1.5, "c": 2.0, "d": 0.0}
    assert found == [2.75, 0.75, 1.5, 0.0]


def test_a_cut_leaves_the_lowest_out() -> None:
    assert buchholz([3, 1.5, 2]) == 6.5
    assert buchholz([3, 1.5, 2], cut=1) == 5


def test_direct_encounter_is_the_score_among_those_who_are_level() -> None:
    games = (("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 0.0), ("b", "d", 1.0), ("c", "d", 1.0))
    results = results_of(tuple("abcd"), *games)
    assert results.points == {"a": 2.0, "b": 2.0, "c": 1.0, "d": 0.0}
    assert direct_encounter(results, results.points) == {"a": 1.0, "b": 2.0, "c": 0.0, "d": 0.0}


def test_who_is_level_by_direct_encounter_is_compared_again() -> None:
    # a has beaten b, c and d each other in a circle with b: among all four a and b have 2 points.
    games = (("a", "b", 1.0), ("a", "c", 1.0), ("d", "a", 1.0), ("b", "c", 1.0), ("b", "d", 1.0))
    results = results_of(tuple("abcd"), *games, ("c", "d", 1.0))
    level = dict.fromkeys("abcd", 3.0)
    assert direct_encounter(results, level) == {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}


def test_a_forfeited_game_counts_in_a_round_robin_s_tie_breaks() -> None:
    results = Results(("a", "b"))
    results.note(("a", "b"), (1.0, 0.0), "absent")
    assert direct_encounter(results, {"a": 1.0, "b": 1.0}) == {"a": 1.0, "b": 2.0}
    assert sonneborn_berger(results, "a", {"a": 1.0, "b": 1.0}) == 1.0


def test_a_game_that_both_forfeited_is_no_draw_in_a_round_robin_s_tie_breaks() -> None:
    results = Results(("a", "b"))
    results.note(("a", "b"), (0.0, 0.0), "absent")
    assert sonneborn_berger(results, "a", {"a": 1.0, "b": 1.0}) == 0.0


def test_direct_encounter_says_nothing_where_not_all_have_met() -> None:
    results = results_of(tuple("abcd"), ("a", "b", 1.0), ("c", "d", 1.0))
    assert set(direct_encounter(results, results.points).values()) == {0.0}


def test_who_is_level_by_every_measure_shares_a_rank() -> None:
    results = results_of(tuple("abcd"))
    measures = {name: {"points": value} for name, value in zip("abcd", (1, 2, 1, 0), strict=True)}
    found = [(each.rank, each.name) for each in rank(results, measures)]
    assert found == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]


def test_of_more_seats_who_wins_beats_each_and_losers_say_nothing_of_each_other() -> None:
    results = Results(("a", "b", "c"))
    results.note(("a", "b", "c"), (0.0, 1.0, 0.0), "won")
    assert results.between("b", "a") == results.between("b", "c") == Score(1, 0, 0)
    assert results.between("a", "c") == Score()
    assert results.played == {"a": (0, 0, 1), "b": (1, 0, 0), "c": (0, 0, 1)}


def test_a_game_that_both_have_lost_is_no_draw() -> None:
    results = Results(("a", "b"))
    results.note(("a", "b"), (0.0, 0.0), "crashed")
    assert results.played == {"a": (0, 0, 1), "b": (0, 0, 1)}
    assert results.between("a", "b") == Score()


def test_a_game_that_was_not_played_gives_points_but_no_rating() -> None:
    results = Results(("a", "b"))
    results.note(("a", "b"), (1.0, 0.0), "absent")
    first, second = rank(results, {name: {"points": results.points[name]} for name in "ab"})
    assert (first.measures["points"], second.measures["points"]) == (1, 0)
    assert first.rating.elo == second.rating.elo

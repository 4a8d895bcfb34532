"""Tournaments of every system."""

from __future__ import annotations

from math import nan
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import PLAYABLE, names, plan_of, play, result
from tictac.errors import SetupError
from tictac.plugins.tournament.plan import Pairing, Plan, Played, Sprt, System
from tictac.plugins.tournament.tournament import Tournament

systems = st.sampled_from(PLAYABLE)


@settings(max_examples=30)
@given(systems, st.integers(2, 9), st.integers(1, 3), st.randoms(), st.integers(0, 60))
def test_made_anew_from_its_results_a_tournament_is_the_same(
    system: System, players: int, games: int, rng: Random, most: int
) -> None:
    tournament = play(Tournament(plan_of(system, players, games)), rng, most)
    again = Tournament(tournament.plan, tournament.played)
    now = float(len(tournament.played))
    assert again.due({}, now) == tournament.due({}, now)
    assert again.standings() == tournament.standings()


@settings(max_examples=30)
@given(systems, st.integers(2, 9), st.integers(1, 3), st.randoms())
def test_it_ends_with_as_many_games_as_were_announced(
    system: System, players: int, games: int, rng: Random
) -> None:
    tournament = play(Tournament(plan_of(system, players, games)), rng)
    assert tournament.total in (None, len(tournament.played))
    assert tournament.over({}, 40.0)


@pytest.mark.parametrize("system", PLAYABLE)
def test_what_runs_is_not_due_again(system: System) -> None:
    tournament = Tournament(plan_of(system, 6, 2))
    first, *others = tournament.due({}, 0.0)
    assert first not in tournament.due({first.number: first}, 0.0)
    assert len(tournament.due({}, 0.0, 2)) == 2 < 1 + len(others)


def test_nothing_begins_once_it_ends() -> None:
    tournament = Tournament(plan_of("round-robin", 4, ends=100.0))
    assert tournament.due({}, 99.0)
    assert not tournament.due({}, 100.0)
    assert not tournament.over({1: Pairing(1, 1, ("p1", "p2"))}, 100.0)


@pytest.mark.parametrize("system", PLAYABLE)
def test_results_of_another_tournament_are_refused(system: System) -> None:
    other = Played(Pairing(1, 1, ("x", "y")), (1.0, 0.0), "won")
    with pytest.raises(SetupError, match="game 1 of the tournament isn't the one"):
        Tournament(plan_of(system, 4), [other])


def test_a_result_counts_once() -> None:
    tournament = Tournament(plan_of("round-robin", 4))
    played = Played(tournament.due({}, 0.0)[0], (1.0, 0.0), "won")
    tournament.note(played)
    with pytest.raises(SetupError):
        tournament.note(played)


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan("round-robin", "nim", ("a", "b", "a")), "the same name"),
        (Plan("round-robin", "clue", names(5), seats=6), "needs 6 players, not 5"),
        (Plan("swiss", "clue", names(7), seats=6), "for two at a table"),
        (Plan("swiss", "nim", names(5), rounds=6), "no players meet twice"),
        (Plan("arena", "nim", names(5)), "needs a time"),
        (Plan("round-robin", "nim", names(5), games=0), "games is at least 1"),
        (Plan("round-robin", "nim", names(2000)), "3998000 games are too many"),
        (Plan("round-robin", "nim", names(3), sprt=Sprt(0, 5)), "of two players"),
        (Plan("round-robin", "nim", names(2), sprt=Sprt(5, 5)), "elo1 of an SPRT must be above"),
        (Plan("round-robin", "nim", names(2), sprt=Sprt(nan, 5)), "elo1 of an SPRT must be above"),
        (Plan("round-robin", "nim", names(2), sprt=Sprt(0, 5, 0.7)), "between 0 and 0.5"),
    ],
)
def test_a_plan_that_is_none_is_refused(plan: Plan, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        Tournament(plan)


def test_a_decided_test_ends_it() -> None:
    tournament = Tournament(plan_of("round-robin", 2, 1000, sprt=Sprt(0, 50)))
    while due := tournament.due({}, 0.0, 1):
        wins = float(due[0].seats[0] == "p1")
        tournament.note(Played(due[0], (wins, 1 - wins), "won"))
    assert tournament.verdict and tournament.verdict.accepted == "H1"
    assert len(tournament.played) < 40


def test_a_game_that_nobody_played_gives_points_but_no_rating() -> None:
    tournament = Tournament(plan_of("round-robin", 2))
    tournament.note(
        result("p1", "p2", 1.0, how="absent")._replace(pairing=tournament.due({}, 0)[0])
    )
    first, second = tournament.standings()
    assert (first.measures["points"], second.measures["points"]) == (1, 0)
    assert first.rating.elo == second.rating.elo

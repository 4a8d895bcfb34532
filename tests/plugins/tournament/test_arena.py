"""Who meets whom while time lasts."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import let_win, names, plan_of, play
from tictac.plugins.tournament.plan import Pairing, Played
from tictac.plugins.tournament.tournament import Tournament


def arena(players: int) -> Tournament:
    return Tournament(plan_of("arena", players))


def end(tournament: Tournament, pairing: Pairing, score: float) -> None:
    tournament.note(Played(pairing, (score, 1 - score), "won"))


def test_who_waits_plays_the_nearest_in_standing() -> None:
    tournament = arena(8)
    assert let_win(tournament, names(8)) == [("p1", "p2"), ("p3", "p4"), ("p5", "p6"), ("p7", "p8")]
    second = let_win(tournament, names(8))
    assert set(map(frozenset, second)) == {
        frozenset(each) for each in (("p1", "p3"), ("p5", "p7"), ("p2", "p4"), ("p6", "p8"))
    }


def test_who_has_begun_less_often_begins() -> None:
    tournament = arena(4)
    let_win(tournament, names(4))
    assert let_win(tournament, names(4)) == [("p1", "p3"), ("p2", "p4")]
    assert let_win(tournament, names(4))[0] != ("p1", "p2")


def test_pairs_are_made_once_half_wait() -> None:
    tournament = arena(6)
    first, second, third = tournament.due({}, 0.0)
    end(tournament, first, 1.0)
    running = {second.number: second, third.number: third}
    assert not tournament.due(running, 1.0)
    end(tournament, running.pop(second.number), 1.0)
    assert len(tournament.due(running, 1.0)) == 2


def test_nobody_meets_the_same_again_unless_there_is_nobody_else() -> None:
    tournament = arena(3)
    end(tournament, tournament.due({}, 0.0)[0], 0.5)
    assert "p3" in tournament.due({}, 0.0)[0].seats
    again = tournament.due({}, 0.0, away=["p3"])
    assert sorted(again[0].seats) == ["p1", "p2"]


def test_who_is_away_is_not_paired() -> None:
    due = arena(4).due({}, 0.0, away=["p1", "p2"])
    assert [pairing.seats for pairing in due] == [("p3", "p4")]


def test_of_few_places_those_get_one_who_have_waited_for_longest() -> None:
    tournament = arena(6)
    end(tournament, tournament.due({}, 0.0, 1)[0], 1.0)
    assert tournament.due({}, 0.0, 1)[0].seats == ("p5", "p6")


@settings(max_examples=30)
@given(st.integers(3, 9), st.randoms())
def test_everybody_plays(players: int, rng: Random) -> None:
    tournament = play(arena(players), rng)
    assert {n for each in tournament.played for n in each.pairing.seats} == {*names(players)}

"""Who goes on where who loses is out."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tournament.helpers import let_win, names, plan_of, play, round_of
from tictac.plugins.tournament.knockout import bracket
from tictac.plugins.tournament.plan import Played
from tictac.plugins.tournament.tournament import Tournament


def test_the_best_two_can_only_meet_in_the_end() -> None:
    assert bracket(8) == [1, 8, 4, 5, 2, 7, 3, 6]


def test_the_best_have_a_bye() -> None:
    tournament = Tournament(plan_of("knock-out", 5))
    assert sorted(tournament.byes) == [(1, "p1"), (1, "p2"), (1, "p3")]
    # Whoever is sure to play in the second round needn't wait for the first.
    assert let_win(tournament, names(5)) == [("p4", "p5"), ("p2", "p3")]
    assert let_win(tournament, names(5)) == [("p1", "p4")]
    assert let_win(tournament, names(5)) == [("p1", "p2")]
    assert [each.name for each in tournament.standings()] == ["p1", "p2", "p4", "p3", "p5"]


def draw_all(games: int, more: int) -> Tournament:
    tournament = Tournament(plan_of("knock-out", 2, games, more=more))
    while due := tournament.due({}, 0.0):
        for pairing in due:
            tournament.note(Played(pairing, (0.5, 0.5), "drawn"))
    return tournament


def test_who_is_level_plays_on_from_both_sides_until_the_better_seed_wins() -> None:
    tournament = draw_all(games=1, more=2)
    seats = [each.pairing.seats[0] for each in tournament.played]
    assert seats == ["p1", "p1", "p2", "p1", "p2"]
    first, *others = (each.pairing.deal for each in tournament.played)
    assert others[0] == others[1] != others[2] == others[3] and first not in others
    assert [each.measures["rounds won"] for each in tournament.standings()] == [1, 0]


def test_who_is_ahead_after_playing_on_goes_on() -> None:
    tournament = Tournament(plan_of("knock-out", 2, 1))
    scores = iter([(0.5, 0.5), (0.5, 0.5), (1.0, 0.0)])
    while due := tournament.due({}, 0.0):
        for pairing in due:
            tournament.note(Played(pairing, next(scores), "won"))
    assert tournament.standings()[0].name == "p2"


@settings(max_examples=30)
@given(st.integers(2, 20), st.integers(1, 2), st.randoms())
def test_half_are_out_after_each_round(players: int, games: int, rng: Random) -> None:
    tournament = play(Tournament(plan_of("knock-out", players, games)), rng)
    left = 1 << (players - 1).bit_length()
    number = 1
    while left > 1:
        there = {name for seats in round_of(tournament, number) for name in seats}
        assert len(there) == (2 * players - left if number == 1 else left)
        left, number = left // 2, number + 1
    assert [each.rank for each in tournament.standings()].count(1) == 1

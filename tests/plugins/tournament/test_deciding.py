"""What each system does in each case: docs/guides/tournament.md, "What happens when"."""

from __future__ import annotations

import sys

import pytest

from tests.plugins.tournament.cups import absent, cup_of, due, end_all, go_on, states
from tictac.errors import SetupError
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.deciding import bracket, decide, is_slow, rounds_of, survivors
from tictac.plugins.tournament.standings import standings

EVERY = ("round-robin", "swiss", "knock-out", "arena")


@pytest.fixture(autouse=True)
def _needs_dutch() -> None:
    pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")


def best(count: int) -> list[str]:
    return [f"p{n}" for n in range(1, count + 1)]


def points(cup: Cup) -> dict[str, float]:
    return {cup.entries[each.number].name: each.points for each in standings(cup)}


def results(cup: Cup, name: str) -> tuple[str, ...]:
    number = cup.number_of(name)
    return next(each.results for each in standings(cup) if each.number == number)


def play_all(cup: Cup, order: list[str]) -> Cup:
    cup = go_on(cup)
    while cup.phase != "over":
        cup = go_on(end_all(cup, order))
    return cup


# To the end


@pytest.mark.parametrize("system", ["round-robin", "swiss", "knock-out"])
@pytest.mark.parametrize("count", [2, 5, 8])
def test_the_best_wins(system: str, count: int) -> None:
    cup = play_all(cup_of(system, count), best(count))
    assert cup.why in ("played", "stuck") and cup.entries[standings(cup)[0].number].name == "p1"


def test_everybody_meets_everybody_in_a_round_robin() -> None:
    cup = play_all(cup_of("round-robin", 6, games=2), best(6))
    met = [game.seats for game in cup.games.values()]
    assert len(met) == len(set(met)) == 30


def test_every_group_of_six_plays_in_each_order_of_seats() -> None:
    cup = play_all(cup_of("round-robin", 7, game="clue", seats=6, games=6), best(7))
    assert len({game.seats for game in cup.games.values()}) == len(cup.games) == 42


# Odd numbers


def test_odd_round_robin_has_a_free_round_worth_nothing() -> None:
    cup = go_on(cup_of("round-robin", 3))
    assert len(due(cup)) == 1 and not cup.byes


def test_odd_swiss_has_a_bye_worth_a_point() -> None:
    cup = end_all(go_on(cup_of("swiss", 3, rounds=2)), best(3))
    assert cup.byes == [(1, 3)] and points(cup) == {"p1": 1, "p3": 1, "p2": 0}
    assert results(cup, "p3") == ("bye",)
    assert go_on(cup).byes == [(1, 3), (2, 2)]


def test_odd_knock_out_gives_the_best_a_bye() -> None:
    cup = go_on(cup_of("knock-out", 5))
    assert [cup.entries[number].name for _, number in cup.byes] == ["p1", "p2", "p3"]
    assert due(cup) == [("p4", "p5")]


def test_in_an_odd_arena_who_played_last_sits_out() -> None:
    cup = end_all(go_on(cup_of("arena", 3)), best(3))
    line = decide(cup)
    assert line is not None and {3} < set(line[2][0][1])


# Late


@pytest.mark.parametrize("system", ["swiss", "arena"])
def test_a_late_player_is_paired_next(system: str) -> None:
    cup = go_on(cup_of(system, 3, **({"rounds": 3} if system == "swiss" else {})))
    cup = cup.add(["entered", "late", 3000, None])
    cup = go_on(end_all(cup, best(3)))
    assert any("late" in names for names in due(cup))
    assert points(cup)["late"] == 0


def test_missed_rounds_of_a_swiss_are_worth_nothing() -> None:
    cup = end_all(go_on(cup_of("swiss", 4, rounds=3)), best(4))
    cup = cup.add(["entered", "late", None, None])
    assert points(go_on(cup))["late"] in (0, 1)  # 1: the bye of its first round
    assert points(cup)["late"] == 0 and results(cup, "late") == ("",)
    assert results(go_on(cup), "late")[0] == "" and len(results(go_on(cup), "late")) == 2


# Who leaves


@pytest.mark.parametrize("system", EVERY)
def test_a_game_under_way_is_played_on(system: str) -> None:
    cup = go_on(cup_of(system, 4)).add(["withdrew", 1, "self"])
    assert any("p1" in names for names in due(go_on(cup)))


def test_the_rest_of_a_round_robin_is_won_without_play() -> None:
    cup = end_all(go_on(cup_of("round-robin", 4)), best(4))
    cup = go_on(end_all(go_on(cup), best(4))).add(["withdrew", 1, "self"])
    cup = play_all(cup, best(4))
    # With two of three games p1 has played more than half of them: they stay in the table.
    assert results(cup, "p1") in (("1", "1", "1"), ("1", "1", "-"))
    cup = end_all(go_on(cup_of("round-robin", 4)), best(4)).add(["withdrew", 1, "self"])
    cup = play_all(cup, best(4))
    assert results(cup, "p1") == ("1", "-", "-")
    # With less than half of them p1's games don't count for anybody.
    assert points(cup) == {"p2": 2, "p3": 1, "p4": 0, "p1": 0}


def test_who_has_left_a_swiss_keeps_points_and_is_not_paired() -> None:
    cup = end_all(go_on(cup_of("swiss", 4, rounds=2)), best(4)).add(["withdrew", 1, "self"])
    cup = go_on(cup)
    assert all("p1" not in names for names in due(cup)) and points(cup)["p1"] == 1


def test_who_has_left_a_knock_out_lets_the_other_go_on() -> None:
    cup = end_all(go_on(cup_of("knock-out", 4)), best(4)).add(["withdrew", 1, "self"])
    cup = go_on(cup)
    assert cup.phase == "over" and survivors(cup) == {2}


def test_who_has_left_an_arena_keeps_the_place() -> None:
    cup = end_all(go_on(cup_of("arena", 4)), best(4)).add(["withdrew", 1, "self"])
    cup = go_on(cup)
    assert all("p1" not in names for names in due(cup)) and points(cup)["p1"] == 1


def test_who_comes_back_is_paired_again() -> None:
    cup = end_all(go_on(cup_of("swiss", 4, rounds=3)), best(4)).add(["withdrew", 4, "self"])
    cup = go_on(end_all(go_on(cup), best(4)).add(["back", 4]))
    assert any("p4" in names for names in due(cup))


# Who doesn't come


@pytest.mark.parametrize("system", ["round-robin", "swiss"])
def test_two_absences_in_a_row_withdraw_a_player(system: str) -> None:
    cup = go_on(cup_of(system, 4))
    cup = go_on(end_all(absent(cup, "p1"), best(4)))
    assert states(cup)["p1"] == "in"
    cup = go_on(end_all(absent(cup, "p1"), best(4)))
    assert states(cup)["p1"] == "out"
    assert cup.entries[1].why == "absent"


def test_an_absence_pauses_in_an_arena() -> None:
    cup = go_on(absent(go_on(cup_of("arena", 4)), "p1"))
    assert states(cup)["p1"] == "paused" and points(cup)["p1"] == 0
    cup = go_on(end_all(cup.add(["resumed", 1]), best(4)))
    assert any("p1" in names for names in due(cup))


def test_who_does_not_come_to_a_knock_out_is_out() -> None:
    cup = go_on(end_all(absent(go_on(cup_of("knock-out", 4)), "p1"), best(4)))
    assert 1 not in survivors(cup)


def test_nobody_meets_who_has_not_come() -> None:
    cup = absent(go_on(cup_of("swiss", 2, rounds=2)), "p1")
    assert due(go_on(cup)) == [("p1", "p2")]  # they haven't met yet


def test_both_absent_have_nothing() -> None:
    for system in ("round-robin", "swiss"):
        cup = end_all(absent(go_on(cup_of(system, 4)), "p1", "p2", "p3", "p4"))
        assert set(points(cup).values()) == {0}


def test_of_two_absent_the_better_seed_goes_on() -> None:
    cup = go_on(cup_of("knock-out", 4))
    assert due(cup) == [("p1", "p4"), ("p2", "p3")]
    cup = go_on(end_all(absent(cup, "p1", "p4"), best(4)))
    assert due(cup) == [("p1", "p2")]


@pytest.mark.parametrize("system", ["round-robin", "swiss", "knock-out"])
def test_a_round_to_which_nobody_comes_is_the_last(system: str) -> None:
    cup = go_on(absent(go_on(cup_of(system, 4)), *best(4)))
    assert (cup.phase, cup.why) == ("over", "abandoned")


def test_an_arena_to_which_nobody_comes_waits_for_its_end() -> None:
    cup = go_on(absent(go_on(cup_of("arena", 4)), *best(4)))
    assert cup.phase == "running" and decide(cup) is None
    assert decide(cup, True) == ["over", "time"]


# Draws, ends


def test_a_drawn_pair_plays_on_and_then_the_better_seed_wins() -> None:
    cup = go_on(cup_of("knock-out", 2, more=1))
    cup = go_on(end_all(cup))
    assert due(cup) == [("p2", "p1")] and cup.round == 1
    cup = go_on(end_all(end_all(cup)))
    assert cup.phase == "over" and survivors(cup) == {1}


def test_the_last_games_of_an_arena_are_played() -> None:
    cup = go_on(cup_of("arena", 4))
    assert decide(cup, True) is None
    assert decide(end_all(cup), True) == ["over", "time"]


def test_a_swiss_with_one_player_left_is_over() -> None:
    cup = end_all(go_on(cup_of("swiss", 2, rounds=3)), best(2)).add(["withdrew", 2, "self"])
    assert decide(cup) == ["over", "few"]


def test_a_swiss_that_cannot_be_paired_is_stuck() -> None:
    cup = end_all(go_on(cup_of("swiss", 2, rounds=3)), best(2))
    assert decide(cup) == ["over", "stuck"]


def test_a_swiss_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py4swiss.engines", None)
    with pytest.raises(SetupError, match="swiss"):
        decide(cup_of("swiss", 4))


def test_a_corrected_result_changes_the_standings_and_no_pairing() -> None:
    cup = go_on(end_all(go_on(cup_of("swiss", 4, rounds=2)), best(4)))
    paired = due(cup)
    cup = cup.add(["set", 1, [0, 1], "root"])
    assert due(cup) == paired and points(cup)["p1"] == 0


def test_only_the_rounds_of_a_swiss_need_thought() -> None:
    assert [system for system in EVERY if is_slow(cup_of(system, 4))] == ["swiss"]
    assert not is_slow(go_on(cup_of("swiss", 4)))


def test_how_many_rounds_there_are() -> None:
    found = {system: rounds_of(cup_of(system, 9)) for system in EVERY}
    assert found == {"round-robin": 9, "swiss": 4, "knock-out": 4, "arena": None}


def test_buchholz_counts_missed_rounds_as_against_oneself() -> None:
    cup = end_all(go_on(cup_of("swiss", 3, rounds=2)), best(3))
    table = {cup.entries[each.number].name: each.measures for each in standings(cup)}
    assert table["p3"]["Buchholz"] == 1 and table["p1"]["Buchholz"] == 0


def test_the_best_two_of_a_bracket_can_only_meet_in_the_end() -> None:
    assert bracket(8) == [1, 8, 4, 5, 2, 7, 3, 6]


def test_a_knock_out_is_ranked_by_the_rounds_that_were_won() -> None:
    cup = play_all(cup_of("knock-out", 5), best(5))
    found = [(cup.entries[each.number].name, each.rank) for each in standings(cup)]
    assert found == [("p1", 1), ("p2", 2), ("p4", 3), ("p3", 4), ("p5", 5)]


def test_who_is_ahead_after_playing_on_goes_on() -> None:
    cup = go_on(cup_of("knock-out", 2))
    cup = go_on(end_all(go_on(end_all(cup))))
    assert survivors(go_on(end_all(cup, ["p2"]))) == {2}


def test_an_arena_pairs_the_nearest_once_half_wait_and_who_has_begun_less_begins() -> None:
    cup = go_on(cup_of("arena", 6))
    assert due(cup) == [("p1", "p2"), ("p3", "p4"), ("p5", "p6")]
    cup = cup.add(["ended", 1, [1, 0], "won", None])
    assert decide(cup) is None
    cup = go_on(cup.add(["ended", 2, [1, 0], "won", None]))
    assert due(cup) == [("p5", "p6"), ("p1", "p3"), ("p2", "p4")]


def test_absences_have_no_consequences_where_players_need_not_be_alone() -> None:
    cup = cup_of("swiss", 4, rounds=3, alone=False)
    for _ in range(3):
        cup = absent(go_on(cup), *best(4))
    assert (go_on(cup).why, set(states(cup).values())) == ("played", {"in"})


def test_a_game_that_the_end_of_the_tournament_cuts_off_is_not_open() -> None:
    cup = go_on(cup_of("round-robin", 2))
    assert results(cup, "p1") == results(cup, "p2") == ("…",)
    cup = cup.add(["over", "called-off"])
    assert results(cup, "p1") == results(cup, "p2") == ("*",)

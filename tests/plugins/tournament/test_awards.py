"""Awards that several players deserve."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.plugins.tournament.cups import cup_of, go_on
from tictac.plugins.tournament.awards import awards
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.standings import standings

MOVES = {"p1": 5, "p2": 9, "p3": 5, "p4": 9}


def played(wins: Mapping[str, str]) -> Cup:
    """Return a round robin of four, whose games the players win in `MOVES` against those; or draw.

    In the last round, p1 meets p3.
    """
    cup = go_on(cup_of("round-robin", 4, rest=0))
    for _ in range(3):
        for game in cup.due():
            one, other = cup.names(game)
            won = other in wins[one], one in wins[other]
            scores = [float(each) for each in won] if any(won) else [0.5, 0.5]
            moves = MOVES[one if won[0] else other]
            cup = cup.add(
                ["ended", game.number, scores, "won" if any(won) else "drawn", None, {}, moves]
            )
        cup = go_on(cup)
    return cup


@pytest.mark.parametrize(
    ("wins", "more"),
    [
        ({"p1": "p2p4", "p2": "", "p3": "p2p4", "p4": ""}, {"run": 1, "fastest": 1}),
        ({"p1": "p2p3p4", "p2": "", "p3": "p2p4", "p4": ""}, {"run": None, "fastest": 1}),
        ({"p1": "p2p3p4", "p2": "p4", "p3": "", "p4": "p3"}, {"run": None, "fastest": None}),
        (
            {"p1": "p2p3", "p2": "p3p4", "p3": "", "p4": "p1"},
            {"run": None, "fastest": None, "surprise": None},
        ),
    ],
)
def test_an_award_counts_the_others_who_deserve_it(
    wins: Mapping[str, str], more: dict[str, int | None]
) -> None:
    cup = played(wins)
    assert cup.phase == "over"
    found = {each["kind"]: each.get("more") for each in awards(cup, standings(cup))}
    assert found == more


def test_a_point_for_both_is_nobodys_win() -> None:
    cup = played({"p1": "p2p3p4", "p2": "p1", "p3": "p1", "p4": "p1"})
    assert awards(cup, standings(cup)) == []


def test_a_player_who_is_out_gets_none() -> None:
    cup = played({"p1": "p2p3p4", "p2": "p4", "p3": "", "p4": "p3"})
    cup.entries = {
        number: each._replace(state="out") if each.name == "p1" else each
        for number, each in cup.entries.items()
    }
    assert "p1" not in {each["name"] for each in awards(cup, standings(cup))}


def test_a_result_that_was_set_wins_no_award() -> None:
    cup = played({"p1": "p2p3p4", "p2": "", "p3": "p2p4", "p4": ""})
    for number, game in cup.games.items():
        if "p1" in cup.names(game):
            won = [float(name == "p1") for name in cup.names(game)]
            cup = cup.add(["set", number, won, "olga"])
    found = {each["kind"]: (each["name"], each["count"]) for each in awards(cup, standings(cup))}
    assert found == {"run": ("p3", 2), "fastest": ("p3", 5)}


def test_a_set_defeat_ends_a_run_and_surprises_nobody() -> None:
    cup = played({"p1": "p2p3p4", "p2": "p3p4", "p3": "p4", "p4": ""})
    game = next(each for each in cup.games.values() if set(cup.names(each)) == {"p1", "p2"})
    assert game.round == 2 and awards(cup, standings(cup))[0]["count"] == 3
    lost = [float(name == "p2") for name in cup.names(game)]
    cup = cup.add(["set", game.number, lost, "olga"])
    found = {each["kind"]: (each["name"], each["count"]) for each in awards(cup, standings(cup))}
    assert found == {"run": ("p2", 2), "fastest": ("p1", 5)}

"""Tie-breaks and report files are those of FIDE's own tie-break program (Handbook C.07).

``tiebreaks.jsonl`` has 64 tournaments: our lines, the tournament report file, and the numbers that
the program computed from it.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.plugins.tournament.cups import absent, cup_of, due, end_all, go_on, states
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.hosting.follower import Followed
from tictac.plugins.tournament.hosting.pages import report_file
from tictac.plugins.tournament.standings import measures, standings
from tictac.plugins.tournament.swiss import Round
from tictac.plugins.tournament.tie_breaks import adjusted

NAMES = {
    "points": "PTS", "direct encounter": "DE", "games won": "WON", "Sonneborn-Berger": "SB",
    "Buchholz Cut-1": "BH/C1", "Buchholz": "BH",
}  # fmt: skip

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("tiebreaks.jsonl").read_text().splitlines()
]
MODES = sorted({row["mode"] for row in ROWS})


def cup_in(row: dict[str, Any]) -> Cup:
    """Return the tournament of a row."""
    return Cup(load_plan(row["plan"])).fold(row["lines"])


def report_of(cup: Cup) -> str:
    """Return the report file of a tournament."""
    return report_file(cast(Followed, SimpleNamespace(cup=cup, table=standings(cup))))


def cells(report: str) -> list[str]:
    """Return the rounds of each player in a report file."""
    return [line[89:].strip() for line in report.splitlines() if line.startswith("001")]


@pytest.mark.parametrize("mode", MODES)
def test_tie_breaks_are_those_of_fides_program(mode: str) -> None:
    rows = [row for row in ROWS if row["mode"] == mode]
    assert rows
    for row in rows:
        cup = cup_in(row)
        found = {
            cup.entries[int(key)].name: {NAMES[n]: v for n, v in theirs.items() if n in NAMES}
            for key, theirs in measures(cup).items()
        }
        assert found == row["expected"], row["plan"]


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode.startswith("swiss")])
def test_report_files_have_the_rounds_that_fides_program_was_given(mode: str) -> None:
    for row in ROWS:
        if row["mode"] == mode:
            assert cells(report_of(cup_in(row))) == cells(row["trf"])


def test_a_requested_bye_that_only_forfeits_follow_is_a_draw_for_opponents() -> None:
    rounds = [Round("played", 1.0, 2), Round("absent"), Round("lost by forfeit", 0.0, 3)]
    assert adjusted(rounds) == 1.5
    assert adjusted([*rounds, Round("bye", 1.0)]) == 2.0


# What an admin corrects


def corrected(system: str) -> tuple[Cup, Cup]:
    """Return a tournament in which an admin set the result of a forfeit, and one without it."""
    cup = go_on(cup_of(system, 4, **({"rounds": 3} if system == "swiss" else {})))
    game = next(game for game in cup.due() if 1 in game.seats)
    scores = [float(number == 1) for number in game.seats]
    missed = end_all(absent(cup, "p1"), ["p2", "p3", "p4"])
    played = end_all(cup.add(["ended", game.number, scores, "won", None]), ["p2", "p3", "p4"])
    return missed.add(["set", game.number, scores, "vera"]), played


@pytest.mark.parametrize("system", ["round-robin", "swiss", "arena"])
def test_a_corrected_forfeit_ranks_like_a_played_game(system: str) -> None:
    after, played = corrected(system)
    assert standings(after) == standings(played)


def test_a_corrected_forfeit_stands_in_the_report_file_as_played() -> None:
    after, played = corrected("swiss")
    assert report_of(after) == report_of(played)


def test_players_of_a_corrected_forfeit_have_met() -> None:
    after, played = corrected("swiss")
    assert due(go_on(after)) == due(go_on(played))


def test_a_corrected_forfeit_is_no_absence_any_more() -> None:
    after, _ = corrected("swiss")
    again = go_on(end_all(absent(go_on(after), "p1"), ["p2", "p3", "p4"]))
    assert states(again)["p1"] == "in"


def test_an_absence_before_a_corrected_game_is_remembered_no_longer() -> None:
    cup = go_on(cup_of("swiss", 4, rounds=3))
    cup = go_on(end_all(absent(cup, "p1"), ["p2", "p3", "p4"]))
    game = next(game for game in cup.due() if 1 in game.seats)
    cup = absent(cup, "p1").add(["set", game.number, [0.5, 0.5], "vera"])
    assert cup.entries[1].missed == 0


def test_a_round_that_is_played_has_no_result_in_the_report_file_yet() -> None:
    cup = go_on(cup_of("swiss", 2, rounds=1))
    assert cells(report_of(cup)) == ["2 w", "1 b"]

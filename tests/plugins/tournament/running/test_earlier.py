"""Files of format 1, of each system: what was played counts once, and the rest is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.tournament.cups import plan_told
from tictac.errors import SetupError
from tictac.plugins.tournament.cup import Cup
from tictac.plugins.tournament.cup_plan import load_plan
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.running.earlier import Earlier, ends_of, replay
from tictac.plugins.tournament.tally import Tally

FILES: dict[str, Any] = json.loads(Path(__file__).with_name("format1.json").read_text())
"""The games of a file of each system, written by an earlier version, with seed 7."""

PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "round-robin": ("abcd", {"games": 3}),
    "swiss": ("abcde", {"games": 2, "rounds": 3}),
    "knock-out": ("abcde", {}),
    "arena": ("abcde", {}),
}


def begun(system: str) -> Cup:
    """Return the tournament of a file as it began."""
    names, more = PLANS[system]
    cup = Cup(load_plan(plan_told(system, game="tictactoe", alone=False, **more)))
    return cup.fold([*(["entered", name, None, None] for name in names), ["began", 7]])


def needs_dutch(system: str) -> None:
    if system == "swiss":
        pytest.importorskip("py4swiss", reason="there is no py4swiss for this machine")


def played(cup: Cup) -> list[tuple[tuple[str, ...], tuple[float, ...], str, str]]:
    games = Tally(cup).played
    return sorted((each.seats, each.scores, each.how, each.match or "") for each in games)


@pytest.mark.parametrize("system", FILES)
def test_what_was_played_counts_once_and_the_rest_is_played(system: str) -> None:
    needs_dutch(system)
    lines, left = replay(begun(system), ends_of(FILES[system], system))  # type: ignore[arg-type]
    cup, earlier = begun(system).fold(lines), Earlier(left)
    assert len(cup.order) + len(left) == len(FILES[system])
    again = 0
    while cup.phase != "over":
        for game in [*cup.open.values()]:
            end = earlier.take(cup, game)
            again += end is None
            cup = cup.add(end or ["ended", game.number, [1, 0], "won", None])
        line = decide(cup, system == "arena")
        assert line is not None
        cup = cup.add(line)
    assert not earlier.left()
    there = [each for each in played(cup) if each[3]]
    assert there == sorted(
        (tuple(each["seats"]), tuple(each["scores"]), each["how"], each["match"])
        for each in FILES[system]
    )
    assert len(cup.games) == len(FILES[system]) + again


def test_a_later_round_of_a_knock_out_waits_until_it_is_paired() -> None:
    lines, left = replay(begun("knock-out"), ends_of(FILES["knock-out"], "knock-out"))
    assert [line[4] for line in lines if line[0] == "ended"] == ["m11", "m13"]
    assert sorted(rest[2] for _, _, rest in left) == ["m21", "m22", "m23"]


def test_faults_are_kept() -> None:
    lines, _ = replay(begun("round-robin"), ends_of(FILES["round-robin"], "round-robin"))
    (ended,) = [line for line in lines if line[0] == "ended" and line[3] == "crashed"]
    assert ended[5] == {"c": ["crashed", "a bug"]}


@pytest.mark.parametrize("system", ["round-robin", "knock-out", "arena"])
def test_a_game_of_another_tournament_is_refused(system: str) -> None:
    strange = [{**FILES[system][0], "seats": ["x", "y"], "faults": {}}]
    with pytest.raises(SetupError, match="a game that it can't have: x, y"):
        replay(begun(system), ends_of(strange, system))  # type: ignore[arg-type]


GAME = {"number": 3, "round": 2, "seats": ["b", "a"], "scores": [1, 0], "how": "won", "match": None}


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [1]}, {"seats": 3}, {"round": None}, {"round": "3"}, {"faults": ["a"]},
        {"faults": {"a": "crashed"}}, {"faults": {"c": {"how": "crashed", "why": "a bug"}}},
    ],
)  # fmt: skip
def test_a_line_that_is_no_game_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(SetupError, match="isn't a game"):
        ends_of([GAME | change], "swiss")


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ({"how": "crashed", "why": "a: it ended"}, {"a": ["crashed", "it ended"]}),
        (
            {"how": "absent", "scores": [0, 0], "why": "b: it's late; a: too"},
            {"b": ["absent", "it's late"], "a": ["absent", "too"]},
        ),
        ({"how": "timed out"}, {"a": ["timed out", "its clock ran out"]}),
        ({"how": "forfeited"}, None),
        ({"how": "won", "why": "a: it ended"}, None),
    ],
    ids=lambda each: each and each.get("how"),
)
def test_oldest_files_have_faults_in_words(
    line: dict[str, Any], faults: dict[str, list[str]] | None
) -> None:
    ((_, _, rest),) = ends_of([GAME | line], "swiss")
    assert rest[3:] == ([] if faults is None else [faults])

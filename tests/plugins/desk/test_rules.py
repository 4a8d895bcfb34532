"""Rules for marks as texts."""

from __future__ import annotations

import pytest

from tictac.archive.match import Player
from tictac.plugins.desk.refusals import BadRule
from tictac.plugins.desk.rules import Played, Progress, Rule, read_rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("beat beginner of connectfour in 8 of 10", Rule("beat", 8, "connectfour", "beginner", 10)),
        ("  rating 1500  in nim ", Rule("rating", 1500, "nim")),
        ("play 1 match", Rule("play", 1)),
        ("play 20 matches of reversi", Rule("play", 20, "reversi")),
        ("play 5 matches with people", Rule("play", 5, company="people")),
        ("play 5 matches of nim with classmates", Rule("play", 5, "nim", company="classmates")),
        ("rank 3 in term", Rule("rank", 3, series="term")),
        ("check", Rule("check", 1)),
    ],
)
def test_a_rule(text: str, rule: Rule) -> None:
    assert read_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "isn't a rule such as"),
        ("beat Pip of nim in 1 of 1", "no level 'Pip'"),
        ("beat beginner of chess2 in 1 of 1", "chess2"),
        ("beat beginner of nim in 11 of 10", "can't be won"),
        ("play 5 matches with friends", "isn't a rule such as"),
        ("play 0 matches", "isn't from 1 to 1000"),
        ("play 5000 matches", "isn't from 1 to 1000"),
        ("rank 0 in term", "isn't from 1 to 1000"),
        ("rating 99999 in nim", "isn't a rule such as"),
        ("x" * 500, "isn't a rule such as"),
    ],
)
def test_what_isnt_a_rule(text: str, why: str) -> None:
    with pytest.raises(BadRule, match=why) as raised:
        read_rule(text)
    assert len(str(raised.value)) < 260


def test_any_matches_in_a_row_count() -> None:
    rule, progress = Rule("beat", 2, "nim", "club", 3), Progress((0, 0))
    for letter in "wlwlll":
        progress.note(rule, Played((0, 0), letter, "club"), ())
        progress.note(rule, Played((0, 0), "w", "beginner"), ())
    assert (progress.have, progress.last, progress.passes(rule)) == (2, "lll", True)


def test_a_rank_is_passed_from_the_first_place_to_the_rules() -> None:
    rule = Rule("rank", 3, series="term")
    found = [Progress((0, 0), rank).passes(rule) for rank in range(5)]
    assert found == [False, True, True, True, False]


ALICE, ZOE = Player("alice", "account"), Player("zoe", "account")
GUEST, COMPUTER = Player("guest-1", "guest"), Player("computer", "computer", "club")


@pytest.mark.parametrize(
    ("others", "people", "classmates"),
    [
        ((ALICE,), True, True),
        ((ZOE,), True, False),
        ((GUEST,), True, False),
        ((Player("alice", "guest"),), True, False),
        ((COMPUTER,), False, False),
        ((ALICE, COMPUTER), False, False),
        ((ALICE, ZOE), True, False),
        ((), False, False),
    ],
)
def test_whose_matches_count(others: tuple[Player, ...], people: bool, classmates: bool) -> None:
    for company, expected in (("", True), ("people", people), ("classmates", classmates)):
        progress = Progress((0, 0))
        match = Played((0, 0), "w", "", others)
        progress.note(Rule("play", 1, company=company), match, {"alice", "bob"})
        assert progress.have == expected, company

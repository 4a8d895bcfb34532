"""The numbers of visitors who tried and solved a puzzle."""

from __future__ import annotations

from unittest.mock import patch

from tictac.plugins.puzzles import tries
from tictac.plugins.puzzles.tries import LEAST, Tries

DAY = "2026-11-29"


def tried(*others: str) -> Tries:
    """Return tries of as many visitors as it takes, of whom the first has solved the puzzle."""
    found = Tries()
    for number in range(LEAST - 1):
        found.note(DAY, "reversi", str(number), number == 0)
    for who in others:
        found.note(DAY, "reversi", who, False)
    return found


def test_too_few_have_no_numbers() -> None:
    assert tried().counts(DAY, "reversi") is None
    assert tried("one more").counts(DAY, "reversi") == {"tried": LEAST, "solved": 1}


def test_a_visitor_counts_once() -> None:
    assert tried("0", "1", "0").counts(DAY, "reversi") is None


def test_a_solution_stays_one() -> None:
    found = tried("one more", "0")
    found.note(DAY, "reversi", "1", True)
    assert found.counts(DAY, "reversi") == {"tried": LEAST, "solved": 2}


def test_each_game_has_numbers_of_its_own() -> None:
    assert tried("one more").counts(DAY, "connectfour") is None


def test_a_new_day_begins_with_none() -> None:
    found = tried("one more")
    found.note("2026-11-30", "reversi", "0", False)
    assert found.counts(DAY, "reversi") is None


def test_a_full_list_counts_nobody_else_but_their_solutions() -> None:
    with patch.object(tries, "MOST", LEAST):
        found = tried("one more", "too many")
        found.note(DAY, "reversi", "too many", True)
        found.note(DAY, "reversi", "1", True)
    assert found.counts(DAY, "reversi") == {"tried": LEAST, "solved": 2}


def test_no_name_is_kept() -> None:
    assert "alice" not in str(vars(tried("alice")))

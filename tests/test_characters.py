"""What people call computers, by their level."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tictac.characters import characters, describe, kind_of, name_of
from tictac.lobby.record import dump_terms, load_terms
from tictac.lobby.terms import USUAL_TERMS, Play


@pytest.mark.parametrize(
    ("count", "names"),
    [
        (0, ""), (1, "Rook"), (2, "Pip Ada"), (3, "Pip Rook Ada"), (4, "Pip Dot Vega Ada"),
        (5, "Pip Dot Rook Vega Ada"),
    ],
)  # fmt: skip
def test_each_level_has_a_name(count: int, names: str) -> None:
    assert characters(["level"] * count) == names.split()


def test_more_levels_have_numbers() -> None:
    assert characters(["level"] * 6) == [f"Rook {number}" for number in range(1, 7)]


def test_the_second_of_a_name_has_a_number() -> None:
    players = [("alice", None), ("computer", "beginner"), ("computer 2", "beginner")]
    found = describe("reversi", [*players, ("computer 3", "best")])
    assert found == {
        "computer": {"name": "Pip", "level": "beginner"},
        "computer 2": {"name": "Pip 2", "level": "beginner"},
        "computer 3": {"name": "Ada", "level": "best"},
    }
    assert (name_of("computer 2", found), name_of("alice", found)) == ("Pip 2", "alice")
    assert (kind_of("computer 3", found), kind_of("alice", found)) == ("computer, best", "")


def test_in_clue_a_computer_is_its_suspect() -> None:
    found = describe("clue", [("alice", None), ("computer", "sensible")])
    assert found == {"computer": {"name": "Mustard", "level": "sensible"}}
    assert kind_of("computer", found) == "computer"


@pytest.mark.parametrize("game", ["reversi", "a game of long ago"])
def test_a_level_that_is_not_known_is_the_middle_one(game: str) -> None:
    assert describe(game, [("computer", None)]) == {"computer": {"name": "Rook"}}
    assert kind_of("computer", describe(game, [("computer", None)])) == "computer"


def test_the_journal_keeps_the_names_of_a_tournament() -> None:
    play = Play("cup", 1, 1, ("alice", "computer 2"), (None, "club"), 60.0, (None, "Rook 2"))
    terms = replace(USUAL_TERMS, play=play)
    assert load_terms(dump_terms(terms)).play == play
    before = dump_terms(terms).replace(',[null,"Rook 2"]]', "]")
    assert load_terms(before).play == play._replace(called=())

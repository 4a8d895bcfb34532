"""What a person types: words to places and cards, and a sentence for everything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.clue.helpers import triple
from tictac.plugins.clue.game.board import Cell, InRoom, Place
from tictac.plugins.clue.game.cards import DECK, NAMES, TITLES
from tictac.plugins.clue.game.text_view import (
    find_card,
    read_accusation,
    read_place,
    read_suggestion,
)

ROOM_OR_CELL = "Type a room, or down and right of a cell, such as 17 23."


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("17 23", Cell(17, 23)),
        ("(17 23)", Cell(17, 23)),
        ("17, 23", Cell(17, 23)),
        ("U", InRoom("U", "V")),
        ("(U V)", InRoom("U", "V")),
        ("Lounge", InRoom("U", "V")),
        ("the lounge", InRoom("U", "V")),
        ("dining room", InRoom("D", "V")),
        ("lib", InRoom("L", "V")),
        ("l", InRoom("L", "V")),
        ("s", InRoom("S", "V")),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert read_place(text) == place


@pytest.mark.parametrize(
    "text", ["", "x", "plum", "17", "17 23 1", "1234 1", "-1 5", "U S", "²  1"]
)
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(ValueError) as raised:
        read_place(text)
    assert str(raised.value) == ROOM_OR_CELL


@pytest.mark.parametrize(
    "text",
    ["plum rope", "Plum, rope", "rope plum", "5 rope", "pl ro", "5 rope U", "(5 rope U)",
     "plum with the rope in the lounge"],
)  # fmt: skip
def test_suggestions(text: str) -> None:
    assert read_suggestion(text, 14) == triple("5 rope U")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plum", "Name a player and a weapon, such as plum rope."),
        ("rope pipe", "Name a player and a weapon, such as plum rope."),
        ("plum rope hall", "You can only suggest the room that you are in, the lounge."),
        ("p rope", "'p' can be Peacock or Plum or pipe."),
        ("plum axe", "'axe' isn't a card."),
        ("plum \x1b[2J", r"'\x1b[2j' isn't a card."),
    ],
)
def test_what_is_no_suggestion(text: str, said: str) -> None:
    with pytest.raises(ValueError) as raised:
        read_suggestion(text, 14)
    assert str(raised.value) == said


def test_accusations() -> None:
    for text in (
        "plum rope lounge",
        "lounge rope plum",
        "5 rope u",
        "Plum lead-pipe billiard room",
    ):
        assert read_accusation(text).player == 5
    assert read_accusation("white leadpipe dining room") == triple("2 pipe D")
    for text in ("", "plum rope", "plum rope lounge hall"):
        with pytest.raises(
            ValueError, match=r"^Name a player, a weapon, and a room, such as plum "
        ):
            read_accusation(text)


def test_every_card_is_found_by_its_names() -> None:
    for card in DECK:
        for name in (NAMES[card], TITLES[card], TITLES[card].upper()):
            assert find_card(name.lower()) == card


def test_a_choice_of_cards() -> None:
    assert find_card("r", [9, 14]) == 9
    with pytest.raises(ValueError, match=r"^'plum' isn't rope or lounge\.$"):
        find_card("plum", [9, 14])


@given(st.text(max_size=30), st.sampled_from([read_place, read_accusation, find_card]))
def test_whatever_is_typed(text: str, read: Callable[[str], object]) -> None:
    try:
        read(text)
    except ValueError as error:
        assert str(error).endswith(".") and str(error).isprintable()

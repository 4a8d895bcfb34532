"""Moves of Clue as a player types them: with the moves that they need before them."""

from __future__ import annotations

import pytest

from tictac.errors import NotAMove
from tictac.plugins.clue.game.game import GAME_TYPE

VIEW = GAME_TYPE.text_view(GAME_TYPE.values({}))


def typed(line: str, place: str, asked: str) -> tuple[str, ...]:
    """Return the moves of a line, typed by Scarlet at a place."""
    position = f"{place}/24,17/15,0/10,0/0,6/0,19 0 {asked} {6 * (asked == 'move')} - - - -"
    return VIEW.steps(position, VIEW.read(line))


@pytest.mark.parametrize(
    ("line", "place", "asked", "moves"),
    [
        ("accuse plum rope hall", "17,24", "turn", "accuse, accuse 5 rope H"),
        ("accuse plum rope hall", "17,24", "accuse", "accuse 5 rope H"),
        ("accuse plum rope hall", "17,24", "move", "accuse 5 rope H"),
        ("accuse", "17,24", "turn", "accuse"),
        ("roll", "17,24", "turn", "roll"),
        ("stay", "17,24", "turn", "no-roll, go 17 24"),
        ("stay", "U,V", "turn", "no-roll, go U"),
        ("stay", "17,24", "move", "go 17 24"),
        ("stay", "17,24", "suggest", "no-roll"),
        ("passage", "U,V", "turn", "no-roll, go C"),
        ("go conservatory", "U,V", "turn", "no-roll, go C"),
        ("go hall", "U,V", "turn", "go H"),
        ("suggest plum rope lounge", "U,V", "suggest", "suggest 5 rope U"),
        ("suggest rope plum", "U,V", "suggest", "suggest 5 rope U"),
        ("suggest plum rope lounge", "17,20", "move", "go U, suggest 5 rope U"),
        ("suggest plum rope", "U,S", "turn", "no-roll, go U, suggest 5 rope U"),
        ("suggest plum rope conservatory", "U,V", "turn", "no-roll, go C, suggest 5 rope C"),
        ("suggest plum rope lounge", "17,20", "turn", "suggest 5 rope U"),
    ],
)
def test_a_line_stands_for_the_moves_that_it_needs(
    line: str, place: str, asked: str, moves: str
) -> None:
    assert typed(line, place, asked) == tuple(moves.split(", "))


@pytest.mark.parametrize(
    ("line", "place", "asked", "why"),
    [
        ("passage", "H,V", "turn", "no secret passage"),
        ("passage", "17,20", "turn", "no secret passage"),
        ("suggest plum rope", "17,20", "move", "name the room, too"),
        ("suggest plum rope", "17,20", "turn", "name the room, too"),
        ("suggest plum mustard", "U,V", "suggest", "Name a player, a weapon, and a room"),
    ],
)
def test_an_impossible_line_is_refused(line: str, place: str, asked: str, why: str) -> None:
    with pytest.raises(NotAMove, match=why):
        typed(line, place, asked)


def test_the_prompt_names_what_is_possible_here() -> None:
    others = "24,17/15,0/10,0/0,6/0,19 0"
    for place, asked, prompt in (
        ("U,S", "turn", "roll, stay, suggest plum rope, as you were moved to the lounge, passage"),
        ("H,V", "turn", "roll, stay, or an accusation"),
    ):
        assert VIEW.prompt(f"{place}/{others} {asked} 0 - - - -").startswith(prompt)
    due = f"U,V/{others} show 0 1:0,rope,U:0:- - 0,knife,U -"
    assert VIEW.prompt(due) == "a card of yours: show Scarlet or show lounge"


def test_the_board_has_a_star_on_each_cell_in_reach() -> None:
    places = "17,24/24,17/15,0/10,0/0,6/0,19"
    for steps, stars in (2, 2), (0, 0):
        lines = VIEW.lines(f"{places} 0 move {steps} - - - -", lambda seat, text: text)
        assert sum(line.count("*") for line in lines) == stars

"""The text forms of positions and moves, which programs of others read: byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from tictac.errors import IllegalMove, NotAMove
from tictac.games.all import game_type_of


def replay(name: str, moves: str, options: Mapping[str, object] | None = None) -> tuple[str, str]:
    """Return the view of a viewer, and the saved position, after these moves (``a,b,c``)."""
    game = game_type_of(name).game(options)
    position = game.start(2, Random(1))
    for move in filter(None, moves.split(",")):
        position = game.play(position, move, Random(1)).position
    return game.view(position, None), game.dump(position)


NO_REPETITION = {"columns": 4, "rows": 4, "pops": True, "repetition": False}


@pytest.mark.parametrize(
    ("name", "moves", "options", "text"),
    [
        ("tictactoe", "", {}, "000000000"),
        ("tictactoe", "1:1,0:0,0:2,1:0,2:0", {}, "221010100"),
        ("tictactoe", "2:0", {"first": "O"}, "002000000"),
        ("tictactoe", "4:2", {"columns": 5}, "000000000000001"),
        ("connectfour", "2,1,2", NO_REPETITION, "..../..../.R../YR.. Y"),
        ("connectfour", "1,2,pop 1", NO_REPETITION, "..../..../..../.Y.. Y"),
        ("nim", "0:2,1:3,0:1", {"numbers": 3, "smallest": 3, "largest": 3}, "1:3"),
        ("reversi", "b1", {"size": "4"}, ".X../.XX./.XO./.... O"),
    ],
)
def test_positions(name: str, moves: str, options: Mapping[str, object], text: str) -> None:
    assert replay(name, moves, options) == (text, text)


def test_what_came_before_is_kept_but_not_shown() -> None:
    view, kept = replay("connectfour", "1,2", {"columns": 4, "rows": 4, "pops": True})
    assert view == "..../..../..../RY.. R"
    assert kept.startswith(f"{view} ") and kept.endswith(" -")
    assert kept.count(",") == 1


def test_at_the_end_no_number_is_left() -> None:
    ones = {"numbers": 3, "smallest": 1, "largest": 1}
    assert replay("nim", "0:1,0:1,0:1", ones) == ("1:", "1:")


@pytest.mark.parametrize(
    ("name", "move", "refusal", "why"),
    [
        ("tictactoe", "3:0", IllegalMove, "3:0 isn't on a board of 3x3"),
        ("tictactoe", "1:0", IllegalMove, "1:0 is occupied by X"),
        ("tictactoe", "1,0", NotAMove, "column:row, as in 2:0, not '1,0'"),
        ("connectfour", "8", IllegalMove, "column 8 isn't on a board of 7 columns"),
        ("connectfour", "POP 3", NotAMove, "as in pop 3, not 'POP 3'"),
        ("nim", "10:1", IllegalMove, "there is no number 11 in a list of 5"),
        ("nim", "1", NotAMove, "at:amount, as in 0:3, not '1'"),
    ],
)
def test_a_refusal_says_why(name: str, move: str, refusal: type[Exception], why: str) -> None:
    game = game_type_of(name).game()
    position = game.start(2, Random(1))
    position = game.play(position, game.moves(position)[1], Random(1)).position
    with pytest.raises(refusal, match=why):
        game.play(position, move, Random(1))


def test_large_numbers_are_not_listed_but_can_be_taken() -> None:
    game = game_type_of("nim").game({"numbers": 3, "smallest": 2**32 - 1, "largest": 2**32 - 1})
    position = game.start(2, Random(1))
    assert game.moves(position) == []
    assert game.play(position, f"0:{2**32 - 1}", Random(1)).position.numbers == (2**32 - 1,) * 2

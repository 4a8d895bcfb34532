"""Treblecross: both players mark cells of a row of nine; the one who makes three in a row wins."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from random import Random

from tictac.errors import IllegalMove, NotAMove
from tictac.game import GameType, OpenGame, Played, Result

SIDES = "AB"


class Crosses(OpenGame[str]):
    """A position is its own text: the cells, and who moves next, as ``..X...... B``."""

    def start(self, seats: int, dice: Random) -> str:
        return "......... A"

    def turn(self, position: str) -> int | None:
        return None if "XXX" in position else SIDES.index(position[-1])

    def moves(self, position: str) -> list[str]:
        if self.turn(position) is None:
            return []
        return [str(number) for number, cell in enumerate(position[:9], 1) if cell == "."]

    def play(self, position: str, move: str, dice: Random | None) -> Played[str]:
        if len(move) != 1 or move not in "123456789":
            raise NotAMove(f"a move is a cell, from 1 to 9, not {move!r:.40}")
        if move not in self.moves(position):
            raise IllegalMove(f"cell {move} can't be marked")
        cells, mover = position[:9], position[-1]
        return Played(
            f"{cells[: int(move) - 1]}X{cells[int(move) :]} {'B' if mover == 'A' else 'A'}", move
        )

    def result(self, position: str) -> Result | None:
        return None if self.turn(position) is not None else Result("BA".index(position[-1]))

    def dump(self, position: str) -> str:
        return position

    def load(self, text: str) -> str:
        return text


HERE = files("tictac_crosses")
GAME_TYPE = GameType(
    name="crosses",
    title="Treblecross",
    goal="Make three in a row.",
    seats=range(2, 3),
    make=Crosses,
    page=HERE.joinpath("nothing"),
)
CELLS = replace(GAME_TYPE, name="cells", title="Treblecross, cells", page=HERE.joinpath("cells"))
EMPTY = replace(GAME_TYPE, name="empty", title="Treblecross, broken", page=HERE.joinpath("empty"))


SEVERAL = replace(GAME_TYPE, page=HERE.joinpath("several"), group="Lines")
LEFT = replace(
    SEVERAL,
    name="left",
    title="Treblecross, left",
    parts=lambda: {"title": "Left"},
    icon=lambda: (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    ),
)
RIGHT = replace(SEVERAL, name="right", title="Treblecross, right", parts=lambda: {"title": "Right"})

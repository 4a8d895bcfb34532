"""Hive on a board: OpenSpiel writes only the moves, each beside a piece that lies there already.

The board is a hexagon with nine cells a side. The first piece lies in its middle. If the pieces
come too near to the rim, all of them are moved by as few cells as possible. A piece is a letter and
a number, large for White: ``A1`` is the first ant. ``^`` marks a piece that lies on others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tictac_openspiel.boards import LETTERS

SIDE = 9
WAYS = {"-E": (1, 0), "-W": (-1, 0), "/E": (1, -1), "/W": (-1, 1), "\\E": (0, 1), "\\W": (0, -1)}
"""Steps along a row and along the rows, by the mark and the side of the piece that it stands on."""

Place = tuple[int, int]


def pressure(state: Any) -> int:
    """Return by how many pieces Black's queen has more neighbors than White's."""
    places, found = lying(str(state))
    around = [
        sum(bool(found.get(moved_by(places[queen], way))) for way in WAYS.values())
        if queen in places
        else 0
        for queen in ("wQ", "bQ")
    ]
    return around[1] - around[0]


@lru_cache(64)
def lying(text: str) -> tuple[dict[str, Place], dict[Place, list[str]]]:
    """Return where each piece lies, and the pieces on each cell, the lowest first."""
    places: dict[str, Place] = {}
    found: dict[Place, list[str]] = {}
    for move in text.split(";")[3:]:
        piece, _, beside = move.partition(" ")
        if piece in ("", "pass"):
            continue
        if piece in places:
            found[places[piece]].remove(piece)
        at = place_of(beside, places)
        places[piece] = at
        found.setdefault(at, []).append(piece)
    shift = next((by for by in SHIFTS if all(is_inside(at, by) for at in places.values())), (0, 0))
    moved = {at: moved_by(at, shift) for at in found}
    return (
        {piece: moved[at] for piece, at in places.items()},
        {moved[at]: stack for at, stack in found.items()},
    )


def moved_by(at: Place, by: Place) -> Place:
    """Return the cell that lies so many cells aside."""
    return at[0] + by[0], at[1] + by[1]


def is_inside(at: Place, by: Place) -> bool:
    """Return whether a cell and its neighbors are on the board when the pieces are moved."""
    return _far(moved_by(at, by)) < SIDE - 1


def _far(at: Place) -> int:
    return max(abs(at[0]), abs(at[1]), abs(at[0] + at[1]))


SHIFTS = sorted(((x, y) for x in range(-SIDE, SIDE + 1) for y in range(-SIDE, SIDE + 1)), key=_far)


def spelled(state: Any, found: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Spell all moves, for which the board is read once: OpenSpiel takes 0.1 ms to write it.

    Moves off the board are left out, if the pieces don't fit however they are moved.
    """
    places = lying(str(state))[0]
    moves: dict[str, tuple[int, ...]] = {}
    for said, actions in found.items():
        moves.setdefault(spell(places, said), actions)
    return {move: moves[move] for move in moves if CELLS.fullmatch(move)}


CELLS = re.compile("(?:[a-q](?:1[0-7]|[1-9])|[QASGBMLP]@)[a-q](?:1[0-7]|[1-9])|pass")


def place_of(beside: str, places: Mapping[str, Place]) -> Place:
    """Return where ``-bA1`` and such leads: beside that piece, or without a mark upon it."""
    if beside in ("", "."):
        return 0, 0
    way = re.fullmatch(r"([-/\\]?)(\w+)([-/\\]?)", beside)
    assert way is not None, beside
    x, y = places[way[2]]
    if not way[1] and not way[3]:
        return x, y
    dx, dy = WAYS[f"{way[1]}W" if way[1] else f"{way[3]}E"]
    return x + dx, y + dy


def name(at: Place) -> str:
    """Return the name of a cell: rows count down, and a diagonal has a letter."""
    x, y = at
    return f"{LETTERS[x + y + SIDE - 1]}{y + SIDE}"


def sign(piece: str) -> str:
    """Return a piece of OpenSpiel's as ours: ``wA1`` is ``A1``, ``bQ`` is ``q``."""
    return piece[1:] if piece[0] == "w" else piece[1:].lower()


def rows(state: Any) -> list[str]:
    """Read the seventeen rows."""
    found = lying(str(state))[1]
    lines = []
    for y in range(1 - SIDE, SIDE):
        line = []
        for x in range(max(1 - SIDE, 1 - SIDE - y), min(SIDE - 1, SIDE - 1 - y) + 1):
            stack = found.get((x, y), [])
            line.append(sign(stack[-1]) + "^" * (len(stack) > 1) if stack else ".")
        lines.append(",".join(line))
    return lines


def spell(places: Mapping[str, Place], said: str) -> str:
    """Spell ``bQ wA1/`` as two cells, or as a piece of the stock and a cell: ``Q@e7``."""
    piece, _, beside = said.partition(" ")
    if piece == "pass":
        return "pass"
    to = name(place_of(beside, places))
    return f"{name(places[piece])}{to}" if piece in places else f"{piece[1]}@{to}"


STOCK = {"A": "ant", "G": "grasshopper", "S": "spider", "B": "beetle", "Q": "queen bee",
         "M": "mosquito", "L": "ladybug", "P": "pillbug"}  # fmt: skip
NUMBERS = {"A": 3, "G": 3, "S": 2, "B": 2}
PIECES = [
    f"{letter}{number or ''}"
    for letter in STOCK
    for number in (range(1, NUMBERS[letter] + 1) if letter in NUMBERS else (0,))
]
SIGNS = {
    (piece if seat == 0 else piece.lower()) + top: (seat, piece[0] + top)
    for piece in PIECES
    for seat in (0, 1)
    for top in ("", "^")
}

"""Quoridor: how its walls are read, and how far both pawns have to go.

A wall is named by the cell at its upper left: ``d2h`` lies below d2 and e2, ``d2v`` to the right of
d2 and d3. OpenSpiel warns of a fault: a pawn that can't move at all is moved anyway. Between two
players, a pawn always can: a wall must leave it a way, and the other pawn can be jumped over, or
passed on a side where the way goes on.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

SIZE = 9
FAR = 100
"""More steps than any way has."""

WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))
WALL = re.compile("[a-i][1-9][hv]")

Cell = tuple[int, int]
"""A column and a row, from 0 at the upper left."""


def rows(state: Any) -> list[str]:
    """Return the rows: where the pawns stand."""
    lines = str(state).splitlines()[2 : 2 + 2 * SIZE : 2]
    return [line[3 : 3 + 4 * SIZE : 4].replace("0", "A").replace("@", "B") for line in lines]


def walls_of(state: Any) -> list[str]:
    """Return the walls in the order in which they were put."""
    said = (state.action_to_string(step.player, step.action) for step in state.full_history())
    return [each for each in said if WALL.fullmatch(each)]


def notes(state: Any) -> list[str]:
    """Say how many walls each player has left, and where the others are."""
    walls = walls_of(state)
    left = re.search(r"walls: (\d+), (\d+)", str(state))
    assert left is not None
    return [f"left={left[1]}-{left[2]}", *[f"walls={'+'.join(walls)}"] * bool(walls)]


def blocked(walls: Collection[str]) -> set[tuple[Cell, Cell]]:
    """Return the pairs of neighbors that a wall is between, in both orders."""
    found: set[tuple[Cell, Cell]] = set()
    for wall in walls:
        x, y = ord(wall[0]) - ord("a"), int(wall[1]) - 1
        for by in (0, 1):
            one, other = ((x + by, y), (x + by, y + 1)) if wall[2] == "h" else (
                (x, y + by), (x + 1, y + by)
            )  # fmt: skip
            found |= {(one, other), (other, one)}
    return found


def distance(start: Cell, goal: int, between: Collection[tuple[Cell, Cell]]) -> int:
    """Return the steps from a cell to a row, around walls; the other pawn isn't in the way."""
    seen, now = {start}, [start]
    for steps in range(FAR):
        if any(y == goal for _, y in now):
            return steps
        near = [((x, y), (x + dx, y + dy)) for x, y in now for dx, dy in WAYS]
        now = []
        for pair in near:
            x, y = pair[1]
            if 0 <= x < SIZE and 0 <= y < SIZE and pair[1] not in seen and pair not in between:
                seen.add(pair[1])
                now.append(pair[1])
    return FAR


def pressure(state: Any) -> int:
    """Return by how many steps the first player's way is shorter."""
    between = blocked(walls_of(state))
    places = {
        sign: (x, y)
        for y, row in enumerate(rows(state))
        for x, sign in enumerate(row)
        if sign != "."
    }
    return distance(places["B"], SIZE - 1, between) - distance(places["A"], 0, between)

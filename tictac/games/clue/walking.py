"""How a player gets to the rooms that it wants to be in."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from random import Random

from tictac.games.clue.board import Board, Cell, InRoom, Place
from tictac.games.clue.cards import PASSAGES, Room
from tictac.games.clue.messages import Choice

FAR = 99


@lru_cache(maxsize=64)
def steps_to(board: Board, room: Room) -> dict[Place, int]:
    """Steps from each cell and each other room to be inside ``room``, on an empty board."""
    reached = board.steps(board.doors[room], 1)
    steps: dict[Place, int] = {board.cells[cell]: distance for cell, distance in reached.items()}
    for start in board.starts:
        near = board.neighbours[board.numbers[start]]
        steps[start] = 1 + min((reached[cell] for cell in near if cell in reached), default=FAR)
    for other, doors in board.doors.items():
        if other != room:
            distance = 1 + min((reached[door] for door in doors if door in reached), default=FAR)
            steps[InRoom(other, "V")] = steps[InRoom(other, "S")] = distance
    return steps


def without_dice(place: Place) -> list[Room]:
    """The rooms that can be entered from ``place`` with no-roll, the best known first."""
    if isinstance(place, Cell):
        return []
    stay = [place.room] if place.flag == "S" else []
    passage = [PASSAGES[place.room]] if place.room in PASSAGES else []
    return stay + passage


def choose_way(place: Place, wanted: Collection[Room]) -> Choice:
    """No-roll when that leads to a wanted room, otherwise roll."""
    return "no-roll" if any(room in wanted for room in without_dice(place)) else "roll"


def walk(
    board: Board, before: Place, places: Collection[Place], wanted: Collection[Room], dice: Random
) -> Place:
    """Into a wanted room, or as near to one as can be; into another only if there is no cell.

    ``before`` is where the token stands: going on standing there in a room is no entering.
    """
    ordered = sorted(places, key=str)
    rooms = [place for place in ordered if isinstance(place, InRoom)]
    inside = [place for place in entries(before, places) if place.room in wanted]
    if inside:
        return dice.choice(inside)
    cells = [place for place in ordered if isinstance(place, Cell)]
    if not cells:
        return dice.choice(rooms)
    tables = [steps_to(board, room) for room in sorted(wanted)]
    return min(cells, key=lambda cell: min((t.get(cell, FAR) for t in tables), default=FAR))


def entries(before: Place, places: Collection[Place]) -> list[InRoom]:
    """Those of ``places`` where a token that stands at ``before`` would just have entered."""
    rooms = [place for place in places if isinstance(place, InRoom)]
    return sorted(place for place in rooms if enters(before, place))


def enters(before: Place, place: InRoom) -> bool:
    """Whether going from ``before`` to ``place`` is entering it, so that a suggestion follows."""
    stays = isinstance(before, InRoom) and before.room == place.room
    return not stays or before == InRoom(place.room, "S")

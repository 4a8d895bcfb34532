"""The map of the mansion: cells, doors, rooms, and start cells. Source: clue.md, "The map"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

from tictac.errors import SetupError
from tictac.plugins.clue.game.cards import ROOMS, SEATS, Room

SIZE = 25
_CHARACTERS = {"-", *".012345", *ROOMS, *map(str.lower, ROOMS)}


class Cell(NamedTuple):
    """A cell, by row and column from 0 at the top left."""

    down: int
    right: int


class InRoom(NamedTuple):
    """A place in a room, moved there by a suggestion (``S``) or voluntarily (``V``)."""

    room: Room
    flag: Literal["S", "V"]


Place = Cell | InRoom
State = tuple[Place, ...]
"""The place of each token."""


def as_place(one: str, other: str) -> Place:
    """Return the place that two words name: ``17`` and ``24``, or ``U`` and ``S``."""
    if one.isdecimal():
        return Cell(int(one), int(other))
    return InRoom(one, "S" if other == "S" else "V")


def show_place(place: Place) -> str:
    """Return the name of a place for a sentence."""
    if isinstance(place, Cell):
        return f"({place.down} {place.right})"
    return f"the {ROOMS[place.room]}"


def at(place: Place) -> str:
    """Return a place with its preposition."""
    return f"{'at' if isinstance(place, Cell) else 'in'} {show_place(place)}"


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """A map that was read. :attr:`cells` numbers its cells in reading order.

    ``neighbours`` are the cells one step away, without start cells, because no move ends on or
    crosses one. ``doors`` has the door cells of each room, ``door_of`` the room of each door cell.
    ``rows`` is the text of the map, for drawings. ``starts`` is the first state.
    """

    rows: tuple[str, ...]
    cells: tuple[Cell, ...]
    numbers: dict[Cell, int]
    neighbours: tuple[tuple[int, ...], ...]
    doors: dict[Room, tuple[int, ...]]
    door_of: dict[int, Room]
    starts: tuple[Cell, ...]

    def steps(self, start: Iterable[int], first: int, blocked: int = 0) -> dict[int, int]:
        """Return the steps to each reachable cell from ``start``, which is ``first`` steps away.

        ``blocked`` has the bit of each cell that no walk can enter.
        """
        edge = [cell for cell in start if not blocked >> cell & 1]
        reached = dict.fromkeys(edge, first)
        for cell in edge:  # The loop body appends to the list.
            for near in self.neighbours[cell]:
                if near not in reached and not blocked >> near & 1:
                    reached[near] = reached[cell] + 1
                    edge.append(near)
        return reached


@cache
def shipped_board() -> Board:
    """Return the map that comes with tictac."""
    file = resources.files("tictac.plugins.clue.game").joinpath("clue-board.txt")
    return parse_board(file.read_text("utf-8"))


def read_board(path: Path) -> Board:
    """Read the map in a file. Raises :class:`~tictac.errors.SetupError`."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"can't read the map {path}: {error}") from error
    return parse_board(text, str(path))


def parse_board(text: str, name: str = "the map") -> Board:
    """Read the map in ``text``.

    Raises :class:`~tictac.errors.SetupError` with ``name`` and the number of a line, from 1.
    """
    rows = tuple(text.splitlines())
    for line, what in _problems(rows):
        raise SetupError(f"{name}, line {line}: {what}")
    marks = {
        Cell(down, right): mark
        for down, row in enumerate(rows)
        for right, mark in enumerate(row)
        if mark == "-" or mark.isdigit() or mark.islower()
    }
    numbers = {cell: number for number, cell in enumerate(marks)}
    door_of = {numbers[cell]: mark.upper() for cell, mark in marks.items() if mark.islower()}
    return Board(
        rows,
        tuple(marks),
        numbers,
        tuple(
            tuple(numbers[near] for near in _around(*cell) if not marks.get(near, "0").isdigit())
            for cell in marks
        ),
        {room: tuple(cell for cell, its in door_of.items() if its == room) for room in ROOMS},
        door_of,
        tuple(cell for _, cell in sorted((m, cell) for cell, m in marks.items() if m.isdigit())),
    )


def _around(down: int, right: int) -> list[Cell]:
    steps = (-1, 0), (0, -1), (0, 1), (1, 0)
    return [Cell(down + y, right + x) for y, x in steps]


def _problems(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the errors of a map, each with the number of its line."""
    for line, row in enumerate(rows[:SIZE], 1):
        if len(row) != SIZE:
            yield line, f"{len(row)} characters, not {SIZE}"
        for mark in row:
            if mark not in _CHARACTERS:
                yield line, f"{mark!r} means nothing on a map"
    if len(rows) != SIZE:
        yield min(len(rows), SIZE) + 1, f"the map has {len(rows)} lines, not {SIZE}"
    marks = {(down, right): mark for down, row in enumerate(rows) for right, mark in enumerate(row)}
    starts = set()
    for cell, mark in marks.items():
        near, line = {marks.get(at, ".") for at in _around(*cell)}, cell[0] + 1
        if mark.islower() and mark.upper() not in near:
            yield line, f"the door {mark} isn't beside its room"
        if mark.isdigit() and not any(other == "-" or other.islower() for other in near):
            yield line, f"no way leads from the start cell {mark}"
        if mark in starts:
            yield line, f"a second start cell {mark}"
        if mark.isdigit():
            starts.add(mark)
    for room in ROOMS:
        if room.lower() not in marks.values():
            yield SIZE, f"the map ends without a door of room {room}"
    for token in range(SEATS):
        if str(token) not in starts:
            yield SIZE, f"the map ends without the start cell of token {token}"

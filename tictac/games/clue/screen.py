"""The board of Clue, drawn with characters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple, Protocol

from tictac.games.clue.board import SIZE, Board, Cell, InRoom, Place, State
from tictac.games.clue.cards import ROOMS, TOKENS, Room

SHORT = [name[:2] for name in TOKENS]
"""What tokens are called on the board."""


class Ink(Protocol):
    """What paints pieces of text."""

    def dim(self, text: str) -> str:
        """What can be overlooked."""

    def bright(self, text: str) -> str:
        """A name, or a door."""

    def winning(self, text: str) -> str:
        """Where one can go."""

    def token(self, token: int, text: str) -> str:
        """A token."""


Paint = Callable[[str], str]
Canvas = dict[tuple[int, int], tuple[str, Paint]]
"""What is drawn, by row and column of characters, with what paints it."""


def draw_board(
    board: Board,
    state: State,
    style: Ink,
    reach: Collection[Place] = (),
    height: int | None = None,
) -> list[str]:
    """A line of column numbers, and a line for each row; cells are two characters wide.

    Tokens are two letters; cells of ``reach`` are stars, and rooms of it have their names bright.
    In fewer lines than that, ``height``, rows are left out where nobody is and nobody can go.
    """
    canvas: Canvas = {}
    for down, row in enumerate(board.rows):
        for right, mark in enumerate(row):
            text, paint = _ground(mark, style)
            if Cell(down, right) in reach:
                text, paint = " *", style.winning
            _put(canvas, down, 2 * right, text, paint)
    entered = {place.room for place in reach if isinstance(place, InRoom)}
    needed = {place.down for place in (*state, *reach) if isinstance(place, Cell)}
    named: set[int] = set()
    for room in ROOMS:
        named |= _label(canvas, board, room, state, style, room in entered)
    for token, place in enumerate(state):
        if isinstance(place, Cell):
            _put(canvas, place.down, 2 * place.right, SHORT[token], partial(style.token, token))
    numbers = "".join("  " if n % 2 else f"{n:>2}" for n in range(SIZE))
    rows = range(SIZE) if height is None else _fewer(board, needed, named, height - 1)
    return [
        f"   {style.dim(numbers)}",
        *(f"{style.dim(f'{down:>2}')} {_row(canvas, down)}" for down in rows),
    ]


def _fewer(board: Board, needed: Collection[int], named: Collection[int], most: int) -> list[int]:
    """At most that many rows, if so few are needed.

    Rows like the next one go first, then edges, rows without doors, with doors, and ``named``.
    """

    def worth(down: int) -> int:
        row, at = board.rows[down], kept.index(down)
        if down in named:
            return 4
        if row in (board.rows[other] for other in (*kept[:at][-1:], *kept[at + 1 :][:1])):
            return 0
        return 1 if down in (0, SIZE - 1) else 2 + any(map(str.islower, row))

    kept = list(range(SIZE))
    while len(kept) > most and (spare := [down for down in kept if down not in needed]):
        kept.remove(min(spare, key=worth))
    return kept


def _ground(mark: str, style: Ink) -> tuple[str, Paint]:
    """What is drawn of a character of the map."""
    if mark in ROOMS:
        return "::", style.dim
    if mark.islower():
        return f" {mark}", style.bright
    return (" .", style.dim) if mark == "-" else ("  ", str)


def _put(canvas: Canvas, down: int, column: int, text: str, paint: Paint) -> None:
    for at, character in enumerate(text):
        canvas[down, column + at] = character, paint


def _row(canvas: Canvas, down: int) -> str:
    """A row; neighbours that are painted alike are painted together."""
    pieces: list[tuple[str, Paint]] = []
    for column in range(2 * SIZE):
        character, paint = canvas[down, column]
        if pieces and pieces[-1][1] == paint:
            pieces[-1] = (pieces[-1][0] + character, paint)
        else:
            pieces.append((character, paint))
    return "".join(paint(text) for text, paint in pieces)


# Rooms


class _Span(NamedTuple):
    """The cells of a room in one row."""

    down: int
    right: int
    width: int


@cache
def _spans(board: Board, room: Room) -> list[_Span]:
    found = []
    for down, row in enumerate(board.rows):
        if room in row:
            right = row.index(room)
            rest = row[right:]
            found.append(_Span(down, right, len(rest) - len(rest.lstrip(room))))
    return found


def _label(
    canvas: Canvas, board: Board, room: Room, state: State, style: Ink, bright: bool
) -> set[int]:
    """The name of a room, and below it the tokens inside; the rows that they are in."""
    spans = _spans(board, room)
    if not spans:
        return set()
    width = 2 * sorted(span.width for span in spans)[len(spans) // 2]
    inside = [token for token, at in enumerate(state) if isinstance(at, InRoom) and at.room == room]
    rows: list[list[tuple[str, Paint]]] = [
        [(line, style.winning if bright else style.bright)] for line in _name_lines(room, width)
    ]
    a_row = max(1, (width + 1) // 3)
    for first in range(0, len(inside), a_row):
        rows.append(
            [(SHORT[token], partial(style.token, token)) for token in inside[first : first + a_row]]
        )
    top = max(0, (len(spans) - len(rows)) // 2)
    used = list(zip(spans[top:], rows, strict=False))
    for span, pieces in used:
        _place(canvas, span, pieces)
    return {span.down for span, _ in used}


def _place(canvas: Canvas, span: _Span, pieces: Sequence[tuple[str, Paint]]) -> None:
    length = sum(len(text) for text, _ in pieces) + len(pieces) - 1
    column = 2 * span.right + max(0, (2 * span.width - length + 1) // 2)
    # A blank around it keeps the letters apart from the filling.
    for at in (column - 1, column + length):
        if 2 * span.right <= at < 2 * (span.right + span.width):
            _put(canvas, span.down, at, " ", str)
    for text, paint in pieces:
        _put(canvas, span.down, column, f"{text} ", paint)
        column += len(text) + 1


def _name_lines(room: Room, width: int) -> list[str]:
    """The letter and the name of a room, in lines of that width at most."""
    lines = [f"{room}"]
    for word in ROOMS[room].split():
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines += _cut(word, width - 1)
    return lines


def _cut(word: str, width: int) -> Iterator[str]:
    """Pieces of a word; nothing where there is no room for them."""
    while len(word) > width > 2:
        yield word[: width - 1] + "-"
        word = word[width - 1 :]
    if len(word) <= width:
        yield word

"""The elements of games in Multi-User Gaming: boards of fields, numbers, and text.

Source: docs/reference/mug.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from twisted.words.xish.domish import Element, SerializedXML

from tictac.errors import Refusal
from tictac.game import GameType, Value
from tictac.lobby.terms import Terms
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import first, tag, text_of
from tictac.text_view import TextView, unpainted

Role = str
"""The name of a seat in MUG, such as ``x``."""

LONGEST_MOVE = 200
"""Maximum characters of a move as text."""

_SIDE = re.compile("[a-z][a-z0-9-]{1,19}|[xo]", re.ASCII)
_NO_ROLES = {"none", "all", "help", "rules", "start", "board", "leave", "computer", "invite"}
_NO_ROLES |= {"resign", "draw", "takeback", "decline", "say", "pause", "moves", "join", "watch"}
"""The words that mean something else in a room."""


def numbers_of(element: Element, *names: str) -> list[int]:
    """Return attributes that are numbers. Raises Refused."""
    texts = [(element.getAttribute(name) or "").strip() for name in names]
    if not all(re.fullmatch(r"[+-]?[0-9]{1,10}", text) for text in texts):
        raise Refused("bad-request", f"{', '.join(names)} of a <{element.name}> are numbers")
    return [int(text) for text in texts]


def board_fields(rows: Sequence[str], role_of: Mapping[str, Role]) -> SerializedXML:
    """Return the ``<board>`` with the occupied fields, row by row from the top."""
    found = [
        tag("field", {"row": row, "col": col}, role_of[mark])
        for row, marks in enumerate(rows, 1)
        for col, mark in enumerate(marks, 1)
        if mark in role_of
    ]
    return tag("board", None, *found)


def read_board(
    state: Element, size: tuple[int, int], mark_of: Mapping[Role, str], empty: str
) -> list[str]:
    """Return the rows of a ``<board>``. Raises Refused."""
    cells = [[empty] * size[1] for _ in range(size[0])]
    board = first(state, state.uri or "", "board")
    for field in () if board is None else board.elements(state.uri, "field"):
        row, col = numbers_of(field, "row", "col")
        mark = mark_of.get(text_of(field).strip())
        if mark is None or not (0 < row <= size[0] and 0 < col <= size[1]):
            raise Refused("not-acceptable", f"the field {row} {col} isn't on the board, or is odd")
        cells[row - 1][col - 1] = mark
    return ["".join(row) for row in cells]


class Elements(Protocol):
    """The elements of a game of our own namespaces."""

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles, in the order of their seats."""

    def board(self, terms: Terms, view: str) -> SerializedXML:
        """Return the element of a view."""

    def read_board(self, terms: Terms, state: Element, turn: str) -> str:
        """Return a position as text, which role ``turn`` continues. Raises Refused."""

    def move(self, terms: Terms, move: str) -> tuple[Mapping[str, object], str]:
        """Return the attributes and the text of a ``<move>``."""

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move in a ``<move>``. Raises Refused."""


@dataclass(frozen=True)
class BoardOfFields:
    """A board in the proposal's form, for games that write theirs as rows and the side to move.

    ``marks`` are those of the ``names``, in order. ``size`` returns the rows and columns.
    """

    names: tuple[Role, Role]
    marks: str
    size: Callable[[Mapping[str, Value]], tuple[int, int]]
    letters: bool = False

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles."""
        return self.names

    def board(self, terms: Terms, view: str) -> SerializedXML:
        """Return the ``<board>``."""
        role_of = dict(zip(self.marks, self.names, strict=True))
        return board_fields(view.partition(" ")[0].split("/"), role_of)

    def read_board(self, terms: Terms, state: Element, turn: str) -> str:
        """Return the rows, and the side to move."""
        mark_of = dict(zip(self.names, self.marks, strict=True))
        rows = read_board(state, self.size(terms.values), mark_of, ".")
        columns = map("".join, zip(*rows, strict=True))
        if not self.letters and any("." in column.lstrip(".") for column in columns):
            raise Refused("not-acceptable", "a piece can't be above an empty field")
        return f"{'/'.join(rows)} {mark_of[turn]}"

    def move(self, terms: Terms, move: str) -> tuple[Mapping[str, object], str]:
        """Return the field or the column of a move."""
        if self.letters:
            return {"row": move[1:], "col": ord(move[0]) - ord("a") + 1}, ""
        pop, _, col = move.rpartition(" ")
        return {"col": col, "pop": "true" if pop else None}, ""

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move, which can be off the board."""
        if self.letters:
            row, col = numbers_of(move, "row", "col")
            return f"{chr(ord('a') + col - 1) if 0 < col < 27 else '?'}{row}"
        [col], pop = numbers_of(move, "col"), move.getAttribute("pop") or "false"
        if pop not in ("true", "1", "false", "0"):
            raise Refused("bad-request", "pop is true or false")
        return f"pop {col}" if pop in ("true", "1") else str(col)


class Heaps:
    """The numbers of Nim."""

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles."""
        return "first", "second"

    def board(self, terms: Terms, view: str) -> SerializedXML:
        """Return the numbers that are ``<left>``."""
        numbers = filter(None, view.partition(":")[2].split(","))
        return tag("left", None, *(tag("number", None, each) for each in numbers))

    def read_board(self, terms: Terms, state: Element, turn: str) -> str:
        """Return the numbers, and the side to move."""
        numbers = first(state, state.uri or "", "left")
        found = [] if numbers is None else list(numbers.elements(state.uri, "number"))
        texts = [text_of(each).strip() for each in found]
        if not 0 < len(texts) <= 10 or not all(re.fullmatch("[1-9][0-9]{0,8}", t) for t in texts):
            raise Refused("not-acceptable", "a match has 1 to 10 numbers of up to nine digits")
        return f"{self.roles(terms).index(turn)}:{','.join(texts)}"

    def move(self, terms: Terms, move: str) -> tuple[Mapping[str, object], str]:
        """Return the position of a number, from 1, and the amount taken from it."""
        at, _, amount = move.partition(":")
        return {"number": int(at) + 1, "amount": amount}, ""

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move."""
        at, amount = numbers_of(move, "number", "amount")
        return f"{at - 1}:{amount}"


class AsText:
    """Any game by its text view: a board is what people see, and a move is what they type."""

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the names of the sides, or p1, p2, ..."""
        return _sides(terms.game_type, tuple(terms.values.items()), terms.seats)

    def board(self, terms: Terms, view: str) -> SerializedXML:
        """Return the lines."""
        return tag("text", None, "\n".join(view_of(terms).lines(view, unpainted)))

    def read_board(self, terms: Terms, state: Element, turn: str) -> str:
        """Refuse a custom position: a text doesn't describe all of it."""
        raise Refused("not-acceptable", "this game has no custom initial states")

    def move(self, terms: Terms, move: str) -> tuple[Mapping[str, object], str]:
        """Return the move as text."""
        return {}, view_of(terms).recorded(move)

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the text."""
        text = " ".join(text_of(move).split())
        if not 0 < len(text) <= LONGEST_MOVE:
            raise Refused("bad-request", f"a move has 1 to {LONGEST_MOVE} characters")
        try:
            return view_of(terms).read(text)
        except Refusal as refusal:
            raise Refused("bad-request", str(refusal)) from None


@lru_cache(maxsize=256)
def _sides(
    game_type: GameType, values: tuple[tuple[str, Value], ...], seats: int
) -> tuple[Role, ...]:
    view = game_type.text_view(dict(values))
    sides = tuple(side.lower() for side in view.sides_of("", seats)[:seats])
    usable = [side for side in sides if _SIDE.fullmatch(side) and side not in _NO_ROLES]
    if len(set(usable)) == seats:
        return sides
    return tuple(f"p{seat}" for seat in range(1, seats + 1))


def view_of(terms: Terms) -> TextView:
    """Return the text view of a game on these terms."""
    return terms.game_type.text_view(terms.values)

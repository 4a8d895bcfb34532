"""The boards and moves of each game, as a MUG client shows and sends them.

A client knows no rules: it draws the elements of a state, of any service. Source:
docs/reference/mug.md, and docs/reference/xmpp.md, "The client".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp.xml import OURS, TTT, first, tag, text_of
from tictac.terminal.style import draw_grid

LARGEST = 26
"""Maximum rows and columns of a board that the client draws."""

MOST_LINES = 100
"""Maximum lines of a board as text."""


class Board(NamedTuple):
    """A match as a client knows it: the lines to show, whose turn it is, and the result.

    ``number`` is the id of the next move; None: as many as there are marks, and one.
    """

    lines: Sequence[str]
    turn: str = ""
    number: int | None = 1
    result: str = ""


NO_BOARD = Board(())


class Look(Protocol):
    """How a game looks to a client."""

    usage: str

    def lines(self, state: Element) -> list[str]:
        """Return the lines of a state. Raises ValueError."""

    def lines_after(self, state: Element, move: Element, side: str) -> list[str]:
        """Return the lines of a state after a move of ``side``; none if that needs the rules.

        The state is one that :meth:`lines` could read.
        """

    def move(self, typed: str) -> tuple[Mapping[str, object], str]:
        """Return the attributes and the text of a move. Raises ValueError."""

    def describe(self, move: Element) -> str:
        """Return a move in words."""


class Fields:
    """A board of fields: tic-tac-toe, Connect Four (which only names columns), and Reversi.

    In a game that ``turns`` marks, a move changes more fields than its own.
    """

    def __init__(self, drops: bool = False, turns: bool = False) -> None:
        self._drops, self._turns = drops, turns
        self.usage = "COL, or pop COL" if drops else "ROW COL"

    def lines(self, state: Element) -> list[str]:
        """Return the board, a mark for each field. Raises ValueError."""
        rows, cols = _size(state)
        return _drawn(_cells(state), rows, cols)

    def lines_after(self, state: Element, move: Element, side: str) -> list[str]:
        """Return the board with the mark of a move, unless marks turn, or one is popped."""
        rows, cols = _size(state)
        cells = _cells(state)
        where = [move.getAttribute(name) or "" for name in ("row", "col")]
        row, col = (int(text) if _is_place(text) else 0 for text in where)
        if self._drops:
            row = max((r for r in range(1, rows + 1) if (r, col) not in cells), default=0)
        is_on_board = 0 < row <= rows and 0 < col <= cols and (row, col) not in cells
        if self._turns or _pops(move) or not is_on_board or not side:
            return []
        return _drawn({**cells, (row, col): side[0].upper()}, rows, cols)

    def move(self, typed: str) -> tuple[Mapping[str, object], str]:
        """Return the move that a user typed. Raises ValueError."""
        if self._drops and (found := re.fullmatch("(pop )?([0-9]{1,3})", typed)):
            return {"col": found[2], "pop": "true" if found[1] else None}, ""
        if not self._drops and (found := re.fullmatch("([0-9]{1,3}) ([0-9]{1,3})", typed)):
            return {"row": found[1], "col": found[2]}, ""
        raise ValueError(f"A move is {self.usage}.")

    def describe(self, move: Element) -> str:
        """Return the field, or the column."""
        if not self._drops:
            return f"marks {move.getAttribute('row')} {move.getAttribute('col')}"
        return f"{'pops from' if _pops(move) else 'drops into'} column {move.getAttribute('col')}"


class Numbers:
    """The numbers of Nim."""

    usage = "NUMBER AMOUNT: take AMOUNT from the number at position NUMBER"

    def lines(self, state: Element) -> list[str]:
        """Return the numbers with their places."""
        numbers = first(state, state.uri or "", "left")
        found = [] if numbers is None else list(numbers.elements(state.uri, "number"))
        return ["   ".join(f"{n}: {text_of(each)}" for n, each in enumerate(found[:LARGEST], 1))]

    def lines_after(self, state: Element, move: Element, side: str) -> list[str]:
        """Return no lines."""
        return []

    def move(self, typed: str) -> tuple[Mapping[str, object], str]:
        """Return the move that a user typed. Raises ValueError."""
        if found := re.fullmatch("([0-9]{1,3}) ([0-9]{1,10})", typed):
            return {"number": found[1], "amount": found[2]}, ""
        raise ValueError(f"A move is {self.usage}.")

    def describe(self, move: Element) -> str:
        """Return the amount and the number."""
        return f"takes {move.getAttribute('amount')} from {move.getAttribute('number')}"


class Text:
    """Any other game, whose states and moves are text."""

    usage = "a move as the game writes it"

    def lines(self, state: Element) -> list[str]:
        """Return the lines of the state."""
        text = first(state, state.uri or "", "text")
        return [] if text is None else text_of(text).splitlines()[:MOST_LINES]

    def lines_after(self, state: Element, move: Element, side: str) -> list[str]:
        """Return no lines."""
        return []

    def move(self, typed: str) -> tuple[Mapping[str, object], str]:
        """Return what a user typed."""
        return {}, typed

    def describe(self, move: Element) -> str:
        """Return the text."""
        return f"moves: {text_of(move)}"


LOOKS: Mapping[str, Look] = {
    TTT: Fields(),
    f"{OURS}connectfour": Fields(drops=True),
    f"{OURS}reversi": Fields(turns=True),
    f"{OURS}nim": Numbers(),
}
_TEXT = Text()


def look_of(uri: str) -> Look:
    """Return how the game of a namespace looks."""
    return LOOKS.get(uri, _TEXT)


def read_state(state: Element) -> Board:
    """Return what a client knows of a ``<state>``. Raises ValueError."""
    own = {child.name: child for child in state.elements() if child.uri == state.uri}
    turn = own.get("next")
    number = 1 + _marks(state) if state.uri == TTT else None
    given = "" if turn is None else turn.getAttribute("id") or ""
    if given.isdecimal() and len(given) < 7:
        number = int(given)
    won = own.get("won")
    result = "draw" if "draw" in own else "" if won is None else text_of(won).strip()
    side = "" if turn is None else text_of(turn).strip()
    return Board(look_of(state.uri or "").lines(state), side, number or 1, result)


def move_element(uri: str, typed: str, number: int) -> SerializedXML:
    """Return the ``<move>`` that a user typed. Raises ValueError."""
    attributes, text = look_of(uri).move(" ".join(typed.split()))
    return tag("move", {"xmlns": uri, **attributes, "id": number}, text or None)


def _cells(state: Element) -> dict[tuple[int, int], str]:
    """Return the marks by row and column, which count from 1."""
    cells = dict[tuple[int, int], str]()
    board = first(state, state.uri or "", "board")
    for each in () if board is None else board.elements(state.uri, "field"):
        row, col = (each.getAttribute(name) or "" for name in ("row", "col"))
        mark = text_of(each).strip()
        if _is_place(row) and _is_place(col) and mark:
            cells[int(row), int(col)] = mark[0].upper()
    return cells


def _drawn(cells: Mapping[tuple[int, int], str], rows: int, cols: int) -> list[str]:
    places = [(row, col) for row in range(1, rows + 1) for col in range(1, cols + 1)]
    return draw_grid([cells.get(at, " ") for at in places], cols)


def _pops(move: Element) -> bool:
    return move.getAttribute("pop") in ("true", "1")


def _is_place(text: str) -> bool:
    return text.isdecimal() and len(text) < 4


def _marks(state: Element) -> int:
    board = first(state, state.uri or "", "board")
    fields = [] if board is None else board.elements(state.uri, "field")
    return sum(1 for each in fields if text_of(each).strip())


def _size(state: Element) -> tuple[int, int]:
    texts = {child.name: text_of(child).strip() for child in state.elements()}
    names = ("size", "size") if "size" in texts else ("rows", "cols")
    size = [texts.get(name, "") for name in names]
    if not all(text.isdecimal() and len(text) < 4 and 0 < int(text) <= LARGEST for text in size):
        raise ValueError("The service sends a board that this client can't read.")
    return int(size[0]), int(size[1])

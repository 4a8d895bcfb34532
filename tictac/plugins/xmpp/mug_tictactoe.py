"""Tic-tac-toe in Multi-User Gaming, by its proposal. Source: docs/reference/xmpp.md."""

from __future__ import annotations

import re
from random import Random

from twisted.words.xish.domish import Element, SerializedXML

from tictac.errors import Refusal
from tictac.games.all import game_type_of
from tictac.games.tictactoe.rules import EMPTY
from tictac.lobby.events import Position
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.xmpp.fields import Field, Fields, one
from tictac.plugins.xmpp.mug_elements import Role, board_fields, numbers_of, read_board
from tictac.plugins.xmpp.mug_states import (
    Standing,
    Start,
    checked,
    new_terms,
    next_role,
    refuse_other_options,
    result,
)
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import TTT, tag
from tictac.terminal.style import draw_grid

TICTACTOE = game_type_of("tictactoe")

LARGEST = 10
"""The most rows and columns of tic-tac-toe, as its form offers."""


class TicTacToe:
    """Tic-tac-toe by its proposal."""

    uri = TTT
    game_type = TICTACTOE
    category = "board"
    _ROLES = ("x", "o")
    _MARK = {"x": "1", "o": "2"}
    _NUMBERS = {"rows": "rows", "cols": "columns", "strike": "strike"}
    SIZES = tuple(str(number) for number in range(3, LARGEST + 1))
    _LABELS = {"rows": "Rows", "cols": "Columns", "strike": "In a row to win"}

    @property
    def terms(self) -> Terms:
        """The default terms."""
        return terms_for(TICTACTOE, {})

    def roles(self, terms: Terms) -> tuple[Role, ...]:
        """Return the roles."""
        return self._ROLES

    def fields(self, terms: Terms) -> list[Field]:
        """Return the fields of the form."""
        prefix = "mug/tictactoe#config_"
        numbers = [
            Field(
                prefix + name, "list-single", label, (str(terms.values[self._NUMBERS[name]]),),
                self.SIZES,
            )
            for name, label in self._LABELS.items()
        ]  # fmt: skip
        begins = (str(terms.values["first"]).lower(),)
        return [*numbers, Field(f"{prefix}first", "list-single", "Who begins", begins, self._ROLES)]

    def changed(self, terms: Terms, fields: Fields) -> Terms:
        """Return the terms with the values of a form. Raises Refused."""
        values: dict[str, object] = dict(terms.values)
        for field in self.fields(terms):
            name, text = field.var.rpartition("_")[2], one(fields, field.var)
            if text is None:
                continue
            if text not in field.choices:
                raise Refused("not-acceptable", f"{name} is one of {', '.join(field.choices)}")
            values[self._NUMBERS.get(name, name)] = text.upper() if name == "first" else int(text)
        return new_terms(TICTACTOE, values)

    def following(self, terms: Terms) -> Terms:
        """Return the terms of the next match, which the other role begins."""
        return self._begun_by(terms, "O" if terms.values["first"] == "X" else "X")

    def _begun_by(self, terms: Terms, mark: str) -> Terms:
        return new_terms(TICTACTOE, {**terms.values, "first": mark})

    def initial(self, terms: Terms) -> Position | None:
        """Return the empty board."""
        return terms.game.start(2, Random(0))

    def played(self, position: Position) -> int:
        """Return the number of marks."""
        return len(position) - str(position).count(EMPTY)

    def describe(self, terms: Terms) -> str:
        """Return the game with its options."""
        rows, cols, strike = (terms.values[name] for name in self._NUMBERS.values())
        return f"Tic-tac-toe, {rows}x{cols}, {strike} in a row win"

    def label(self, terms: Terms) -> str:
        """Return the size of the board."""
        return f"{terms.values['rows']}x{terms.values['columns']}"

    def state(self, terms: Terms, standing: Standing) -> SerializedXML:
        """Return the ``<state>`` with the marked fields."""
        role_of = {mark: role for role, mark in self._MARK.items()}
        sizes = (tag(name, None, str(terms.values[o])) for name, o in self._NUMBERS.items())
        board = board_fields(self._rows(terms, standing.view or ""), role_of)
        turn = tag("next", None, standing.turn)
        return tag("state", {"xmlns": TTT}, *sizes, turn, board, result(standing.result))

    def _rows(self, terms: Terms, view: str) -> list[str]:
        cols = int(terms.values["columns"])
        return [view[at : at + cols] for at in range(0, len(view), cols)]

    def read_start(self, terms: Terms, state: Element) -> Start:
        """Return the custom initial state; without ``<next>``, x or o follows from the marks."""
        refuse_other_options(state, {n: terms.values[o] for n, o in self._NUMBERS.items()})
        size = int(terms.values["rows"]), int(terms.values["columns"])
        board = "".join(read_board(state, size, self._MARK, EMPTY))
        x, o = (board.count(mark) for mark in self._MARK.values())
        begins = str(terms.values["first"]) if x == o else "X" if x > o else "O"
        turn = next_role(state)
        if x == o and turn in self._ROLES:
            begins = turn.upper()
        terms = self._begun_by(terms, begins)
        is_x = (begins == "X") == (x == o)
        if abs(x - o) > 1 or turn not in ("", "x" if is_x else "o"):
            raise Refused("not-acceptable", "no match can come to that board")
        return Start(terms, checked(terms, board))

    def move(self, terms: Terms, move: str, number: int) -> SerializedXML:
        """Return a ``<move>``."""
        col, _, row = move.partition(":")
        where = {"row": int(row) + 1, "col": int(col) + 1}
        return tag("move", {"xmlns": TTT, **where, "id": number})

    def read_move(self, terms: Terms, move: Element) -> str:
        """Return the move in a ``<move>``. Raises Refused."""
        row, col = numbers_of(move, "row", "col")
        return f"{col - 1}:{row - 1}"

    def typed(self, terms: Terms, text: str) -> str:
        """Return the move of a row and a column, or as other clients spell it: c2."""
        if found := re.fullmatch("([0-9]{1,5}) ([0-9]{1,5})", text):
            return f"{int(found[2]) - 1}:{int(found[1]) - 1}"
        if found := re.fullmatch("([a-z])([0-9]{1,2})", text):
            return f"{ord(found[1]) - ord('a')}:{int(found[2]) - 1}"
        raise Refused("not-acceptable", "That isn't a command: write help.")

    def drawn(self, terms: Terms, view: str) -> list[str]:
        """Return the board as lines."""
        return draw_grid([" XO"[int(mark)] for mark in view], int(terms.values["columns"]))

    def prompt(self, terms: Terms, view: str) -> str:
        """Return how to type a move."""
        return "ROW COL, as in 2 3"

    def describe_move(self, terms: Terms, view: str, seat: int, move: str) -> str:
        """Return what a player does with a move."""
        col, _, row = move.partition(":")
        return f"marks {int(row) + 1} {int(col) + 1}"

    def explain(self, move: str, refusal: Refusal) -> str:
        """Return why a move is impossible: the match isn't over."""
        col, _, row = move.partition(":")
        return f"{int(row) + 1} {int(col) + 1} isn't a free field"

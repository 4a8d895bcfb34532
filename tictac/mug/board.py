"""The match of a room: its status, its board, who has started it.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from tictac.errors import IllegalMove
from tictac.games.tictactoe.rules import EMPTY, Board, Mark, O, Rules, X, other
from tictac.mug.refusals import Refused, invalid_turn

Status = Literal["created", "inactive", "active", "paused"]
Role = Literal["x", "o"]
Result = Literal["", "x", "o", "draw"]

ROLES: tuple[Role, Role] = ("x", "o")
ROLE_OF: dict[Mark, Role] = {X: "x", O: "o"}
MARK_OF: dict[str, Mark] = {"x": X, "o": O}


class State(NamedTuple):
    """What everybody may know of a match: the ``<state>``. ``result`` is that of the last."""

    rules: Rules
    next: Role
    board: Board
    result: Result


class Move(NamedTuple):
    """A move as it was sent: row and column from 1, and its number in the match."""

    row: int
    col: int
    number: int


@dataclass(slots=True)
class Match:
    """One match after the other on the same board; ``starts`` are the roles that have
    started the next."""

    status: Status = "created"
    rules: Rules = field(default_factory=Rules)
    board: Board = EMPTY * 9
    result: Result = ""
    starts: set[Role] = field(default_factory=set)

    def state(self) -> State:
        """The state as it is told."""
        return State(self.rules, self.turn, self.board, self.result)

    @property
    def turn(self) -> Role:
        """The role to move."""
        return ROLE_OF[self.rules.to_move(self.board)]

    @property
    def number(self) -> int:
        """The number of the next move, from 1."""
        return len(self.board) - self.board.count(EMPTY) + 1

    @property
    def can_start(self) -> bool:
        """Whether it is for the players to start it."""
        return self.status in ("inactive", "paused")

    def configure(self, rules: Rules) -> None:
        """Begin anew by these rules."""
        self.rules, self.board, self.result = rules, rules.initial(), ""
        self.status = "inactive"
        self.starts.clear()

    def start(self, role: Role) -> bool:
        """Note that ``role`` has started; True when both have, and the match goes on."""
        self.starts.add(role)
        if len(self.starts) < len(ROLES):
            return False
        self.starts.clear()
        if self.status == "inactive":
            self.board, self.result = self.rules.initial(), ""
        self.status = "active"
        return True

    def play(self, role: Role, move: Move) -> Board:
        """Make a move; the board after it, which at the end of a match is gone by then.

        Raises :class:`~tictac.mug.refusals.Refused`, and then nothing has changed.
        """
        if self.status != "active":
            raise Refused("not-allowed", "no match is being played")
        if role != self.turn:
            raise invalid_turn(f"it is the turn of {self.turn}")
        if move.number != self.number:
            raise invalid_turn(f"the next move has the id {self.number}")
        cell = self.rules.cell(move.col - 1, move.row - 1)
        try:
            self.board = after = self.rules.play(self.board, cell)
        except IllegalMove:
            raise invalid_turn(f"{move.row} {move.col} isn't a free field") from None
        self._end_if_over()
        return after

    def pause(self) -> bool:
        """Interrupt it if it is being played; whether it was."""
        if self.status != "active":
            return False
        self.status = "paused"
        self.starts.clear()
        return True

    def _end_if_over(self) -> None:
        """Get ready for the next round, which the other role begins."""
        outcome = self.rules.outcome(self.board)
        if outcome is None:
            return
        result: Result = "draw" if outcome.winner is None else ROLE_OF[outcome.winner]
        self.configure(replace(self.rules, first=other(self.rules.first)))
        self.result = result

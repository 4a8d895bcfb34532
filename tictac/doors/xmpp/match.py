"""The match of a MUG room, which is a room of the lobby while it is played or waits for somebody.

Source: docs/xmpp.md, "What is implemented" and "The lobby".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, NamedTuple

from tictac.doors.xmpp import refusals
from tictac.doors.xmpp.house import House, Seat, user_of
from tictac.doors.xmpp.refusals import invalid_turn
from tictac.games.tictactoe.game import KIND
from tictac.games.tictactoe.rules import EMPTY, NAMES, Board, Mark, O, Rules, X, other
from tictac.lobby.events import Ended, Event
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room as Table
from tictac.lobby.terms import Terms, terms_for

Status = Literal["created", "inactive", "active", "paused"]
Role = Literal["x", "o"]
Result = Literal["", "x", "o", "draw"]

ROLES: tuple[Role, Role] = ("x", "o")
"""In the order of their seats."""

ROLE_OF: dict[Mark, Role] = {X: "x", O: "o"}
MARK_OF: dict[str, Mark] = {"x": X, "o": O}

LONGEST_NAME = 20
"""Characters of the name of a room of the lobby."""


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


def rules_of(terms: Terms) -> Rules:
    """The rules of a room of the lobby for tic-tac-toe."""
    rows, columns, strike = (int(terms.values[name]) for name in ("rows", "columns", "strike"))
    return Rules(rows, columns, strike, MARK_OF[str(terms.values["first"]).lower()])


@dataclass(slots=True)
class Match:
    """One match after the other on the same board; ``starts`` are the roles that have started the
    next. ``table`` is its room in the lobby, in which ``seats`` are ours; ``hear`` gets its events.
    """

    house: House
    address: str
    hear: Callable[[Event], None]
    status: Status = "created"
    rules: Rules = field(default_factory=Rules)
    board: Board = EMPTY * 9
    result: Result = ""
    starts: set[Role] = field(default_factory=set)
    table: Table | None = None
    seats: dict[Role, Occupant] = field(default_factory=dict)
    _ear: Seat | None = None

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
        return self.status in ("inactive", "paused") and not self.house.waiting

    @property
    def is_shared(self) -> bool:
        """Whether somebody plays in it who came another way."""
        members = [] if self.table is None else self.table.players
        return any(not self.is_ours(member.occupant) for member in members)

    def is_ours(self, occupant_id: str) -> bool:
        """Whether that is an occupant from here."""
        return any(seat.occupant_id == occupant_id for seat in self.seats.values())

    def configure(self, rules: Rules) -> None:
        """Begin anew by these rules."""
        self.rules, self.board, self.result = rules, rules.initial(), ""
        self.status = "inactive"
        self.starts.clear()

    def finish(self, ended: Ended) -> None:
        """Get ready for the next round, which the other role begins."""
        self._forget()
        if self.status != "inactive" and ended.ending != "closed":
            self.configure(replace(self.rules, first=other(self.rules.first)))
            self.result = "draw" if ended.seat is None else ROLES[ended.seat]
        self.status = "inactive"

    # In the lobby

    def wait(self, user: str | None, key: str | None) -> None:
        """Let somebody else join ``user``, who plays x; nobody any more, if that is None."""
        waits = None
        if self.table is not None and self.status == "inactive":
            waits = self.table.players[0].user, self.table.terms
        wanted = None if user is None else (user, self._terms(key))
        if waits != wanted:
            self.close()
            if user is not None:
                self._open({"x": Seat(self.house, user)}, key)

    def begin(self, users: Mapping[Role, str], key: str | None) -> None:
        """Let these play; who isn't named is the computer. Raises Refused.

        A match that is paused goes on.
        """
        playing = {role: s.user for role, s in self.seats.items() if isinstance(s, Seat)}
        if self.table is not None and (self.is_shared or playing == users):
            self._pause(False)
            return
        self.close()
        terms = self._terms(key, len(ROLES) - len(users))
        self._open(
            {
                role: Seat(self.house, users[role]) if role in users else self.house.computer(terms)
                for role in ROLES
            },
            key,
        )

    def _open(self, seats: dict[Role, Occupant], key: str | None) -> None:
        registry, self.seats = self.house.registry, seats
        terms = self._terms(key, sum(not isinstance(seat, Seat) for seat in seats.values()))
        name = self._free_name()
        start = self.board if self.status == "paused" else None
        registry.create(seats["x"], name, terms, start)
        self.table = registry.room(name)
        if self.table is None:
            seats.clear()
            raise refusals.Refused("resource-constraint", "there are as many rooms as there may be")
        self.listen()
        if "o" in seats:
            registry.join(seats["o"], name, "PLAYER", terms.key)
            if not self.table.begun:
                self.close()
                raise refusals.Refused("not-allowed", "the same person can't have both roles here")

    def follow(self, table: Table) -> None:
        """Be the match in ``table``, which others have made."""
        self.table, self.rules, self.board = table, rules_of(table.terms), table.position
        self.status = "active" if table.running else "paused" if table.begun else "inactive"

    def listen(self) -> None:
        """Hear what happens at the table."""
        assert self.table is not None
        self._ear = Seat(self.house, user_of(self.address), self.hear)
        self.house.registry.join(self._ear, self.table.name, "VIEWER", self.table.terms.key)

    def sit(self, role: Role, user: str) -> None:
        """Take a seat where somebody else has one. Raises Refused."""
        assert self.table is not None
        held = [m.away is not None and m.user == user for m in self.table.players]
        if (held.index(True) if any(held) else len(held)) != ROLES.index(role):
            raise refusals.Refused("conflict", f"{role} is taken")
        if not self.house.registry.decides(self.table.name):
            raise refusals.Refused(
                "not-allowed", "it is played at another server, where XMPP only looks on"
            )
        seat = self.seats[role] = Seat(self.house, user)
        try:
            seat.ask(self.house.registry.join, self.table.name, "PLAYER", self.table.terms.key)
            if self.table.seat_of(seat.occupant_id) is None:
                raise refusals.Refused("conflict", f"{role} is taken")
        except refusals.Refused:
            del self.seats[role]
            raise

    def leave(self, role: Role) -> None:
        """Give a seat up: it may be held, or the match is lost."""
        seat = self.seats.pop(role, None)
        if isinstance(seat, Seat):
            seat.leave()

    def play(self, role: Role, move: Move) -> None:
        """Make a move. Raises Refused, and then nothing has changed."""
        if self.status != "active":
            raise refusals.Refused("not-allowed", "no match is being played")
        if role != self.turn:
            raise invalid_turn(f"it is the turn of {self.turn}")
        if move.number != self.number:
            raise invalid_turn(f"the next move has the id {self.number}")
        cell = self.rules.cell(move.col - 1, move.row - 1)
        if cell is None or self.board[cell] != EMPTY:
            raise invalid_turn(f"{move.row} {move.col} isn't a free field")
        self.house.registry.place(self.seats[role], f"{move.col - 1}:{move.row - 1}")

    def pause(self) -> None:
        """Interrupt it if it is being played."""
        if self.status == "active":
            self._pause(True)

    def _pause(self, paused: bool) -> None:
        for seat in self.seats.values():
            if isinstance(seat, Seat):
                self.house.registry.pause(seat, paused)

    def close(self) -> None:
        """Be no room of the lobby any more; if it is played, it will have to be again."""
        table = self.table
        self._forget()
        if table is not None:
            self.house.registry.call_off(table.name, "closed")

    def quit(self) -> None:
        """Nobody is here any more."""
        if not self.is_shared:
            self.close()
            return
        seats = [*self.seats.values(), self._ear]
        self._forget()
        for seat in seats:
            if isinstance(seat, Seat):
                seat.leave()

    def _forget(self) -> None:
        if self._ear is not None:
            self._ear.hear = None
        self.table = self._ear = None
        self.seats = {}

    def _terms(self, key: str | None, computers: int = 0) -> Terms:
        rules = self.rules
        sizes = {"rows": rules.rows, "columns": rules.cols, "strike": rules.strike}
        options = {**sizes, "first": NAMES[rules.first]}
        level = KIND.levels[-1] if computers else None
        # It ends with the process, as what is known here of its players does.
        return terms_for(KIND, options, key=key, computer=level, kept=False)

    def _free_name(self) -> str:
        base = re.sub("[^A-Za-z0-9_-]", "-", self.address.partition("@")[0])[:LONGEST_NAME]
        names = (f"{base[: LONGEST_NAME - 4]}-{number}" for number in count(2))
        name = base
        while self.house.registry.room(name) is not None:
            name = next(names)
        return name

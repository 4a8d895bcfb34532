"""The match of a MUG room: a room of the lobby while it is played or waits for an opponent.

Source: docs/reference/xmpp.md, "What is implemented" and "The lobby".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from random import Random
from typing import Literal

from twisted.words.xish.domish import SerializedXML

from tictac.games.all import game_type_of
from tictac.games.tictactoe.rules import EMPTY, NAMES, Board, Mark, O, Rules, X, other
from tictac.lobby import events
from tictac.lobby.events import Ended, Event
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room as Table
from tictac.lobby.terms import Terms, terms_for
from tictac.plugins.xmpp.gateway import Gateway, Seat, User, user_of
from tictac.plugins.xmpp.refusals import Refused, invalid_turn
from tictac.plugins.xmpp.xml import TTT, tag
from tictac.terminal.style import draw_grid

TICTACTOE = game_type_of("tictactoe")

Status = Literal["created", "inactive", "active", "paused"]
Role = Literal["x", "o"]

ROLES: tuple[Role, Role] = ("x", "o")
"""The roles in the order of their seats."""

ROLE_OF: dict[Mark, Role] = {X: "x", O: "o"}
MARK_OF: dict[str, Mark] = {"x": X, "o": O}

LONGEST_NAME = 20
"""Maximum characters of the name of a room of the lobby."""


def rules_of(terms: Terms) -> Rules:
    """Return the rules of a room of the lobby for tic-tac-toe."""
    rows, columns, strike = (int(terms.values[name]) for name in ("rows", "columns", "strike"))
    return Rules(rows, columns, strike, MARK_OF[str(terms.values["first"]).lower()])


def search_the_game() -> None:
    """Search all games of 3x3 now, so that no move waits for that (tens of milliseconds)."""
    assert TICTACTOE.choose is not None
    rng, level = Random(), TICTACTOE.levels[-1]
    for first in ("X", "O"):
        game = TICTACTOE.game({"first": first})
        TICTACTOE.choose(game, game.start(2, rng), level, lambda: False, rng)


class Ear(Seat):
    """The viewer by which all occupants of a MUG room get the events of its match."""

    clients: Callable[[], int]

    @property
    def receivers(self) -> int:
        """The number of clients that get an event."""
        return self.clients()


@dataclass(slots=True)
class MugMatch:
    """The matches of a MUG room, one after the other on the same board.

    ``first`` begins the first match. ``starts`` has the roles that have started the next match,
    ``result`` is the result of the last one. ``table`` is the match's room in the lobby, ``seats``
    are this service's seats there, and ``handle_event`` gets the events of that room, for so many
    ``clients``.
    """

    gateway: Gateway
    address: str
    handle_event: Callable[[Event], None]
    status: Status = "created"
    rules: Rules = field(default_factory=Rules)
    first: Mark = X
    board: Board = EMPTY * 9
    result: Literal["", "x", "o", "draw"] = ""
    starts: set[Role] = field(default_factory=set)
    table: Table | None = None
    seats: dict[Role, Occupant] = field(default_factory=dict)
    clients: Callable[[], int] = lambda: 1
    _ear: Ear | None = None
    _made_way: bool = False

    def state(self) -> SerializedXML:
        """Return the ``<state>`` with the marked fields, row by row."""
        rules, result = self.rules, self.result
        fields = [
            tag("field", {"row": cell // rules.cols + 1, "col": cell % rules.cols + 1}, role)
            for cell, mark in enumerate(self.board)
            if (role := ROLE_OF.get(mark))
        ]
        return tag(
            "state",
            {"xmlns": TTT},
            *(tag(name, None, str(getattr(rules, name))) for name in ("rows", "cols", "strike")),
            tag("next", None, self.turn),
            tag("board", None, *fields),
            tag("draw") if result == "draw" else tag("won", None, result) if result else None,
        )

    def drawn(self) -> str:
        """Return the board as lines of text."""
        return "\n".join(draw_grid([NAMES[mark] for mark in self.board], self.rules.cols))

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
        """Whether the players can start the match now."""
        return self.status in ("inactive", "paused") and not self.gateway.waiting

    @property
    def is_shared(self) -> bool:
        """Whether a player of another protocol plays in the match."""
        members = [] if self.table is None else self.table.players
        return any(not self.is_ours(member.occupant) for member in members)

    def is_ours(self, occupant_id: str) -> bool:
        """Return whether an occupant has one of this service's seats."""
        return any(seat.occupant_id == occupant_id for seat in self.seats.values())

    def configure(self, rules: Rules) -> None:
        """Prepare a new match with these rules."""
        self.first = rules.first
        self._renew(rules)

    def finish(self, ended: Ended) -> None:
        """Note the result, and prepare the next match, which the other role begins."""
        self._forget()
        if self.status != "inactive" and ended.ending != "closed":
            self._renew(replace(self.rules, first=other(self.rules.first)))
            self.result = "draw" if ended.seat is None else ROLES[ended.seat]
        self.status = "inactive"

    def _renew(self, rules: Rules) -> None:
        self.rules, self.board, self.result = rules, rules.initial(), ""
        self.status = "inactive"
        self.starts.clear()

    # In the lobby

    def wait(self, user: User | None, key: str | None) -> None:
        """Open a room where ``user``, who plays x, waits for an opponent; None closes that room.

        A room that the lobby has just closed stays closed until the next call. If it has made way
        for another room, it would make the next room make way, and so on.
        """
        waits, made_way, self._made_way = None, self._made_way, False
        if made_way:
            return
        if self.table is not None and self.status == "inactive":
            waits = self.table.players[0].user, self.table.terms
        # The rooms protocol shows only rooms in which x begins.
        terms = self._terms(key, replace(self.rules, first=self.first))
        if waits != (None if user is None else (user.name, terms)):
            self.close()
            if user is not None:
                self._open({"x": Seat(self.gateway, user)}, terms)

    def begin(self, users: Mapping[Role, User], key: str | None) -> None:
        """Begin the match of these users, or continue a paused one. Raises Refused.

        The computer plays the roles without a user.
        """
        playing = {role: seat.user for role, seat in self.persons().items()}
        same = playing == {role: user.name for role, user in users.items()}
        if self.table is not None and (self.is_shared or same):
            self._pause(False)
            return
        self.close()
        seats = {r: Seat(self.gateway, users[r]) if r in users else None for r in ROLES}
        self._open(seats, self._terms(key, self.rules, None in seats.values()))

    def _open(self, seats: Mapping[Role, Seat | None], terms: Terms) -> None:
        """Open a room of the lobby with these seats; None is the computer."""
        registry, name = self.gateway.registry, self._free_name()
        self.seats = {role: seat or self.gateway.computer(terms) for role, seat in seats.items()}
        registry.create(
            self.seats["x"], name, terms, self.board if self.status == "paused" else None
        )
        self.table = registry.room(name)
        if self.table is None:
            self.seats = {}
            raise Refused("resource-constraint", "there are as many rooms as there may be")
        self.listen()
        if "o" in seats:
            registry.join(self.seats["o"], name, "PLAYER", terms.key)
            if not self.table.begun:
                self.close()
                raise Refused("not-allowed", "the same person can't have both roles here")

    def follow(self, table: Table) -> None:
        """Show the match in ``table``, a room that others have opened."""
        self.table, self.rules, self.board = table, rules_of(table.terms), table.position
        self.status = "active" if table.running else "paused" if table.begun else "inactive"

    def listen(self) -> None:
        """Watch the room of the lobby; if that is refused, release all seats there."""
        assert self.table is not None

        def handle_event(event: Event) -> None:
            if isinstance(event, events.Refused):
                for role in list(self.persons()):
                    self.leave(role)
                event = Ended(0, None, self.board, "closed", None)
            elif isinstance(event, Ended):
                self._made_way = event.ending == "closed"
            self.handle_event(event)

        self._ear = Ear(self.gateway, User(user_of(self.address)), handle_event)
        self._ear.clients = self.clients
        self.gateway.registry.join(self._ear, self.table.name, "VIEWER", self.table.terms.key)

    def sit(self, role: Role, user: User) -> None:
        """Take a seat in a room with a player of another protocol.

        A later refusal comes as an event.

        Raises:
            Refused: The seat is taken, or the lobby refuses at once.
        """
        assert self.table is not None
        self.gateway.claim(self.table, user.name)
        held = [m.away is not None and m.user == user.name for m in self.table.players]
        if (held.index(True) if any(held) else len(held)) != ROLES.index(role):
            raise Refused("conflict", f"{role} is taken")
        seat = self.seats[role] = Seat(self.gateway, user)

        def handle_event(event: Event) -> None:
            if isinstance(event, events.Refused):
                if event.request == "join":
                    self.seats.pop(role, None)
                self.handle_event(event)

        try:
            seat.ask(self.gateway.registry.join, self.table.name, "PLAYER", self.table.terms.key)
        except Refused:
            del self.seats[role]
            raise
        seat.handle_event = handle_event

    def begun(self) -> None:
        """Note that the match began, with the rules of its room in the lobby."""
        if self.table is not None:
            self.rules, self.board = rules_of(self.table.terms), self.table.start
        self.status, self.result = "active", ""

    def leave(self, role: Role) -> None:
        """Leave a seat: the lobby holds the seat, or the player loses the match."""
        if (seat := self.persons().get(role)) is not None:
            del self.seats[role]
            seat.leave()

    def play(self, role: Role, row: int, col: int, number: int) -> None:
        """Make a move; row, column, and number count from 1. Raises Refused and changes nothing."""
        if self.status != "active":
            raise Refused("not-allowed", "no match is being played")
        if role != self.turn:
            raise invalid_turn(f"it is the turn of {self.turn}")
        if number != self.number:
            raise invalid_turn(f"the next move has the id {self.number}")
        cell = self.rules.cell(col - 1, row - 1)
        if cell is None or self.board[cell] != EMPTY:
            raise invalid_turn(f"{row} {col} isn't a free field")
        self.gateway.registry.place(self.seats[role], f"{col - 1}:{row - 1}")

    def pause(self) -> None:
        """Pause the match if it is being played."""
        if self.status == "active":
            self._pause(True)

    def _pause(self, paused: bool) -> None:
        for seat in self.persons().values():
            self.gateway.registry.pause(seat, paused)

    def ear_for(self, person: str) -> Seat | None:
        """Return the viewer in the lobby, by which ``person`` speaks and pays, if there is one."""
        if self._ear is not None:
            self._ear.pay_as(person)
        return self._ear

    def close(self) -> None:
        """Close the room of the lobby, without a result."""
        table = self.table
        self._forget()
        if table is not None:
            self.gateway.registry.call_off(table.name, "closed")

    def quit(self) -> None:
        """Close the room of the lobby, or leave it to the player of another protocol."""
        if not self.is_shared:
            self.close()
            return
        seats = [*self.persons().values(), self._ear]
        self._forget()
        for seat in seats:
            if seat is not None:
                seat.leave()

    def persons(self) -> dict[Role, Seat]:
        """Return this service's seats, except the computer's."""
        return {role: seat for role, seat in self.seats.items() if isinstance(seat, Seat)}

    def _forget(self) -> None:
        if self._ear is not None:
            self._ear.handle_event = None
        self.table = self._ear = None
        self.seats = {}

    def _terms(self, key: str | None, rules: Rules, with_computer: bool = False) -> Terms:
        sizes = {"rows": rules.rows, "columns": rules.cols, "strike": rules.strike}
        options = {**sizes, "first": NAMES[rules.first]}
        level = TICTACTOE.levels[-1] if with_computer else None
        # The room isn't kept, because the MUG room with its players ends with the process.
        return terms_for(TICTACTOE, options, key=key, computer=level, kept=False)

    def _free_name(self) -> str:
        base = re.sub("[^A-Za-z0-9_-]", "-", self.address.partition("@")[0])[:LONGEST_NAME]
        names = chain([base], (f"{base[: LONGEST_NAME - 4]}-{number}" for number in count(2)))
        return next(name for name in names if self.gateway.registry.room(name) is None)

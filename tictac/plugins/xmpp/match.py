"""The match of a MUG room: a room of the lobby while it is played or waits for an opponent.

Source: docs/reference/xmpp.md, "What is implemented" and "The lobby".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from random import Random
from typing import Literal

from twisted.words.xish.domish import SerializedXML

from tictac.errors import Refusal
from tictac.game import OpenGame
from tictac.lobby import events
from tictac.lobby.events import Ended, Event, Position
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room as Table
from tictac.lobby.terms import Terms
from tictac.plugins.xmpp.gateway import Gateway, Seat, User, user_of
from tictac.plugins.xmpp.muc import looks_like
from tictac.plugins.xmpp.mug_elements import Role, view_of
from tictac.plugins.xmpp.mug_games import MugGame
from tictac.plugins.xmpp.mug_states import Standing, Start, steps
from tictac.plugins.xmpp.mug_tictactoe import TICTACTOE
from tictac.plugins.xmpp.refusals import Refused, invalid_turn

Status = Literal["created", "inactive", "active", "paused"]

LONGEST_NAME = 20
"""Maximum characters of the name of a room of the lobby."""


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

    ``chosen`` are the terms that the owner chose, ``terms`` those of this or the next match.
    ``position`` is its board, or None if the first one comes with the match; ``is_custom``: the
    owner chose it. ``played`` moves led to it. ``starts`` has the roles that have started the next
    match, ``result`` is the result of the last one. ``table`` is the match's room in the lobby,
    ``seats`` are this service's seats there, and ``handle_event`` gets the events of that room, for
    so many ``clients``.
    """

    gateway: Gateway
    address: str
    handle_event: Callable[[Event], None]
    mug: MugGame
    chosen: Terms = field(init=False)
    terms: Terms = field(init=False)
    status: Status = "created"
    position: Position | None = None
    played: int = 0
    is_custom: bool = False
    result: str = ""
    starts: set[Role] = field(default_factory=set)
    table: Table | None = None
    seats: dict[Role, Occupant] = field(default_factory=dict)
    clients: Callable[[], int] = lambda: 1
    _ear: Ear | None = None
    _made_way: bool = False

    def __post_init__(self) -> None:
        self.chosen = self.terms = self.mug.terms
        self.position = self.mug.initial(self.terms)

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles, in the order of their seats."""
        return self.mug.roles(self.terms)

    def role_of(self, seat: int) -> Role:
        """Return the role of a seat."""
        return self.roles[seat]

    def seat_of(self, role: Role | None) -> int | None:
        """Return the seat of a role; None for a spectator."""
        return None if role is None else self.roles.index(role)

    @property
    def has_secrets(self) -> bool:
        """Whether the players can see different things."""
        return not isinstance(self.terms.game, OpenGame)

    def view(self, role: Role | None) -> str | None:
        """Return the board as a role or a spectator sees it; None before the first position."""
        if self.position is None:
            return None
        return self.terms.game.view(self.position, self.seat_of(role))

    def state(self, role: Role | None = None) -> SerializedXML:
        """Return the ``<state>`` for a role or a spectator."""
        standing = Standing(self.view(role), self.turn, self.number, self.result)
        return self.mug.state(self.terms, standing)

    def drawn(self, role: Role | None = None) -> str:
        """Return the board as lines of text; empty before the first position."""
        view = self.view(role)
        return "" if view is None else "\n".join(self.mug.drawn(self.terms, view))

    def prompt(self, role: Role | None) -> str:
        """Return how to type a move."""
        return self.mug.prompt(self.terms, self.view(role) or "")

    @property
    def turn(self) -> Role:
        """The role to move; empty before the first position."""
        turn = None if self.position is None else self.terms.game.turn(self.position)
        return "" if turn is None else self.role_of(turn)

    @property
    def number(self) -> int:
        """The number of the next move, from 1."""
        return self.played + 1

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

    def configure(self, terms: Terms, start: Start | None = None) -> None:
        """Prepare a new match on these terms, from a custom initial state if there is one."""
        self.chosen = terms
        self._renew(terms if start is None else start.terms)
        if start is not None:
            self.position, self.played = start.position, self.mug.played(start.position)
            self.is_custom = True

    def finish(self, ended: Ended) -> None:
        """Note the result, and prepare the next match."""
        self._forget()
        if self.status != "inactive" and ended.ending != "closed":
            self._renew(self.mug.following(self.terms))
            self.result = "draw" if ended.seat is None else self.role_of(ended.seat)
        self.status = "inactive"

    def _renew(self, terms: Terms) -> None:
        self.terms, self.position, self.result = terms, self.mug.initial(terms), ""
        self.played, self.is_custom = 0, False
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
        terms = self._terms(key, self.chosen)
        if waits != (None if user is None else (user.name, terms)):
            self.close()
            if user is not None:
                self._open({self.roles[0]: Seat(self.gateway, user)}, terms)

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
        seats = {r: Seat(self.gateway, users[r]) if r in users else None for r in self.roles}
        self._open(seats, self._terms(key, self.terms, [*seats.values()].count(None)))

    def _open(self, seats: Mapping[Role, Seat | None], terms: Terms) -> None:
        """Open a room of the lobby with these seats; None is the computer."""
        registry, name = self.gateway.registry, self._free_name()
        self.seats = {role: seat or self.gateway.computer(terms) for role, seat in seats.items()}
        continues = self.status == "paused" or self.is_custom
        host, *others = self.seats.values()
        self.gateway.hosted.add(name)
        registry.create(host, name, terms, self.position if continues else None)
        self.table = registry.room(name)
        if self.table is None:
            self.gateway.hosted.discard(name)
            self.seats = {}
            raise Refused("resource-constraint", "the server has the maximum number of rooms")
        self.listen()
        for other in others:
            registry.join(other, name, "PLAYER", terms.key)
        if others and not self.table.begun:
            self.close()
            raise Refused("not-allowed", "the same person can't have two roles here")

    def follow(self, table: Table) -> None:
        """Show the match in ``table``, a room that others have opened."""
        self.table, self.terms, self.position = table, table.terms, table.position
        self.played = self.mug.played(self.position)
        self.status = "active" if table.running else "paused" if table.begun else "inactive"

    def listen(self) -> None:
        """Watch the room of the lobby; if that is refused, release all seats there."""
        assert self.table is not None

        def handle_event(event: Event) -> None:
            if isinstance(event, events.Refused):
                for role in list(self.persons()):
                    self.leave(role)
                event = Ended(0, None, self.position, "closed", None)
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
        mine = [member.user == user.name for member in self.table.players]
        if (mine.index(True) if any(mine) else len(mine)) != self.seat_of(role):
            raise Refused("conflict", f"{role} is taken")
        self.gateway.claim(self.table, user.name)
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
        seat.makes_way = partial(self.leave, role)
        self.gateway.note_player(self.table.name, user.name, seat)

    def begun(self) -> None:
        """Note that the match began, with the rules of its room in the lobby."""
        if self.table is not None:
            self.terms, self.position = self.table.terms, self.table.start
            if self.status != "paused":
                self.played = self.mug.played(self.position)
        self.status, self.result = "active", ""

    def leave(self, role: Role) -> None:
        """Leave a seat: the lobby holds the seat, or the player loses the match."""
        if (seat := self.persons().get(role)) is not None:
            del self.seats[role]
            seat.leave()

    def play(self, role: Role, move: str, number: int | None = None) -> None:
        """Make a move; its number counts from 1. Raises Refused and changes nothing."""
        if self.status != "active":
            raise Refused("not-allowed", "no match is being played")
        if role != self.turn:
            raise invalid_turn(f"it is the turn of {self.turn}")
        if number not in (None, self.number):
            raise invalid_turn(f"the next move has the id {self.number}")
        try:
            made = steps(self.terms, self.view(role) or "", move)
            self.terms.game.play(self.position, made[0], Random(0))
        except Refusal as refusal:
            raise invalid_turn(self.mug.explain(move, refusal)) from None
        for step in made:
            self.gateway.registry.place(self.seats[role], step)

    def is_typed(self, role: Role | None, text: str) -> bool:
        """Return whether a text is a role, or a move of ``role``, in form."""
        text = " ".join(text.split())
        if text.lower() in self.roles:
            return True
        if role is None or self.status != "active":
            return False
        view = view_of(self.terms)
        return looks_like(text, map(view.spell, self.terms.game.moves(self.position)), self._reads)

    def _reads(self, text: str) -> bool:
        try:
            self.mug.typed(self.terms, text)
        except Refused:
            return False
        return True

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

    def _terms(self, key: str | None, terms: Terms, computers: int = 0) -> Terms:
        level = terms.game_type.levels[-1] if computers else None
        # The room isn't kept, because the MUG room with its players ends with the process. The game
        # stays the same object, as games that are made again needn't be equal.
        return replace(terms, key=key, computer=level, computers=computers, kept=False)

    def _free_name(self) -> str:
        base = re.sub("[^A-Za-z0-9_-]", "-", self.address.partition("@")[0])[:LONGEST_NAME]
        names = chain([base], (f"{base[: LONGEST_NAME - 4]}-{number}" for number in count(2)))
        return next(name for name in names if self.gateway.registry.room(name) is None)

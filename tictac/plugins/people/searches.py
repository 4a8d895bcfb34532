"""Players who seek an opponent while they do something else, such as play the computer.

A player who seeks an opponent by ``seek`` sits in a room, and the next one who seeks the same joins
at once. A player who does something else can't be seated without a question: the match would begin
behind the player's back. Such a player has a search instead, and no room. The server asks at least
one of two players who want the same match about the other, whatever each does:

    sits, sits           the second one joins the room of the first one (Lobby.find)
    sits, searches       the server asks the search about the room
    searches, searches   the server asks the older search about the younger one

The answer of a client to a question is an ordinary request: ``join`` for a room; ``seek`` where
there is none yet, which opens a room, and the server asks the other search about it. So a question
that gets no answer costs nothing: the player in the room still waits there, and the other
search goes on.

Each question ends its search, because a player who doesn't answer is unavailable. While a question
about a room or a search is open, the server asks no other search about it.
"""

from __future__ import annotations

from collections.abc import Mapping

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.errors import GuestsRefused
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import is_given
from tictac.plugins.people.request_types import Meanwhile
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.lobby import Lobby, are_alike
from tictac.protocols.lobby.session import Session

SECONDS = 10.0
"""Seconds that a player has to answer."""


class Searches:
    """The searches in a lobby, one for each connection (extension.Extension)."""

    def __init__(self, lobby: Lobby, clock: IReactorTime) -> None:
        self._lobby, self._clock = lobby, clock
        self._terms: dict[Session, Terms] = {}  # the oldest first
        self._asked_about: dict[object, float] = {}  # rooms and sessions, and until when
        self._look: IDelayedCall | None = None
        self._changed = lobby.registry.changed
        lobby.registry.changed = self.changed
        self.handlers: Handlers = dict((on(Meanwhile, self._search),))

    def __len__(self) -> int:
        return len(self._terms)

    def stop(self) -> None:
        """Ask no more."""
        if self._look is not None and self._look.active():
            self._look.cancel()

    def changed(self, room: Room) -> None:
        """Note a change of a room (Registry.changed)."""
        if self._changed is not None:
            self._changed(room)
        if self._terms and not room.begun:
            self._look_in(0)  # not before the room is marked as sought

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        self._terms.pop(session, None)

    # Questions

    def _search(self, session: Session, request: Meanwhile) -> None:
        """Begin a search, or end it. Raises a Refusal."""
        self._terms.pop(session, None)
        if not request.stop:
            terms = wire.read_terms(request, seats=request.seats)
            is_guest = is_given(session.user or "")
            if is_guest and (terms.rated or not self._lobby.guests):
                raise GuestsRefused("such a match is between accounts: log in first")
            self._terms[session] = terms
            self._look_in(0)
        session.send(wire.answer(request.id))

    def _look_in(self, seconds: float) -> None:
        if self._look is None or not self._look.active():
            self._look = self._clock.callLater(seconds, self._ask)
        elif self._look.getTime() > self._clock.seconds() + seconds:
            self._look.reset(seconds)

    def _ask(self) -> None:
        """Ask each search about a room or another search that fits."""
        now = self._clock.seconds()
        self._asked_about = {each: end for each, end in self._asked_about.items() if end > now}
        for session, terms in list(self._terms.items()):
            name = self._lobby.find(terms, session.user)
            room = None if name is None else self._lobby.registry.room(name)
            if room is not None and room.name not in self._asked_about:
                self._put(session, room.name, room.players[0].user)
            elif name is None and session not in self._asked_about:
                self._ask_pair(session, terms)
        if self._terms and self._asked_about:
            self._look_in(max(0.0, min(self._asked_about.values()) - now))

    def _ask_pair(self, session: Session, terms: Terms) -> None:
        for other, its in self._terms.items():
            if other is session:
                return  # only younger ones follow: each of them looks for this one
            user, name = session.user or "", other.user or ""
            if user != name and are_alike(terms, its) and not self._lobby.blocks(user, name):
                self._asked_about[session] = self._clock.seconds() + SECONDS
                self._put(other, None, user)
                return

    def _put(self, session: Session, room: str | None, user: str) -> None:
        del self._terms[session]
        if room is not None:
            self._asked_about[room] = self._clock.seconds() + SECONDS
        session.send(wire.line({"event": "found", "room": room, "user": user, "seconds": SECONDS}))

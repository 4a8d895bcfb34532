"""Rematches: another match of the same two players, with sides swapped.

Two offers are an acceptance: players press the button at the same moment.

Source: moves.md, "Rematches".
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Literal, Protocol

from tictac.errors import NotOffered, TooManyEvents
from tictac.lobby.events import Ended, Mode, OfferState
from tictac.lobby.interfaces import Call, Occupant, Payer
from tictac.lobby.live_room import Opener
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import is_computer
from tictac.protocols.lobby import json_view, wire

State = OfferState | Literal["accepted", "left"]
AnswerCallback = Callable[[], None]


class RematchParty(Occupant, Protocol):
    """A player or viewer of this protocol who was in the room at the end."""

    seat: int | None

    @property
    def payer(self) -> Payer:
        """The connection that pays for what the party does."""

    @property
    def takes(self) -> Collection[str]:
        """The kinds of events that the client takes without a request."""

    @property
    def muted(self) -> Collection[str]:
        """The users whose chat the user doesn't get."""

    def send(self, data: bytes) -> None:
        """Send a line."""

    def can_sit(self, name: str) -> bool:
        """Return whether the connection can enter one more room, of that name."""

    def sit(self, name: str) -> Occupant:
        """Return an occupant for another room, for the same user."""

    def forget(self) -> None:
        """Note that no match can follow any more."""


AT_ONCE = 8
"""Maximum parties that enter the next room in a turn of the reactor."""

MOST_OFFERS = 20
"""Maximum events about offers of a rematch and their outcomes."""

MOST_SAID = 200
"""Maximum chat messages after the end of a match."""


class Rematch:
    """The possible rematch of the match in ``room``; ``since`` is the time of the last change.

    After both players have agreed, the player who gets the first seat makes the room. ``new_name``
    makes a name if another room has the old one. ``drop`` is called when no rematch is possible any
    more. ``later`` calls a function after some seconds.
    """

    def __init__(
        self,
        registry: Registry,
        room: Room,
        ended: Ended,
        seconds: Callable[[], float],
        new_name: Callable[[], str],
        drop: Callable[[Rematch], None],
        later: Callable[..., Call],
    ) -> None:
        self.room = room
        self.since = seconds()
        self._registry = registry
        self._seconds = seconds
        self._new_name = new_name
        self._drop = drop
        self._later = later
        self._users = [member.user for member in room.players]
        self._next_first = 0 if is_computer(self._users[1]) else 1  # a computer makes no room
        self._last = self._number = ended.number
        self._said = 0
        self._offer: int | None = None
        self._fate = ""
        self._parties: dict[RematchParty, None] = {}
        before = room.terms.score or (0.0, 0.0)
        points = json_view.points(ended, 2) or (0.0, 0.0)
        self._score = before[0] + points[0], before[1] + points[1]

    @staticmethod
    def may_follow(room: Room, ended: Ended) -> bool:
        """Return whether a rematch is possible: two players played, and no service opened it."""
        is_free = room.terms.protocol is None and room.terms.play is None
        return len(room.players) == 2 and is_free and ended.ending != "closed"

    def stay(self, party: RematchParty) -> None:
        """Send later events about the rematch to ``party``."""
        self._parties[party] = None

    def go(self, party: RematchParty) -> None:
        """Remove ``party``, who disconnected or went on to another room."""
        del self._parties[party]
        if not self._parties:
            self._drop(self)
        elif party.seat is not None:
            self._charge(party)
            if self._offer is not None:
                self._do("withdrawn" if self._offer == party.seat else "declined", party.seat)
            self._do("left", party.seat)

    @property
    def was_offered(self) -> bool:
        """Whether an offer is open, or the last one has ended."""
        return self._offer is not None or bool(self._fate)

    # Requests of players: ``answer`` is called if the request is granted

    def offer(self, party: RematchParty, answer: AnswerCallback) -> None:
        """Offer a rematch, or accept the other player's. Raises a Refusal."""
        seat = self._seat_of(party)
        if self._offer == seat:
            raise NotOffered("you have offered a rematch already")
        if self._offer is not None:
            self.answer(party, True, answer)
            return
        if self._number - self._last >= MOST_OFFERS:
            raise NotOffered("a rematch was offered too often")
        self._check_both_come(seat)
        if is_computer(self._users[1 - seat]):  # which accepts at once
            self._check_room()
        self._charge(party)
        answer()
        self._do("offered", seat)
        if is_computer(self._users[1 - seat]):
            self._do("accepted", 1 - seat)

    def answer(self, party: RematchParty, accept: bool, answer: AnswerCallback) -> None:
        """Accept the offer, or decline or withdraw it. Raises a Refusal."""
        seat = self._seat_of(party)
        if self._offer is None or (accept and self._offer == seat):
            raise NotOffered(self._fate or "no one else offers a rematch")
        if accept:
            self._check_both_come(seat)
            self._check_room()
        self._charge(party)
        answer()
        declined: State = "withdrawn" if self._offer == seat else "declined"
        self._do("accepted" if accept else declined, seat)

    def say(self, party: RematchParty, user: str, text: str, answer: AnswerCallback) -> None:
        """Send a chat message to all who stayed and take them. Raises TooManyEvents."""
        if self._said >= MOST_SAID:
            raise TooManyEvents(f"too much was said in room {self.room.name}")
        self._charge(party)
        answer()
        self._said += 1
        self._last += 1  # so that it doesn't count as an offer
        self._number += 1
        self.since = self._seconds()
        about = {"event": "said", "room": self.room.name, "n": self._number}
        line = wire.line({**about, "user": user, "text": text})
        for party in self._parties:
            if "after" in party.takes and user not in party.muted:
                party.send(line)

    def _charge(self, party: RematchParty) -> None:
        """Let ``party`` pay for all who get an event."""
        party.payer.pay_for(len(self._parties))

    def _seat_of(self, party: RematchParty) -> int:
        if party.seat is None:
            raise NotOffered("only those who have played agree on a rematch")
        return party.seat

    def _check_both_come(self, seat: int) -> None:
        self._check_comes(seat)
        if not is_computer(self._users[1 - seat]):
            self._check_comes(1 - seat)

    def _check_comes(self, seat: int) -> None:
        player = self._player(seat)
        if player is None:
            raise NotOffered(f"{self._users[seat]} can't be asked for a rematch")
        if not player.can_sit(self._name()):
            raise NotOffered(f"{self._users[seat]} is in too many rooms")

    def _check_room(self) -> None:
        """Raise the Refusal of the next room, while the offer can still stay open."""
        if (creator := self._player(self._next_first)) is not None:
            opener = Opener.of(creator)
            self._registry.make_way(creator, opener)
            if self._registry.storage is not None:
                self._registry.storage.spend(opener, 0)

    def _player(self, seat: int) -> RematchParty | None:
        return next((party for party in self._parties if party.seat == seat), None)

    # Events

    def _do(self, state: State, seat: int) -> None:
        self.since = self._seconds()
        if state == "accepted":
            self._begin()
        else:
            self._offer = seat if state == "offered" else None
            if state != "left":
                self._fate = "" if state == "offered" else f"the offer of a rematch was {state}"
            self._send_state(state, seat)

    def expire(self) -> None:
        """End the rematch after the timeout, or beyond the maximum."""
        self._send_state("expired", self._offer or 0)
        self._drop(self)
        for party in list(self._parties):
            party.forget()

    def _send_state(self, state: State, seat: int) -> None:
        self._number += 1
        about = {"event": state, "room": self.room.name, "n": self._number, "seat": seat}
        if state == "left":
            line = wire.line({**about, "user": self._users[seat], "held": None})
        else:
            line = wire.line({**about, "what": "rematch"})
        for party in self._parties:  # without an offer, nothing expires for old clients
            if state != "expired" or self._offer is not None or "after" in party.takes:
                party.send(line)

    # The next match

    def _begin(self) -> None:
        """Let the player who gets the first seat make the room, and the others follow."""
        creator = self._player(self._next_first)
        assert creator is not None  # the checks of the requests
        self._drop(self)
        name = self._name()
        self._registry.create(creator.sit(name), name, self._terms())
        self._follow(name, creator)

    def _name(self) -> str:
        """Return the name of the next room."""
        name = self.room.name
        return self._new_name() if self._registry.has_room(name) else name

    def _follow(self, name: str, creator: RematchParty | None = None) -> None:
        """Move all parties into the new room; ``creator`` is already there.

        The first go at once, players before viewers, and the others in the next turns: each who
        comes is announced to all before them.
        """
        for party in sorted(self._parties, key=lambda each: each.seat is None)[:AT_ONCE]:
            del self._parties[party]
            party.forget()
            if party is not creator and party.can_sit(name):
                mode: Mode = "VIEWER" if party.seat is None else "PLAYER"
                self._registry.join(party.sit(name), name, mode, self.room.terms.key)
        if self._parties:
            self._later(0, self._follow, name)

    def _terms(self) -> Terms:
        """Return the terms of the last match, with sides swapped."""
        terms = self.room.terms
        computers = [is_computer(user) for user in self._users]
        if any(computers):
            level = terms.computer or terms.game_type.levels[-1]
            terms = replace(terms, computer=level, computers=1, computers_first=int(computers[1]))
        return replace(terms, score=self._score[::-1])

"""The computer as an occupant of rooms that ask for it, or that no other player joins.

The registry reports new rooms to it. Source: rooms.md, "The computer".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from random import Random
from typing import Protocol

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.engines.pool import ProcessesStoppedError
from tictac.engines.worker import Question
from tictac.game import time_is_up
from tictac.lobby.events import (
    Began,
    Ended,
    Event,
    Joined,
    Offered,
    Paused,
    Placed,
    Refused,
    Undone,
)
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.shares import line_of
from tictac.lobby.terms import USUAL_TERMS, Terms
from tictac.logs import LIMITED
from tictac.names import COMPUTER, is_computer

_log = Logger(observer=LIMITED)

USER = COMPUTER
THINKS = 0.3
"""Seconds before the computer answers a move, so that players see their own move first."""

ALONE = 60.0
"""Seconds for which computers continue a match that no person plays or watches."""

SECONDS = 1.0
"""Seconds to think about a move at a slow level."""


class Engine(Protocol):
    """Finds the moves of slow levels."""

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """Return a move for the side to move; cancelling stops the search."""


class Computer:
    """Joins rooms that ask for the computer, or have waited ``patience`` seconds for a player.

    It joins at once if the terms name a level, or, if ``by_name``, if the name of the room begins
    with ``computer``. With a patience of None it joins no others. With ``computers_asked`` in the
    terms, only a named level counts. ``engine`` is for slow levels. Matches with only computers
    left end after ``alone`` seconds.
    """

    def __init__(
        self,
        registry: Registry,
        clock: IReactorTime,
        patience: float | None,
        rng: Random,
        engine: Engine,
        by_name: bool = True,
        alone: float = ALONE,
    ) -> None:
        self._registry = registry
        self._alone = alone
        self._clock = clock
        self._by_name = by_name
        self._patience = patience
        self._rng = rng
        self._engine = engine
        self._coming: dict[str, IDelayedCall] = {}
        # The perfect level searches the whole game once: now rather than during a match, if the
        # computer joins rooms that name no level.
        game_type, game = USUAL_TERMS.game_type, USUAL_TERMS.game
        if game_type.choose is not None and (by_name or patience is not None):
            game_type.choose(game, game.start(2, rng), game_type.levels[-1], lambda: False, rng)

    def room_opened(self, name: str, terms: Terms) -> None:
        """Join the new room now or later (interfaces.RoomObserver)."""
        if not terms.game_type.levels:
            return
        room = self._registry.room(name)
        if room is not None and room.players:
            # The room was restored, and the computer might have played in it.
            for member in room.players:
                if is_computer(member.user):
                    self._seat_computer(name, terms, member.user)
            return
        for number in range(1, terms.computers_first + 1):
            self._seat_computer(name, terms, _user(number))
        asked, patience = terms.computer is not None, self._patience
        if terms.plain and not terms.computers_asked:
            asked = asked or (self._by_name and name.startswith(USER))
        else:
            patience = None  # the room waits for a person
        delay = 0 if asked else patience
        if delay is not None:
            self._stay(name)
            self._coming[name] = self._clock.callLater(delay, self._enter, name, terms)

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Cancel the plan to join: the next room of that name begins its own wait."""
        self._stay(name)

    def _stay(self, name: str) -> None:
        coming = self._coming.pop(name, None)
        if coming is not None:
            coming.cancel()

    def stop(self) -> None:
        """Cancel all plans to join."""
        for coming in self._coming.values():
            coming.cancel()
        self._coming.clear()

    def _enter(self, name: str, terms: Terms) -> None:
        # A refusal (somebody else was faster) needs no answer.
        del self._coming[name]
        for number in range(terms.computers_first + 1, max(1, terms.computers) + 1):
            self._seat_computer(name, terms, _user(number))

    def _seat_computer(self, name: str, terms: Terms, user: str) -> None:
        if terms.play is not None:
            levels = dict(zip(terms.play.names, terms.play.levels, strict=True))
            terms = replace(terms, computer=levels.get(user))
        player = ComputerOccupant(
            self._registry, self._clock, self._rng, terms, self._engine, alone=self._alone
        )
        player.user = user
        self._registry.join(player, name, "PLAYER", terms.key, terms.protocol)


def _user(number: int) -> str:
    """Return the user name of one of several computers."""
    return USER if number == 1 else f"{USER} {number}"


class ComputerOccupant:
    """The computer in one room.

    It waits ``delay`` seconds at each turn, then thinks, at slow levels for ``seconds``, in
    ``line`` (None: a line for each room). If the engine fails, the computer calls ``failed``, or
    without one forfeits, unless the server stops. If only computers are left of three or more, it
    resigns once only players who resigned watch, or calls the match off after ``alone`` seconds
    without a viewer (0: neither).

    Invariant: a move answers the event that asked for it, the last one that changed the position
    or the turn. Whatever comes while the computer waits or thinks, it looks at the room again: the
    same event needs no second move, and a later one makes the move stale, which is then dropped.
    Only a move that is refused although it isn't stale is a failure. The room can be ahead of the
    events, because a journal holds them back.

        roll (event 7)     seat 1 is to move: the computer thinks, to answer 7
        drop (event 8)     seat 5 resigned, seat 1 is to move: 7 is stale, so it answers 8
        chat (event 9)     8 is still the last event that asks, so it thinks on
    """

    supports_all_events = True
    whole_events = True
    stays = True

    def __init__(
        self,
        registry: Registry,
        clock: IReactorTime,
        rng: Random,
        terms: Terms,
        engine: Engine,
        delay: float = THINKS,
        seconds: float = SECONDS,
        line: Hashable = None,
        failed: Callable[[Failure], None] | None = None,
        alone: float = ALONE,
    ) -> None:
        self.occupant_id = registry.new_occupant_id()
        self.user: str | None = USER
        self._registry = registry
        self._clock = clock
        self._rng = rng
        self._terms = terms
        self._level = terms.computer or terms.game_type.levels[-1]
        self._engine = engine
        self._delay = delay
        self._seconds = seconds
        self._line = line
        self._without_move = failed or self._give_up
        self._room = ""
        self._seat = -1
        self._answers = 0  # the number of the event that the move is for
        self._pending: IDelayedCall | None = None
        self._thinking: Deferred[str] | None = None
        self._alone = alone
        self._abandoning: IDelayedCall | None = None

    def receive(self, event: Event) -> None:
        """Answer a move with a move (interfaces.Occupant)."""
        match event:
            case Joined(to=self.occupant_id, room=room, seat=seat) if seat is not None:
                self._room, self._seat = room, seat
                self._look()
            case Began() | Placed() | Undone() | Paused():
                self._look()
            case Offered(seat=seat, what=what, state="offered") if seat != self._seat:
                self._registry.answer(self, what, what == "takeback" and self._terms.time is None)
            case Refused(request="place", refusal=refusal):
                self._failed(Failure(refusal))
            case Ended() | Refused(request="join"):
                self.close()
                return
        # A match of two players doesn't continue without one of them.
        if self._alone and self._terms.seats > 2:
            self._look_around()

    def wait(self) -> None:
        """Do nothing: it waits for events, and each leads to one request (interfaces.Occupant)."""

    release = wait

    def close(self) -> None:
        """Stop thinking, cancel all timers, and leave the room."""
        self._stop_thinking()
        self._stay()
        self._registry.leave(self)

    def _look_around(self) -> None:
        """Resign, or start the timer, if only computers and players who resigned are left."""
        room = self._left_to_computers()
        if room is None or not {*room.viewers.values()} <= {each.user for each in room.players}:
            self._stay()
        elif room.viewers:
            self._registry.forfeit(self)
        elif self._abandoning is None:
            self._abandoning = self._clock.callLater(self._alone, self._abandon)

    def _left_to_computers(self) -> Room | None:
        """Return the room if only computers play on there, and this is one of them."""
        room = self._registry.room(self._room)
        if room is None or not room.begun or room.seat_of(self.occupant_id) is None:
            return None
        # Persons who are connected, or can rejoin.
        people = [each for each in room.players if not (each.gone or is_computer(each.user))]
        return None if people else room

    def _stay(self) -> None:
        if self._abandoning is not None:
            self._abandoning.cancel()
            self._abandoning = None

    def _abandon(self) -> None:
        self._abandoning = None
        room = self._left_to_computers()
        if room is not None and not room.viewers:
            self._registry.call_off(self._room, "left")

    def _stop_thinking(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.cancel()

    def _asked(self) -> int:
        """Return the number of the event that asks the computer for a move; 0: none does."""
        room = self._registry.room(self._room)
        if room is None or not room.running:
            return 0
        return room.moved if room.players[room.turn].occupant == self.occupant_id else 0

    def _look(self) -> None:
        """Begin a move, unless one is under way, or made, for the event that asks for it."""
        asked = self._asked()
        if asked == self._answers:
            return
        self._stop_thinking()
        self._answers = asked
        if asked and self._delay:
            self._pending = self._clock.callLater(self._delay, self._move)
        elif asked:
            self._move()

    def _move(self) -> None:
        self._pending = None
        room = self._registry.room(self._room)
        if room is None or self._asked() != self._answers:
            self._look()
            return
        game_type, game, position = self._terms.game_type, self._terms.game, room.position
        if self._level in game_type.slow:
            text, values = game.dump(position), self._terms.values
            question = Question(game_type.name, values, text, self._level, self._seconds)
            line = self._line
            if line is None:
                line = line_of(self._room, self._registry.live_rooms.get(self._room))
            self._thinking = maybeDeferred(self._engine.think, question, line)
            self._thinking.addCallbacks(self._thought, self._failed)
            return
        assert game_type.choose is not None
        stop = time_is_up(time.monotonic, 0)
        self._place(game_type.choose(game, position, self._level, stop, self._rng))

    def _thought(self, move: str) -> None:
        self._thinking = None
        self._place(move)

    def _place(self, move: str) -> None:
        if self._asked() == self._answers:
            self._registry.place(self, move, keep=False)
        else:
            self._look()

    def _failed(self, failure: Failure) -> None:
        self._thinking = None
        # At shutdown the computer doesn't forfeit: the match might go on afterwards.
        if failure.check(CancelledError, ProcessesStoppedError):
            return
        if self._asked() == self._answers:
            self._without_move(failure)
        else:
            self._look()

    def _give_up(self, failure: Failure) -> None:
        _log.failure("the computer has no move in {room!r}", failure, room=self._room)
        self._registry.forfeit(self)

"""The two-player session on Twisted: each newcomer plays the waiting player, in a room.

Source: session.md.
"""

from __future__ import annotations

import socket
from collections import deque
from dataclasses import dataclass, replace
from typing import Protocol

from tictac.errors import NotAMove
from tictac.lobby.direct_matches import DirectMatches
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.plugins.classics.session import wire

PROTOCOL = "session"


MOST_MOVES = 5
"""Maximum moves of one player in a match; a client that sends more isn't playing."""


class SessionConnection(ServerConnection):
    """One player's connection (an Occupant): integers become moves, and events become integers.

    A move that comes early waits here, because the room might not exist yet.
    """

    factory: SessionFactory
    supports_all_events = False
    whole_events = True
    occupant_id = ""
    user: str | None = None
    opponent: SessionConnection | None = None

    def opened(self) -> None:
        self._decoder = wire.Decoder()
        self._row: int | None = None  # The row of an incomplete move.
        self._moves = 0
        self._early: deque[str] = deque()
        self._seat = 0
        self._my_turn = False
        self._queued = b""
        if self.has_gone():
            self.drop()
            return
        seating = self.factory.seating
        self.occupant_id = seating.registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        if not seating.enter(self):
            self._queue(wire.PLAYER1)
        self._send_both()

    def disconnected(self) -> None:
        self.factory.seating.leave(self, "left")

    def refused(self, kind: str) -> None:
        self.factory.seating.leave(self, "refused")

    def has_gone(self) -> bool:
        """Return whether the peer has disconnected, which the reactor can report one turn later."""
        handle = getattr(self.transport, "socket", None)
        if not isinstance(handle, socket.socket):
            return False
        try:
            return not handle.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    # Integers from the player

    def take(self, data: bytes) -> None:
        for integer in self._decoder.feed(data):
            if self.closing:
                return
            self.pay()
            self._take(integer)
            self._send_both()
        self.rest()

    def _take(self, integer: int) -> None:
        if not 0 <= integer < wire.SIDE or self._moves == MOST_MOVES:
            self.close_for(NotAMove.code)
        elif self._row is None:
            self._row = integer
        else:
            self._early.append(wire.format_move(self._row, integer))
            self._row = None
            self._moves += 1
            self._move()

    def _move(self) -> None:
        """Make the next move, if the player sent one and it is their turn."""
        if self._my_turn and self._early:
            self._my_turn = False
            self.factory.seating.registry.place(self, self._early.popleft(), keep=False)

    # Events for the player (Occupant)

    def receive(self, event: Event) -> None:
        """Handle an event of the room; a move that waits here can follow."""
        if self.closing:
            return
        match event:
            case Joined(seat=int(seat)):
                self._seat = seat
            case Began():
                self._queue(wire.PLAYER1 + self._seat)
                self._turn_to(0)
            case Placed(seat=seat, move=move, turn=turn):
                if seat != self._seat:
                    self._queue(wire.CONTINUE, *wire.read_move(move))
                self._turn_to(turn)
            case Ended():
                self._end(event)
            case Refused(refusal=refusal):
                self.send()
                self.close_for(refusal.code)

    def _turn_to(self, seat: int | None) -> None:
        self._my_turn = seat == self._seat
        self._move()

    def _end(self, ended: Ended) -> None:
        if ended.move is not None:
            # The ninth mark, which is X's, makes a draw.
            mover = ended.seat or 0
            status = wire.DRAW if ended.seat is None else wire.PLAYER1_WON + ended.seat
            self._queue(status, *(() if mover == self._seat else wire.read_move(ended.move)))
        self.send()
        if ended.ending == "timed out" and ended.seat != self._seat:
            self.close_for("move-timeout")
        else:
            self.close()

    def _queue(self, *integers: int) -> None:
        self._queued += wire.format_integers(integers)

    def send(self) -> None:
        """Send all integers since the last call, in one write."""
        queued, self._queued = self._queued, b""
        if queued and not self.closing:
            self.outlet.write(queued)

    def _send_both(self) -> None:
        self.send()
        if self.opponent is not None:
            self.opponent.send()


class Desk(Protocol):
    """The object that seats a connection; ``registry`` has the room."""

    registry: Registry

    def enter(self, player: SessionConnection) -> bool:
        """Seat the player; return False if the player is the first, and waits."""

    def leave(self, player: SessionConnection, ending: str) -> None:
        """Remove a player who disconnected, perhaps while waiting; ``ending`` names the cause."""


class Pairs(DirectMatches[SessionConnection]):
    """Pairs of successive players. A move can take ``move_timeout`` seconds; 0 is no limit."""

    def __init__(self, registry: Registry, move_timeout: float) -> None:
        super().__init__(
            registry, replace(USUAL_TERMS, protocol=PROTOCOL, move_timeout=move_timeout)
        )
        self._waiting: SessionConnection | None = None

    def enter(self, player: SessionConnection) -> bool:
        """Seat ``player`` in a match; return False if they wait for an opponent (Desk)."""
        first, self._waiting = self._waiting, None
        if first is None or first.has_gone():
            self._waiting = player
            return False
        first.opponent, player.opponent = player, first
        self.seat(first, player)
        return True

    def leave(self, player: SessionConnection, ending: str) -> None:
        """Remove a disconnected ``player``, who might be waiting."""
        if self._waiting is player:
            self._waiting = None
        super().leave(player, ending)


@dataclass(eq=False, kw_only=True)
class SessionFactory(ConnectionFactory):
    """The shared objects of one listener's connections; ``seating`` can serve several listeners."""

    connection = SessionConnection
    seating: Desk

"""The server's side of Nim on Twisted: connections wait in a queue, and play in lobby rooms.

Source: nim.md. The server opens a room when both players have connected.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from random import Random
from typing import Protocol

from tictac.errors import AlreadyPlaying, NotYourTurn, Refusal
from tictac.fair_queue import FairQueue
from tictac.lobby.direct_matches import DirectMatches
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.plugins.classics.nim import wire
from tictac.plugins.games.nim.game import GAME_TYPE, Nim
from tictac.plugins.games.nim.rules import Deal, Move, Numbers

PROTOCOL = "nim"
"""The name of this protocol, and the prefix of its rooms' names."""


def terms_of(deal: Deal, move_timeout: float) -> Terms:
    """Return the terms of rooms whose numbers come from this deal."""
    fixed = deal.fixed or ()
    values = {
        "numbers": len(fixed),
        "smallest": min(fixed, default=deal.low),
        "largest": max(fixed, default=deal.high),
    }
    return Terms(GAME_TYPE, values, Nim(deal), protocol=PROTOCOL, move_timeout=move_timeout)


class NimConnection(ServerConnection):
    """One player's connection. ``limits.login_timeout`` is the time for `play`.

    ``line`` is the address, for the fair queue; ``room`` the name of the player's room, if any.
    ``takes_part`` is set once the client has sent `play`. The server ignores ``spare_plays`` and
    ``spare_moves`` messages, because the client can send them before it knows that it won.
    """

    factory: NimFactory
    occupant_id = ""
    user: str | None = None
    supports_all_events = False
    whole_events = True
    line: object = None
    room = ""
    takes_part = False
    spare_plays = 0
    spare_moves = 0

    _seat = -1
    _to_move = False

    # Connection

    def opened(self) -> None:
        self.occupant_id = self.factory.seating.registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        self._decoder = wire.Decoder(wire.FROM_CLIENT, self.factory.types)

    def disconnected(self) -> None:
        self.factory.seating.leave(self, "left")

    def refused(self, kind: str) -> None:
        ending = "timed out" if kind.endswith("-timeout") else "refused"
        self.factory.seating.leave(self, ending)

    def timed_out(self, now: float) -> str | None:
        late = 0 < self.factory.limits.login_timeout <= now - self.since
        if late and not self.takes_part:
            return "play-timeout"
        return "match-timeout" if self.factory.seating.overdue(self, now) else None

    # Requests

    def take(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            if self.closing:
                return
            self.pay()
            self._obey(message)
        self.rest()

    def _obey(self, message: wire.Message | wire.Malformed) -> None:
        seating = self.factory.seating
        match message:
            case wire.Play():
                self._play()
            case Move(at, amount) if self.room:
                seating.registry.place(self, f"{at}:{amount}", keep=False)
            case Move():
                self._refuse(NotYourTurn("a move out of turn"))
            case wire.Exit():
                self.close()
                seating.exit(self)
            case _:
                self.close_for("malformed")

    def _play(self) -> None:
        self.line = self.network
        try:
            self.factory.seating.play(self)
        except Refusal as refusal:
            self.close_for(refusal.code)

    def _refuse(self, refusal: Refusal) -> None:
        if self.spare_moves:
            self.spare_moves -= 1
        else:
            self.close_for(refusal.code)

    # Events of rooms (interfaces.Occupant)

    def receive(self, event: Event) -> None:
        match event:
            case Joined(room=room, seat=seat) if seat is not None:
                self.room, self._seat = room, seat
            case Began():
                room_now = self.factory.seating.registry.room(self.room)
                if room_now is not None and room_now.turn == self._seat:
                    self._ask(room_now.position.numbers)
            case Placed(position=position, turn=turn):
                self._to_move = False
                if turn == self._seat:
                    self._ask(position.numbers)
            case Refused(request="place", refusal=refusal):
                self._refuse(refusal)
            case Ended():
                self._end(event)

    def _ask(self, numbers: Numbers) -> None:
        self._to_move = True
        self._send(wire.Turn(numbers))

    def _end(self, ended: Ended) -> None:
        self.room = ""
        to_move, self._to_move = self._to_move, False
        if ended.seat == self._seat:
            # Only a player with the turn can have sent a move that crosses with the win.
            self.spare_moves += to_move and ended.ending != "won"
            self._send(wire.Win())
            self.factory.seating.stay(self)
        elif ended.ending == "won":
            self._send(wire.Lose())
            self.close()
        elif ended.ending == "timed out":
            self.close_for("move-timeout")

    def _send(self, message: wire.Message) -> None:
        if not self.closing:
            self.outlet.write(wire.format_message(message, self.factory.types))


class Desk(Protocol):
    """The object that seats a connection; ``registry`` has the room."""

    registry: Registry

    def play(self, player: NimConnection) -> None:
        """Handle `play`. Raises AlreadyPlaying."""

    def exit(self, player: NimConnection) -> None:
        """Handle `exit`: the player leaves the queue or the match."""

    def stay(self, player: NimConnection) -> None:
        """Handle a win that was sent to the player."""

    def leave(self, player: NimConnection, ending: str) -> None:
        """Handle the player's departure; ``ending`` is a word for the cause."""

    def overdue(self, player: NimConnection, now: float) -> bool:
        """Return whether the player's match takes too long by the player's fault."""


class Queue(DirectMatches[NimConnection]):
    """Matches on ``tables`` tables side by side; a winner stays at the table.

    A match can take ``match_timeout`` seconds, 0 for no limit; ``rng`` chooses who begins.
    """

    def __init__(
        self, registry: Registry, terms: Terms, tables: int, rng: Random, match_timeout: float = 0
    ) -> None:
        super().__init__(registry, terms)
        self.tables = tables
        self.match_timeout = match_timeout
        self._rng = rng
        self._queue: FairQueue[NimConnection, None] = FairQueue()
        self._winners: OrderedDict[Occupant, None] = OrderedDict()  # Each is alone at a table.
        self._finishing = False

    def play(self, player: NimConnection) -> None:
        """Handle `play`: queue the player, and begin a match if there is an opponent.

        Raises AlreadyPlaying.
        """
        if player.spare_plays:
            player.spare_plays -= 1
            return
        if player.takes_part:
            raise AlreadyPlaying("a second play")
        player.takes_part = True
        self._queue.add(player.line, player, None)
        self._fill_tables()

    def exit(self, player: NimConnection) -> None:
        """Handle `exit`: the player leaves the queue or the match."""
        if player.room:
            self.registry.forfeit(player)
        self.leave(player, "forfeited")

    def finish(self) -> None:
        # Otherwise winners and the queue would always have another match to wait for.
        self._finishing = True

    def stay(self, player: NimConnection) -> None:
        """Keep the winner for the next player of the queue."""
        player.spare_plays += 1
        self._fill_tables()

    def leave(self, player: NimConnection, ending: str) -> None:
        """Remove a player who left; an opponent left alone wins and stays at the table."""
        self._queue.remove(player.line, player)
        self._winners.pop(player, None)
        super().leave(player, ending)
        self._fill_tables()

    def overdue(self, player: NimConnection, now: float) -> bool:
        """Return whether the match takes too long and the player used more of the time."""
        room = self.registry.room(player.room) if self.match_timeout else None
        if room is None:
            return False
        late = now - room.record[0][0] >= self.match_timeout
        return late and slower(room, now) == room.seat_of(player.occupant_id)

    def won(self, winner: Occupant) -> None:
        """Reserve the table for the winner."""
        self._winners[winner] = None

    def _fill_tables(self) -> None:
        """Begin every match that can begin."""
        while self._queue and not self._finishing:
            if self._winners:
                self.seat(self._next(), self._winners.popitem(last=False)[0])
            elif len(self._queue) > 1 and self.running() < self.tables:
                players = [self._next(), self._next()]
                self._rng.shuffle(players)
                self.seat(*players)
            else:
                break

    def _next(self) -> NimConnection:
        return self._queue.next()[0]


def slower(room: Room, now: float) -> int:
    """Return the seat that has taken more time for its moves, in a running match."""
    spent, since = [0.0, 0.0], now
    for at, event in room.record:
        if isinstance(event, Began):
            since = at
        elif isinstance(event, Placed):
            spent[event.seat] += at - since
            since = at
    turn = room.turn
    spent[turn] += now - since
    return turn if spent[turn] >= spent[1 - turn] else 1 - turn


@dataclass(eq=False, kw_only=True)
class NimFactory(ConnectionFactory):
    """The shared objects of one listener's connections, including the table of types."""

    connection = NimConnection
    seating: Desk
    types: wire.Types = wire.TYPES

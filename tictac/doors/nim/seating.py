"""The queue of Nim players, the tables, and who wins, stays and meets whom.

Source: nim.md, "The queue". A table is a room of the lobby, which is made when both sides are
there. It knows no connection; dice are passed in.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from random import Random
from typing import Protocol

from tictac.errors import AlreadyPlaying
from tictac.fair import FairQueue
from tictac.games.nim.game import KIND, Nim
from tictac.games.nim.rules import Deal
from tictac.lobby.events import Began, Placed
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.room import Room
from tictac.lobby.seating import Seating
from tictac.lobby.terms import Terms

DOOR = "nim"
"""The name of this door, and what the names of its rooms begin with."""


class Player(Occupant, Protocol):
    """Somebody who is connected.

    ``line`` is where it comes from, ``room`` names the one that it sits in, if any. It
    ``takes_part`` once it has sent `play`. ``spare_plays`` are to be ignored, since it may have
    sent them before it knew that it had won.
    """

    line: Hashable
    room: str
    takes_part: bool
    spare_plays: int

    def __hash__(self) -> int:
        """As for any object: it is a key of the queue."""


def terms_of(deal: Deal, move_timeout: float) -> Terms:
    """The terms of rooms whose numbers are dealt so."""
    fixed = deal.fixed or ()
    values = {
        "numbers": len(fixed),
        "smallest": min(fixed, default=deal.low),
        "largest": max(fixed, default=deal.high),
    }
    return Terms(KIND, values, Nim(deal), door=DOOR, move_timeout=move_timeout)


class Queue(Seating[Player]):
    """Matches on ``tables`` tables side by side; who has won keeps its table.

    A match may take ``match_timeout`` seconds, 0 for no limit; ``dice`` choose who begins.
    """

    def __init__(
        self,
        registry: MemoryRegistry,
        terms: Terms,
        tables: int,
        dice: Random,
        match_timeout: float = 0,
    ) -> None:
        super().__init__(registry, terms)
        self.tables = tables
        self.match_timeout = match_timeout
        self._dice = dice
        self._queue: FairQueue[Player, None] = FairQueue()
        self._winners: OrderedDict[Occupant, None] = OrderedDict()  # each alone at its table
        self._finishing = False

    def play(self, player: Player) -> None:
        """`play`: into the queue, and to a table if there is somebody to play against.

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

    def exit(self, player: Player) -> None:
        """`exit`: the player leaves, wherever it is."""
        if player.room:
            self.registry.forfeit(player)
        self.leave(player, "forfeited")

    def finish(self) -> None:
        """Begin no more matches."""
        self._finishing = True

    def stay(self, player: Player) -> None:
        """The player has been told that it has won: it meets the next of the queue."""
        player.spare_plays += 1
        self._fill_tables()

    def leave(self, player: Player, ending: str) -> None:
        """The player has gone; whom it leaves alone has won and stays at the table."""
        self._queue.remove(player.line, player)
        self._winners.pop(player, None)
        super().leave(player, ending)
        self._fill_tables()

    def overdue(self, player: Player, now: float) -> bool:
        """Whether the player's match takes too long, and the player has taken more of the time."""
        room = self.registry.room(player.room) if self.match_timeout else None
        if room is None:
            return False
        late = now - room.record[0][0] >= self.match_timeout
        return late and slower(room, now) == room.seat_of(player.occupant_id)

    def won(self, winner: Occupant) -> None:
        """Keep the table for the winner."""
        self._winners[winner] = None

    def _fill_tables(self) -> None:
        """Begin every match that can begin."""
        while self._queue and not self._finishing:
            if self._winners:
                self.seat(self._next(), self._winners.popitem(last=False)[0])
            elif len(self._queue) > 1 and self.running() < self.tables:
                players = [self._next(), self._next()]
                self._dice.shuffle(players)
                self.seat(*players)
            else:
                break

    def _next(self) -> Player:
        return self._queue.next()[0]


def slower(room: Room, now: float) -> int:
    """The seat that has taken more time for its moves, in a match that goes on."""
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

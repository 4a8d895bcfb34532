"""The Clue server: connections that send their names, wait for a game, and answer its messages.

A game is a room of the lobby. The server translates its events to messages, and answers to moves.
Source: clue.md, "Messages" and "Limits".
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tictac.errors import BadUserName, IllegalMove, NotAMove
from tictac.lobby.events import Began, Ended, Event, Joined, Placed, Refused
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.net.framing import Framing
from tictac.plugins.clue import wire
from tictac.plugins.clue.game.messages import Hearing
from tictac.plugins.clue.game.position import Position, Stage
from tictac.plugins.clue.matchmaking import ClueMatches

MAX_EARLY = 8
"""Maximum number of early lines per connection; the network buffers further ones."""

FRAMING = Framing(mode="line", max_message=wire.LONGEST_LINE)


class ClueConnection(ServerConnection):
    """A connection on the server's side (matchmaking.SeatedConnection).

    ``asked`` is the time at which the server asked for the due answer; None if no answer is due.
    The name is due from the beginning.
    """

    factory: ClueFactory
    supports_all_events = False
    whole_events = True
    occupant_id = ""
    user: str | None = None
    name = ""
    room = ""
    seat = -1
    asked: float | None = None

    _due: Stage | None = None
    _wrong = ""
    _full = False

    # The connection

    def opened(self) -> None:
        self.registry = self.factory.seating.registry
        self.occupant_id = self.registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        self._early: deque[bytes] = deque()
        self.asked = self.factory.seconds()

    def timed_out(self, now: float) -> str | None:
        limits = self.factory.limits
        limit = limits.idle_timeout if self.name else limits.login_timeout
        if self.asked is None or not 0 < limit <= now - self.asked:
            return None
        return "move-timeout" if self.name else "login-timeout"

    def refused(self, kind: str) -> None:
        self._leave(self._wrong or kind)

    def disconnected(self) -> None:
        self._leave("left")

    def lineReceived(self, line: bytes) -> None:
        self.pay()
        if wire.is_blank(line):
            return
        if not self.name:
            self._take_name(line)
            return
        self._early.append(line)
        if len(self._early) == MAX_EARLY:
            self._full = True
            self.hold()
        self._answer()

    def _take_name(self, line: bytes) -> None:
        try:
            self.name = wire.read_name(line)
        except NotAMove:
            self.close_for(BadUserName.code)
            return
        self.asked = None
        self.factory.seating.enter(self)

    def _answer(self) -> None:
        """Make the due move if its line has arrived."""
        if self._due is None or not self._early:
            return
        due, self._due, self.asked = self._due, None, None
        line = self._early.popleft()
        if self._full and not self._early:
            self._full = False
            self.clock.callLater(0, self.release)
        try:
            self.registry.place(self, wire.read_move(due, line))
        except NotAMove as refusal:
            self._expel(refusal)

    def _expel(self, refusal: Exception) -> None:
        self._wrong = str(refusal)
        self.close_for(IllegalMove.code)

    def _leave(self, why: str) -> None:
        self._due = self.asked = None
        self.factory.seating.leave(self, why)

    # interfaces.Occupant

    def receive(self, event: Event) -> None:
        match event:
            case Joined(room=room, seat=int(seat)):
                self.room, self.seat = room, seat
                self._hearing = Hearing(seat)
            case Began():
                room_now = self.registry.room(self.room)
                # An early answer might already have ended the game.
                if room_now is not None:
                    self._send_news(room_now.start, 0, event.number)
            case Placed(number, position=position, turn=turn):
                self._send_news(position, turn, number)
            case Refused(request="place", refusal=refusal):
                self._expel(refusal)
            case Ended(position=position):
                self._send_news(position, None, 0)
                self.close()

    def _send_news(self, position: Position, turn: int | None, number: int) -> None:
        """Send all new messages at once.

        An answer is due only to the last move, ``number``: the event of a later one asks again.
        """
        if self.closing:
            return
        pairs = self.factory.pairs
        new = [wire.format_message(each, pairs=pairs) for each in self._hearing.news(position)]
        if new:
            self.outlet.write(b"".join(new))
        room = self.registry.room(self.room)
        if turn == self.seat and room is not None and room.moved == number:
            self._due, self.asked = position.asked, self.factory.seconds()
            self._answer()


@dataclass(eq=False)
class ClueFactory(ConnectionFactory):
    """The shared state of a listener's connections; ``seating`` can serve several listeners.

    ``limits.login_timeout`` is the time for the name, ``limits.idle_timeout`` the time for an
    answer. ``pairs`` is as in wire.format_message.
    """

    connection = ClueConnection

    framing: Framing = FRAMING
    seating: ClueMatches = field(kw_only=True)
    pairs: bool = field(default=True, kw_only=True)

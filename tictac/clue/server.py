"""Clue on Twisted: connections that give their names, wait for a game, and answer in it.

Source: clue.md, "Messages" and "Limits". hosting.py carries to them what a game tells, and
their answers to the game.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from twisted.internet.interfaces import IReactorTime

from tictac.clue import wire
from tictac.clue.hosting import Match
from tictac.clue.lobby import Lobby
from tictac.errors import BadUserName, IllegalMove, NotAMove
from tictac.games.clue.messages import Message
from tictac.net.connection import ConnectionFactory, Limits, ServerConnection
from tictac.net.framing import Framing

MAX_LINE = 1024
FRAMING = Framing(mode="line", max_message=MAX_LINE)

MAX_EARLY = 8
"""Lines kept that weren't asked for yet; the network keeps what comes after them."""


class ClueConnection(ServerConnection):
    """One connection, on the server's side: a lobby.NetworkSeat.

    ``asked`` is when the answer that is due was asked for; None while none is. The name is
    due from the beginning.
    """

    factory: ClueFactory
    name = ""
    asked: float | None = None

    _match: Match | None = None
    _seat = -1
    _full = False

    # The connection

    def opened(self) -> None:
        self._early: deque[bytes] = deque()
        self.asked = self.factory.seconds()

    def timed_out(self, now: float) -> str | None:
        limits = self.factory.limits
        limit = limits.idle_timeout if self.name else limits.login_timeout
        if self.asked is None or not 0 < limit <= now - self.asked:
            return None
        return "move-timeout" if self.name else "login-timeout"

    def refused(self, kind: str) -> None:
        self._leave(kind)

    def gone(self) -> None:
        self._leave("left")

    def lineReceived(self, line: bytes) -> None:
        blank = wire.is_blank(line)
        # What was asked for comes no faster than we ask: only the rest can flood.
        if (blank or self.asked is None) and not self.pay():
            return
        if blank:
            return
        if not self.name:
            self._take_name(line)
            return
        self._early.append(line)
        if len(self._early) == MAX_EARLY:
            self._full = True
            self.hold()
        if self._match is not None:
            self._match.go_on()

    def _take_name(self, line: bytes) -> None:
        try:
            self.name = wire.read_name(line)
        except NotAMove:
            self.close_for(BadUserName.code)
            return
        self.asked = None
        self.factory.lobby.enter(self)

    def _leave(self, why: str) -> None:
        self.asked = None
        match, self._match = self._match, None
        if match is None:
            self.factory.lobby.leave(self)
        else:
            match.leave(self._seat, why)

    # What the match asks of a seat

    def sit(self, match: Match, seat: int) -> None:
        """Take a seat in a match."""
        self._match, self._seat = match, seat

    def tell(self, messages: Sequence[Message]) -> None:
        """Write messages, in one piece."""
        if not self.closing:
            pairs = self.factory.pairs
            self.outlet.write(b"".join(wire.write_message(m, pairs=pairs) for m in messages))

    def await_answer(self) -> None:
        """An answer is due from now on."""
        self.asked = self.factory.seconds()

    def next_line(self) -> bytes | None:
        """The answer that is due, if it is here."""
        if not self._early:
            return None
        self.asked = None
        line = self._early.popleft()
        if self._full and not self._early:
            self._full = False
            self.clock.callLater(0, self.release)
        return line

    def expel(self) -> None:
        """The answer was illegal: the seat is out already."""
        self._match = None
        self.close_for(IllegalMove.code)

    def finish(self) -> None:
        """The match is over."""
        self._match = self.asked = None
        self.close()


class ClueFactory(ConnectionFactory):
    """What the connections of one listener share; ``lobby`` may serve several.

    ``limits.login_timeout`` is the time for the name, ``limits.idle_timeout`` that for an
    answer, ``limits.rate`` that of lines which weren't asked for. ``pairs`` as in
    wire.write_message.
    """

    def __init__(
        self,
        lobby: Lobby,
        clock: IReactorTime,
        seconds: Callable[[], float],
        limits: Limits | None = None,
        proxied: bool = False,
        pairs: bool = True,
    ) -> None:
        super().__init__(clock, seconds, FRAMING, limits, proxied)
        self.lobby = lobby
        self.pairs = pairs

    def new_connection(self) -> ClueConnection:
        return ClueConnection()

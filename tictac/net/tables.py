"""Connections of players whom a host seats, for servers without rooms and accounts.

What decides is a :class:`~tictac.tables.Host`; here its events become bytes, and a
connection that ends becomes a request of it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Generic, TypeVar

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from tictac.net.connection import ConnectionFactory, Limits, ServerConnection
from tictac.net.part import PartService, sweep_interval
from tictac.tables import Closed, Ended, Ending, Event, Host, PlayerId, Told

_log = Logger()

H = TypeVar("H", bound=Host)


class TableConnection(ServerConnection, Generic[H]):
    """A player's connection.

    ``player`` is its number at ``factory.tables``, ``asked`` the time at which it was last
    told something: a move is waited for from then on, for the idle limit.
    """

    factory: TableFactory[H]
    player: PlayerId = 0
    asked = 0.0

    def opened(self) -> None:
        self.factory.tables.enter(self)

    def gone(self) -> None:
        self.factory.tables.leave(self)

    def refused(self, kind: str) -> None:
        ending: Ending = "timed out" if kind.endswith("-timeout") else "refused"
        tables = self.factory.tables
        tables.apply(tables.host.leave(self.player, ending))

    def timed_out(self, now: float) -> str | None:
        limit = self.factory.limits.idle_timeout
        late = 0 < limit <= now - self.asked
        return "move-timeout" if late and self.factory.tables.host.awaits(self.player) else None

    def tell(self, data: bytes) -> None:
        """Send ``data``, in one piece."""
        if not self.closing:
            self.asked = self.factory.seconds()
            self.outlet.write(data)


class Tables(Generic[H]):
    """The players' connections by their numbers, and how their matches have ended.

    ``encode`` makes the bytes of a message. Several listeners may share it.
    """

    def __init__(self, host: H, encode: Callable[[Any], bytes]) -> None:
        self.host = host
        self.endings: Counter[str] = Counter()
        self._encode = encode
        self._numbers = count(1)
        self._connections: dict[PlayerId, TableConnection[H]] = {}
        self._waiting: deque[Sequence[Event]] = deque()

    def enter(self, connection: TableConnection[H]) -> None:
        """Give ``connection`` a number, under which the host knows it from now on."""
        connection.player = next(self._numbers)
        self._connections[connection.player] = connection
        self.apply(self.host.enter(connection.player))

    def leave(self, connection: TableConnection[H]) -> None:
        """``connection`` is lost, if it has entered at all."""
        self._connections.pop(connection.player, None)
        self.apply(self.host.leave(connection.player, "left"))

    def apply(self, events: Sequence[Event]) -> None:
        """Tell everybody what concerns them, each in one write, and close who is out.

        What happens because somebody is told comes after that.
        """
        if not events:
            return
        self._waiting.append(events)
        if len(self._waiting) > 1:
            return
        while self._waiting:
            try:
                self._carry_out(self._waiting[0])
            finally:
                self._waiting.popleft()

    def _carry_out(self, events: Sequence[Event]) -> None:
        said: dict[PlayerId, bytes] = {}
        for event in events:
            if type(event) is Told:
                said[event.to] = said.get(event.to, b"") + self._encode(event.message)
            elif type(event) is Ended:
                self.endings[event.ending] += 1
        for number, data in said.items():
            if number in self._connections:
                self._connections[number].tell(data)
        for event in events:
            if type(event) is Closed and event.to in self._connections:
                self._close(self._connections[event.to], event)

    def _close(self, connection: TableConnection[H], event: Closed) -> None:
        if connection.closing:
            return
        if event.refusal is None:
            connection.close()
        else:
            connection.close_for(event.refusal.code)


class TableFactory(ConnectionFactory, Generic[H]):
    """What the connections of one listener share; ``tables`` may serve several."""

    def __init__(
        self,
        tables: Tables[H],
        clock: IReactorTime,
        seconds: Callable[[], float],
        limits: Limits | None = None,
        proxied: bool = False,
    ) -> None:
        super().__init__(clock, seconds, limits=limits, proxied=proxied)
        self.tables = tables


class TablesService(PartService, Generic[H]):
    """Tables and their listeners; ``timeouts`` are all that these must look for."""

    def __init__(
        self,
        reactor: Any,
        what: str,
        ports: Sequence[str],
        tables: Tables[H],
        make_factory: Callable[[bool], TableFactory[H]],
        timeouts: Sequence[float],
        eager: bool = True,
    ) -> None:
        sweep = sweep_interval(*timeouts)
        super().__init__(reactor, what, ports, make_factory, sweep, eager)
        self.tables = tables
        self._what = what

    def matches_running(self) -> int:
        return self.tables.host.running()

    async def end(self) -> None:
        _log.info(
            "{what}: matches: {matches}; refusals: {refusals}",
            what=self._what,
            matches=dict(self.tables.endings),
            refusals=self.refusals(),
        )

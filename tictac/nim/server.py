"""Nim on Twisted, the server's side. Source: nim.md."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IReactorTime

from tictac.games.nim.rules import Move
from tictac.net.connection import Limits
from tictac.net.tables import TableConnection, TableFactory, Tables
from tictac.nim.table import NimHost
from tictac.nim.wire import FROM_CLIENT, TYPES, Decoder, Exit, Malformed, Message, Play, Types


class NimConnection(TableConnection[NimHost]):
    """One player's connection. ``limits.login_timeout`` is the time until its `play`."""

    factory: NimFactory

    def opened(self) -> None:
        super().opened()
        self._decoder = Decoder(FROM_CLIENT, self.factory.types)

    def timed_out(self, now: float) -> str | None:
        late = 0 < self.factory.limits.login_timeout <= now - self.since
        if late and not self.factory.tables.host.takes_part(self.player):
            return "play-timeout"
        if self.factory.tables.host.overdue(self.player):
            return "match-timeout"
        return super().timed_out(now)

    def take(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            if self.closing or not self.pay():
                return
            self._obey(message)

    def _obey(self, message: Message | Malformed) -> None:
        tables = self.factory.tables
        match message:
            case Play():
                tables.apply(tables.host.play(self.player, self.host))
            case Move():
                tables.apply(tables.host.move(self.player, message))
            case Exit():
                tables.apply(tables.host.exit(self.player))
            case _:
                self.close_for("malformed")


class NimFactory(TableFactory[NimHost]):
    """What the connections of one listener share, the table of types too."""

    def __init__(
        self,
        tables: Tables[NimHost],
        clock: IReactorTime,
        seconds: Callable[[], float],
        limits: Limits | None = None,
        proxied: bool = False,
        types: Types = TYPES,
    ) -> None:
        super().__init__(tables, clock, seconds, limits, proxied)
        self.types = types

    def new_connection(self) -> NimConnection:
        return NimConnection()

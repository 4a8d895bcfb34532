"""The two-player session on Twisted, the server's side. Source: session.md."""

from __future__ import annotations

from tictac.net.tables import TableConnection, TableFactory
from tictac.session.table import SessionTables
from tictac.session.wire import Decoder


class SessionConnection(TableConnection[SessionTables]):
    """One player's connection."""

    def opened(self) -> None:
        self._decoder = Decoder()
        if self.has_gone():
            self.drop()
            return
        tables = self.factory.tables
        tables.skip_if_gone(tables.host.waiting)
        super().opened()

    def take(self, data: bytes) -> None:
        tables = self.factory.tables
        for integer in self._decoder.feed(data):
            if self.closing or not self.pay():
                return
            tables.apply(tables.host.take(self.player, integer))


class SessionFactory(TableFactory[SessionTables]):
    """What the connections of one listener share."""

    def new_connection(self) -> SessionConnection:
        return SessionConnection()

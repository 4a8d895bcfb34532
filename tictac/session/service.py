"""The session server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from tictac import options as read
from tictac.net.connection import Limits
from tictac.net.part import Parameter, PartMaker, Shared, connection_limits
from tictac.net.tables import Tables, TablesService
from tictac.session.server import SessionFactory
from tictac.session.table import SessionTables
from tictac.session.wire import format_integers


class SessionService(TablesService[SessionTables]):
    """The matches, and their listeners on ``ports``; ``limits.idle_timeout`` is for a move."""

    def __init__(
        self, reactor: Any, ports: Sequence[str], limits: Limits, eager: bool = True
    ) -> None:
        tables = Tables(SessionTables(), format_integers)

        def make_factory(proxied: bool) -> SessionFactory:
            return SessionFactory(tables, reactor, time.monotonic, limits, proxied)

        timeouts = (limits.idle_timeout,)
        super().__init__(reactor, "session", ports, tables, make_factory, timeouts, eager)


_PARAMETERS: list[Parameter] = [
    ("session-move-timeout", None, 600.0, "Seconds for a move of a session.", read.seconds),
]


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> SessionService:
    limits = connection_limits(options, 0, options["session-move-timeout"])
    return SessionService(shared.reactor, ports, limits, not options["no-eager-send"])


PART = PartMaker(
    port="session",
    port_help="Play two-player sessions on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
)

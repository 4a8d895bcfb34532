"""The session server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from twisted.logger import Logger

from tictac import options as read
from tictac.doors.session.seating import Pairs
from tictac.doors.session.server import SessionFactory
from tictac.net.connection import Limits
from tictac.net.part import (
    Parameter,
    PartMaker,
    PartService,
    Shared,
    connection_limits,
    sweep_interval,
)

_log = Logger()


class SessionService(PartService):
    """The matches, whose rooms ``seating`` makes, and their listeners on ``ports``."""

    def __init__(
        self,
        reactor: Any,
        ports: Sequence[str],
        limits: Limits,
        seating: Pairs,
        eager: bool = True,
    ) -> None:
        def make_factory(proxied: bool) -> SessionFactory:
            return SessionFactory(seating, reactor, time.monotonic, limits, proxied)

        self.seating = seating
        sweep = sweep_interval(seating.terms.move_timeout or 0)
        super().__init__(reactor, "session", ports, make_factory, sweep, eager)

    def expire(self) -> None:
        self.seating.expire()
        super().expire()

    def matches_running(self) -> int:
        return self.seating.running()

    async def end(self) -> None:
        _log.info(
            "{what}: matches: {matches}; refusals: {refusals}",
            what=self.what,
            matches=dict(self.seating.endings),
            refusals=self.refusals(),
        )


_PARAMETERS: list[Parameter] = [
    ("session-move-timeout", None, 600.0, "Seconds for a move of a session.", read.seconds),
]


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> SessionService:
    limits = connection_limits(options, 0, 0)
    seating = Pairs(shared.lobby(), options["session-move-timeout"])
    return SessionService(shared.reactor, ports, limits, seating, not options["no-eager-send"])


PART = PartMaker(
    port="session",
    port_help="Play two-player sessions on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
)

"""The session server as a service: its options, and its objects while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tictac.net.plugin import MatchmakingService, connection_limits, sweep_interval
from tictac.net.running_time import running_time
from tictac.options import option
from tictac.plugins.classics.session.seats import hosts, seats
from tictac.plugins.classics.session.server import Pairs, SessionFactory
from tictac.plugins.classics.session.wire import DEFAULT_PORT
from tictac.runtime import Runtime, ServerPlugin


def _make(ports: Sequence[str], runtime: Runtime) -> MatchmakingService:
    limits, reactor = connection_limits(runtime.settings, 0, 0), runtime.reactor
    move_timeout = runtime.settings[SessionOptions].session_move_timeout
    seating = Pairs(runtime.registry, move_timeout)
    make_factory = partial(
        SessionFactory, reactor, running_time.seconds, SessionFactory.framing, limits,
        seating=seating,
    )  # fmt: skip
    sweep, eager = sweep_interval(move_timeout), runtime.eager
    return MatchmakingService(reactor, "session", ports, seating, make_factory, sweep, eager)


@dataclass(frozen=True)
class SessionOptions:
    """Two-player sessions."""

    session_move_timeout: float = option(600.0, "Seconds for a move.")


PLUGIN = ServerPlugin(
    default_port=DEFAULT_PORT,
    port="session",
    port_help="Play two-player sessions on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    hosts=hosts,
    options=SessionOptions,
)

"""The port of the teletype protocol, and its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tictac.net.framing import Framing
from tictac.net.plugin import (
    ProtocolService,
    ServerPlugin,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.options import option
from tictac_teletype.seats import hosts, seats
from tictac_teletype.server import TeletypeFactory


@dataclass(frozen=True)
class TeletypeOptions:
    """The options of the port."""

    teletype_idle_timeout: float = option(600.0, "Seconds of silence outside of a room.")


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> ProtocolService:
    idle_timeout = options["teletype-idle-timeout"]
    limits = connection_limits(options, 0, idle_timeout)
    registry = shared.lobby()

    def make_factory(proxied: bool) -> TeletypeFactory:
        return TeletypeFactory(
            shared.reactor,
            shared.reactor.seconds,
            Framing("line"),
            limits,
            proxied,
            registry=registry,
        )

    sweep = sweep_interval(idle_timeout)
    return ProtocolService(shared.reactor, "teletype", ports, make_factory, sweep)


PLUGIN = ServerPlugin(
    port="teletype",
    port_help="Play any game in plain lines on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    hosts=hosts,
    options=TeletypeOptions,
)

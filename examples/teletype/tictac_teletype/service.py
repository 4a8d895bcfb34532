"""The port of the teletype protocol, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tictac.net.framing import Framing
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.options import option
from tictac.runtime import Runtime, ServerPlugin
from tictac_teletype.seats import hosts, seats
from tictac_teletype.server import TeletypeFactory


@dataclass(frozen=True)
class TeletypeOptions:
    """The options of the port."""

    teletype_idle_timeout: float = option(600.0, "Seconds of silence outside of a room.")


def _make(ports: Sequence[str], runtime: Runtime) -> ProtocolService:
    idle_timeout = runtime.settings[TeletypeOptions].teletype_idle_timeout
    limits = connection_limits(runtime.settings, 0, idle_timeout)
    reactor, registry = runtime.reactor, runtime.registry

    def make_factory(proxied: bool) -> TeletypeFactory:
        return TeletypeFactory(
            reactor, reactor.seconds, Framing("line"), limits, proxied, registry=registry
        )

    sweep = sweep_interval(idle_timeout)
    return ProtocolService(reactor, "teletype", ports, make_factory, sweep)


PLUGIN = ServerPlugin(
    port="teletype",
    port_help="Play any game in plain lines on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    hosts=hosts,
    options=TeletypeOptions,
)

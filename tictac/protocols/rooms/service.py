"""The port of the rooms protocol."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tictac.net.framing import Framing
from tictac.net.running_time import running_time
from tictac.net.settings import RoomsOptions
from tictac.protocols.lobby.service import LobbyService
from tictac.protocols.rooms.seats import seats
from tictac.protocols.rooms.server import RoomsFactory
from tictac.runtime import Runtime, ServerPlugin


def framing_of(options: RoomsOptions) -> Framing:
    """Return how messages end."""
    return Framing(
        options.framing, options.max_message, options.bare_complete, options.bare_incomplete,
        options.bare_gap, options.turn_budget, entry_gap=options.bare_entry_gap,
    )  # fmt: skip


def new_factory(runtime: Runtime, framing: Framing, proxied: bool = False) -> RoomsFactory:
    """Return a factory for connections to the rooms of the lobby."""
    service = runtime.serve_lobby()
    return RoomsFactory(
        runtime.reactor, running_time.seconds, framing, service.limits, proxied,
        accounts=service.accounts, lobby=service.lobby, registry=service.registry,
        # rooms.md: a lost connection forfeits, unless the operator decides otherwise.
        rejoins=runtime.settings[RoomsOptions].rejoin_timeout is not None,
    )  # fmt: skip


def _make(ports: Sequence[str], runtime: Runtime) -> LobbyService:
    service, framing = runtime.serve_lobby(), framing_of(runtime.settings[RoomsOptions])
    make_factory = partial(new_factory, runtime, framing)
    service.listen(ports, make_factory, runtime.eager, 2 * framing.max_message)
    return service


PLUGIN = ServerPlugin(
    port="port",
    port_letter="p",
    port_help="Listen for the rooms protocol on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    options=RoomsOptions,
)

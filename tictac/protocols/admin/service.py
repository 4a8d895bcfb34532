"""A Unix socket for the operator: the lobby protocol, without a login.

A user who can open the file has all rights of an admin, and can stop the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from twisted.internet.endpoints import quoteStringArgument

from tictac.net.framing import Framing
from tictac.net.listening import check_endpoint
from tictac.net.plugin import (
    ProtocolService,
    ServerPlugin,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.net.running_time import running_time
from tictac.protocols.lobby.server import JsonConnection, JsonFactory


class OperatorConnection(JsonConnection):
    """A connection of the operator, under a guest name of its own."""

    is_operator = True

    def opened(self) -> None:
        self.user = self.factory.lobby.guest_list.new_name()
        self.speak_json()


class OperatorFactory(JsonFactory):
    """A factory of the operator's connections."""

    connection = OperatorConnection


def _make(options: Mapping[str, Any], paths: Sequence[str], shared: Shared) -> ProtocolService:
    ports = [f"unix:{quoteStringArgument(path)}:mode=600" for path in paths]
    for port in ports:
        check_endpoint(port)
    rooms = shared.part("port")
    limits, framing = connection_limits(options, 0, 0), Framing("line", options["max-message"])

    def make_factory(proxied: bool) -> OperatorFactory:
        return OperatorFactory(
            shared.reactor,
            running_time.seconds,
            framing,
            limits,
            protocol_name="operator",
            accounts=shared.accounts(),
            lobby=rooms.lobby,
        )

    sweep = sweep_interval()
    return ProtocolService(shared.reactor, "operator", ports, make_factory, sweep, eager=False)


PLUGIN = ServerPlugin(
    port="admin-socket",
    port_help="Unix socket for `tictac admin`; only its owner can open it. Repeatable.",
    make=_make,
    listens=False,
)

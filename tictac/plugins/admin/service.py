"""A Unix socket for the operator: the lobby protocol, without a login.

A user who can open the file has all rights of an admin, and can stop the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from twisted.internet.endpoints import quoteStringArgument

from tictac.net.framing import Framing
from tictac.net.listening import check_endpoint
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.net.running_time import running_time
from tictac.net.settings import RoomsOptions
from tictac.protocols.lobby.server import LobbyFactory, LobbyProtocol
from tictac.runtime import Runtime, ServerPlugin


class OperatorConnection(LobbyProtocol):
    """A connection of the operator, under a guest name of its own."""

    is_operator = True

    def opened(self) -> None:
        super().opened()
        self.user = self.factory.lobby.guest_list.new_name()


class OperatorFactory(LobbyFactory):
    """A factory of the operator's connections."""

    connection = OperatorConnection


def _make(paths: Sequence[str], runtime: Runtime) -> ProtocolService:
    ports = [f"unix:{quoteStringArgument(path)}:mode=600" for path in paths]
    for port in ports:
        check_endpoint(port)
    reactor, lobby = runtime.reactor, runtime.lobby
    most = runtime.settings[RoomsOptions].max_message
    limits, framing = connection_limits(runtime.settings, 0, 0), Framing("line", most)
    make_factory = partial(
        OperatorFactory, reactor, running_time.seconds, framing, limits, protocol_name="operator",
        accounts=runtime.accounts, lobby=lobby,
    )  # fmt: skip
    sweep = sweep_interval()
    return ProtocolService(reactor, "operator", ports, make_factory, sweep, eager=False)


PLUGIN = ServerPlugin(
    port="admin-socket",
    port_help="Unix socket for `tictac admin`; only its owner can open it. Repeatable.",
    make=_make,
    listens=False,
)

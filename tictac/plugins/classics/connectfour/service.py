"""The Connect Four server as a service: its options, and its objects while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from twisted.logger import Logger

from tictac.engines.pool import EnginePool
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.net.running_time import running_time
from tictac.net.settings import ServerOptions
from tictac.options import option
from tictac.plugins.classics.connectfour.server import FRAMING, PROTOCOL, ConnectFourFactory
from tictac.plugins.classics.connectfour.wire import DEFAULT_PORT
from tictac.runtime import Runtime, ServerPlugin

_log = Logger()


class ConnectFourService(ProtocolService):
    """The service: its listeners, and the engine processes."""

    def __init__(self, ports: Sequence[str], runtime: Runtime) -> None:
        options, server = runtime.settings[ConnectFourOptions], runtime.settings[ServerOptions]
        size, most = options.connectfour_workers, server.max_questions_per_peer
        self._engine = EnginePool(runtime.reactor, size, most)
        self._registry = runtime.registry
        self.games: Counter[str] = Counter()
        limits = connection_limits(runtime.settings, 0, options.connectfour_idle)
        make_factory = partial(
            ConnectFourFactory, runtime.reactor, running_time.seconds, FRAMING, limits,
            registry=self._registry, engine=self._engine, games=self.games,
            seconds_a_move=options.connectfour_think,
        )  # fmt: skip
        super().__init__(
            runtime.reactor, "connectfour", ports, make_factory,
            sweep_interval(limits.idle_timeout), runtime.eager, 2 * FRAMING.max_message,
        )  # fmt: skip

    def begin(self) -> None:
        self._engine.start()

    def serving(self) -> bool:
        return super().serving() and self._engine.ready

    def matches_running(self) -> int:
        return self._registry.running(PROTOCOL)

    async def end(self) -> None:
        await self._engine.stop()
        _log.info(
            "connectfour: games: {games}; refusals: {refusals}",
            games=dict(self.games),
            refusals=self.refusals(),
        )


@dataclass(frozen=True)
class ConnectFourOptions:
    """Connect Four."""

    connectfour_idle: float = option(600.0, "Maximum seconds of silence.")
    connectfour_think: float = option(1.0, "Seconds that the computer takes for a move.")
    connectfour_workers: int = option(0, "Engine processes. 0: one per core, up to 4.")


PLUGIN = ServerPlugin(
    default_port=DEFAULT_PORT,
    port="connectfour",
    port_help="Listen for Connect Four on this port, or endpoint string. Repeatable.",
    make=ConnectFourService,
    options=ConnectFourOptions,
)

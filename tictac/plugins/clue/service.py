"""The Clue server as a service: its objects while it runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from twisted.logger import Logger

from tictac.engines.pool import EnginePool
from tictac.net import plugin
from tictac.net.running_time import running_time
from tictac.net.settings import ServerOptions
from tictac.plugins.clue.matchmaking import ClueMatches
from tictac.plugins.clue.server import FRAMING, ClueFactory
from tictac.plugins.clue.settings import ClueOptions
from tictac.plugins.clue.wire import DEFAULT_PORT, LONGEST_LINE
from tictac.runtime import Runtime, ServerPlugin

_log = Logger()


class ClueService(plugin.ProtocolService):
    """The service: the games, their listeners, and the engine processes."""

    def __init__(self, ports: Sequence[str], runtime: Runtime) -> None:
        options, server = runtime.settings[ClueOptions], runtime.settings[ServerOptions]
        reactor = runtime.reactor
        size = options.clue_workers or os.cpu_count() or 1
        self._thinks = bool(options.players)
        self._engines = EnginePool(reactor, size, server.max_questions_per_peer)
        self.seating = ClueMatches(runtime.registry, options, reactor, self._engines)
        for_name, for_move = options.clue_name_timeout, options.clue_move_timeout
        limits = plugin.connection_limits(runtime.settings, for_name, for_move)
        make_factory = partial(
            ClueFactory, reactor, running_time.seconds, FRAMING, limits,
            seating=self.seating, pairs=not (options.clue_mini or options.unrevised_counter),
        )  # fmt: skip
        sweep, most = plugin.sweep_interval(for_name, for_move), 2 * LONGEST_LINE
        super().__init__(reactor, "clue", ports, make_factory, sweep, runtime.eager, most)

    def begin(self) -> None:
        if self._thinks:
            self._engines.start()

    def serving(self) -> bool:
        return super().serving() and (self._engines.ready or not self._thinks)

    def matches_running(self) -> int:
        return self.seating.running()

    def stop_listening(self) -> None:
        super().stop_listening()
        self.seating.finish()

    async def _stop(self) -> None:
        # All games end at once, so no player sees the others leave one by one.
        self.seating.close()
        await super()._stop()

    async def end(self) -> None:
        await self._engines.stop()
        _log.info(
            "clue: games: {games}; refusals: {refusals}",
            games=dict(self.seating.endings),
            refusals=self.refusals(),
        )


PLUGIN = ServerPlugin(
    port="clue",
    default_port=DEFAULT_PORT,
    port_help="Play Clue on this port, or endpoint string. Repeatable.",
    make=ClueService,
    options=ClueOptions,
)

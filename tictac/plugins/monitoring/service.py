"""Monitoring of a running server by operators and their programs: health and metrics.

The service has an HTTP port of its own, which must not be public. ``prometheus_client`` comes
with the extra ``web``, and is imported only with ``--admin``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from twisted.internet.task import LoopingCall

from tictac.errors import SetupError
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.net.settings import RoomsOptions
from tictac.runtime import Runtime, ServerPlugin

if TYPE_CHECKING:
    from tictac.plugins.monitoring.metrics import Metrics
    from tictac.plugins.web.site import Site

TIMEOUT = 20.0
"""Timeout of a request, in seconds."""

LOOKS_EVERY = 1.0
"""Seconds between two measurements of the reactor's delay."""


class AdminService(ProtocolService):
    """A service that answers ``/health/...`` and ``/metrics`` (metrics.AdminPages).

    While the server drains or waits for its turn, the service answers, and says that it isn't
    ready.
    """

    waits = False

    def __init__(self, ports: Sequence[str], runtime: Runtime, metrics: Metrics) -> None:
        self._runtime = runtime
        self._metrics = metrics
        self._clock = runtime.reactor
        self._expected = 0.0
        self._beat = LoopingCall(self._measure_lag)
        self._beat.clock = runtime.reactor
        super().__init__(runtime.reactor, "admin", ports, self._make_site, sweep_interval())

    def _make_site(self, proxied: bool) -> Site:
        from tictac.plugins.monitoring.metrics import AdminPages
        from tictac.plugins.web.site import Site

        settings = self._runtime.settings
        pages = AdminPages(self._runtime, self._metrics, self.ready)
        limits, budget = connection_limits(settings, 0, 0), settings[RoomsOptions].turn_budget
        return Site(pages, self._clock, time.monotonic, limits, TIMEOUT, budget, proxied)

    def begin(self) -> None:
        for part in self._runtime.parts:
            for factory in part.factories:
                factory.observe = self._metrics.requests.observe
        self._expected = self._clock.seconds() + LOOKS_EVERY
        self._beat.start(LOOKS_EVERY, now=False)

    def ready(self) -> bool:
        """Return whether every plug-in accepts connections and can serve them."""
        return all(part.serving() for part in self._runtime.parts)

    def stop_listening(self) -> None:
        """Keep listening: during the drain, requests get the answer that nothing is ready."""

    async def end(self) -> None:
        if self._beat.running:
            self._beat.stop()

    def _measure_lag(self) -> None:
        now = self._clock.seconds()
        self._metrics.lag.observe(max(0.0, now - self._expected))
        self._expected = now + LOOKS_EVERY


def _make(ports: Sequence[str], runtime: Runtime) -> AdminService:
    try:
        from tictac.plugins.monitoring.metrics import Metrics
    except ImportError:
        raise SetupError(
            "--admin needs packages that aren't installed: pip install '.[web]'"
        ) from None
    runtime.registry  # noqa: B018  # it brings the turn, after which /health/active asks
    return AdminService(ports, runtime, Metrics(runtime, time.monotonic))


PLUGIN = ServerPlugin(
    port="admin",
    port_help="Answer /health and /metrics on this port, or endpoint string. Repeatable.",
    make=_make,
)

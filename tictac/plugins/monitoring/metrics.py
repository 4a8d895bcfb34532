"""Counts that the server keeps anyway, as Prometheus metrics.

No code here runs for a move: moves are counted on the boards, at the end of a match and at a
scrape. Only the time of requests is measured for each request, and only with ``--admin``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.plugins.web.pages import send_text
from tictac.protocols.lobby.service import LobbyService
from tictac.runtime import Runtime

REQUEST_TIMES = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1)
LAGS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)

KEPT = 1.0
"""Seconds to reuse a text, because writing it takes some milliseconds of the reactor."""


class RuntimeCollector(Collector):
    """A collector that reads a runtime and its parts at each scrape."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._accounts, self._behind = runtime.accounts, runtime.behind

    def collect(self) -> Iterator[Metric]:
        """Yield every metric with its current value."""
        yield self._connections()
        yield self._refusals()
        yield from self._budgets()
        yield _counter("logins", "Logins that succeeded.", self._accounts.logins)
        yield _counter("registrations", "Accounts made.", self._accounts.registrations)
        if self._behind is not None:
            text = "Finished matches that wait for the database."
            yield GaugeMetricFamily("tictac_matches_waiting", text, value=self._behind.waiting)
            yield _counter("matches_lost", "Matches that couldn't be kept.", self._behind.lost)
        if self._runtime.lobby_service is not None:
            yield from _rooms(self._runtime.lobby_service)
        figures = dict(self._runtime.storage.figures())
        for part in self._runtime.parts:
            figures.update(part.figures())
        for name, (text, value) in figures.items():
            yield GaugeMetricFamily(f"tictac_{name}", text, value=value)

    def _connections(self) -> Metric:
        metric = GaugeMetricFamily("tictac_connections", "Open connections.", labels=["part"])
        for part in self._runtime.parts:
            open_now = sum(len(factory.connections) for factory in part.factories)
            metric.add_metric([part.what], open_now)
        return metric

    def _budgets(self) -> Iterator[Metric]:
        parts = self._runtime.parts
        budgets = {factory.budget for part in parts for factory in part.factories}
        text = "Connections that wait for their budget, or that of their address."
        waiting = sum(budget.waiting for budget in budgets)
        yield GaugeMetricFamily("tictac_budget_waiting", text, value=waiting)
        text = "Waits of connections for a budget, by the budget that was empty."
        waits = CounterMetricFamily("tictac_budget_waits", text, labels=["why"])
        for why, times in sum((budget.waits for budget in budgets), Counter[str]()).items():
            waits.add_metric([why], times)
        yield waits

    def _refusals(self) -> Metric:
        text = "Refusals, by error code."
        metric = CounterMetricFamily("tictac_refusals", text, labels=["part", "kind"])
        for part in self._runtime.parts:
            for kind, count in part.refusals().items():
                metric.add_metric([part.what, kind], count)
        return metric


def _rooms(part: LobbyService) -> Iterator[Metric]:
    registry = part.registry
    yield GaugeMetricFamily("tictac_rooms", "Rooms.", value=registry.rooms())
    yield GaugeMetricFamily("tictac_matches_running", "Matches.", value=registry.running())
    text = "Seats held for disconnected players."
    yield GaugeMetricFamily("tictac_seats_held", text, value=registry.seats_held())
    text = "Finished matches, by their ending."
    ended = CounterMetricFamily("tictac_matches", text, labels=["outcome"])
    for outcome, count in part.matches.counts.items():
        ended.add_metric([outcome], count)
    yield ended
    yield _counter("moves", "Moves made.", registry.moves())


def _counter(name: str, text: str, value: int) -> Metric:
    return CounterMetricFamily(f"tictac_{name}", text, value=value)


class Metrics:
    """All metrics: those of the plug-ins, and two that are measured.

    ``requests`` are the times to handle a read, ``lag`` is the delay of the reactor, in seconds.
    ``seconds`` is a monotonic clock.
    """

    def __init__(self, runtime: Runtime, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._troubled = [each for each in (runtime.behind, runtime.storage) if each is not None]
        self._text = b""
        self._written = -KEPT
        self._registry = CollectorRegistry()
        self._registry.register(RuntimeCollector(runtime))
        self.requests = Histogram(
            "tictac_request_seconds",
            "Time to handle the data that a connection has sent.",
            buckets=REQUEST_TIMES,
            registry=self._registry,
        )
        self.lag = Histogram(
            "tictac_reactor_lag_seconds",
            "Delay of a call that is due each second.",
            buckets=LAGS,
            registry=self._registry,
        )

    def trouble(self) -> str:
        """Return a problem that doesn't prevent playing; empty: no problem."""
        return "; ".join(filter(None, [each.trouble for each in self._troubled]))

    def text(self) -> bytes:
        """Return the text for Prometheus, up to a second old."""
        now = self._seconds()
        if now - self._written >= KEPT:
            self._text, self._written = generate_latest(self._registry), now
        return self._text


class AdminPages(Resource):
    """A resource that answers GET and HEAD with the ``metrics`` and the health of ``runtime``.

    ``ready`` returns whether the server accepts players.

    A balancer asks for ``/health/active``: while the database is unavailable, the active server
    isn't ready, but its players must keep their connections.
    """

    isLeaf = True

    def __init__(self, runtime: Runtime, metrics: Metrics, ready: Callable[[], bool]) -> None:
        super().__init__()
        self._runtime, self._metrics, self._ready = runtime, metrics, ready

    def render(self, request: Request) -> bytes:
        """Answer a request by its path."""
        request.setHeader(b"cache-control", b"no-store")
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return send_text(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        if request.path == b"/health/live":
            return send_text(request, http.OK, "alive")
        if request.path == b"/health/ready":
            return self._answer_ready(request)
        if request.path == b"/health/active":
            why = self._runtime.why_not()
            return send_text(request, http.SERVICE_UNAVAILABLE if why else http.OK, why or "active")
        if request.path == b"/metrics":
            request.setHeader(b"content-type", CONTENT_TYPE_LATEST.encode())
            return self._metrics.text()
        return send_text(request, http.NOT_FOUND, "/health/live, ready, or active, or /metrics")

    def _answer_ready(self, request: Request) -> bytes:
        if self._ready():
            words = filter(None, ["ready", self._metrics.trouble()])
            return send_text(request, http.OK, "; ".join(words))
        why = self._runtime.why_not()
        return send_text(
            request, http.SERVICE_UNAVAILABLE, f"not ready: {why}" if why else "not ready"
        )

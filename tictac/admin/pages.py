"""The three answers of the admin port, as plain text."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.doors.web.pages import say


class AdminPages(Resource):
    """Answers GET. ``ready`` says whether the server takes players, ``metrics`` gives figures,
    ``trouble`` says what doesn't keep players from playing.
    """

    isLeaf = True

    def __init__(
        self,
        ready: Callable[[], bool],
        metrics: Callable[[], bytes],
        trouble: Callable[[], str],
    ) -> None:
        super().__init__()
        self._ready = ready
        self._trouble = trouble
        self._metrics = metrics

    def render(self, request: Request) -> bytes:
        """What was asked for by its path."""
        request.setHeader(b"cache-control", b"no-store")
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return say(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        if request.path == b"/health/live":
            return say(request, http.OK, "alive")
        if request.path == b"/health/ready":
            return self._say_ready(request)
        if request.path == b"/metrics":
            request.setHeader(b"content-type", CONTENT_TYPE_LATEST.encode())
            return self._metrics()
        return say(request, http.NOT_FOUND, "/health/live, /health/ready or /metrics")

    def _say_ready(self, request: Request) -> bytes:
        if self._ready():
            return say(request, http.OK, "; ".join(filter(None, ["ready", self._trouble()])))
        return say(request, http.SERVICE_UNAVAILABLE, "not ready")

"""The page of a running tournament, on the web server of the tournament."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.plugins.tournament.page import as_html
from tictac.plugins.tournament.running.runner import Runner

PATH, SCRIPT = b"/tournament", b"/tournament.js"

FRESH = 1.0
"""Seconds until the page is made again, because a page of many games takes long."""

WATCHED = 10.0
"""Seconds after a request in which the page counts as watched."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'sha256-{}'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class LivePage(Resource):
    """The current tables, the running games, and the finished games.

    ``link`` returns the address of a match in the archive; None without an archive.
    """

    isLeaf = True

    def __init__(
        self, runner: Runner, seconds: Callable[[], float], link: Callable[[str], str] | None
    ) -> None:
        super().__init__()
        self._runner, self._seconds, self._link = runner, seconds, link
        self._page, self._policy, self._tag = b"", "", b""
        self._made = self._asked = -WATCHED

    @property
    def is_watched(self) -> bool:
        """Whether a browser asked for the page in the last WATCHED seconds."""
        return self._seconds() - self._asked < WATCHED

    def render_GET(self, request: Request) -> bytes:
        """Return the page, or nothing if the browser has the current one."""
        self._asked = self._seconds()
        if self._asked - self._made >= FRESH:
            self._make()
        request.setHeader(b"content-type", b"text/html; charset=utf-8")
        request.setHeader(b"content-security-policy", self._policy.encode())
        request.setHeader(b"cache-control", b"no-cache")
        return b"" if request.setETag(self._tag) is http.CACHED else self._page

    def _make(self) -> None:
        under = [
            (f"/room/{each.room}", f"{each.pairing.number}: {', '.join(each.pairing.seats)}")
            for each in self._runner.under.values()
            if each.room
        ]
        text = as_html(self._runner.tournament, self._link, under)
        style = text.partition("<style>")[2].partition("</style>")[0]
        self._policy = _POLICY.format(b64encode(sha256(style.encode()).digest()).decode())
        self._page = text.encode()
        self._tag = b'"%b"' % sha256(self._page).hexdigest()[:20].encode()
        self._made = self._seconds()


class LiveScript(Resource):
    """The script that keeps the page up to date."""

    isLeaf = True

    def render_GET(self, request: Request) -> bytes:
        """Return the script."""
        request.setHeader(b"content-type", b"text/javascript; charset=utf-8")
        request.setHeader(b"cache-control", b"no-cache")
        return files("tictac.plugins.tournament.running").joinpath("live.js").read_bytes()

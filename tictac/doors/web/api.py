"""What programs may read over HTTP: matches that have ended. Source: docs/matches.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.archive.asking import Reader, read_filter
from tictac.errors import ArchiveAway, BadFilter, NoArchive, NoSuchMatch, Refusal
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)

_STATUS: dict[type[Refusal], int] = {
    ArchiveAway: http.SERVICE_UNAVAILABLE,
    NoArchive: http.NOT_FOUND,
    NoSuchMatch: http.NOT_FOUND,
}
"""Of the answer to what is refused; 400 for the rest."""


class Api(Resource):
    """Answers GET and HEAD below ``/api/`` with JSON. Whoever asks is a stranger."""

    isLeaf = True

    def __init__(self, matches: Reader) -> None:
        super().__init__()
        self._matches = matches

    def render(self, request: Request) -> bytes | int:
        """What is asked for, once it is read."""
        request.setHeader(b"content-type", b"application/json")
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return _refuse(request, http.NOT_ALLOWED, "method", "Only GET and HEAD.")
        channel: Any = request.channel  # a tictac.doors.web.site.Channel
        try:
            reading = self._read(request, channel.host)
        except Refusal as refusal:
            return _refused(request, refusal)
        request.notifyFinish().addErrback(lambda _: reading.cancel())
        reading.addCallback(_send, request).addErrback(_failed, request)
        reading.addCallback(request.answer)  # type: ignore[attr-defined]
        reading.addErrback(lambda failure: failure.trap(CancelledError))
        return NOT_DONE_YET

    def _read(self, request: Request, host: str) -> Deferred[bytes]:
        """Ask for what the path names. Raises a Refusal."""
        match [unquote(part) for part in request.path.decode("ascii", "replace").split("/")[2:]]:
            case ["matches"]:
                return self._page(request, host)
            case ["matches", match_id]:
                return self._matches.match(host, match_id, None)
            case ["players", name]:
                return self._page(request, host, name)
        raise NoSuchMatch("there is nothing here")

    def _page(self, request: Request, host: str, player: str | None = None) -> Deferred[bytes]:
        args = request.args or {}
        given = {name.decode("utf-8", "replace"): _text(values[-1]) for name, values in args.items()}
        if player is not None:
            given["player"] = player
        limit = given.get("limit")
        if limit is not None and not limit.isdecimal():
            raise BadFilter(f"limit is a whole number, not {limit!r:.40}")
        wanted = read_filter(given)
        return self._matches.page(host, wanted, given.get("cursor"), limit and int(limit))

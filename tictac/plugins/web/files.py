"""Files of matches that take long: ``/match/ID.gif`` and ``.png``, and ``POST /import``.

Each is made by a process of its own (errands.py). Pictures are kept, because links to them spread.
An import is only answered: the server saves nothing of it.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.archive.match import EXPORTS
from tictac.archive.reader import Reader
from tictac.errors import ArchiveAway, NoSuchMatch, Refusal, TooManyQuestions
from tictac.ip_networks import network_of
from tictac.plugins.web.api import Document
from tictac.plugins.web.errands import CannotRunError, Errands
from tictac.plugins.web.pages import ICON, send_text
from tictac.plugins.web.site import BodilessRequest

KINDS = {"gif": b"image/gif", "png": b"image/png"}

KEPT = 16 << 20
"""Maximum bytes of all pictures that are kept."""

FRESH = 3600
"""Seconds for which clients keep a picture. A picture has no names."""


class _UndrawnError(Exception):
    """No program draws matches of this game as PNG."""


class Pictures(Resource):
    """A resource for ``/match/ID.gif`` and ``/match/ID.png``: a match that every user can see."""

    isLeaf = True

    def __init__(self, matches: Reader, errands: Errands) -> None:
        super().__init__()
        self._matches, self._errands = matches, errands
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def render(self, request: Request) -> bytes | int:
        """Answer GET and HEAD with a picture."""
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return send_text(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        name = request.path.decode("ascii", "replace").removeprefix("/match/")
        match_id, _, kind = name.rpartition(".")
        address = cast(BodilessRequest, request).channel.host
        try:
            reading = self._matches.match(address, match_id, None)
        except Refusal as refusal:
            return _refuse(request, refusal)
        request.notifyFinish().addErrback(lambda _: reading.cancel())
        draw = partial(self._draw, network_of(address), name)
        drawing: Deferred[bytes] = reading.addCallback(draw)
        drawing.addCallback(partial(_send, request, KINDS[kind]))
        drawing.addErrback(partial(_failed, request))
        drawing.addCallbacks(cast(BodilessRequest, request).answer, lambda _: None)
        return NOT_DONE_YET

    def _draw(self, network: str, name: str, line: bytes) -> bytes | Deferred[bytes]:
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        _, _, kind = name.rpartition(".")
        game = json.loads(line)["game"]
        export = EXPORTS.load(f"{game}.{kind}")
        if export is None or export.draw is None:
            if kind == "png":  # of a preview (pages.py), which doesn't know the game
                raise _UndrawnError
            raise NoSuchMatch(f"matches of {game} have no format {kind!r}")
        return self._errands.run(network, ["draw", kind], line).addCallback(
            partial(self._keep, name)
        )

    def _keep(self, name: str, picture: bytes) -> bytes:
        self._kept[name] = picture
        while sum(map(len, self._kept.values())) > KEPT:
            self._kept.popitem(last=False)
        return picture


def read_formats(framed: bool, rest: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
    """Return the formats of each game, as JSON: the part ``formats`` of the API.

    ``framed``: other pages can show matches in frames.
    """
    found: dict[str, list[str]] = {}
    for name in EXPORTS.names():
        game, _, suffix = name.partition(".")
        found.setdefault(game, []).append(suffix)
    document = {"formats": found, "frames": framed}
    return succeed(Document(json.dumps(document).encode(), max_age=FRESH))


class Imports(Resource):
    """A resource that reads a PGN or SGF file of up to ``most`` matches.

    Each of ``matches`` in the answer is like that of ``/api/matches/ID/replay``.
    """

    isLeaf = True

    def __init__(self, errands: Errands, most: int) -> None:
        super().__init__()
        self._errands, self._most = errands, most

    def render(self, request: Request) -> bytes | int:
        """Answer POST with the matches of the file."""
        if request.method != b"POST":
            request.setHeader(b"allow", b"POST")
            return send_text(request, http.NOT_ALLOWED, "Only POST.")
        asked = cast(BodilessRequest, request)
        data = asked.content.getvalue()
        kind = "sgf" if data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"(") else "pgn"
        words = ["read", kind, str(self._most)]
        reading = self._errands.run(network_of(asked.channel.host), words, data)
        request.notifyFinish().addErrback(lambda _: reading.cancel())
        reading.addCallback(partial(_send, request, b"application/json"))
        reading.addErrback(partial(_unread, request))
        reading.addCallbacks(asked.answer, lambda _: None)
        return NOT_DONE_YET


def _send(request: Request, kind: bytes, body: bytes) -> bytes:
    request.setHeader(b"content-type", kind)
    is_picture = kind.startswith(b"image/")
    request.setHeader(
        b"cache-control", b"public, max-age=%d" % FRESH if is_picture else b"no-store"
    )
    return body


def _failed(request: Request, failure: Failure) -> bytes:
    failure.trap(Refusal, CannotRunError, _UndrawnError)
    if failure.check(_UndrawnError):
        request.redirect(ICON.encode())
        return b""
    return _refuse(request, cast(Exception, failure.value))


def _refuse(request: Request, why: Exception) -> bytes:
    is_missing = isinstance(why, Refusal) and not isinstance(why, (ArchiveAway, TooManyQuestions))
    status = http.NOT_FOUND if is_missing else http.SERVICE_UNAVAILABLE
    return send_text(request, status, f"{why}." if str(why) else "The picture can't be drawn now.")


def _unread(request: Request, failure: Failure) -> bytes:
    """Answer with the reason, as an error of the API."""
    failure.trap(TooManyQuestions, CannotRunError)
    is_busy = failure.check(TooManyQuestions) is not None or not str(failure.value)
    request.setResponseCode(http.SERVICE_UNAVAILABLE if is_busy else http.BAD_REQUEST)
    request.setHeader(b"content-type", b"application/json")
    why = str(failure.value) or "the file can't be read now"
    return json.dumps({"error": "busy" if is_busy else "bad-file", "message": why}).encode()

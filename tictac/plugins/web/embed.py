"""Pictures of matches in the frames of other pages: ``/embed/match/ID``, where --web-frames is.

The answer has no script and no login, so that a page around it can't make a visitor click on
anything that changes something here (clickjacking). All other pages stay out of frames.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.archive.match import EXPORTS
from tictac.archive.reader import Reader
from tictac.errors import ArchiveAway, NoSuchMatch, Refusal
from tictac.plugins.web.pages import send_text
from tictac.plugins.web.site import BodilessRequest

PICTURE, OTHER = "svg", "png"
"""The formats of the picture: a game with neither has no such page."""

IMAGE = '<img src="/match/{match}.png" alt="{name}">'

PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
    '<a href="/match/{match}" target="_blank" rel="noopener">{picture}</a></html>\n'
)


class Embedded(Resource):
    """A resource for the paths below ``/embed/``; ``origins`` can show them in frames."""

    isLeaf = True

    def __init__(self, matches: Reader, origins: Sequence[str]) -> None:
        super().__init__()
        self._matches = matches
        self._policy = (
            f"default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'; "
            f"frame-ancestors {' '.join(origins)}"
        ).encode()

    def render(self, request: Request) -> bytes | int:
        """Answer GET and HEAD with the page of a match."""
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return send_text(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        match request.path.decode("ascii", "replace").split("/"):
            case ["", "embed", "match", match_id]:
                pass
            case _:
                return send_text(request, http.NOT_FOUND, "There is nothing here.")
        channel: Any = request.channel  # a tictac.plugins.web.site.Channel
        try:
            reading = self._matches.export(channel.host, match_id, PICTURE)
        except Refusal as refusal:
            return _refuse(request, refusal)
        request.notifyFinish().addErrback(lambda _: reading.cancel())

        def other(failure: Failure) -> Deferred[str]:
            return self._read_other(channel.host, match_id, failure)

        drawing: Deferred[str] = reading.addCallbacks(lambda found: found[1], other)
        answering: Deferred[bytes] = drawing.addCallback(partial(self._send, request, match_id))
        answering.addErrback(partial(_failed, request))
        answering.addCallbacks(cast(BodilessRequest, request).answer, lambda _: None)
        return NOT_DONE_YET

    def _read_other(self, host: str, match_id: str, failure: Failure) -> Deferred[str]:
        """Return a link to the picture that has pixels, if the game has one."""
        failure.trap(NoSuchMatch)

        def link(line: bytes) -> str:
            export = EXPORTS.load(f"{json.loads(line)['game']}.{OTHER}")
            if export is None or export.draw is None:
                failure.raiseException()
            return IMAGE.format(match=escape(match_id), name=escape(f"Match {match_id}"))

        return self._matches.match(host, match_id, None).addCallback(link)

    def _send(self, request: Request, match_id: str, picture: str) -> bytes:
        request.setHeader(b"content-type", b"text/html; charset=utf-8")
        request.setHeader(b"content-security-policy", self._policy)
        request.responseHeaders.removeHeader(b"x-frame-options")
        request.setHeader(b"cache-control", b"no-cache")
        name = escape(f"Match {match_id}")
        return PAGE.format(name=name, match=escape(match_id), picture=picture).encode()


def _failed(request: Request, failure: Failure) -> bytes:
    failure.trap(Refusal)
    return _refuse(request, cast(Refusal, failure.value))


def _refuse(request: Request, refusal: Refusal) -> bytes:
    is_away = isinstance(refusal, ArchiveAway)
    return send_text(
        request, http.SERVICE_UNAVAILABLE if is_away else http.NOT_FOUND, f"{refusal}."
    )

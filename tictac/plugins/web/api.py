"""The HTTP API for programs: games, rooms, and finished matches. Source: matches.md."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.archive.match import to_json
from tictac.archive.reader import read_filter
from tictac.errors import (
    ArchiveAway,
    BadFilter,
    NoArchive,
    NoSuchMatch,
    NoSuchRoom,
    PrivateMatch,
    Refusal,
)
from tictac.games.all import game_type_of
from tictac.net.budget import GUESS
from tictac.plugins.web.site import BodilessRequest
from tictac.plugins.web.visitors import Visitors
from tictac.protocols.lobby.json_view import game_json, games_json
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.wire import ALL

_STATUS: dict[type[Refusal], int] = {
    ArchiveAway: http.SERVICE_UNAVAILABLE,
    NoArchive: http.NOT_FOUND,
    NoSuchMatch: http.NOT_FOUND,
    NoSuchRoom: http.NOT_FOUND,
    PrivateMatch: http.FORBIDDEN,
}
"""HTTP status of refusals; 400 for all others."""


class Document(NamedTuple):
    """An answer that isn't JSON, or that caches can keep for ``max_age`` seconds."""

    content: bytes
    kind: bytes = b"application/json"
    max_age: int = 0


OPENAPI, ASYNCAPI = (
    Document(files("tictac.plugins.web").joinpath(f"{name}.json").read_bytes())
    for name in ("openapi", "asyncapi")
)
"""The descriptions of the API and of the lobby protocol, made by ``python -m tests.documents``."""


class Given(dict[str, str]):
    """The arguments of a request, which comes from the address ``host``."""

    host = ""


ApiPart = Callable[[Sequence[str], Given], Deferred[Document]]
"""Answers a request, from the rest of its path and its arguments. Raises or fails with a Refusal;
one with ``is_missing`` gets the status 404."""


class Api(Resource):
    """A resource that answers GET and HEAD below ``/api/`` with JSON."""

    isLeaf = True

    def __init__(self, lobby: Lobby, visitors: Visitors) -> None:
        super().__init__()
        self._visitors = visitors
        self._lobby, self._matches, self._pages = lobby, lobby.matches, lobby.games
        self._parts: Mapping[str, ApiPart] = lobby.parts

    def render(self, request: Request) -> bytes | int:
        """Answer a request after the lookup."""
        request.setHeader(b"content-type", b"application/json")
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return _refuse(request, http.NOT_ALLOWED, "method", "Only GET and HEAD.")
        channel: Any = request.channel  # a tictac.plugins.web.site.Channel
        try:
            reading = self._read(request, channel.host)
        except Refusal as refusal:
            if isinstance(refusal, NoSuchRoom):
                channel.pay(GUESS)
            return _refused(request, refusal)
        request.notifyFinish().addErrback(lambda _: reading.cancel())
        scope = b"public" if self._lobby.visitors == ALL else b"private"
        reading.addCallbacks(partial(_send, request, scope), partial(_failed, request))
        reading.addCallbacks(cast(BodilessRequest, request).answer, lambda _: None)
        return NOT_DONE_YET

    def _read(self, request: Request, host: str) -> Deferred[Any]:
        """Read the bytes or Document that the path names. Raises a Refusal."""
        match [unquote(part) for part in request.path.decode("ascii", "replace").split("/")[2:]]:
            case [name, *rest] if name in self._parts:
                return self._parts[name](rest, _given(request, host))
            case ["matches"]:
                return self._page(request, host)
            case ["matches", name] if "." in name:
                match_id, _, suffix = name.partition(".")
                return self._matches.export(host, match_id, suffix).addCallback(_document)
            case ["matches", match_id]:
                return self._matches.match(host, match_id, None)
            case ["matches", match_id, "replay"]:
                given = _given(request)
                seat, first = number_given(given, "seat"), number_given(given, "first")
                draws = given["draws"].split(",") if "draws" in given else None
                return self._matches.replay(host, match_id, None, seat, first or 0, draws)
            case ["players", name]:
                return self._page(request, host, name)
            case ["players", name, "ratings"]:
                return self._matches.player(host, name)
            case ["ratings", game]:
                given = _given(request)
                limit, group = number_given(given, "limit"), given.get("group")
                return self._matches.leaders(host, game, limit, group, given.get("player"))
            case ["openapi.json"]:
                return succeed(OPENAPI)
            case ["asyncapi.json"]:
                return succeed(ASYNCAPI)
            case ["games"]:
                return succeed(games_json(self._pages))
            case ["games", name]:
                entry = game_json(its := game_type_of(name), self._pages)
                return succeed(to_json({**entry, **its.parts()}).encode())
            case ["lobby"]:
                parts = to_json(sorted(self._parts)).encode()
                return succeed(b'{"rooms":[%b],"parts":%b}' % (self._lobby.listed(), parts))
            case ["rooms", name]:
                return succeed(to_json(self._visitors.peek(request, name, None)).encode())
            case ["rooms", name, key]:
                return succeed(to_json(self._visitors.peek(request, name, key)).encode())
        raise NoSuchMatch("there is nothing here")

    def _page(self, request: Request, host: str, player: str | None = None) -> Deferred[bytes]:
        given = _given(request)
        if player is not None:
            given["player"] = player
        wanted, limit = read_filter(given), number_given(given, "limit")
        return self._matches.page(host, wanted, given.get("cursor"), limit)


def _document(exported: tuple[str, str]) -> Document:
    kind, text = exported
    return Document(text.encode(), f"{kind}; charset=utf-8".encode())


def _given(request: Request, host: str = "") -> Given:
    """Return the arguments of the query string."""
    args = request.args or {}
    given = Given({_text(name): _text(values[-1]) for name, values in args.items()})
    given.host = host
    return given


def number_given(given: Mapping[str, str], name: str) -> int | None:
    """Return the number given as ``name``, if any. Raises BadFilter."""
    text = given.get(name)
    if text is None:
        return None
    if not (text.isdecimal() and len(text) < 10):
        raise BadFilter(f"{name} is a whole number, not {text!r:.40}")
    return int(text)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _send(request: Request, scope: bytes, body: bytes | Document) -> bytes:
    """Return the body, or nothing if the client has it already."""
    # Clients revalidate each time, because the name of a removed account changes.
    cached = b"no-cache"
    if isinstance(body, Document):
        request.setHeader(b"content-type", body.kind)
        cached = b"%b, max-age=%d" % (scope, body.max_age) if body.max_age else cached
        body = body.content
    request.setHeader(b"cache-control", cached)
    tag = b'"%b"' % hashlib.sha256(body).hexdigest()[:20].encode()
    return b"" if request.setETag(tag) is http.CACHED else body


def _failed(request: Request, failure: Failure) -> bytes:
    """Answer with the error of a refusal. Fails if the client no longer waits."""
    failure.trap(Refusal)
    return _refused(request, cast(Refusal, failure.value))


def _refused(request: Request, refusal: Refusal) -> bytes:
    is_missing = getattr(refusal, "is_missing", False)
    usual = http.NOT_FOUND if is_missing else http.BAD_REQUEST
    status = _STATUS.get(type(refusal), usual)
    return _refuse(request, status, refusal.code, str(refusal))


def _refuse(request: Request, status: int, code: str, message: str) -> bytes:
    request.setResponseCode(status)
    return json.dumps({"error": code, "message": message}).encode()

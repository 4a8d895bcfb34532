"""HTTP for authors below ``/programs/``, and for runners below ``/runner/``. Source: programs.md.

A body is read before its request is. So a stranger can send no long one: the server takes as many
bytes as a program can have only for the address of an upload, which it gave to an account.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import cast

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tictac.accounts.accounts import Accounts
from tictac.archive.match import utc_text
from tictac.errors import ArchiveAway, BadFilter, BadToken, Refusal
from tictac.errors import NotLoggedIn as NoLogin
from tictac.games.all import game_type_of
from tictac.names import composed, password_bytes
from tictac.plugins.submissions.desk import Desk
from tictac.plugins.submissions.refusals import NoSuchRunner
from tictac.plugins.submissions.tables import Change, Lease
from tictac.plugins.web.site import BodilessRequest
from tictac.protocols.lobby.json_view import Message
from tictac.reactor import Work
from tictac.storage.store import StoreAwayError, StoreClosedError

_log = Logger()

LONGEST_BEAT = 64 << 10
"""Maximum bytes of a runner's report."""

LONGEST_TEXT = 16 << 10
"""Maximum characters of a report, and of a program's standard error, that are kept."""

UPLOAD = b"/programs/upload/"

_STATUS: dict[type[Refusal], int] = {
    ArchiveAway: http.SERVICE_UNAVAILABLE,
    NoLogin: http.UNAUTHORIZED,
    BadToken: http.UNAUTHORIZED,
    NoSuchRunner: http.UNAUTHORIZED,
}


class _Answers(Resource):
    """A resource whose requests are answered by coroutines with JSON, or bytes."""

    isLeaf = True

    def answer(self, request: Request, path: str) -> Work[Message | bytes]:
        """Answer a request. Raises a Refusal."""
        raise NotImplementedError

    def render(self, request: Request) -> int:
        """Answer GET and POST."""
        path = request.path.decode("ascii", "replace").partition("/")[2].partition("/")[2]
        working = Deferred.fromCoroutine(self.answer(request, path))
        request.notifyFinish().addErrback(lambda _: working.cancel())
        sending = working.addCallbacks(_body, _refused, (request,), errbackArgs=(request,))
        sending.addErrback(_failed, request)
        sending.addCallbacks(cast(BodilessRequest, request).answer, lambda _: None)
        return NOT_DONE_YET


def _body(found: Message | bytes, request: Request) -> bytes:
    request.setHeader(b"cache-control", b"no-store")
    kind = b"application/octet-stream" if isinstance(found, bytes) else b"application/json"
    request.setHeader(b"content-type", kind)
    return found if isinstance(found, bytes) else json.dumps(found).encode()


def _refused(failure: Failure, request: Request) -> bytes:
    failure.trap(Refusal, StoreAwayError, StoreClosedError)
    why = failure.value
    if not isinstance(why, Refusal):
        why = ArchiveAway("the server's database is unavailable: try again")
    usual = http.NOT_FOUND if getattr(why, "is_missing", False) else http.BAD_REQUEST
    status = _STATUS.get(type(why), usual)
    request.setResponseCode(status)
    if status == http.UNAUTHORIZED and isinstance(why, NoLogin):
        request.setHeader(b"www-authenticate", b'Basic realm="tictac"')
    return _body({"error": why.code, "message": str(why)}, request)


def _failed(failure: Failure, request: Request) -> bytes:
    """Answer a fault of the server's own; fail quietly for a client that disconnected."""
    if request._disconnected:
        failure.raiseException()
    _log.failure("cannot answer {path}", failure, path=request.path)
    request.setResponseCode(http.INTERNAL_SERVER_ERROR)
    return _body({"error": "failed", "message": "the server failed: see its log"}, request)


def _content(request: Request) -> bytes:
    return cast(BodilessRequest, request).content.getvalue()


def _need(request: Request, method: bytes) -> None:
    if request.method != method:
        request.setHeader(b"allow", method)
        raise BadFilter(f"only {method.decode()}")


def credentials(request: Request) -> tuple[str, str, str]:
    """Return the scheme, user, and secret of the Authorization header (RFC 9110, 11.6.2).

    The scheme is ``basic`` with a password, or ``token`` with a token of the account, in the same
    form. Raises NotLoggedIn.
    """
    scheme, _, given = (request.getHeader(b"authorization") or b"").partition(b" ")
    try:
        text = base64.b64decode(given, validate=True).decode()
    except ValueError:
        text = ""
    user, colon, secret = text.partition(":")
    if not colon or scheme.lower() not in (b"basic", b"token"):
        raise NoLogin("this needs an account: send its name and password")
    return scheme.decode().lower(), composed(user), secret


class ProgramPages(_Answers):
    """``/programs/login``, ``/programs/upload/TICKET``, and ``/programs/state/TICKET``."""

    def __init__(self, desk: Desk, accounts: Accounts) -> None:
        super().__init__()
        self._desk, self._accounts = desk, accounts

    def longest(self, path: bytes) -> int:
        """Return the maximum bytes of the body of a POST to this path (site.Site.bodies)."""
        if not path.startswith(UPLOAD):
            return 0
        upload = self._desk.upload(path.removeprefix(UPLOAD).decode("ascii", "replace"))
        return 0 if upload is None or upload.is_used else self._desk.limits.size

    async def answer(self, request: Request, path: str) -> Message | bytes:
        what, _, ticket = path.partition("/")
        match what:
            case "login":
                _need(request, b"POST")
                return await self._log_in(request)
            case "upload":
                _need(request, b"POST")
                return await self._desk.receive(ticket, _content(request))
            case "state":
                _need(request, b"GET")
                return await self._desk.state(ticket)
        raise BadFilter("there is nothing here")

    async def _log_in(self, request: Request) -> Message:
        """Log an account in for an upload, and remember it by a token."""
        scheme, user, secret = credentials(request)
        channel = cast(BodilessRequest, request).channel
        if scheme == "token":
            await self._accounts.login_by_token(user, secret, channel.host)
            return self._desk.open_upload(user)
        password = password_bytes(secret)
        token = await self._accounts.login(user, password, channel.host, remember=True)
        kept = {} if token is None else {"token": token.text, "expires": utc_text(token.expires)}
        return {**self._desk.open_upload(user), **kept}


class RunnerPages(_Answers):
    """``/runner/claim``, ``/runner/files``, and ``/runner/beat``, for the token of a runner."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    @staticmethod
    def longest(path: bytes) -> int:
        """Return the maximum bytes of the body of a POST to this path (site.Site.bodies)."""
        return LONGEST_BEAT if path == b"/runner/beat" else 0

    async def answer(self, request: Request, path: str) -> Message | bytes:
        _need(request, b"POST")
        scheme, _, token = (request.getHeader("authorization") or "").partition(" ")
        if scheme.lower() != "bearer":
            raise NoSuchRunner("this needs the token of a runner")
        runner = await self._desk.runner(token.strip())
        given = _given(request)
        match path:
            case "claim":
                gates, plays = _number(given, "gates"), _number(given, "plays")
                leases = await self._desk.claim(runner, gates, plays)
                seconds = self._desk.limits.lease
                return {"lease": seconds, "work": [lease_json(each) for each in leases]}
            case "files":
                return await self._desk.content(runner, _text(given, "token") or "")
            case "beat":
                rest = given.get("rest")
                if rest is not None and not (isinstance(rest, int | float) and 0 <= rest <= 3600):
                    raise BadFilter("rest is a number of seconds")
                change = Change(
                    _text(given, "state"), _text(given, "report"), _text(given, "stderr"),
                    _number(given, "games"), _losses(given),
                )  # fmt: skip
                token = _text(given, "token") or ""
                return {"go": await self._desk.beat(runner, token, change, rest)}
        raise BadFilter("there is nothing here")


def lease_json(lease: Lease) -> Message:
    """Return what a runner needs to run a version."""
    version, plan = lease.version, json.loads(lease.plan)
    levels = game_type_of(plan["game"]).levels
    level = "beginner" if "beginner" in levels else next(iter(levels), None)
    return {
        "token": lease.token, "user": version.name, "number": version.number,
        "series": version.series, "state": version.state, "command": version.command,
        "build": version.build, "digest": version.digest, "level": level,
        "terms": {name: plan[name] for name in ("game", "options", "clock") if plan.get(name)},
    }  # fmt: skip


def _given(request: Request) -> Mapping[str, object]:
    try:
        given = json.loads(_content(request) or b"{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise BadFilter("the body is a JSON object")
    return given


def _number(given: Mapping[str, object], name: str) -> int:
    value = given.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10_000:
        raise BadFilter(f"{name} is a whole number")
    return value


def _text(given: Mapping[str, object], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadFilter(f"{name} is a text")
    # PostgreSQL has no texts with a NUL, and UTF-8 no halves of a pair.
    clean = value.replace("\0", "").encode("utf-8", "replace").decode()
    return clean[-LONGEST_TEXT:]


def _losses(given: Mapping[str, object]) -> list[dict[str, object]]:
    found = given.get("losses", [])
    if not isinstance(found, list) or len(found) > 100:
        raise BadFilter("losses is a list")
    names = ("match", "at", "how", "against", "words")
    return [
        {name: str(each[name])[:200].replace("\0", "") for name in names if each.get(name)}
        for each in found
        if isinstance(each, dict)
    ]

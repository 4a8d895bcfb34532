"""The files of the page, read once and kept: nothing is looked up on disk for a request."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.doors.web.origins import name_of

MISDIRECTED = 421
"""Of HTTP (RFC 9110, 15.5.20); Twisted has no name for it."""

TYPES = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "json": b"application/json",
    "svg": b"image/svg+xml",
    "webmanifest": b"application/manifest+json",
}

ADDRESS = re.compile(rb"/(room/[^/]+(/[^/]+)?|match/[^/]+(/[0-9]+)?|(player|game|ratings)/[^/]+)")
"""A path that the page itself reads (``static/js/router.js``)."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent. ``tag`` changes with its content; ``packed`` is that with gzip."""

    content: bytes
    kind: bytes
    tag: bytes
    packed: bytes


def read_files() -> dict[bytes, File]:
    """All files of the page, by their path below the root; ``/`` is ``index.html``."""
    static = files("tictac.doors.web").joinpath("static")
    texts = json.loads(static.joinpath("texts", "en.json").read_bytes())
    found = dict(_walk(static, ""))
    page = fill(found[b"/index.html"].content.decode(), texts)
    found[b"/"] = found[b"/index.html"] = _pack(page.encode(), TYPES["html"])
    return found


def fill(page: str, texts: Mapping[str, Any]) -> str:
    """The page with the texts that it names, such as ``{{lobby.title}}``. Raises a KeyError."""

    def find(match: re.Match[str]) -> str:
        found: Any = texts
        for name in match[1].split("."):
            found = found[name]
        return escape(found)

    return re.sub(r"\{\{([\w.-]+)\}\}", find, page)


def _walk(folder: Traversable, path: str) -> list[tuple[bytes, File]]:
    found: list[tuple[bytes, File]] = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        kind = TYPES.get(entry.name.rpartition(".")[2])
        if entry.is_dir():
            found += _walk(entry, name)
        elif kind is not None:
            found.append((name.encode(), _pack(entry.read_bytes(), kind)))
    return found


def _pack(content: bytes, kind: bytes) -> File:
    tag = hashlib.sha256(content).hexdigest()[:20].encode()
    # Without the time, or the tag would change while the content doesn't.
    return File(content, kind, tag, gzip.compress(content, mtime=0))


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header (RFC 9110, 12.5.3) allows gzip."""
    weights: dict[str, str] = {}
    for coding in accepted.lower().split(","):
        name, _, weight = coding.replace(" ", "").partition(";q=")
        weights[name] = weight
    weight = weights.get("gzip", weights.get("*", "0"))
    return weight.strip("0.") != "" or weight == ""


def say(request: Request, status: int, text: str) -> bytes:
    """Answer with a line of plain text."""
    request.setResponseCode(status)
    request.setHeader(b"content-type", b"text/plain; charset=utf-8")
    return f"{text}\n".encode()


def values_of(request: Request, name: bytes) -> list[str]:
    """The values of a header, which may be any bytes: ISO-8859-1 reads them all (RFC 9110, 5.5)."""
    found = request.requestHeaders.getRawHeaders(name) or []
    return [value.decode("iso-8859-1") for value in found]


class Pages(Resource):
    """Answers GET and HEAD for every path; what isn't a file isn't found.

    ``others`` are resources for paths of their own; one whose path ends with a slash is for all
    below it. ``hosts`` are the names that the server
    goes by, as from :func:`~tictac.doors.web.origins.read_host`; none: any name.
    """

    isLeaf = True

    def __init__(
        self,
        found: Mapping[bytes, File],
        others: Mapping[bytes, Resource],
        hosts: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._files = found
        self._others = others
        self._hosts = hosts

    def render(self, request: Request) -> bytes | int:
        """The file of that path, or why there is none."""
        if self._hosts and not self._is_meant(request):
            channel: Any = request.channel  # a tictac.doors.web.site.Channel
            channel.site.refusals.note("foreign-host", channel.host)
            return say(request, MISDIRECTED, "This server goes by another name.")
        folder = request.path[: request.path.find(b"/", 1) + 1]
        other = self._others.get(request.path) or self._others.get(folder)
        if other is not None:
            answer: bytes | int = other.render(request)
            return answer
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return say(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        path = b"/" if ADDRESS.fullmatch(request.path) else request.path
        file = self._files.get(path)
        if file is None:
            return say(request, http.NOT_FOUND, "There is nothing here.")
        return self._send(request, file)

    def _is_meant(self, request: Request) -> bool:
        """Whether it is sent to one of our names, and not to one that was bent to our address."""
        named = values_of(request, b"host")
        return len(named) == 1 and name_of(named[0]) in self._hosts

    def _send(self, request: Request, file: File) -> bytes:
        # The modules of two versions mustn't be mixed: each is asked for again, and mostly
        # the answer is that it hasn't changed.
        request.setHeader(b"cache-control", b"no-cache")
        request.setHeader(b"content-type", file.kind)
        request.setHeader(b"vary", b"Accept-Encoding")
        if not takes_gzip(",".join(values_of(request, b"accept-encoding"))):
            body, tag = file.content, b'"%b"' % file.tag
        else:
            body, tag = file.packed, b'"%b-gzip"' % file.tag
            request.setHeader(b"content-encoding", b"gzip")
        return b"" if request.setETag(tag) is http.CACHED else body

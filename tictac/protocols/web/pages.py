"""The files of the web client over HTTP, from memory: requests never read the disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.protocols.web.assets import File
from tictac.protocols.web.origins import name_of

MISDIRECTED = 421
"""HTTP status (RFC 9110, 15.5.20); Twisted has no name for it."""

ADDRESS = re.compile(
    rb"/((room|ratings)/[^/]+(/[^/]+)?|match/[^/]+(/[0-9]+)?|(player|game)/[^/]+|admin)"
)
"""A path that the web client itself interprets (``static/js/router.js``)."""


def choose_coding(accepted: str, packed: Mapping[str, bytes]) -> str | None:
    """Return the best coding that an Accept-Encoding header (RFC 9110, 12.5.3) allows, if any."""
    weights: dict[str, str] = {}
    for coding in accepted.lower().split(","):
        name, _, weight = coding.replace(" ", "").partition(";q=")
        weights[name] = weight
    for coding in packed:
        weight = weights.get(coding, weights.get("*", "0"))
        if weight.strip("0.") != "" or weight == "":
            return coding
    return None


def say(request: Request, status: int, text: str) -> bytes:
    """Answer with a line of plain text."""
    request.setResponseCode(status)
    request.setHeader(b"content-type", b"text/plain; charset=utf-8")
    return f"{text}\n".encode()


def values_of(request: Request, name: bytes) -> list[str]:
    """Return the values of a header. ISO-8859-1 decodes all bytes (RFC 9110, 5.5)."""
    found = request.requestHeaders.getRawHeaders(name) or []
    return [value.decode("iso-8859-1") for value in found]


class Pages(Resource):
    """A resource that answers GET and HEAD for every path, with 404 if there is no file.

    ``others`` are resources by path; a path that ends with a slash includes all paths below.
    ``hosts`` are the names of the server, as from
    :func:`~tictac.protocols.web.origins.read_host`; none: any name.
    """

    isLeaf = True

    def __init__(
        self,
        found: Mapping[bytes, File],
        others: dict[bytes, Resource],
        hosts: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._files = found
        self.others = others
        self._hosts = hosts

    def render(self, request: Request) -> bytes | int:
        """Return the file of the path, or an error text."""
        if self._hosts and not self._is_meant(request):
            channel: Any = request.channel  # a tictac.protocols.web.site.Channel
            channel.site.refusals.note("foreign-host", channel.host)
            return say(request, MISDIRECTED, "This server goes by another name.")
        folder = request.path[: request.path.find(b"/", 1) + 1]
        other = self.others.get(request.path) or self.others.get(folder)
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
        link = file.links.get(request.path.split(b"/")[1])
        if link is not None:
            request.setHeader(b"link", link)
        return self._send(request, file)

    def _is_meant(self, request: Request) -> bool:
        """Return whether the Host header is a name of this server (against DNS rebinding)."""
        named = values_of(request, b"host")
        return len(named) == 1 and name_of(named[0]) in self._hosts

    def _send(self, request: Request, file: File) -> bytes:
        # Browsers revalidate files without a content-based name; usually the answer is that the
        # file hasn't changed.
        keep = b"public, max-age=31536000, immutable" if file.immutable else b"no-cache"
        request.setHeader(b"cache-control", keep)
        request.setHeader(b"content-type", file.kind)
        request.setHeader(b"vary", b"Accept-Encoding")
        body, tag = file.content, b'"%b"' % file.tag
        coding = choose_coding(",".join(values_of(request, b"accept-encoding")), file.packed)
        if coding:
            body, tag = file.packed[coding], b'"%b-%b"' % (file.tag, coding.encode())
            request.setHeader(b"content-encoding", coding.encode())
        return b"" if request.setETag(tag) is http.CACHED else body

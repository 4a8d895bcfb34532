"""Answers below ``/api/`` for pages of other origins (``--web-origin``), by CORS.

Source: the Fetch standard, "HTTP extensions". A browser lets such a page read an answer only if
the answer names the page's origin. The server never allows credentials: another page reads what a
visitor without an account can read.
"""

from __future__ import annotations

from collections.abc import Collection

from twisted.web import http
from twisted.web.server import Request

from tictac.plugins.web.origins import read_origin

MAX_AGE = 600
"""Seconds for which a browser keeps the answer to a preflight."""


def share(request: Request, origins: Collection[str]) -> bool:
    """Let pages of ``origins`` read the answer; return whether that is all of it.

    ``origins`` are as from :func:`~tictac.plugins.web.origins.read_origin`. The whole answer is
    the one to a preflight, which asks before a request with If-None-Match.
    """
    # Also for other requests: a cache must not give their answer to a page.
    request.responseHeaders.addRawHeader(b"vary", b"Origin")
    sent = request.requestHeaders.getRawHeaders(b"origin") or []
    if len(sent) != 1 or not _is_one_of(sent[0], origins):
        return False
    request.setHeader(b"access-control-allow-origin", sent[0])
    request.setHeader(b"cross-origin-resource-policy", b"cross-origin")
    if request.method != b"OPTIONS":
        request.setHeader(b"access-control-expose-headers", b"ETag")
        return False
    request.setHeader(b"access-control-allow-methods", b"GET, HEAD")
    request.setHeader(b"access-control-allow-headers", b"If-None-Match")
    request.setHeader(b"access-control-max-age", b"%d" % MAX_AGE)
    request.setResponseCode(http.NO_CONTENT)
    return True


def _is_one_of(origin: bytes, origins: Collection[str]) -> bool:
    try:
        return read_origin(origin.decode("ascii")) in origins
    except ValueError:
        return False

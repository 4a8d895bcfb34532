"""The files of the web client over HTTP, from memory: requests never read the disk."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from html import escape, unescape
from typing import Any
from urllib.parse import quote, unquote

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

from tictac.archive.match import EXPORTS
from tictac.errors import NoSuchRoom, NotLoggedIn
from tictac.net.budget import GUESS
from tictac.plugins.web.assets import File
from tictac.plugins.web.origins import name_of
from tictac.plugins.web.sharing import share
from tictac.plugins.web.visitors import Visitors

MISDIRECTED = 421
"""HTTP status (RFC 9110, 15.5.20); Twisted has no name for it."""

ADDRESS = re.compile(
    rb"/((room|ratings|tournament)/[^/]+(/[^/]+)?|import|login|mine|notices|notice/(confirm|stop)/[^/]+|privacy|programs|ratings|register|rules|settings|tournaments|watch|match/[^/]+(/[0-9]+)?|(ladder|rules)/[^/]+|player(/[^/]+)?|(game|puzzle)(/[^/]+){0,2}|desk(/[^/]+(/slips)?)?|code|admin)"
)
"""A path that the web client itself interprets (``static/js/router.js``)."""

GUESSED = {
    b"/about": b"/rules", b"/account": b"/settings", b"/cups": b"/tournaments", b"/games": b"/game",
    b"/help": b"/rules", b"/home": b"/", b"/leaderboard": b"/ratings",
    b"/leaderboards": b"/ratings", b"/leaders": b"/ratings", b"/lobby": b"/game",
    b"/logout": b"/settings", b"/matches": b"/watch", b"/play": b"/game",
    b"/players": b"/ratings", b"/profile": b"/settings", b"/puzzles": b"/puzzle",
    b"/room": b"/game", b"/rooms": b"/game", b"/sign-in": b"/login", b"/sign-up": b"/register",
    b"/signin": b"/login", b"/signup": b"/register", b"/tournament": b"/tournaments",
}  # fmt: skip
"""Paths that people type, and the addresses of what they mean."""

_CLOSING = re.compile(r"[^A-Za-z0-9_/-]+$")
"""Characters of a sentence, a mail, or a chat after a link; the web client removes them, too."""

WEIGHT = re.compile(r"(0(\.[0-9]{0,3})?|1(\.0{0,3})?)?")
MOST_WISHES = 20
"""Languages of an Accept-Language header that the server reads."""

ICON = "/icon-512.png"
"""The picture of a link to a match that the server can't draw."""

TITLE = re.compile(rb"<title>.*?</title>")

INVITATION = re.compile(rb'<meta name="invitation" content="(.*?)">')
"""The text of the title of an invitation, in the page."""


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


def choose_language(accepted: str, offered: Sequence[str]) -> str:
    """Return the language that an Accept-Language header (RFC 9110, 12.5.4) likes best.

    It can be offered for another region. Without any, it is the first.
    """
    names: dict[str, str] = {}
    for each in offered:
        for name in (each.lower(), each.lower().partition("-")[0]):
            names.setdefault(name, each)
    best, choice = 0.0, offered[0]
    for wish in accepted.lower().replace(" ", "").split(",")[:MOST_WISHES]:
        name, _, weight = wish.partition(";q=")
        found = names.get(name) or names.get(name.partition("-")[0])
        if found and WEIGHT.fullmatch(weight) and float(weight or 1) > best:
            best, choice = float(weight or 1), found
    return choice


def _tidied(path: bytes) -> bytes:
    """Return a path without what closes a sentence, in UTF-8 or percent-encoded."""
    return quote(_CLOSING.sub("", unquote(path.decode("utf-8", "replace")))).encode()


def send_text(request: Request, status: int, text: str) -> bytes:
    """Answer with a line of plain text."""
    request.setResponseCode(status)
    request.setHeader(b"content-type", b"text/plain; charset=utf-8")
    return f"{text}\n".encode()


class Text(Resource):
    """A resource that answers GET and HEAD with lines of plain text."""

    isLeaf = True

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text

    def render(self, request: Request) -> bytes:
        """Answer with the text as it is now."""
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return send_text(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        return send_text(request, http.OK, self._text())


def values_of(request: Request, name: bytes) -> list[str]:
    """Return the values of a header. ISO-8859-1 decodes all bytes (RFC 9110, 5.5)."""
    found = request.requestHeaders.getRawHeaders(name) or []
    return [value.decode("iso-8859-1") for value in found]


def _refuse_visitor(request: Request) -> bytes:
    refusal = NotLoggedIn("this server shows that only after a login with an account")
    body = {"error": refusal.code, "message": str(refusal)}
    request.setResponseCode(http.FORBIDDEN)
    request.setHeader(b"content-type", b"application/json")
    return json.dumps(body).encode()


def _with_meta(file: File, meta: str) -> File:
    """Return the page with other elements in place of its title."""
    content = TITLE.sub(lambda _: meta.encode(), file.content, count=1)
    packed = {"gzip": gzip.compress(content, 1, mtime=0)}
    tag = hashlib.sha256(meta.encode()).hexdigest()[:16].encode()
    return replace(file, content=content, packed=packed, tag=b"%b-%b" % (file.tag, tag))


class Pages(Resource):
    """A resource that answers GET and HEAD for every path, with 404 if there is no file.

    ``found`` are the files by language and path; a visitor who asks for none of them gets the
    first. ``others`` are resources by path; a path that ends with a slash includes all paths below,
    and ``/match/*.gif`` all such files.
    ``posts`` are such resources for POST alone.
    ``hosts`` are the names of the server, as from
    :func:`~tictac.plugins.web.origins.read_host`; none: any name. ``visitors`` decides what an
    answer shows; None: everything, but no invitations. Pages of ``origins`` can read ``/api/``.
    ``public_url`` is the address of the server; empty: that of the request.
    """

    isLeaf = True

    def __init__(
        self,
        found: Mapping[str, Mapping[bytes, File]],
        others: dict[bytes, Resource],
        hosts: Collection[str] = (),
        visitors: Visitors | None = None,
        origins: Collection[str] = (),
        public_url: str = "",
    ) -> None:
        super().__init__()
        self._languages = found
        self._public_url = public_url.rstrip("/")
        self._origins = origins
        self.others = others
        self.posts: dict[bytes, Resource] = {}
        self._hosts = hosts
        self._visitors = visitors

    def render(self, request: Request) -> bytes | int:
        """Return the file of the path, or an error text."""
        if self._hosts and not self._is_meant(request):
            channel: Any = request.channel  # a tictac.plugins.web.site.Channel
            channel.site.refusals.note("foreign-host", channel.host)
            return send_text(request, MISDIRECTED, "This server goes by another name.")
        folder = request.path[: request.path.find(b"/", 1) + 1]
        if self._origins and folder == b"/api/" and share(request, self._origins):
            return b""
        kind = folder + b"*" + request.path[request.path.rfind(b".") :]
        others = self.others
        other = others.get(request.path) or others.get(folder) or others.get(kind)
        if request.method == b"POST" and other is None:
            other = self.posts.get(folder) or self.posts.get(request.path)
        if other is not None:
            if self._visitors is not None and not self._visitors.may_see(request):
                return _refuse_visitor(request)
            answer: bytes | int = other.render(request)
            return answer
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return send_text(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        if (meant := GUESSED.get(request.path)) is not None:
            request.redirect(meant)
            return b""
        address = request.path if ADDRESS.fullmatch(request.path) else _tidied(request.path)
        files = self._languages[self._language_of(request)]
        file = files.get(request.path) or (files[b"/"] if ADDRESS.fullmatch(address) else None)
        if file is None and "text/html" in ",".join(values_of(request, b"accept")):
            request.requestHeaders.removeHeader(b"if-none-match")  # or it would answer 304
            request.setResponseCode(http.NOT_FOUND)
            return self._send(request, files[b"/"])  # which says so
        if file is None:
            return send_text(request, http.NOT_FOUND, "There is nothing here.")
        if request.path.startswith(b"/room/"):
            file = self._invite(file, request)
        elif request.path.startswith(b"/match/"):
            file = self._picture(file, request)
        link = file.links.get(address.split(b"/")[1])
        if link is not None:
            request.setHeader(b"link", link)
        return self._send(request, file)

    def _invite(self, file: File, request: Request) -> File:
        """Return the page with a title that says who invites to what, for previews of the link."""
        words = INVITATION.search(file.content)
        if self._visitors is None or words is None or not self._visitors.may_see(request):
            return file
        path = _tidied(request.path).decode("utf-8", "replace")
        name, key, *_ = [*map(unquote, path.split("/")[2:]), None]
        try:
            about = self._visitors.peek(request, name or "", key and key.lower())
        except NoSuchRoom:
            channel: Any = request.channel  # a tictac.plugins.web.site.Channel
            channel.pay(GUESS)
            return file
        if about["owner"] is None:
            return file
        values = {"user": about["owner"], "title": file.texts.get(about["title"], about["title"])}
        title = escape(unescape(words[1].decode()).format_map(values))
        meta = f'<title>{title}</title><meta property="og:title" content="{title}">'
        return _with_meta(file, meta + '<meta name="robots" content="noindex">')

    def _picture(self, file: File, request: Request) -> File:
        """Return the page with the address of the match's picture, for previews of the link.

        The Open Graph protocol wants a whole URL. The request of the
        picture finds out if the match exists. A server that draws no PNG shows its icon.
        """
        title, host = TITLE.search(file.content), values_of(request, b"host")
        may_see = self._visitors is None or self._visitors.may_see(request)
        if title is None or not host or not may_see:
            return file
        path, card = ICON, "summary"
        if any(name.endswith(".png") for name in EXPORTS.names()):
            match_id = _tidied(request.path).decode().split("/")[2]
            path, card = f"/match/{match_id}.png", "summary_large_image"
        # A proxy in front of the server ends TLS. Whoever lies gets a wrong address.
        forwarded = values_of(request, b"x-forwarded-proto") == ["https"]
        scheme = "https" if forwarded or request.isSecure() else "http"
        origin = self._public_url or f"{scheme}://{host[0]}"
        image = escape(origin + path)
        meta = f'{title[0].decode()}<meta property="og:image" content="{image}">'
        return _with_meta(file, f'{meta}<meta name="twitter:card" content="{card}">')

    def _language_of(self, request: Request) -> str:
        chosen = (request.getCookie(b"language") or b"").decode("iso-8859-1")
        accepted = ",".join(values_of(request, b"accept-language"))
        wish = chosen if chosen in self._languages else accepted
        return choose_language(wish, [*self._languages])

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
        varies = b"" if file.immutable else b", Accept-Language, Cookie"
        request.setHeader(b"vary", b"Accept-Encoding" + varies)
        body, tag = file.content, b'"%b"' % file.tag
        coding = choose_coding(",".join(values_of(request, b"accept-encoding")), file.packed)
        if coding:
            body, tag = file.packed[coding], b'"%b-%b"' % (file.tag, coding.encode())
            request.setHeader(b"content-encoding", coding.encode())
        return b"" if request.setETag(tag) is http.CACHED else body

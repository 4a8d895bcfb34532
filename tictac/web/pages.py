"""The files of the page, read once and kept: nothing is looked up on disk for a request."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from twisted.web import http
from twisted.web.resource import Resource
from twisted.web.server import Request

TYPES = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
    "webmanifest": b"application/manifest+json",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent. ``tag`` changes with its content."""

    content: bytes
    kind: bytes
    tag: bytes


def read_files() -> dict[bytes, File]:
    """All files of the page, by their path below the root; ``/`` is ``index.html``."""
    found = dict(_walk(files("tictac.web").joinpath("static"), ""))
    found[b"/"] = found[b"/index.html"]
    return found


def _walk(folder: Traversable, path: str) -> list[tuple[bytes, File]]:
    found: list[tuple[bytes, File]] = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        kind = TYPES.get(entry.name.rpartition(".")[2])
        if entry.is_dir():
            found += _walk(entry, name)
        elif kind is not None:
            content = entry.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'.encode()
            found.append((name.encode(), File(content, kind, tag)))
    return found


def say(request: Request, status: int, text: str) -> bytes:
    """Answer with a line of plain text."""
    request.setResponseCode(status)
    request.setHeader(b"content-type", b"text/plain; charset=utf-8")
    return f"{text}\n".encode()


class Pages(Resource):
    """Answers GET and HEAD for every path; what isn't a file isn't found.

    ``others`` are resources for paths of their own.
    """

    isLeaf = True

    def __init__(self, found: Mapping[bytes, File], others: Mapping[bytes, Resource]) -> None:
        super().__init__()
        self._files = found
        self._others = others

    def render(self, request: Request) -> bytes | int:
        """The file of that path, or why there is none."""
        other = self._others.get(request.path)
        if other is not None:
            answer: bytes | int = other.render(request)
            return answer
        if request.method not in (b"GET", b"HEAD"):
            request.setHeader(b"allow", b"GET, HEAD")
            return say(request, http.NOT_ALLOWED, "Only GET and HEAD.")
        file = self._files.get(request.path)
        if file is None:
            return say(request, http.NOT_FOUND, "There is nothing here.")
        return self._send(request, file)

    def _send(self, request: Request, file: File) -> bytes:
        # The modules of two versions mustn't be mixed: each is asked for again, and mostly
        # the answer is that it hasn't changed.
        request.setHeader(b"cache-control", b"no-cache")
        request.setHeader(b"content-type", file.kind)
        if request.setETag(file.tag) is http.CACHED:
            return b""
        request.setHeader(b"content-length", str(len(file.content)).encode())
        return b"" if request.method == b"HEAD" else file.content

"""The files of the web client: few, named by their content, compressed, and made once."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from typing import Any

from tictac.protocols.lobby.json_view import Pages
from tictac.protocols.web.bundle import bundle_scripts, bundle_styles
from tictac.protocols.web.catalogue import read_catalogue
from tictac.protocols.web.games import read_pages

TYPES = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
    "png": b"image/png",
    "webmanifest": b"application/manifest+json",
}

ICONS = ("/icon.svg", "/icon-turn.svg", "/icon-180.png", "/icon-192.png", "/icon-512.png")

SHEETS = ("css/main.css", "css/archive.css")
"""Style sheets with a file of their own: the main one, and those that are fetched later."""

PAST = {"/js/past.js": "modulepreload", "/css/archive.css": "preload; as=style"}
"""Files that pages of matches, players and ratings also need, and their ``rel`` in Link headers."""

CATALOGUE = "texts/en.json"

TEXT = re.compile(r"\{\{([\w.-]+)\}\}")
"""A placeholder for a text of the catalogue."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as the server sends it.

    ``tag`` changes with the content. ``packed`` is the content by coding, the best first. The name
    of an ``immutable`` file changes, too. ``links`` are Link headers by the path's first part.
    """

    content: bytes
    kind: bytes
    tag: bytes
    packed: Mapping[str, bytes] = field(default_factory=dict)
    immutable: bool = False
    links: Mapping[bytes, bytes] = field(default_factory=dict)


@cache
def build(catalogue: str = "") -> tuple[Mapping[bytes, File], Pages]:
    """Return the web client's files by path, ``/`` for all its pages; and the games' folders.

    ``catalogue`` is the path of a catalogue other than the English one. Raises SetupError.
    """
    static = files("tictac.protocols.web").joinpath("static")

    def load(path: str) -> bytes:
        return static.joinpath(*path.strip("/").split("/")).read_bytes()

    usual = json.loads(load(CATALOGUE))
    texts = read_catalogue(catalogue, usual) if catalogue else usual

    def read(path: str) -> str:
        return json.dumps(texts) if path == CATALOGUE else load(path).decode()

    found: dict[bytes, File] = {}
    names: dict[str, str] = {}

    def add(path: str, content: bytes) -> None:
        file = pack(path, content, immutable=True)
        stem, _, suffix = path.rpartition(".")
        names[path] = f"{stem}.{file.tag.decode()}.{suffix}"
        found[names[path].encode()] = file

    def point(text: str) -> str:
        """Replace paths by the names under which the files are sent."""
        return re.sub(r'"(/[\w./-]+)"', lambda path: f'"{names.get(path[1], path[1])}"', text)

    for icon in ICONS:
        add(icon, load(icon))
    for sheet in SHEETS:
        add(f"/{sheet}", bundle_styles(read, sheet).encode())
    # The main script contains the names of the others, so it comes last.
    for script, code in bundle_scripts(read, "js/main.js").items():
        add(f"/{script}", point(code).encode())
    manifest = fill(read("manifest.webmanifest"), texts, lambda text: json.dumps(text)[1:-1])
    add("/manifest.webmanifest", point(manifest).encode())
    page = point(fill(read("index.html"), texts, escape))
    past = ", ".join(f"<{names[path]}>; rel={how}" for path, how in PAST.items()).encode()
    links = {b"match": past, b"player": past, b"ratings": past, b"admin": past}
    found[b"/"] = replace(pack("/index.html", page.encode()), links=links)
    kept = " ".join(name for name in names.values() if name in page)
    worker = read("sw.js").replace("{{version}}", found[b"/"].tag.decode())
    found[b"/sw.js"] = pack("/sw.js", worker.replace("{{files}}", kept).encode())
    games = []
    for game, own in read_pages(texts):
        tag = hashlib.sha256(repr(sorted(own.items())).encode()).hexdigest()[:16]
        games.append((game, f"/games/{game}/{tag}/"))
        for path, content in own.items():
            found[f"/games/{game}/{tag}/{path}".encode()] = pack(path, content, immutable=True)
    return found, tuple(games)


def fill(text: str, texts: Mapping[str, Any], quote: Callable[[str], str]) -> str:
    """Replace placeholders, such as ``{{lobby.title}}``, by texts. Raises KeyError."""

    def find(match: re.Match[str]) -> str:
        found: Any = texts
        for name in match[1].split("."):
            found = found[name]
        return quote(found)

    return TEXT.sub(find, text)


def pack(path: str, content: bytes, immutable: bool = False) -> File:
    """Return a file with its tag and type, in the codings that make it smaller."""
    tag = hashlib.sha256(content).hexdigest()[:16].encode()
    # Without the time, which would change the bytes of the same content.
    packed = {**_brotli(content), "gzip": gzip.compress(content, mtime=0)}
    smaller = {coding: data for coding, data in packed.items() if len(data) < len(content)}
    return File(content, TYPES[path.rpartition(".")[2]], tag, smaller, immutable)


def _brotli(content: bytes) -> dict[str, bytes]:
    """Compress with Brotli, if installed: a sixth smaller than with gzip."""
    try:
        return {"br": import_module("brotli").compress(content)}
    except ImportError:
        return {}

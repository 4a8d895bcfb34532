"""The files of the web client: few, named by their content, compressed, and made once."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from typing import Any

from tictac.games.all import GAMES
from tictac.plugins.web.bundle import INDENT, bundle_scripts, bundle_styles, without_comments
from tictac.plugins.web.catalogue import Texts, read_catalogue
from tictac.plugins.web.games import read_icons, read_pages
from tictac.protocols.lobby.json_view import Pages

TYPES = {
    "html": b"text/html; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
    "png": b"image/png",
    "woff2": b"font/woff2",
    "json": b"application/json",
    "webmanifest": b"application/manifest+json",
}

ICONS = (
    "/icon.svg", "/icon-turn.svg", "/icon-180.png", "/icon-192.png", "/icon-512.png",
    "/icon-maskable.png",
)  # fmt: skip

BORROWED = ("/fonts/figtree-latin.woff2", "/fonts/figtree-latin-ext.woff2", "/lib/lean-qr.js")
"""Files of others, with their licenses beside them."""

FACES = "/characters/"
"""The folder of the computers' faces."""

SHEETS = (
    "css/main.css", "css/play.css", "css/archive.css", "css/shelves.css", "css/yours.css",
    "css/desk.css", "css/daily.css",
)  # fmt: skip
"""Style sheets with a file of their own: the main one, and sheets that pages fetch later."""

PAST = {"/js/past.js": "modulepreload", "/css/archive.css": "preload; as=style"}
"""Files that pages of matches, players and ratings also need, and their ``rel`` in Link headers."""

OFFLINE = ("/js/yours.js", "/css/yours.css", "/css/daily.css")
"""Files that show a user's games: the service worker keeps them, although the page names none."""

LATE_TEXTS = (
    "admin", "away", "board", "computers", "confirm", "cup", "desk", "end", "ends", "errors",
    "form", "guide", "home", "import", "invite", "ladder", "match", "mine", "notices",
    "nowhere", "password", "people", "plain", "player", "privacy", "programs", "puzzle",
    "ratings", "rules", "seeking", "shelves", "shows", "state", "told",
)  # fmt: skip
"""The sections of a catalogue that few visitors need: a file of its own, which is fetched later."""

USED = re.compile(r'["`](\w+\.(?:[\w-]+|\$))')
"""A text's section and name in a script, which can put the name together."""

MANY = 12
"""Games up to which they all have cards; of more, most are in shelves (static/js/late.js)."""

SHELVES = (
    '<link rel="modulepreload" href="/js/shelves.js">'
    '<link rel="stylesheet" href="/css/shelves.css">\n</head>'
)
"""The elements of a page with many games."""

SCRIPT_TEXTS = 'id="texts">'
"""The element with the catalogue, where the scripts find it."""

SMALL = 20_000
"""Bytes of a file that is compressed in a thirtieth of the time, and is a twentieth larger then.

A package of games brings dozens of such files, and each start compresses them."""

TEXT = re.compile(r"\{\{([\w.-]+)\}\}")
"""A placeholder for a text of the catalogue."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as the server sends it.

    ``tag`` changes with the content. ``packed`` is the content by coding, the best first. The name
    of an ``immutable`` file changes, too. ``links`` are Link headers by the path's first part.
    ``texts`` translate the server's own texts.
    """

    content: bytes
    kind: bytes
    tag: bytes
    packed: Mapping[str, bytes] = field(default_factory=dict)
    immutable: bool = False
    links: Mapping[bytes, bytes] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@cache
def build(catalogue: str = "") -> tuple[Mapping[str, Mapping[bytes, File]], Pages]:
    """Return the web client's files by language and path, and the games' folders.

    The path ``/`` stands for all pages. ``catalogue`` is the path of one more catalogue, whose
    language comes first. Raises SetupError.
    """
    static = files("tictac.plugins.web").joinpath("static")

    def load(path: str) -> bytes:
        return static.joinpath(*path.strip("/").split("/")).read_bytes()

    def read(path: str) -> str:
        return load(path).decode()

    # A catalogue is all that a language needs. English, the first, is for other visitors.
    found_texts = sorted(each.name for each in static.joinpath("texts").iterdir())
    languages = [each.removesuffix(".json") for each in found_texts if each != "en.json"]
    catalogues = {each: json.loads(read(f"texts/{each}.json")) for each in ["en", *languages]}
    if catalogue:
        own = read_catalogue(catalogue, catalogues["en"])
        catalogues = {own["language"]: own, **catalogues} | {own["language"]: own}

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

    for path in (*ICONS, *BORROWED):
        add(path, load(path))
    # Scripts put the names of faces together, so the folder has the tag.
    faces = {each.name: each.read_bytes() for each in static.joinpath("characters").iterdir()}
    tag = hashlib.sha256(repr(sorted(faces.items())).encode()).hexdigest()[:16]
    names[FACES] = f"{FACES}{tag}/"
    for face, content in faces.items():
        found[f"{names[FACES]}{face}".encode()] = pack(face, content, immutable=True)
    for sheet in SHEETS:
        add(f"/{sheet}", point(bundle_styles(read, sheet)).encode())
    # The main script contains the names of the others, so it comes last.
    bundles = bundle_scripts(read, "js/main.js")
    used = {*USED.findall("".join(bundles.values()))}
    for script, code in bundles.items():
        add(f"/{script}", point(code).encode())
    folders: dict[str, str] = {}
    icons: dict[str, str] = {}
    for games, folder_files, more in read_pages(catalogues):
        tag = hashlib.sha256(repr(sorted(folder_files.items())).encode()).hexdigest()[:16]
        folder = f"/games/{games[0]}/{tag}/"
        for path, content in folder_files.items():
            found[f"{folder}{path}".encode()] = pack(path, content, immutable=True)
        folders |= dict.fromkeys(games, folder)
        if "icon.svg" in folder_files:
            icons |= dict.fromkeys(games, f"{folder}icon.svg")
        for language, sections in more.items():
            for section, own_section in sections.items():
                texts = catalogues[language]
                texts[section] = {**own_section, **texts.get(section, {})}
    for game, icon in read_icons():
        add(path := f"/games/{game}.svg", icon)
        icons[game] = names[path]
    past = ", ".join(f"<{names[path]}>; rel={how}" for path, how in PAST.items()).encode()
    number, are_many = str(len(GAMES)), len(GAMES) > MANY
    late_texts = [name for name in LATE_TEXTS if not (are_many and name == "shelves")]
    views = b"ladder match player privacy ratings rules admin tournament tournaments watch".split()
    links = dict.fromkeys(views, past)
    pages: dict[str, dict[bytes, File]] = {}
    for language, texts in catalogues.items():
        manifest = fill(read("manifest.webmanifest"), texts, lambda text: json.dumps(text)[1:-1])
        add("/manifest.webmanifest", point(manifest).encode())
        late = {name: texts[name] for name in late_texts}
        add(f"/texts/{language}.json", _json(late).encode())
        own = {"languages": " ".join(catalogues), "count": texts["numbers"].get(number, number)}
        page = fill(read("index.html"), texts | own, escape)
        page = page.replace("</head>", SHELVES) if are_many else page
        server = texts.get("server", {})
        first: dict[str, object] = {"language": texts["language"], "server": server}
        for name, some in texts.items():
            if isinstance(some, dict) and name not in {*late_texts, "server"}:
                first[name] = {k: some[k] for k in some if {f"{name}.{k}", f"{name}.$"} & used}
        page = point(INDENT.sub("", page)).replace(SCRIPT_TEXTS, SCRIPT_TEXTS + _json(first))
        content = page.encode()
        # It is packed when it is complete (first_sight.py).
        file = File(content, TYPES["html"], _tag(content), links=links, texts=server)
        kept = " ".join(name for path, name in names.items() if name in page or path in OFFLINE)
        worker = point(without_comments(read("sw.js"))).replace("{{version}}", file.tag.decode())
        worker = worker.replace("{{files}}", kept)
        pages[language] = {b"/": file, b"/sw.js": pack("/sw.js", worker.encode())}
    known = sorted(folders | icons)
    paths = tuple([(name, folders.get(name, ""), icons.get(name, "")) for name in known])
    return {each: found | own for each, own in pages.items()}, paths


def fill(text: str, texts: Texts, quote: Callable[[str], str]) -> str:
    """Replace placeholders, such as ``{{lobby.title}}``, by texts. Raises KeyError."""

    def find(match: re.Match[str]) -> str:
        found: Any = texts
        for name in match[1].split("."):
            found = found[name]
        return quote(found)

    return TEXT.sub(find, text)


def _json(texts: Mapping[str, object]) -> str:
    """Return texts as JSON that can stand in an element of a script."""
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")


@cache
def pack(path: str, content: bytes, immutable: bool = False) -> File:
    """Return the file of :func:`pack_anew`, which is made once in a process."""
    return pack_anew(path, content, immutable)


def pack_anew(path: str, content: bytes, immutable: bool = False) -> File:
    """Return a file with its tag and type, in the codings that make it smaller."""
    suffix = path.rpartition(".")[2]
    packed: dict[str, bytes] = {}
    if suffix != "woff2":  # which is packed already
        # Without the time, which would change the bytes of the same content.
        packed = {**_brotli(content), "gzip": gzip.compress(content, mtime=0)}
    smaller = {coding: data for coding, data in packed.items() if len(data) < len(content)}
    return File(content, TYPES[suffix], _tag(content), smaller, immutable)


def _tag(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode()


def _brotli(content: bytes) -> dict[str, bytes]:
    """Compress with Brotli, if installed: a sixth smaller than with gzip."""
    try:
        brotli = import_module("brotli")
    except ImportError:
        return {}
    is_small = len(content) < SMALL
    window = max(10, len(content).bit_length()) if is_small else 22
    return {"br": brotli.compress(content, quality=9 if is_small else 11, lgwin=window)}

"""The pages that games bring along (``Kind.page``): modules, a style, texts, images.

Source: docs/a-game-of-your-own.md, "The page". A folder is read once, when the server starts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from twisted.logger import Logger

from tictac.doors.web.catalogue import fill, texts_of
from tictac.game import Kind
from tictac.games.all import GAMES

_log = Logger()

LARGEST, MOST = 2 << 20, 100
"""How many bytes all files of a folder may have, and how many files it may have."""

NAME = re.compile(r"[\w-][\w.-]*\.(?:js|css|svg|png|json)|[\w-]+", re.ASCII)
"""The names of files and folders; all others are left out."""


def read_pages(texts: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Iterate over the games with a page that can be used, and its files by their paths.

    ``texts`` is the catalogue of the page. A page that can't be used costs a line in the log.
    """
    for kind in GAMES.values():
        try:
            if kind.page is not None:
                yield kind.name, _read(kind, kind.page, texts)
        except Exception as error:  # whatever a stranger's folder does
            text = "web: cannot use the page of {game}, which is shown as a picture: {error!r:.200}"
            _log.warn(text, game=kind.name, error=error)


def _read(kind: Kind, folder: Traversable, texts: Mapping[str, Any]) -> dict[str, bytes]:
    """Read the files of a game's page, with its texts in ``page.js``."""
    found: dict[str, bytes] = {}
    for path, file in _files(folder):
        with file.open("rb") as opened:
            found[path] = opened.read(LARGEST + 1)
        if sum(map(len, found.values())) > LARGEST or len(found) > MOST:
            raise ValueError(f"it has more than {MOST} files, or more than {LARGEST} bytes")
    if "board.js" not in found:
        raise ValueError("it has no board.js")
    language, own = texts["language"], dict[str, Any]()
    for each in dict.fromkeys(("en", language.partition("-")[0], language)):
        _merge(own, json.loads(found.get(f"texts/{each}.json", b"{}")))
    # Clue's texts had a section of their own before.
    _merge(own, {"clue": texts.get("clue", {}), **texts["games"]}.get(kind.name, {}))
    dict(texts_of(own))  # raises an error if these aren't texts
    served = {path: content for path, content in found.items() if not path.endswith(".json")}
    static = files("tictac.doors.web").joinpath("static", "game")
    usual = {"icon.svg": static.joinpath("icon.svg").read_bytes(), "style.css": b""}
    page = static.joinpath("page.js").read_text("utf-8")
    page = fill(page, {"texts": own, "parts": kind.parts()}, json.dumps)
    return usual | served | {"page.js": page.encode()}


def _files(folder: Traversable, path: str = "", depth: int = 3) -> Iterator[Any]:
    """Iterate over the files in a folder and in the folders there, with their paths."""
    for each in folder.iterdir():
        if NAME.fullmatch(each.name) and each.is_dir() and depth:
            yield from _files(each, f"{path}{each.name}/", depth - 1)
        elif NAME.fullmatch(each.name) and "." in each.name and each.is_file():
            yield f"{path}{each.name}", each


def _merge(texts: dict[str, Any], others: Mapping[str, Any]) -> None:
    """Take texts from ``others`` into ``texts``, and leave those that only ``texts`` has."""
    for name, text in others.items():
        if isinstance(text, Mapping) and isinstance(texts.get(name), dict):
            _merge(texts[name], text)
        else:
            texts[name] = text

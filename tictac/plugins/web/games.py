"""Files of games for the web client (``GameType.page``). Source: a-game-of-your-own.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import reduce
from importlib.resources import files
from typing import Any

from twisted.logger import Logger

from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.plugins.web.catalogue import Texts, texts_of

_log = Logger()

LARGEST, MOST = 2 << 20, 100  # bytes of all files of a folder, and files
NAME = re.compile(r"[\w-][\w.-]*\.(js|css|svg|png|json)", re.ASCII)
"""The names of files to read."""


def read_pages(catalogues: Mapping[str, Texts]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Iterate over the games with a valid folder, each with its files by path.

    ``catalogues`` are those of the web client, by language. The server logs each invalid folder.
    """
    for game_type in GAMES.values():
        try:
            if game_type.page is not None:
                yield game_type.name, _read(game_type, catalogues)
        except Exception as error:  # A game's folder can raise any error.
            _log.warn(
                "web: the page of {game} is broken: {error!r}", game=game_type.name, error=error
            )


def _read(game_type: GameType, catalogues: Mapping[str, Texts]) -> dict[str, bytes]:
    folder: Any = game_type.page
    found: dict[str, bytes] = {}
    for place in (folder, *(each for each in folder.iterdir() if each.is_dir())):
        for file in place.iterdir():
            if NAME.fullmatch(file.name) and file.is_file():
                with file.open("rb") as opened:
                    path = file.name if place is folder else f"{place.name}/{file.name}"
                    found[path] = opened.read(LARGEST + 1)
                if sum(map(len, found.values())) > LARGEST or len(found) > MOST:
                    raise ValueError(f"more than {MOST} files, or more than {LARGEST} bytes")
    if "board.js" not in found:
        raise ValueError("no board.js")
    merged = {}
    for language, texts in catalogues.items():
        read = [f"texts/{each}.json" for each in ("en", language.partition("-")[0], language)]
        own = [json.loads(found.get(path, b"{}")) for path in read]
        own.append(texts["games"].get(game_type.name, {}))
        dict(texts_of(each := reduce(_merged, own)))  # raises an error if these aren't texts
        merged[language] = each
    parts = json.dumps(game_type.parts())
    ours = f"{json.dumps(merged)}[document.documentElement.lang]"
    head = f"const texts = {ours};\nexport const parts = {parts};\n"
    static = files("tictac.plugins.web").joinpath("static", "game")
    usual = {"icon.svg": static.joinpath("icon.svg").read_bytes(), "style.css": b""}
    served = {path: found[path] for path in found if not path.endswith(".json")}
    return usual | served | {"page.js": head.encode() + static.joinpath("page.js").read_bytes()}


def _merged(texts: Any, others: Any) -> Any:
    if not isinstance(others, dict):
        return others
    return {**texts, **{name: _merged(texts.get(name, {}), each) for name, each in others.items()}}

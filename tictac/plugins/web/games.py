"""Files of games for the web client (``GameType.page``). Source: a-game-of-your-own.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from twisted.logger import Logger

from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.plugins.web.catalogue import Texts, texts_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_log = Logger()

DOC = re.compile(rb"^ */\*\*[^\0]*?\*/\n", re.M)
"""A comment above the lines that it describes. Browsers get modules without such comments."""

LARGEST, MOST = 2 << 20, 100  # bytes of all files of a folder, and files
LARGEST_ICON = 64 << 10
NAME = re.compile(r"[\w-][\w.-]*\.(js|css|svg|png|json)", re.ASCII)
"""The names of files to read."""

SERVER_TEXTS = ("server", "rules")
"""The sections of a game's catalogue that are added to the web client's: texts of the server."""


class Page(NamedTuple):
    """The files of a folder by path, for ``games``.

    ``texts`` are what it adds to the catalogues, by language and section.
    """

    games: tuple[str, ...]
    files: Mapping[str, bytes]
    texts: Mapping[str, Texts]


def read_pages(catalogues: Mapping[str, Texts]) -> Iterator[Page]:
    """Iterate over the valid folders. The server logs each invalid one.

    ``catalogues`` are those of the web client, by language.
    """
    sharing: dict[Traversable, list[GameType]] = {}
    for game_type in GAMES.values():
        if game_type.page is not None:
            sharing.setdefault(game_type.page, []).append(game_type)
    for game_types in sharing.values():
        try:
            yield _read(game_types, catalogues)
        except Exception as error:  # A game's folder can raise any error.
            names = ", ".join(each.name for each in game_types)
            _log.warn("web: the page of {game} is broken: {error!r}", game=names, error=error)


def read_icons() -> Iterator[tuple[str, bytes]]:
    """Iterate over the games with an icon of their own, each with its SVG."""
    for game_type in GAMES.values():
        if game_type.icon is not None:
            try:
                icon = game_type.icon().encode()
                if len(icon) > LARGEST_ICON:
                    raise ValueError(f"more than {LARGEST_ICON} bytes")
                yield game_type.name, icon
            except Exception as error:  # A game's icon can raise any error.
                _log.warn(
                    "web: the icon of {game} is broken: {error!r}", game=game_type.name, error=error
                )


def _read(game_types: Sequence[GameType], catalogues: Mapping[str, Texts]) -> Page:
    folder: Any = game_types[0].page
    names = tuple(each.name for each in game_types)
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
    merged, added = {}, {}
    for language, texts in catalogues.items():
        read = [f"texts/{each}.json" for each in ("en", language.partition("-")[0], language)]
        own = [json.loads(found.get(path, b"{}")) for path in read]
        own += [texts["games"].get(name, {}) for name in names]
        dict(texts_of(each := reduce(_merged, own)))  # raises an error if these aren't texts
        merged[language] = {key: each[key] for key in each if key not in SERVER_TEXTS}
        added[language] = {key: each[key] for key in SERVER_TEXTS if key in each}
    parts: dict[str, object] = {each.name: each.parts() for each in game_types}
    named = json.dumps(parts if len(names) > 1 else parts[names[0]])
    ours = f"{json.dumps(merged)}[document.documentElement.lang]"
    head = f"const texts = {ours};\nexport const parts = {named};\n"
    static = files("tictac.plugins.web").joinpath("static", "game")
    served = {
        path: DOC.sub(b"", text) if path.endswith(".js") else text
        for path, text in found.items()
        if not path.endswith(".json")
    }
    page = {"page.js": head.encode() + static.joinpath("page.js").read_bytes()}
    return Page(names, {"style.css": b""} | served | page, added)


def _merged(texts: Any, others: Any) -> Any:
    if not isinstance(others, dict):
        return others
    return {**texts, **{name: _merged(texts.get(name, {}), each) for name, each in others.items()}}

"""The game types, one for each entry of the catalogue: ``tictac_openspiel.games:chess``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as files_of
from typing import Any, cast

from tictac.game import GameType, ShouldStop
from tictac_openspiel.adapter import HiddenSpiel, OpenSpiel, Position, Spiel
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.entry import Entry
from tictac_openspiel.icons import File, Folder, draw
from tictac_openspiel.text_view import SpielTextView, TableTextView

SOURCES = files_of("tictac_openspiel")


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Any) -> str:
    """Import the search with the first move of a computer."""
    from tictac_openspiel import opponent

    return opponent.choose(game, position, level, stop, rng)


@cache
def read(name: str) -> dict[str, Any]:
    """Return a JSON file of the package."""
    found: dict[str, Any] = json.loads(SOURCES.joinpath(name).read_text("utf-8"))
    return found


def folder_of(entry: Entry) -> Folder:
    """Return the folder of a game's page."""
    shared = SOURCES.joinpath("page")
    texts = shared.joinpath("texts")

    def own_texts() -> list[File]:
        files = []
        for language, known in (("en", {}), ("de", read("german.json"))):
            own = read(f"page/texts/{language}.json")
            files.append(File(f"{language}.json", json.dumps({**own, **texts_of(entry, known)})))
        return files

    def own_files() -> list[File | Folder]:
        icon = draw(entry.board.shape, entry.icon[0].split("/"), entry.icon[1], entry.board.stones)
        return [File("icon.svg", icon), Folder(texts, own_texts)]

    return Folder(shared, own_files)


def texts_of(entry: Entry, known: Mapping[str, str]) -> dict[str, Any]:
    """Return a game's own texts for the page, in the language of a dictionary.

    ``server`` has the texts of its GameType, as ``server`` of the page's catalogue does.
    """

    def say(text: str) -> str:
        return known.get(text, text)

    said = (entry.title, entry.goal, *entry.rules, *(option.help for option in entry.options))
    return {
        "seats": {str(seat): say(name) for seat, name in enumerate(entry.sides)},
        "words": {step: say(word) for step, word in entry.board.words.items()},
        "rules": {str(number): say(rule) for number, rule in enumerate(entry.rules)},
        "goal": say(entry.goal),
        "server": dict(numbered(text, known[text]) for text in said if text in known),
    }


def numbered(text: str, translated: str) -> tuple[str, str]:
    """Return a text and its translation with ``{1}`` and so on for the numbers of the text."""
    numbers = re.findall(r"\d+", text)
    order = iter(range(1, len(numbers) + 1))
    key = re.sub(r"\d+", lambda found: f"{{{next(order)}}}", text)

    def place(found: re.Match[str]) -> str:
        return f"{{{numbers.index(found[0]) + 1}}}" if found[0] in numbers else found[0]

    return key, re.sub(r"\d+", place, translated)


def game_type_of(entry: Entry) -> GameType:
    """Return the game type of an entry."""
    made: dict[tuple[tuple[str, Any], ...], Spiel] = {}

    def make(**options: Any) -> Spiel:
        key = tuple(options.items())
        if key not in made:
            made[key] = (HiddenSpiel if entry.hidden else OpenSpiel)(entry, options)
        return made[key]

    is_table = entry.board.shape == "table"
    # Without a page, the web client shows the text view, and a button for each move.
    folder = None if is_table else folder_of(entry)
    return GameType(
        name=entry.name,
        title=entry.title,
        goal=entry.goal,
        seats=entry.seats,
        make=make,
        options=entry.options,
        levels=entry.levels,
        slow=frozenset(() if entry.hidden else entry.levels),
        choose=choose if entry.levels else None,
        text_view=type(
            "TextView", (TableTextView if is_table else SpielTextView,), {"entry": entry}
        ),
        parts=lambda: {
            "name": entry.name,
            "rules": len(entry.rules),
            "pictures": read("pictures.json").get(entry.name, []),
            **entry.board.parts(),
        },
        page=cast(Any, folder),
        dialects=entry.dialects,
    )


GAME_TYPES = {entry.name: game_type_of(entry) for entry in ENTRIES}
globals().update(GAME_TYPES)

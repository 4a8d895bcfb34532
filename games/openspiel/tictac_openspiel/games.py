"""The game types, one for each entry of the catalogue: ``tictac_openspiel.games:chess``."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files as files_of
from typing import Any, cast

from tictac.game import Evaluator, GameType, ShouldStop
from tictac_openspiel.adapter import HiddenSpiel, OpenSpiel, Position, Spiel
from tictac_openspiel.catalogue_of_tables import ENTRIES
from tictac_openspiel.entry import Entry
from tictac_openspiel.icons import File, Folder, draw
from tictac_openspiel.own_icons import draw_own
from tictac_openspiel.text_view import SpielTextView, TableTextView

SOURCES = files_of("tictac_openspiel")


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Any) -> str:
    """Import the search with the first move of a computer."""
    from tictac_openspiel import opponent

    return opponent.choose(game, position, level, stop, rng)


def judge(game: Spiel) -> Evaluator:
    """Import the search with the first analysis."""
    from tictac_openspiel import mates, truth

    return mates.judge(game) if game.entry.name == "chess" else truth.judge(game)


@cache
def read(name: str) -> dict[str, Any]:
    """Return a JSON file of the package."""
    found: dict[str, Any] = json.loads(SOURCES.joinpath(name).read_text("utf-8"))
    return found


def own_texts() -> list[File]:
    """Return the texts of the page with translations of what the server says of all games."""
    rules = {rule for entry in ENTRIES for rule in entry.rules}
    german, french = {**read("page/texts/de.json")}, dict[str, Any]()
    for texts, name in ((german, "german.json"), (french, "french.json")):
        for text, known in read(name).items():
            key, translated = numbered(text, known)
            texts.setdefault("rules" if text in rules else "server", {})[key] = translated
    return [File("de.json", json.dumps(german)), File("fr.json", json.dumps(french))]


PAGE = Folder(
    SOURCES.joinpath("page"), lambda: [Folder(SOURCES.joinpath("page", "texts"), own_texts)]
)
"""The folder of all games with a board, which a server sends once."""

GROUPS = {
    "Chess": (75, "chess antichess crazyhouse xiangqi shogi"),
    "Checkers": (30, "checkers breakthrough linesofaction clobber amazons"),
    "Go and five in a row": (85, "go gomoku pentago ultimate"),
    "Connection": (265, "hex havannah y"),
    "Race": (45, "backgammon chinesecheckers ludo einstein"),
    "More boards": (110, "quoridor ninemensmorris dotsandboxes oware hive banqi"),
    "Dice": (15, "pig yacht"),
    "Cards": (355, "ginrummy hearts ohhell crazyeights cribbage holdem"),
    "Ships": (235, "battleship"),
}
"""The headings of catalogues, each with the hue and the names of its games."""


UNJUDGED = {
    "go", "chinesecheckers", "banqi", "ludo", "pig", "yacht", "backgammon", "einstein",
}  # fmt: skip
"""The games without secrets whose results no search proves in time, or that have chance."""


def icon_of(entry: Entry) -> str:
    """Return the picture of a game: its own one, or some rows of its board."""
    board = entry.board
    return draw_own(entry.name) or draw(board.shape, entry.icon.split("/"), board.stones)


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
    group, hue = next((k, hue) for k, (hue, names) in GROUPS.items() if entry.name in names.split())
    return GameType(
        name=entry.name,
        title=entry.title,
        goal=entry.goal,
        seats=entry.seats,
        make=make,
        options=entry.options,
        levels=entry.levels,
        ratings=read("ratings.json").get(entry.name, {}),
        slow=frozenset(() if entry.hidden else entry.levels),
        choose=choose if entry.levels else None,
        text_view=type(
            "TextView", (TableTextView if is_table else SpielTextView,), {"entry": entry}
        ),
        parts=lambda: {
            "name": entry.name,
            "names_of": entry.sides,
            "rules": entry.rules,
            "goal": entry.goal,
            "pictures": read("pictures.json").get(entry.name, []),
            **entry.board.parts(),
        },
        page=cast(Any, PAGE),
        icon=lambda: icon_of(entry),
        group=group,
        hue=hue,
        dialects=entry.dialects,
        native=True,
        judge=None if entry.hidden or entry.name in UNJUDGED else judge,
    )


GAME_TYPES = {entry.name: game_type_of(entry) for entry in ENTRIES}
globals().update(GAME_TYPES)

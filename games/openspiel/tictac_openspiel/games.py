"""The game types, one for each entry of the catalogue: ``tictac_openspiel.games:chess``."""

from __future__ import annotations

from typing import Any, cast

from tictac.game import GameType, ShouldStop
from tictac_openspiel.adapter import HiddenSpiel, OpenSpiel, Position, Spiel
from tictac_openspiel.cards import GinTextView
from tictac_openspiel.catalogue import ENTRIES
from tictac_openspiel.entry import Entry
from tictac_openspiel.icons import Folder, draw
from tictac_openspiel.text_view import SpielTextView

LEVELS = ("beginner", "club", "best")


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Any) -> str:
    """Import the search with the first move of a computer."""
    from tictac_openspiel import material, opponent

    if game.entry.name in material.WORTH:
        return material.choose(game, position, level, stop, rng)
    return opponent.choose(game, position, level, stop, rng)


def game_type_of(entry: Entry) -> GameType:
    """Return the game type of an entry."""
    made: dict[tuple[tuple[str, Any], ...], Spiel] = {}

    def make(**options: Any) -> Spiel:
        key = tuple(options.items())
        if key not in made:
            made[key] = (HiddenSpiel if entry.hidden else OpenSpiel)(entry, options)
        return made[key]

    icon = draw(entry.board.shape, entry.icon[0], entry.board.stones, entry.icon[1])
    return GameType(
        name=entry.name,
        title=entry.title,
        goal=entry.goal,
        seats=entry.seats,
        make=make,
        options=entry.options,
        levels=LEVELS if entry.thinks else (),
        slow=frozenset(LEVELS) if entry.thinks else frozenset(),
        choose=choose if entry.thinks else None,
        text_view=GinTextView
        if entry.hidden
        else type("TextView", (SpielTextView,), {"entry": entry}),
        parts=lambda: {"name": entry.name, "names_of": entry.sides, **entry.board.parts()},
        # Without a page, the web client shows the text view, and a button for each move.
        page=None if entry.hidden else cast(Any, Folder(icon)),
    )


GAME_TYPES = {entry.name: game_type_of(entry) for entry in ENTRIES}
globals().update(GAME_TYPES)

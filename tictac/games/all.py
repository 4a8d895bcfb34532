"""The games there are, by name: a line each.

A game is a folder here; ``game.py`` in it has a ``KIND``, which has the folder's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tictac.errors import NoSuchGame
from tictac.game import Kind

GAMES: Mapping[str, Kind] = {
    name: import_module(f"tictac.games.{name}.game").KIND
    for name in (
        "tictactoe",
        "connectfour",
        "reversi",
        "nim",
        "clue",
    )
}


def kind(name: str) -> Kind:
    """The game of that name. Raises NoSuchGame."""
    if name not in GAMES:
        raise NoSuchGame(f"there is no game {name!r:.40}; there are {', '.join(GAMES)}")
    return GAMES[name]

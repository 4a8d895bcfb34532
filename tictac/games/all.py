"""All games by name: one line for each game of tictac, and those of other distributions.

A game of tictac is a folder whose ``game.py`` has a ``GAME_TYPE`` of that name. A lookup
imports the game. Iterating over the names imports only those of other distributions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module

from tictac.entry_points import Plugins
from tictac.errors import NoSuchGame
from tictac.game import GameType

OWN = {
    "tictactoe": "games.tictactoe",
    "connectfour": "plugins.games.connectfour",
    "reversi": "plugins.games.reversi",
    "nim": "plugins.games.nim",
    "clue": "plugins.clue.game",
}


def _check(name: str, loaded: object) -> str | None:
    if not isinstance(loaded, GameType):
        return "it isn't a tictac.game.GameType"
    if loaded.name != name or not re.fullmatch("[a-z][a-z0-9]{0,19}", name):
        return f"its GameType is named {loaded.name!r}"
    names = [*loaded.levels, *(option.name for option in loaded.options)]
    if wrong := [each for each in names if not re.fullmatch("[a-z][a-z0-9_-]*", each)]:
        return f"{wrong[0]!r} names a level or an option: lower-case letters, digits, _, and - do"
    if unknown := {*loaded.slow} - {*loaded.levels}:
        return f"{min(unknown)!r} is slow, but no level"
    loaded.game()  # with its defaults
    if not isinstance(loaded.text_view(loaded.values({})).rules, tuple | list):
        return "the rules of its text view aren't a tuple of texts"
    return None


class Games(Mapping[str, GameType]):
    """Games by name; ``loaded`` are the games of tictac that lookups have imported."""

    def __init__(self) -> None:
        self.loaded: dict[str, GameType] = {}
        self._plugins = Plugins("game", OWN, _check)

    def __getitem__(self, name: str) -> GameType:
        game_type: GameType | None = self.loaded.get(name)
        if game_type is None and name in OWN:
            game_type = self.loaded[name] = import_module(f"tictac.{OWN[name]}.game").GAME_TYPE
        game_type = game_type or self._plugins.load(name)
        if game_type is None:
            raise KeyError(name)
        return game_type

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*OWN, *self.loaded))
        yield from (name for name, _ in self._plugins.all())

    def __len__(self) -> int:
        return sum(1 for _ in self)


GAMES = Games()


def game_type_of(name: str) -> GameType:
    """Return the game of that name. Raises NoSuchGame."""
    try:
        return GAMES[name]
    except KeyError:
        raise NoSuchGame(no_such(name, GAMES)) from None


def no_such(name: str, names: Iterable[str]) -> str:
    """Return the sentence about a game that isn't among ``names``, with the nearest or all."""
    for near in get_close_matches(name[:40], names := list(names), 1):
        return f"there is no game {name!r:.40}; did you mean {near}?"
    return f"there is no game {name!r:.40}; there are {', '.join(names)}"

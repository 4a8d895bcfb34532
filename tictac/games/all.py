"""All games of all plug-ins (tictac.plugin), by name.

A game is imported when its name is looked up. Iterating over the names imports only the games of
other distributions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from tictac.errors import NoSuchGame
from tictac.game import GameType
from tictac.plugin import Added


def _check(name: str, loaded: GameType) -> str | None:
    if loaded.name != name or not re.fullmatch("[a-z][a-z0-9]{0,19}", name):
        return f"its GameType is named {loaded.name!r}"
    names = [*loaded.levels, *(option.name for option in loaded.options)]
    if wrong := [each for each in names if not re.fullmatch("[a-z][a-z0-9_-]*", each)]:
        return f"{wrong[0]!r} isn't a name: levels and options use a-z, 0-9, _, and -"
    if unknown := {*loaded.slow} - {*loaded.levels}:
        return f"{min(unknown)!r} is slow, but no level"
    if len({*loaded.seats}) < len(loaded.seats) or not min(loaded.seats, default=0) > 0:
        return f"seats are different numbers of players, not {loaded.seats!r}"
    if loaded.hue not in (None, *range(360)):
        return f"its hue is a number of degrees, from 0 to 359, not {loaded.hue!r}"
    loaded.game()  # with its defaults
    if not isinstance(loaded.text_view(loaded.values({})).rules, tuple | list):
        return "the rules of its text view aren't a tuple of texts"
    return None


class Games(Mapping[str, GameType]):
    """Games by name; ``loaded`` are the games that lookups have imported."""

    def __init__(self) -> None:
        self.loaded: dict[str, GameType] = {}
        self._added = Added("games", "game", GameType, _check)

    def __getitem__(self, name: str) -> GameType:
        game_type = self.loaded.get(name) or self._added.load(name)
        if game_type is None:
            raise KeyError(name)
        self.loaded[name] = game_type
        return game_type

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._added.names(), *self.loaded)))

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

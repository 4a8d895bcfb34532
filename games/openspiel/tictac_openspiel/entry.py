"""What the package knows of a game: one value, from which everything else is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tictac.game import Dialect, Option
from tictac_openspiel.boards import Board

LEVELS = ("beginner", "club", "best")


@dataclass(frozen=True)
class Entry:
    """A game: ``spiel`` is OpenSpiel's name for it, ``name`` ours.

    ``parameters`` turns our options into OpenSpiel's parameters, and ``wrap`` OpenSpiel's game into
    one that looks the same and knows more (cube.py). ``usage`` completes "a move is".
    ``icon`` are rows of a small board, unless own_icons.py has another one. ``levels`` are those of
    the computer; ``ratings.json`` has what they are worth. ``dialects`` are those of GameType.
    ``hidden``: seats don't see the same. ``longest`` is the most moves of a game, for tests.
    """

    name: str
    spiel: str
    title: str
    goal: str
    rules: tuple[str, ...]
    usage: str
    board: Board
    sides: tuple[str, ...]
    options: tuple[Option, ...] = ()
    parameters: Callable[[Mapping[str, Any]], dict[str, Any]] = field(default=lambda options: {})
    seats: range = range(2, 3)
    levels: tuple[str, ...] = LEVELS
    wrap: Callable[[Any, Mapping[str, Any]], Any] = field(default=lambda game, options: game)
    dialects: Mapping[str, Dialect] = field(default_factory=dict)
    hidden: bool = False
    icon: str = ""
    longest: int = 1000

"""Computers as characters: what people call them. Source: people.md, "Computers"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tictac.games.all import GAMES
from tictac.names import is_computer

Computers = dict[str, dict[str, str]]
"""The computers of a room, by their users: ``{"computer 2": {"name": "Pip 2", "level": "club"}}``.

The level can be missing."""

_CASTS = ("Rook", "Pip Ada", "Pip Rook Ada", "Pip Dot Vega Ada", "Pip Dot Rook Vega Ada")


def characters(levels: Sequence[str]) -> list[str]:
    """Return the name of each level, the weakest first."""
    if len(levels) <= len(_CASTS):
        return _CASTS[len(levels) - 1].split() if levels else []
    return [f"Rook {number}" for number in range(1, len(levels) + 1)]


def describe(
    game: str, players: Iterable[tuple[str, str | None]], seated: bool = True
) -> Computers:
    """Return the computers among players, who are users and levels, by seat if they are seated.

    The second of a name has the number 2. Without the game, or with another level, it is Rook.
    """
    game_type, found, called = GAMES.get(game), dict[str, dict[str, str]](), Counter[str]()
    levels, roles = (game_type.levels, game_type.roles) if game_type else ((), ())
    roles = roles if seated else ()
    cast = dict(zip(levels, characters(levels), strict=True))
    for seat, (user, level) in enumerate(players):
        if is_computer(user):
            name = roles[seat] if seat < len(roles) else cast.get(level or "", "Rook")
            called[name] += 1
            name += f" {called[name]}" if called[name] > 1 else ""
            found[user] = {"name": name} | ({"level": level} if level else {})
    return found


def name_of(user: str, computers: Computers) -> str:
    """Return what people call a user: a computer by its character, others by their name."""
    return computers[user]["name"] if user in computers else user


def kind_of(user: str, computers: Computers) -> str:
    """Return ``computer, club``, or without a level for a person of a game; nothing for people."""
    name, level = name_of(user, computers), computers.get(user, {}).get("level")
    kind = f"computer, {level}" if level and name.split()[0] in _CASTS[-1].split() else "computer"
    return kind if user in computers else ""

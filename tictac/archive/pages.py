"""Lists of matches: what is asked for, and a page of what is found."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tictac.archive.match import Match, Player
from tictac.lobby.events import Ending

Result = Literal["won", "lost", "drawn"]


class BadCursor(ValueError):
    """A cursor that no page has given."""


class Filter(NamedTuple):
    """Which matches are asked for; None: whatever.

    ``since`` and ``until`` (not itself) are seconds since 1970, and of the end of the match.
    ``result`` is that of ``player``; without a player ``won`` and ``lost`` mean that somebody has
    won. Private matches are found for the account ``viewer`` if it played there, and, if
    ``private``, for the operator. In a match of ``group`` an account that is in it now has played.
    """

    game: str | None = None
    player: str | None = None
    since: float | None = None
    until: float | None = None
    result: Result | None = None
    viewer: str | None = None
    private: bool = False
    group: str | None = None


class Summary(NamedTuple):
    """A match as lists show it: like :class:`Match`, but for what happened."""

    id: str
    game: str
    players: tuple[Player, ...]
    door: str | None
    private: bool
    rated: bool
    began: float
    ended: float
    moves: int
    ending: Ending
    winner: int | None


class Page(NamedTuple):
    """Matches, the last one that ended first; and where the next page begins, if there is one."""

    matches: tuple[Summary, ...]
    cursor: str | None


def summary_of(match: Match) -> Summary:
    """A match without what happened."""
    common = {name: getattr(match, name) for name in Summary._fields if name != "moves"}
    return Summary(moves=len(match.moves()), **common)

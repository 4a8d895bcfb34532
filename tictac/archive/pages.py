"""Lists of matches: the filter and the page of results."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from tictac.archive.match import Match, Player, aborted_by
from tictac.lobby.events import Ending

Result = Literal["won", "lost", "drawn"]
RESULTS = get_args(Result)


class Filter(NamedTuple):
    """A filter for matches; None: any value.

    ``since`` and ``until`` (exclusive) are for the end of the match, in seconds since 1970.
    ``result`` is that of ``player``; without a player, ``won`` and ``lost`` select matches with a
    winner. The account ``viewer`` finds its own private matches; with ``private``, the operator
    finds all. ``group`` selects matches of accounts that are in that group now.
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
    """A match in a list: a :class:`Match` without its events."""

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
    aborted: bool = False


class Page(NamedTuple):
    """Matches, the last to end first, and the cursor of the next page, if there is one."""

    matches: tuple[Summary, ...]
    cursor: str | None


def summary_of(match: Match) -> Summary:
    """Return a match without its events."""
    others = {"moves": len(match.moves()), "aborted": match.rated and aborted_by(match) is not None}
    return Summary(**{n: getattr(match, n) for n in Summary._fields if n not in others} | others)

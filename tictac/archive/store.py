"""Where matches are kept: the interface, and what every implementation promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from twisted.internet.defer import Deferred

from tictac.archive.match import Match, Player
from tictac.archive.packed import Packed
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


class Archive(Protocol):
    """Matches that have ended, asked from the reactor's thread, which is never blocked.

    The promises are those of :class:`~tictac.accounts.store.AccountStore`: requests take effect in
    their order, a Deferred always fires, and what was kept stays when it has.

    For the operator's commands a database that accounts.places.opened gave (accounts.tables.Tables)
    does the same at once: ``add_matches``, ``find_matches``, ``get_match``, ``forget_player``,
    ``prune_matches``; and ``all_matches`` gives them all, the first that ended first.
    """

    def start(self) -> None:
        """Open it. Raises SetupError."""

    def ready(self) -> bool:
        """Whether requests would be served now."""

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done."""

    def add(self, matches: Sequence[Match]) -> Deferred[int]:
        """Keep all of them or none, but leave alone those that are there; how many were new."""

    def add_packed(self, matches: Sequence[Packed]) -> Deferred[int]:
        """The same for matches as the registry packed them."""

    def find(self, wanted: Filter, cursor: str | None = None, limit: int = 20) -> Deferred[Page]:
        """A page of matches. Fails with BadCursor."""

    def get(self, match_id: str) -> Deferred[Match | None]:
        """The match of that id, a private one, too: ask it whether it is ``visible_to`` somebody.

        None: there is none.
        """

    def forget_player(self, name: str) -> Deferred[int]:
        """Call an account "deleted" in all its matches; in how many."""

    def prune(self, before: float) -> Deferred[int]:
        """Forget some of the matches that ended before that (seconds since 1970), few enough that
        nobody has to wait for it; how many. Ask again until there are none."""


def summary_of(match: Match) -> Summary:
    """A match without what happened."""
    common = {name: getattr(match, name) for name in Summary._fields if name != "moves"}
    return Summary(moves=len(match.moves()), **common)

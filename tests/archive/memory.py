"""Matches that are kept for as long as the process lasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twisted.internet.defer import Deferred

from tests.accounts.memory import MemoryStore
from tictac.accounts.names import DELETED
from tictac.archive.match import Match, Player, without
from tictac.archive.packed import Packed, unpack
from tictac.archive.store import BadCursor, Filter, Page, summary_of


class MemoryArchive(MemoryStore):
    """An :class:`~tictac.archive.store.Archive` in a dict."""

    def __init__(self, matches: Iterable[Match] = ()) -> None:
        self._matches = {match.id: match for match in matches}

    def add(self, matches: Sequence[Match]) -> Deferred[int]:
        """Keep those that aren't there."""
        return self._do(self._add, matches)

    def _add(self, matches: Sequence[Match]) -> int:
        before = len(self._matches)
        for match in matches:
            self._matches.setdefault(match.id, match)
        return len(self._matches) - before

    def add_packed(self, matches: Sequence[Packed]) -> Deferred[int]:
        """The same for rows."""
        return self._do(self._add, [unpack(*match[:6]) for match in matches])

    def find(self, wanted: Filter, cursor: str | None = None, limit: int = 20) -> Deferred[Page]:
        """A page of matches."""
        return self._do(self._find, wanted, cursor, limit)

    def _find(self, wanted: Filter, cursor: str | None, limit: int) -> Page:
        found = [match for match in self._matches.values() if _is_wanted(match, wanted)]
        found.sort(key=lambda match: match.ended)  # of the same moment in the order they came
        found.reverse()
        first = 0
        if cursor is not None:
            if cursor not in self._matches:
                raise BadCursor(f"no page begins at {cursor!r:.40}")
            first = 1 + next(i for i, match in enumerate(found) if match.id == cursor)
        page = tuple([summary_of(match) for match in found[first : first + limit]])
        return Page(page, page[-1].id if first + limit < len(found) else None)

    def get(self, match_id: str) -> Deferred[Match | None]:
        """The match of that id."""
        return self._do(self._matches.get, match_id)

    def forget_player(self, name: str) -> Deferred[int]:
        """Call an account "deleted" in all its matches."""
        return self._do(self._forget_player, name)

    def _forget_player(self, name: str) -> int:
        theirs = [match for match in self._matches.values() if _played(match, name)]
        self._matches.update({match.id: without(match, name) for match in theirs})
        return len(theirs)

    def prune(self, before: float) -> Deferred[int]:
        """Forget matches that ended before that."""
        return self._do(self._prune, before)

    def _prune(self, before: float) -> int:
        old = [match.id for match in self._matches.values() if match.ended < before]
        for match_id in old:
            del self._matches[match_id]
        return len(old)


def _played(match: Match, name: str) -> bool:
    return Player(name, "account") in match.accounts


def _is_wanted(match: Match, wanted: Filter) -> bool:
    game, name, since, until, result, viewer, private = wanted
    players = enumerate(match.players)
    seats = [s for s, p in players if p.name == name and p[:2] != (DELETED, "account")]
    won = match.winner in seats if name is not None else match.winner is not None
    drawn = match.winner is None
    results = {None: True, "won": won, "drawn": drawn, "lost": not drawn and (not won or not name)}
    return (
        (private or match.visible_to(viewer))
        and (game is None or match.game == game)
        and (name is None or bool(seats))
        and (since is None or match.ended >= since)
        and (until is None or match.ended < until)
        and results[result]
    )

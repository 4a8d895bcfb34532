"""What the players of public rooms are rated, as far as that was read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.names import is_given
from tictac.accounts.store import StoreAwayError, StoreClosedError
from tictac.logs import LIMITED
from tictac.ratings.store import Ratings
from tictac.ratings.tables import Standing

_log = Logger(observer=LIMITED)

STALE = 60.0
"""Seconds after which a player's ratings are read again, when a room of theirs changes."""

MOST = 10_000
"""Players whose ratings are known at a time."""


class Rated:
    """Reads ratings from ``archive`` (None: there are none), those of one player at a time.

    ``told`` is called with a player whose ratings are known, or have changed. ``seconds`` is a
    monotonic clock.
    """

    def __init__(
        self, archive: Ratings | None, seconds: Callable[[], float], told: Callable[[str], None]
    ) -> None:
        self._archive = archive
        self._seconds = seconds
        self._told = told
        self._known: dict[str, tuple[float, dict[str, Any]]] = {}
        self._asked: dict[str, None] = {}
        self._reading = False

    def of(self, user: str, game: str) -> dict[str, Any] | None:
        """What a player is rated in a game; None: nothing, or that isn't known yet."""
        if user not in self._known or self._seconds() - self._known[user][0] >= STALE:
            self._ask(user)
        return self._known[user][1].get(game) if user in self._known else None

    def _ask(self, user: str) -> None:
        if self._archive is not None and not is_given(user) and len(self._asked) < MOST:
            self._asked.setdefault(user)
            self._read()

    def _read(self) -> None:
        if self._reading or self._archive is None or not self._asked:
            return
        self._reading = True
        user = next(iter(self._asked))
        read = self._archive.standings(user).addCallbacks(self._found, self._not_found)
        read.addCallback(self._is_read, user)

    def _found(self, standings: list[Standing]) -> dict[str, Any]:
        return {
            each.game: {
                "rating": round(each.rating.rating),
                "provisional": each.rating.provisional,
            }
            for each in standings
        }

    def _not_found(self, failure: Failure) -> dict[str, Any]:
        if not failure.check(StoreAwayError, StoreClosedError):  # which have lines
            _log.failure("ratings can't be read", failure)
        return {}

    def _is_read(self, ratings: dict[str, Any], user: str) -> None:
        before = self._known.pop(user, (0.0, {}))[1]
        while len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        self._known[user] = self._seconds(), ratings
        del self._asked[user]
        self._reading = False
        if ratings != before:
            self._told(user)
        self._read()

"""What the players of public rooms are rated, as far as that was read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.names import is_given
from tictac.accounts.store import Store, StoreAwayError, StoreClosedError, Stored
from tictac.logs import LIMITED
from tictac.ratings.tables import RatingTables, Standing

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
        self, archive: Store | None, seconds: Callable[[], float], told: Callable[[str], None]
    ) -> None:
        self._ratings = None if archive is None else Stored(archive, RatingTables)
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
        if self._ratings is None or is_given(user) or len(self._asked) >= MOST:
            return
        self._asked.setdefault(user)
        if not self._reading:
            self._reading = True
            Deferred.fromCoroutine(self._read(self._ratings))

    async def _read(self, stored: Stored[RatingTables]) -> None:
        """Read those of all who were asked for. A loop: where the answers come at once, as from
        a database that is away, each calling the next would go too deep."""
        while self._asked:
            user = next(iter(self._asked))
            before = ratings = self._known.pop(user, (0.0, {}))[1]
            try:
                ratings = _by_game(await stored.ask(RatingTables.standings, user))
            except (StoreAwayError, StoreClosedError):
                pass  # of which there are lines
            except Exception:
                _log.failure("ratings can't be read")
            while len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            self._known[user] = self._seconds(), ratings
            del self._asked[user]
            if ratings != before:
                self._told(user)
        self._reading = False


def _by_game(standings: list[Standing]) -> dict[str, Any]:
    return {
        each.game: {
            "rating": round(each.rating.rating),
            "provisional": each.rating.provisional,
            **({"aborts": each.aborts} if each.aborts else {}),
        }
        for each in standings
    }

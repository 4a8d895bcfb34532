"""The ratings of players in public rooms that the server has read."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.logs import LIMITED
from tictac.names import is_given
from tictac.protocols.lobby.json_view import Message
from tictac.ratings.tables import RatingTables, Standing
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

STALE = 60.0
"""Seconds until a player's ratings are read again, when one of the player's rooms changes."""

MOST = 10_000
"""Maximum players with known ratings."""


class Rated:
    """A reader of ratings from ``archive`` (None: no ratings), one player at a time.

    It calls ``notify`` with a player whose ratings have been read or have changed. ``seconds`` is a
    monotonic clock.
    """

    def __init__(
        self, archive: Store | None, seconds: Callable[[], float], notify: Callable[[str], None]
    ) -> None:
        self._ratings = None if archive is None else Stored(archive, RatingTables)
        self._seconds = seconds
        self._notify = notify
        self._known: dict[str, tuple[float, dict[str, Message]]] = {}
        self._asked: dict[str, None] = {}
        self._reading = False

    def of(self, user: str, game: str) -> Message | None:
        """Return a player's rating in a game. None: no rating, or not read yet."""
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
        """Read the ratings of all waiting players."""
        # A loop: if the database is unavailable, answers come at once and recursion goes too deep.
        while self._asked:
            user = next(iter(self._asked))
            before = ratings = self._known.pop(user, (0.0, {}))[1]
            try:
                ratings = _by_game(await stored.ask(RatingTables.standings, user))
            except (StoreAwayError, StoreClosedError):
                pass  # The store logs these.
            except Exception:
                _log.failure("ratings can't be read")
            while len(self._known) >= MOST:
                del self._known[next(iter(self._known))]
            self._known[user] = self._seconds(), ratings
            del self._asked[user]
            if ratings != before:
                self._notify(user)
        self._reading = False


def _by_game(standings: list[Standing]) -> dict[str, Message]:
    return {
        each.game: {
            "rating": round(each.rating.rating),
            "provisional": each.rating.provisional,
            **({"aborts": each.aborts} if each.aborts else {}),
        }
        for each in standings
    }

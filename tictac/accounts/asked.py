"""The requests of a store, on top of whatever runs the methods of :class:`Tables` elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from twisted.internet.defer import Deferred

from tictac.accounts.store import Account
from tictac.accounts.tables import Tables
from tictac.archive.match import Match
from tictac.archive.packed import Packed
from tictac.archive.store import Filter, Page
from tictac.ratings.tables import Point, Standing

T = TypeVar("T")


class Asked(ABC):
    """Runs methods of an open database so that the reactor isn't blocked."""

    @abstractmethod
    def _run(self, method: Callable[..., T], *args: object) -> Deferred[T]:
        """Call a method of :class:`Tables` with these arguments; fires with its outcome."""


class AskedAccounts(Asked):
    """The requests of an :class:`~tictac.accounts.store.AccountStore`."""

    def get(self, name: str) -> Deferred[Account | None]:
        """Find the account called `name`."""
        return self._run(Tables.get, name)

    def is_taken(self, name: str) -> Deferred[bool]:
        """Tell whether there is an account called `name`, in any spelling."""
        return self._run(Tables.is_taken, name)

    def add(self, account: Account) -> Deferred[None]:
        """Keep a new account, on disk; fails with UserExists when the name is taken."""
        return self._run(Tables.add, account)

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        """Give `name` the hash `new` if it is still `old`."""
        return self._run(Tables.replace_hash, name, old, new)


class AskedRooms(Asked):
    """The requests of a :class:`~tictac.accounts.saved.RoomStore`."""

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""
        return self._run(Tables.rooms)

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`, on disk when the Deferred fires."""
        return self._run(Tables.put_room, name, content)

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""
        return self._run(Tables.remove_room, name)


class AskedArchive(Asked):
    """The requests of a :class:`~tictac.ratings.store.Ratings`, and so of an archive."""

    def add(self, matches: Sequence[Match]) -> Deferred[int]:
        """Keep those that aren't there, or none at all; how many."""
        return self._run(Tables.add_matches, matches)

    def add_packed(self, matches: Sequence[Packed]) -> Deferred[int]:
        """The same for rows."""
        return self._run(Tables.add_packed, matches)

    def find(self, wanted: Filter, cursor: str | None = None, limit: int = 20) -> Deferred[Page]:
        """Find a page of matches, the last one that ended first. Fails with BadCursor."""
        return self._run(Tables.find_matches, wanted, cursor, limit)

    def get(self, match_id: str) -> Deferred[Match | None]:
        """Find the match of that id."""
        return self._run(Tables.get_match, match_id)

    def forget_player(self, name: str) -> Deferred[int]:
        """Call an account "deleted" in all its matches; in how many."""
        return self._run(Tables.forget_player, name)

    def prune(self, before: float) -> Deferred[int]:
        """Forget some of the matches that ended before that (seconds since 1970); how many."""
        return self._run(Tables.prune_matches, before)

    def count(self, a_day: int) -> Deferred[int]:
        """Work some of the rated matches off that weren't counted yet; how many."""
        return self._run(Tables.count_ratings, a_day)

    def leaders(self, game: str, limit: int) -> Deferred[list[Standing]]:
        """Give the best players of a game."""
        return self._run(Tables.leaders, game, limit)

    def of_player(self, name: str) -> Deferred[tuple[list[Standing], list[Point]]]:
        """Give what a player is rated, and was."""
        return self._run(Tables.ratings_of, name)

    def judgement(self, match_id: str) -> Deferred[str | None]:
        """Give the judgement of a match, if there is one."""
        return self._run(Tables.judgement, match_id)

    def keep_judgement(self, match_id: str, content: str) -> Deferred[None]:
        """Keep the judgement of a match, if that is there."""
        return self._run(Tables.keep_judgement, match_id, content)

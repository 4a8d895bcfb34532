"""The requests of a store, on top of whatever runs the methods of :class:`Tables` elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from twisted.internet.defer import Deferred

from tictac.accounts.tables import Tables

P = ParamSpec("P")
T = TypeVar("T")


class Asked(ABC):
    """Runs methods of an open database so that the reactor isn't blocked."""

    @abstractmethod
    def _run(self, method: Callable[..., T], *args: object) -> Deferred[T]:
        """Call a method of :class:`Tables` with these arguments; fires with its outcome."""


def _request(
    method: Callable[Concatenate[Tables, P], T],
) -> Callable[Concatenate[Asked, P], Deferred[T]]:
    """A request that fires with the outcome of a method of :class:`Tables`."""

    def request(self: Asked, /, *args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        assert not kwargs, "threads are given arguments by position"
        return self._run(method, *args)

    return request


class AskedAccounts(Asked):
    """The requests of an :class:`~tictac.accounts.store.AccountStore`."""

    get = _request(Tables.get)
    is_taken = _request(Tables.is_taken)
    add = _request(Tables.add)
    replace_hash = _request(Tables.replace_hash)
    set_hash = _request(Tables.set_hash)
    changes = _request(Tables.changes)
    end_logins = _request(Tables.end_logins)
    ban = _request(Tables.ban)
    unban = _request(Tables.unban)
    add_token = _request(Tables.add_token)
    use_token = _request(Tables.use_token)
    end_tokens = _request(Tables.end_tokens)


class AskedRooms(Asked):
    """The requests of a :class:`~tictac.accounts.saved.RoomStore`."""

    all = _request(Tables.rooms)
    put = _request(Tables.put_room)
    remove = _request(Tables.remove_room)


class AskedArchive(Asked):
    """The requests of a :class:`~tictac.ratings.store.Ratings`, and so of an archive."""

    add = _request(Tables.add_matches)
    add_packed = _request(Tables.add_packed)
    find = _request(Tables.find_matches)
    get = _request(Tables.get_match)
    forget_player = _request(Tables.forget_player)
    prune = _request(Tables.prune_matches)
    count = _request(Tables.count_ratings)
    leaders = _request(Tables.leaders)
    rated_groups = _request(Tables.rated_groups)
    of_player = _request(Tables.ratings_of)
    standings = _request(Tables.standings)
    judgement = _request(Tables.judgement)
    keep_judgement = _request(Tables.keep_judgement)

"""Matches over days, and the list of a user's games, as a part of the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac import options as read
from tictac.accounts.bans import Bans
from tictac.errors import AccountRemoved, Banned
from tictac.lobby.registry import Registry
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.plugins.days.matches import DayMatches
from tictac.plugins.days.tables import PlayerTables
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

_log = Logger()

CHECKED_AT_ONCE = 500
"""Players whose accounts the server checks in a sweep, after the start."""


@dataclass(frozen=True)
class DaysOptions:
    """Matches over days."""

    max_days_matches: int = option(
        20_000, "Maximum matches over days; 0: none can begin.", read.count
    )
    max_days_matches_per_user: int = option(
        50, "Maximum matches over days of an account; 0: none can begin.", read.count
    )


class AccountEvents(Protocol):
    """The ends of accounts, and their bans (accounts.accounts.Accounts)."""

    ended: Callable[[str, str], object]
    bans: Bans


class DaysService(ProtocolService):
    """The matches over days of a server; those of a removed account end as ``left``.

    An account can also end while no server runs, or just before one is killed. So a new process
    asks ``store`` for the accounts of all players, some in each sweep.
    """

    def __init__(
        self,
        reactor: Reactor,
        registry: Registry,
        matches: DayMatches,
        accounts: AccountEvents,
        store: Store,
    ) -> None:
        self.matches = matches
        self._registry, self._accounts, self._store = registry, accounts, store
        self._removed: set[str] = set()
        self._unchecked: list[str] = []
        self._is_asking = False
        self._ended: Callable[[str, str], object] = lambda user, why: None
        super().__init__(reactor, "days", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._ended, self._accounts.ended = self._accounts.ended, self._user_ended
        if users := self.matches.users():
            self._unchecked = users
            self._store.start()

    async def end(self) -> None:
        self._unchecked = []
        await self._store.close()

    def _user_ended(self, user: str, why: str) -> None:
        self._ended(user, why)
        bans = self._accounts.bans.active() if why == Banned.code else []
        is_banned = any(each[:2] == ("user", user) and not each.until for each in bans)
        if why == AccountRemoved.code or is_banned:
            self._removed.add(user)

    def expire(self) -> None:
        """Give up the seats of removed accounts when their connections are closed."""
        self.matches.expire()
        if self._unchecked and not self._is_asking:
            self._is_asking = True
            asked = Deferred.fromCoroutine(self._check(self._unchecked[-CHECKED_AT_ONCE:]))
            asked.addErrback(
                lambda failure: _log.failure("cannot check for removed accounts", failure)
            )
        self._removed = {user for user in self._removed if not self.matches.give_up(user)}
        super().expire()

    async def _check(self, users: list[str]) -> None:
        try:
            self._removed.update(
                await Stored(self._store, PlayerTables).ask(PlayerTables.gone, users)
            )
            del self._unchecked[-len(users) :]
            if not self._unchecked:
                await self._store.close()
        except (StoreAwayError, StoreClosedError):
            pass  # the store has logged it, and the next sweep asks again
        finally:
            self._is_asking = False

    def figures(self) -> Mapping[str, tuple[str, float]]:
        asleep = float(len(self._registry.sleepers))
        return {"rooms_asleep": ("Rooms of matches over days in which no one is.", asleep)}


def _make(runtime: Runtime) -> ProtocolService:
    from tictac.plugins.days.mine import MyGames
    from tictac.plugins.days.record import Records

    options, lobby = runtime.settings[DaysOptions], runtime.lobby
    sleepers = lobby.registry.sleepers
    sleepers.most = options.max_days_matches
    sleepers.most_of_user = options.max_days_matches_per_user
    matches = DayMatches(lobby.registry, runtime.reactor.callLater, time.time)
    lobby.extend(MyGames(lobby, matches, runtime.reactor))
    lobby.extend(Records(lobby))
    store = runtime.store("days")
    return DaysService(runtime.reactor, lobby.registry, matches, runtime.accounts, store)


ADD_ON = AddOn(_make, DaysOptions)
"""The list of a user's games is a part of every server with a lobby."""

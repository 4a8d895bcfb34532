"""Matches over days, and the list of a user's games, as a part of the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tictac import options as read
from tictac.accounts.bans import Bans
from tictac.errors import AccountRemoved, Banned
from tictac.lobby.registry import Registry
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.plugins.days.matches import DayMatches
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime


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
    """The matches over days of a server; those of a removed account end as ``left``."""

    def __init__(
        self, reactor: Reactor, registry: Registry, matches: DayMatches, accounts: AccountEvents
    ) -> None:
        self.matches = matches
        self._registry, self._accounts = registry, accounts
        self._removed: set[str] = set()
        self._ended: Callable[[str, str], object] = lambda user, why: None
        super().__init__(reactor, "days", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._ended, self._accounts.ended = self._accounts.ended, self._user_ended

    def _user_ended(self, user: str, why: str) -> None:
        self._ended(user, why)
        bans = self._accounts.bans.active() if why == Banned.code else []
        is_banned = any(each[:2] == ("user", user) and not each.until for each in bans)
        if why == AccountRemoved.code or is_banned:
            self._removed.add(user)

    def expire(self) -> None:
        """Give up the seats of removed accounts when their connections are closed."""
        self.matches.expire()
        self._removed = {user for user in self._removed if not self.matches.give_up(user)}
        super().expire()

    def figures(self) -> Mapping[str, tuple[str, float]]:
        asleep = float(len(self._registry.sleepers))
        return {"rooms_asleep": ("Rooms of matches over days in which no one is.", asleep)}


def _make(runtime: Runtime) -> ProtocolService:
    from tictac.plugins.days.mine import MyGames

    options, lobby = runtime.settings[DaysOptions], runtime.lobby
    sleepers = lobby.registry.sleepers
    sleepers.most = options.max_days_matches
    sleepers.most_of_user = options.max_days_matches_per_user
    matches = DayMatches(lobby.registry, runtime.reactor.callLater, time.time)
    lobby.extend(MyGames(lobby, matches, runtime.reactor))
    return DaysService(runtime.reactor, lobby.registry, matches, runtime.accounts)


ADD_ON = AddOn(_make, DaysOptions)
"""The list of a user's games is a part of every server with a lobby."""

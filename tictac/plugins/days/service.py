"""Matches over days, and the list of a user's games, as a part of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tictac import options as read
from tictac.lobby.registry import Registry
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
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


class DaysService(ProtocolService):
    """The matches over days of a server."""

    def __init__(self, reactor: Reactor, registry: Registry) -> None:
        self._registry = registry
        super().__init__(reactor, "days", [], lambda proxied: None, sweep_interval())

    def figures(self) -> Mapping[str, tuple[str, float]]:
        asleep = float(len(self._registry.sleepers))
        return {"rooms_asleep": ("Rooms of matches over days in which no one is.", asleep)}


def _make(runtime: Runtime) -> ProtocolService:
    from tictac.plugins.days.mine import MyGames

    options, lobby = runtime.settings[DaysOptions], runtime.lobby
    sleepers = lobby.registry.sleepers
    sleepers.most = options.max_days_matches
    sleepers.most_of_user = options.max_days_matches_per_user
    lobby.extend(MyGames(lobby, runtime.reactor))
    return DaysService(runtime.reactor, lobby.registry)


ADD_ON = AddOn(_make, DaysOptions)
"""The list of a user's games is a part of every server with a lobby."""

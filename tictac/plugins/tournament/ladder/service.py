"""Series as a part of the server: options, start, and stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tictac import options as read
from tictac.errors import AccountRemoved
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.options import option
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime

if TYPE_CHECKING:
    from tictac.plugins.tournament.hosting.service import AccountEvents, TournamentService
    from tictac.plugins.tournament.ladder.keeper import Keeper


@dataclass(frozen=True)
class LadderOptions:
    """Series of tournaments over a term."""

    max_series: int = option(10, "Series that aren't over; 0: none can be made.", read.count)
    max_series_players: int = option(1000, "Players of a series.", read.positive)


class LadderService(ProtocolService):
    """The series of a server, which end with the tournaments."""

    def __init__(self, reactor: Reactor, keeper: Keeper, accounts: AccountEvents) -> None:
        self.keeper, self._accounts = keeper, accounts
        super().__init__(reactor, "ladder", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._ended, self._accounts.ended = self._accounts.ended, self._user_ended
        self.keeper.start()

    def figures(self) -> Mapping[str, tuple[str, float]]:
        running = [each for each in self.keeper.series.values() if each.state != "over"]
        return {"series_running": ("Series that aren't over.", len(running))}

    async def ranks(self, series: str) -> Mapping[str, int]:
        """Return the ranks of the players of a series by name; empty if there is no such series."""
        from tictac.plugins.tournament.ladder.series_view import standings

        known = self.keeper.series.get(series)
        if known is None:
            return {}
        await self.keeper.rank(known)
        return {each["user"]: each["rank"] for each in standings(known) if each["rank"]}

    def _user_ended(self, user: str, why: str) -> None:
        self._ended(user, why)
        if why == AccountRemoved.code:
            self.keeper.removed(user)

    async def end(self) -> None:
        await self.keeper.stop()


def _make(runtime: Runtime) -> ProtocolService | None:
    options = runtime.settings[LadderOptions]
    found = next((part for part in runtime.parts if part.what == "tournaments"), None)
    if found is None or not options.max_series:
        return None
    from tictac.plugins.tournament.ladder.keeper import Keeper
    from tictac.plugins.tournament.ladder.pages import SeriesPages
    from tictac.plugins.tournament.ladder.request_handlers import LadderRequests
    from tictac.plugins.tournament.ladder.tables import SeriesTables
    from tictac.plugins.tournament.view import decided_json
    from tictac.storage.store import Stored

    tournaments, registry = cast("TournamentService", found), runtime.registry
    host, lobby = tournaments.host, runtime.lobby
    log = Stored(tournaments.store, SeriesTables)

    def call_off(room: str) -> None:
        registry.call_off(room, "closed", decided_json("over"))

    keeper = Keeper(log, host.log, host.follower, runtime.reactor, call_off)
    most = options.max_series, options.max_series_players
    lobby.extend(LadderRequests(log, keeper, host.follower, registry, tournaments.desk, *most))
    lobby.parts["series"] = SeriesPages(keeper, host.follower).answer
    return LadderService(runtime.reactor, keeper, runtime.accounts)


ADD_ON = AddOn(_make, LadderOptions)
"""Keep the series of a server that has tournaments."""

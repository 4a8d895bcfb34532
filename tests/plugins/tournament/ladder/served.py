"""The series of a server of tests.helpers, beside its tournaments."""

from __future__ import annotations

from tests.plugins.tournament.hosting.served import Tournaments
from tictac.plugins.tournament.ladder.keeper import Keeper
from tictac.plugins.tournament.ladder.request_handlers import LadderRequests
from tictac.plugins.tournament.ladder.tables import SeriesTables
from tictac.storage.store import Stored


def add_series(tournaments: Tournaments, most: int = 10, most_players: int = 1000) -> Keeper:
    """Let the server of ``tournaments`` keep series."""
    server, follower = tournaments.server, tournaments.follower
    log = Stored(server.store, SeriesTables)
    registry = server.registry
    keeper = Keeper(
        log, tournaments.log, follower, server.clock, lambda room: registry.call_off(room, "closed")
    )
    desk = tournaments.desk
    server.lobby.extend(LadderRequests(log, keeper, follower, registry, desk, most, most_players))
    return keeper

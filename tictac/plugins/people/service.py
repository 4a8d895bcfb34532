"""Users online, and challenges, as a part of the server: starting and stopping."""

from __future__ import annotations

from collections.abc import Mapping
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.settings import RoomsOptions
from tictac.plugins.people.settings import PeopleOptions
from tictac.runtime import AddOn, Runtime

if TYPE_CHECKING:
    from tictac.plugins.people.challenges import Challenges
    from tictac.plugins.people.roster import Roster
    from tictac.plugins.people.searches import Searches


class PeopleService(ProtocolService):
    """The people of a server."""

    def __init__(
        self, reactor: Any, roster: Roster, challenges: Challenges, searches: Searches
    ) -> None:
        self._roster, self.challenges, self._searches = roster, challenges, searches
        super().__init__(reactor, "people", [], lambda proxied: None, sweep_interval())

    def figures(self) -> Mapping[str, tuple[str, float]]:
        return {
            "challenges_open": ("Challenges that wait for an answer.", len(self.challenges)),
            "searches_open": ("Players who seek while they play.", len(self._searches)),
        }

    async def end(self) -> None:
        self._roster.stop()
        self.challenges.stop()
        self._searches.stop()


def _make(runtime: Runtime) -> ProtocolService | None:
    options = runtime.settings[PeopleOptions]
    if options.people == "no":
        return None
    from tictac.plugins.people.challenges import Challenges
    from tictac.plugins.people.playing import Playing
    from tictac.plugins.people.request_handlers import Desk
    from tictac.plugins.people.roster import Roster
    from tictac.plugins.people.searches import Searches

    lobby, clock = runtime.lobby, runtime.reactor
    playing = Playing(lobby.registry)
    roster = Roster(lobby, playing, clock, options.people_interval, options.max_people_listed)
    seconds, chance = runtime.settings[RoomsOptions].offer_timeout, SystemRandom().random
    challenges = Challenges(lobby, roster, playing, clock, options, seconds, chance)
    lobby.extend(Desk(roster, challenges))
    searches = Searches(lobby, clock)
    lobby.extend(searches)
    if any(part.what == "web" for part in runtime.parts):
        from tictac.plugins.people.running_games import Boards

        lobby.parts["boards"] = Boards(lobby.registry).answer
        if options.max_shows:
            from tictac.plugins.people.shows import Shows

            lobby.parts["shows"] = Shows(clock, SystemRandom(), options.max_shows).answer
    return PeopleService(runtime.reactor, roster, challenges, searches)


ADD_ON = AddOn(_make, PeopleOptions)
"""People are a part of every server with a lobby, unless an option says no."""

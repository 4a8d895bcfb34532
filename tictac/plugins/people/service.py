"""Users online, and challenges, as a part of the server: options, starting and stopping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from tictac import options as read
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.settings import RoomsOptions
from tictac.options import option
from tictac.runtime import AddOn, Runtime

if TYPE_CHECKING:
    from tictac.plugins.people.challenges import Challenges
    from tictac.plugins.people.roster import Roster


@dataclass(frozen=True)
class PeopleOptions:
    """The list of players, and challenges."""

    people: str = option(
        "yes", "List of players, and challenges: yes or no.", read.one_of("yes", "no")
    )
    max_people_listed: int = option(500, "Maximum players in the list of players.", read.positive)
    people_interval: float = option(2.0, "Seconds between updates of that list.", read.interval)
    max_challenges: int = option(5, "Maximum open challenges sent by a player.", read.positive)
    max_challenges_got: int = option(10, "Maximum open challenges to a player.", read.positive)
    challenge_burst: int = option(
        20, "Maximum challenges of a player in ten minutes.", read.positive
    )


class PeopleService(ProtocolService):
    """The people of a server."""

    def __init__(self, reactor: Any, roster: Roster, challenges: Challenges) -> None:
        self._roster, self._challenges = roster, challenges
        super().__init__(reactor, "people", [], lambda proxied: None, sweep_interval())

    def figures(self) -> Mapping[str, tuple[str, float]]:
        return {"challenges_open": ("Challenges that wait for an answer.", len(self._challenges))}

    async def end(self) -> None:
        self._roster.stop()
        self._challenges.stop()


def _make(runtime: Runtime) -> ProtocolService | None:
    options = runtime.settings[PeopleOptions]
    if options.people == "no":
        return None
    from tictac.plugins.people.challenges import Challenges, Limits
    from tictac.plugins.people.playing import Playing
    from tictac.plugins.people.request_handlers import Desk
    from tictac.plugins.people.roster import Roster

    lobby, clock = runtime.lobby, runtime.reactor
    playing = Playing(lobby.registry)
    roster = Roster(lobby, playing, clock, options.people_interval, options.max_people_listed)
    limits = Limits(
        options.max_challenges, options.max_challenges_got, options.challenge_burst,
        runtime.settings[RoomsOptions].offer_timeout,
    )  # fmt: skip
    challenges = Challenges(lobby, roster, playing, clock, limits, SystemRandom().random)
    lobby.extend(Desk(roster, challenges))
    if any(part.what == "web" for part in runtime.parts):
        from tictac.plugins.people.running_games import Boards

        lobby.parts["boards"] = Boards(lobby.registry).answer
    return PeopleService(runtime.reactor, roster, challenges)


ADD_ON = AddOn(_make, PeopleOptions)
"""People are a part of every server with a lobby, unless an option says no."""

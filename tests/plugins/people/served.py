"""A server of tests.helpers with a list of people and challenges."""

from __future__ import annotations

from tests.helpers import Server
from tictac.plugins.people.challenges import Challenges
from tictac.plugins.people.playing import Playing
from tictac.plugins.people.request_handlers import Desk
from tictac.plugins.people.roster import Roster
from tictac.plugins.people.searches import Searches
from tictac.plugins.people.settings import PeopleOptions


class People:
    """The people of ``server``. ``chance`` below 0.5 gives the sender of a challenge seat 1."""

    def __init__(
        self,
        server: Server,
        options: PeopleOptions | None = None,
        listed: int = 500,
        chance: float = 0.7,
        seconds: float = 60.0,
    ) -> None:
        playing = Playing(server.registry)
        self.roster = Roster(server.lobby, playing, server.clock, 2.0, listed)
        self.challenges = Challenges(
            server.lobby,
            self.roster,
            playing,
            server.clock,
            options or PeopleOptions(),
            seconds,
            lambda: chance,
        )
        server.lobby.extend(Desk(self.roster, self.challenges))
        self.searches = Searches(server.lobby, server.clock)
        server.lobby.extend(self.searches)

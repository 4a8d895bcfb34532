"""The options of the list of players, and of challenges."""

from __future__ import annotations

from dataclasses import dataclass

from tictac import options as read
from tictac.options import option


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
    max_shows: int = option(
        5, "Maximum games of which computers play a match to watch; 0: none.", read.count
    )
    challenge_burst: int = option(
        20, "Maximum challenges of a player in ten minutes.", read.positive
    )

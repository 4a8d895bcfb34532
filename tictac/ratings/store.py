"""Where ratings and judgements are kept: the interface, and what every implementation promises."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.archive.store import Archive
from tictac.ratings.tables import Point, Standing


class Ratings(Archive, Protocol):
    """An archive that rates players by its matches and keeps what these were judged.

    See :class:`~tictac.archive.store.Archive` for what it promises, and
    :class:`~tictac.ratings.tables.RatingTables` for each request.
    """

    def count(self, a_day: int) -> Deferred[int]:
        """Work some of the rated matches off that weren't counted yet; how many. Ask again until
        there are none."""

    def leaders(self, game: str, limit: int, group: str | None = None) -> Deferred[list[Standing]]:
        """The best players of a game, or of a group's."""

    def rated_groups(self, game: str) -> Deferred[list[str]]:
        """The groups of those who are rated in a game."""

    def of_player(self, name: str) -> Deferred[tuple[list[Standing], list[Point]]]:
        """What a player is rated in each game, and was after each of the last matches."""

    def standings(self, player: str) -> Deferred[list[Standing]]:
        """What a player is rated in each game."""

    def judgement(self, match_id: str) -> Deferred[str | None]:
        """The judgement of a match, if there is one."""

    def keep_judgement(self, match_id: str, content: str) -> Deferred[None]:
        """Keep the judgement of a match, if that is there."""

"""Series over HTTP, for the page. Source: docs/guides/ladder.md, "The page"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from twisted.internet.defer import Deferred

from tictac.archive.match import to_json
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.hosting.request_handlers import raising_archive_away
from tictac.plugins.tournament.ladder.keeper import RANKED_FOR, Keeper, Known
from tictac.plugins.tournament.ladder.refusals import NoSuchSeries
from tictac.plugins.tournament.ladder.series_view import head_of, player_json, standings, whole
from tictac.plugins.tournament.ladder.tables import Curve
from tictac.plugins.tournament.view import Json
from tictac.plugins.web.api import Document, number_given

MOST = 100
"""Maximum answers in memory."""


class SeriesPages:
    """Answers below ``/api/series`` (web.api.ApiPart).

    All clients get the same answer, until the series is ranked again.
    """

    def __init__(self, keeper: Keeper, follower: Follower) -> None:
        self._keeper, self._follower = keeper, follower
        self._made: dict[tuple[object, ...], Document] = {}

    def answer(self, path: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Return a series or a part of it, or the list of all. Fails with a Refusal."""
        return Deferred.fromCoroutine(raising_archive_away(self._answer(path, given)))

    async def _answer(self, path: Sequence[str], given: Mapping[str, str]) -> Document:
        now = self._follower.utc()
        if not path:
            return _document(
                {"series": [head_of(each, now) for each in self._keeper.series.values()]}
            )
        known, first = await self._keeper.get(path[0]), number_given(given, "first")
        await self._keeper.rank(known)
        key = known.id, known.ranked_at, known.row, known.current, *path, first
        if key not in self._made:
            curve = await self._keeper.curve(known, path[2]) if len(path) > 2 else []
            if len(self._made) >= MOST:
                self._made.clear()
            self._made[key] = self._make(known, now, path[1:], first, curve)
        return self._made[key]

    def _make(
        self, known: Known, now: float, path: Sequence[str], first: int | None, curve: Curve
    ) -> Document:
        match path:
            case []:
                return _document(whole(known, now, first, standings(known)))
            case ["players", name]:
                found = player_json(known, name, curve)
                if found is not None:
                    return _document(found)
        raise NoSuchSeries("there is nothing here")


def _document(values: Json) -> Document:
    return Document(to_json(values).encode(), max_age=int(RANKED_FOR))

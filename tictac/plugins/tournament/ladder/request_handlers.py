"""Series in the lobby protocol. Source: docs/reference/people.md, "Series".

A player of a series asks to ``play`` in it. If a tournament of the series takes the player, the
request becomes one about that tournament. Otherwise, the player waits here: for the next arena, or
for the night's tournament.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from msgspec.structs import replace
from twisted.internet.defer import Deferred

from tictac.errors import GuestsRefused, Malformed, NotAnAdmin
from tictac.lobby.registry import Registry
from tictac.names import is_given
from tictac.net.logins import LoginConnection
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.cup_plan import utc_text
from tictac.plugins.tournament.hosting.admin_acts import entering
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.hosting.request_handlers import LINE, Desk, raising_archive_away
from tictac.plugins.tournament.hosting.request_types import Play
from tictac.plugins.tournament.ladder import request_types as requests
from tictac.plugins.tournament.ladder.keeper import Keeper, Known
from tictac.plugins.tournament.ladder.refusals import SeriesExists, SeriesFrozen, SeriesFull
from tictac.plugins.tournament.ladder.series_plan import SeriesPlan, check_series_id, load_series
from tictac.plugins.tournament.ladder.series_view import head_of, standings, whole
from tictac.plugins.tournament.ladder.tables import Player, SeriesRow, SeriesTables
from tictac.plugins.tournament.refusals import WrongGroup
from tictac.plugins.tournament.view import Json
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.session import Session
from tictac.reactor import Work
from tictac.storage.store import Stored

T = TypeVar("T")

SEEN_AGAIN = 3600
"""Seconds after which a player's presence is noted again."""


class LadderRequests:
    """The part of series in the lobby protocol (extension.Extension).

    ``most`` is the maximum number of series, and ``most_players`` that of players in one.
    """

    def __init__(
        self,
        log: Stored[SeriesTables],
        keeper: Keeper,
        follower: Follower,
        registry: Registry,
        desk: Desk,
        most: int,
        most_players: int,
    ) -> None:
        self._log, self._keeper, self._follower = log, keeper, follower
        self._registry, self._desk = registry, desk
        self._most, self._most_players = most, most_players
        self._waiting: dict[Session, Play] = {}
        self.handlers: Handlers = dict((
            on(requests.Series, self._series), on(Play, self._play),
            on(requests.Ladder, self._ladder),
        ))  # fmt: skip
        keeper.opened = self._opened
        desk.takes_over = self._takes_over
        desk.acts.is_counted = keeper.has

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        return {}

    def gone(self, session: Session) -> None:
        self._waiting.pop(session, None)

    # Requests

    def _answer(self, session: Session, request: wire.Request, work: Work[Json]) -> None:
        def answer(fields: Json) -> None:
            session.send(wire.answer(request.id, **fields))

        self._ask(session, request, work, answer)

    def _ask(
        self, session: Session, request: wire.Request, work: Work[T], answer: Callable[[T], None]
    ) -> None:
        asked = Deferred.fromCoroutine(raising_archive_away(work))
        refuse = partial(session.refuse, request.id)
        session.connection.wait_for(request.do.upper(), asked, answer, refuse)

    def _series(self, session: Session, request: requests.Series) -> None:
        if request.series is None:
            self._answer(session, request, self._list())
        else:
            self._answer(session, request, self._standings(session, request))

    async def _list(self) -> Json:
        return {"series": [self._head(known) for known in self._keeper.series.values()]}

    def _head(self, known: Known) -> Json:
        return head_of(known, self._follower.utc())

    async def _standings(self, session: Session, request: requests.Series) -> Json:
        known = await self._keeper.get(request.series or "")
        await self._keeper.rank(known)
        places = standings(known)
        own = next((each for each in places if each["user"] == session.user), None)
        player = known.players.get(session.user or "")
        return {
            **whole(known, self._follower.utc(), request.first, places),
            "you": None if player is None else {**(own or {}), "losses": dict(player.losses)},
        }

    # Playing

    def _play(self, session: Session, request: Play) -> None:
        if request.series is None:
            self._desk.play(session, request)
        else:
            self._ask(
                session, request, self._next(session, request),
                partial(self._go_on, session, request),
            )  # fmt: skip

    async def _next(self, session: Session, request: Play) -> tuple[str | None, str | None]:
        """Enter a player; return the current tournament, and again if the player plays there."""
        known = await self._keeper.get(request.series or "")
        user = session.user or ""
        if is_given(user):
            raise GuestsRefused("a series is for accounts: log in first")
        if known.state == "over":
            raise SeriesFrozen("the series is over")
        await self._enter(session, known, user, request.version)
        seen = known.current
        return seen, await self._current(known, user)

    async def _enter(self, session: Session, known: Known, user: str, version: str | None) -> None:
        now, player = round(self._follower.utc()), known.players.get(user)
        new = version if version is not None else "" if player is None else player.version
        if known.state != "open" and (player is None or new != player.version):
            raise SeriesFrozen("the series takes no new players and versions any more")
        if player is None:
            group = known.plan.group
            if group and await self._log.ask(SeriesTables.group_of, user) != group:
                raise WrongGroup(f"this series is for the group {group}")
            if len(known.players) >= self._most_players:
                raise SeriesFull(f"the series has {self._most_players} players already")
        elif new == player.version and now - player.seen < SEEN_AGAIN:
            return
        if self._registry.storage is not None:
            self._registry.storage.spend(session.connection, LINE)
        await self._log.ask(SeriesTables.enter, known.id, user, new, now)
        if player is None:
            known.players[user] = Player(user, new, now, now, {})
            return
        known.players[user] = player._replace(version=new, seen=now)
        if new != player.version:
            known.tally = await self._log.ask(SeriesTables.pairs, known.id)

    async def _current(self, known: Known, user: str) -> str | None:
        if known.current is None:
            return None
        followed = await self._follower.get(known.current)
        cup = followed.cup
        if cup.phase == "over" or not self._follower.is_here(followed):
            return None
        number = cup.number_of(user)
        if cup.plan.is_arena and (number is None or cup.entries[number].state == "out"):
            estimate = known.estimates.get(user)
            rating = None if estimate is None else round(estimate.rating)
            await self._follower.append(followed.id, partial(_entering, user, rating))
        elif number is None or cup.entries[number].state == "out":
            return None
        return followed.id

    def _go_on(self, session: Session, request: Play, found: tuple[str | None, str | None]) -> None:
        seen, tournament = found
        if tournament is None:
            self._wait(session, request, seen)
        else:
            self._desk.play(session, replace(request, tournament=tournament))

    def _wait(self, session: Session, request: Play, seen: str | None) -> None:
        """Let a player wait for the tournament after ``seen``, which can be there already."""
        self._waiting[session] = request
        known = self._keeper.series.get(request.series or "")
        if known is not None and known.current not in (None, seen):
            self._opened(known)

    def _takes_over(self, session: Session, request: Play) -> bool:
        """Let a player of a series play in its next tournament, which can be there already."""
        known = self._keeper.series.get(request.series or "")
        if known is None or known.state == "over":
            return False
        self._wait(session, request, request.tournament)
        return True

    def _opened(self, known: Known) -> None:
        for session, request in list(self._waiting.items()):
            if request.series == known.id:
                del self._waiting[session]
                self._play(session, replace(request, tournament=""))

    # Admins

    def _ladder(self, session: Session, request: requests.Ladder) -> None:
        session.administer(request, partial(self._act, request))

    async def _act(self, request: requests.Ladder, asker: LoginConnection, is_admin: bool) -> Json:
        if not is_admin:
            raise NotAnAdmin("only admins can do this")
        done: Json = await raising_archive_away(self._do(request))
        return done

    async def _do(self, request: requests.Ladder) -> Json:
        series = check_series_id(request.series)
        if request.act == "create":
            return await self._create(series, self._plan(request))
        known = await self._keeper.get(series)
        match request.act:
            case "change":
                await self._keeper.change(known, known.state, self._plan(request))
            case "freeze":
                await self._keeper.change(known, "frozen", known.plan)
            case "end":
                await self._keeper.change(known, "over", known.plan)
            case "remove":
                await self._keeper.change(known, "over", known.plan)
                await self._log.ask(SeriesTables.remove, series)
                del self._keeper.series[series]
            case "players":
                await self._keeper.rank(known)
                return {**self._head(known), "rows": self._players(known)}
        self._keeper.look()
        return {}

    def _plan(self, request: requests.Ladder) -> SeriesPlan:
        if request.plan is None:
            raise Malformed(f"{request.act} needs plan")
        return load_series(request.plan)

    async def _create(self, series: str, plan: SeriesPlan) -> Json:
        rows = await self._log.ask(SeriesTables.all)
        if sum(row.state != "over" for row in rows) >= self._most:
            raise SeriesFull(f"{self._most} series are open already")
        now = round(self._follower.utc())
        row = SeriesRow(series, "open", now, json.dumps(plan.dump()))
        if not await self._log.ask(SeriesTables.make, row):
            raise SeriesExists(f"there is a series {series} already")
        self._keeper.look()
        return {"series": series}

    def _players(self, known: Known) -> list[Json]:
        """Return the standings with what only admins see."""
        rows = []
        for each in standings(known):
            player = known.players.get(each["user"] or "")
            if player is not None:
                seen = utc_text(player.seen)
                each = {**each, "seen": seen, "losses": dict(player.losses)}
            rows.append(each)
        return rows


def _entering(user: str, rating: float | None, cup: Cup) -> Line | None:
    number = cup.number_of(user)
    if number is not None and cup.entries[number].state != "out":
        return None
    return entering(cup, user, rating)

"""Makes the tournaments of each series at their times, and adds up their games.

Only the process that decides tournaments (tournament.hosting.host) makes and counts them here. The
keeper looks at all series every few seconds, and after the end of a tournament. For each series,
the order is:

1. Count: the games of each tournament that is over are added to the sums of pairs, in one
   transaction with the mark that they are counted, and with the ratings of that day. So each game
   counts once, whenever the process ends.
2. End: the night of yesterday ends when today's arena opens. A series that is past its end is
   frozen.
3. Open: if the time has a tournament, and all before it are counted, it is made. Its id follows
   from the day, so that two processes make the same one. The mark that it belongs to the series
   comes first: a tournament without a mark would never be counted, while a mark without
   a tournament leads to that tournament.

After days without a server, only the tournament of the current time is made.

A night has the players of the arena before it. So it is made when the last game of the arena has
ended, and is counted.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import chain, combinations, count
from math import inf
from typing import NamedTuple

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator, LoopingCall, SchedulerStopped
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.logs import LIMITED
from tictac.names import COMPUTER
from tictac.plugins.tournament.cup import DELETED, Cup, CupGame, Line
from tictac.plugins.tournament.cup_plan import MOST_PLAYERS, load_plan, utc_text
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.hosting.tables import NewLine, Row, TournamentTables
from tictac.plugins.tournament.ladder.ranking import Estimate, Ranking, Sums, unseparated
from tictac.plugins.tournament.ladder.refusals import NoSuchSeries
from tictac.plugins.tournament.ladder.series_plan import SeriesPlan, Slot, load_series
from tictac.plugins.tournament.ladder.tables import (
    DAY,
    Curve,
    Losses,
    Player,
    Rated,
    SeriesRow,
    SeriesTables,
    Tally,
)
from tictac.plugins.tournament.plan import ABSENT
from tictac.plugins.tournament.refusals import NoSuchTournament
from tictac.plugins.tournament.view import head_of, room_of
from tictac.storage.store import StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

EVERY = 5.0
"""Seconds between two looks at all series."""

RANKED_FOR = 5.0
"""Seconds for which standings are the same."""

MARK = ":"
"""Begins the name of a level in sums, which no account's name does."""


WEEK = 7
"""Days in the change of a week."""

LAST, SLICE = 20, 200
"""The games of each player that standings know, and the games that one turn adds up."""


_ENDS = (StoreClosedError, StoreAwayError, SchedulerStopped)
"""What ends a look when the server stops, or while the database is unavailable."""


class Played(NamedTuple):
    """A game from the side of a player: ``seat`` and ``score`` are the player's own."""

    other: str
    seat: int
    score: float
    how: str
    match: str | None


Last = dict[str, deque[Played]]
"""The last games by player, the oldest first."""


@dataclass
class Known:
    """A series in memory: its row, its plan, its players, and the sums of counted tournaments."""

    row: SeriesRow
    plan: SeriesPlan
    players: dict[str, Player]
    tournaments: dict[str, tuple[str, bool]]
    tally: Tally
    estimates: dict[str, Estimate] = field(default_factory=dict)
    """The ratings after the last ranking, by name; a level's name begins with MARK."""
    against: dict[str, dict[str, Sums]] = field(default_factory=dict)
    """The sums of all games after the last ranking, by the player and the opponent."""
    record: dict[str, Sums] = field(default_factory=dict)
    """The sums of all games of each player after the last ranking."""
    last: Last = field(default_factory=dict)
    """The last games of each player after the last ranking."""
    before: Last | None = None
    """The last games of each player in counted tournaments; None: they aren't read yet."""
    week_ago: Rated = field(default_factory=dict)
    """The ratings and places of a week before ``today``, if they are known."""
    today: int = -1
    """The day of the last ranking, in days since 1970."""
    ranked: int = -1
    ranked_at: float = -inf
    """The time of the last ranking, of the keeper's clock."""
    ranking: DeferredLock = field(default_factory=DeferredLock)
    """The number of games in the last ranking."""
    current: str | None = None
    """The tournament that is played now."""

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def state(self) -> str:
        return self.row.state


def games_of(cup: Cup) -> Iterator[tuple[CupGame, list[str]]]:
    """Yield the games that were played in a tournament with the names of their players."""
    for number in cup.order:
        game = cup.games[number]
        if game.scores is None or game.how == ABSENT or not any(game.scores):
            continue
        entries = [cup.entries[each] for each in game.seats]
        names = [MARK + each.level if each.level else each.name for each in entries]
        if DELETED not in names and names[0] != names[1]:
            yield game, names


def tally_of(cup: Cup) -> Tally:
    """Return the sums of the games that were played in a tournament."""
    found: Tally = {}
    for game, names in games_of(cup):
        _add(found, game, names)
    return found


def _add(found: Tally, game: CupGame, names: list[str]) -> None:
    score = (game.scores or ())[names[0] > names[1]]
    pair = min(names), max(names)
    more = Sums(int(score > 0.5), int(score == 0.5), int(score < 0.5), 1)
    found[pair] = found.get(pair, Sums()).plus(more)


def _note(found: Last, game: CupGame, names: list[str]) -> None:
    for seat, (name, score) in enumerate(zip(names, game.scores or (), strict=True)):
        played = Played(names[1 - seat], seat, score, game.how, game.match)
        found.setdefault(name, deque(maxlen=LAST)).append(played)


def losses_of(cup: Cup) -> Losses:
    """Return the reasons for which players lost their games in a tournament."""
    found: Losses = {}
    for game in cup.games.values():
        if game.scores is None:
            continue
        for number, score in zip(game.seats, game.scores, strict=True):
            entry = cup.entries[number]
            if score == 0 and entry.level is None:
                reasons = found.setdefault(entry.name, {})
                reasons[game.how] = reasons.get(game.how, 0) + 1
    return found


class Keeper:
    """Keeps the series whose tournaments ``follower`` has.

    ``call_off`` ends the match in a room of that name. ``opened`` is called with each series whose
    next tournament players can enter now, or that is over.
    """

    def __init__(
        self,
        log: Stored[SeriesTables],
        tournaments: Stored[TournamentTables],
        follower: Follower,
        clock: IReactorTime,
        call_off: Callable[[str], object],
    ) -> None:
        self._log, self._tournaments, self._follower = log, tournaments, follower
        self._clock, self._call_off = clock, call_off
        self.opened: Callable[[Known], object] = lambda known: None
        self.series: dict[str, Known] = {}
        self._cooperator = Cooperator(scheduler=lambda work: clock.callLater(0, work), started=True)
        self._working: Deferred[None] | None = None
        self._again = self._is_stopping = False
        self._looking = LoopingCall(self.look)
        self._looking.clock = clock

    def start(self) -> None:
        """Begin to look at all series."""
        self._follower.changed.append(self._changed)
        self._looking.start(EVERY)

    async def stop(self) -> None:
        """Make and count nothing more."""
        self._is_stopping = True
        if self._looking.running:
            self._looking.stop()
        self._cooperator.stop()
        if self._working is not None:
            await self._working

    def has(self, tournament: str) -> bool:
        """Return whether a tournament belongs to a series."""
        return any(tournament in known.tournaments for known in self.series.values())

    def _changed(self, followed: Followed) -> None:
        if followed.cup.phase == "over" and any(
            not counted
            for known in self.series.values()
            for tournament, (_, counted) in known.tournaments.items()
            if tournament == followed.id
        ):
            self.look()

    def look(self) -> None:
        """Look at all series; if a look is running, repeat it afterwards."""
        if self._is_stopping:
            return
        if self._working is not None:
            self._again = True
            return
        self._working = Deferred.fromCoroutine(self._look())
        self._working.addBoth(self._looked)

    def _looked(self, failure: object) -> None:
        self._working = None
        if isinstance(failure, Failure) and not failure.check(*_ENDS):
            _log.failure("series paused: {why}", failure, why=failure.getErrorMessage())
        if self._again and not self._is_stopping:
            self._again = False
            self._clock.callLater(0, self.look)

    async def _look(self) -> None:
        rows = await self._log.ask(SeriesTables.all)
        for series in set(self.series).difference(row.id for row in rows):
            del self.series[series]
        for row in rows:
            known = self.series.get(row.id)
            if known is None or known.row != row:
                known = await self.read(row)
            if self._follower.decides and not self._is_stopping:
                await self._advance(known)

    async def read(self, row: SeriesRow) -> Known:
        """Read a series, and return it."""
        before, ask = self.series.get(row.id), self._log.ask
        known = self.series[row.id] = Known(
            row,
            load_series(json.loads(row.plan)),
            {player.name: player for player in await ask(SeriesTables.players, row.id)},
            await ask(SeriesTables.tournaments, row.id),
            await ask(SeriesTables.pairs, row.id),
        )
        if before is not None:
            known.estimates, known.current = before.estimates, before.current
            known.against, known.record = before.against, before.record
            known.last, known.before = before.last, before.before
        return known

    async def get(self, series: str) -> Known:
        """Return a series; read it if it isn't in memory. Raises NoSuchSeries."""
        known = self.series.get(series)
        if known is None:
            rows = await self._log.ask(SeriesTables.all)
            row = next((row for row in rows if row.id == series), None)
            if row is None:
                raise NoSuchSeries(f"there is no series {series!a:.40}")
            known = await self.read(row)
        return known

    # Steps

    async def _advance(self, known: Known) -> None:
        now = self._follower.utc()
        waits = False
        slot = known.plan.slot(known.id, now) if known.state == "open" else None
        for tournament, (_, counted) in list(known.tournaments.items()):
            if counted:
                continue
            followed = await self._followed(tournament)
            if followed is None:
                if slot is not None and slot.tournament != tournament:
                    await self._count(known, tournament, None)  # it was never made
                continue
            is_day = slot is not None and slot.kind == "day" and tournament != slot.tournament
            if is_day and followed.cup.phase != "over" and not followed.cup.plan.is_arena:
                await self._end(followed)
            if followed.cup.phase == "over":
                await self._count(known, tournament, followed.cup)
            else:
                waits = waits or slot is None or tournament != slot.tournament
                if known.current != tournament:  # after a restart, players wait for it
                    known.current = tournament
                    self.opened(known)
        if known.state == "open" and known.plan.ends is not None and now >= known.plan.ends:
            await self.change(known, "frozen", known.plan)
            return
        if waits or known.state == "over":
            return
        if known.state == "frozen":
            await self._open_final(known)
        elif slot is not None:
            await self._open(known, slot)

    async def _followed(self, tournament: str) -> Followed | None:
        try:
            return await self._follower.get(tournament)
        except NoSuchTournament:
            return None

    async def _end(self, followed: Followed) -> None:
        await self._follower.append(followed.id, lambda cup: ["over", "time"])
        for game in followed.cup.open.values():
            self._call_off(room_of(followed.id, game))

    async def _count(self, known: Known, tournament: str, cup: Cup | None) -> None:
        tally, losses = ({}, {}) if cup is None else (tally_of(cup), losses_of(cup))
        if tally:
            known.ranked_at = -inf
            await self.rank(known)
        rated, day = places_of(known) if tally else {}, int(self._follower.utc() // DAY)
        count = SeriesTables.count
        await self._log.ask(count, known.id, tournament, tally, losses, rated, day)
        if known.current == tournament:
            known.current = None
        if cup is not None and known.before is not None:
            for game, names in games_of(cup):
                _note(known.before, game, names)
        await self._read_again(known)

    async def _read_again(self, known: Known) -> None:
        ask = self._log.ask
        players = await ask(SeriesTables.players, known.id)
        known.players = {player.name: player for player in players}
        known.tournaments = await ask(SeriesTables.tournaments, known.id)
        known.tally = await ask(SeriesTables.pairs, known.id)

    async def change(self, known: Known, state: str, plan: SeriesPlan) -> None:
        """Save another state and plan of a series."""
        text = json.dumps(plan.dump())
        await self._log.ask(SeriesTables.change, known.id, state, text)
        known.row, known.plan = known.row._replace(state=state, plan=text), plan
        if state != "open" and known.current is not None:
            followed = await self._followed(known.current)
            if followed is not None and followed.cup.phase != "over":
                await self._end(followed)
            known.current = None
        if state == "over":
            self.opened(known)

    async def _open(self, known: Known, slot: Slot) -> None:
        if slot.tournament in known.tournaments and known.tournaments[slot.tournament][1]:
            return  # it was short
        plan = known.plan
        cup: dict[str, object] = {
            "name": f"{plan.name}, {slot.tournament}"[:40], "system": "arena", "game": plan.game,
            "options": dict(plan.options), "clock": plan.clock.fields(),
            "begins": utc_text(slot.begins), "ends": utc_text(slot.ends), "group": plan.group,
        }  # fmt: skip
        names: list[str] = []
        if slot.kind == "day":  # without people, levels would keep the processors busy
            numbers = range(1, len(plan.levels) + 1)
            cup["skip"] = [list(pair) for pair in combinations(numbers, 2)]
        else:
            names = await self._night_players(known, slot)
            if len(names) < 2:
                return
            swiss = plan.night == "swiss" or len(names) > MOST_PLAYERS["round-robin"]
            if swiss and find_spec("py4swiss") is None:
                names, swiss = names[: MOST_PLAYERS["round-robin"]], False
            del cup["ends"]
            cup |= {"system": "swiss" if swiss else "round-robin", "games": plan.games, "rest": 0}
            names = names[: MOST_PLAYERS["swiss" if swiss else "round-robin"]]
            if not swiss:
                pairs = self._played_enough(known, names)
                if len(pairs) == len(names) * (len(names) - 1) // 2:
                    return
                cup["skip"] = [list(pair) for pair in pairs]
        await self._make(known, slot, cup, names)

    async def _night_players(self, known: Known, slot: Slot) -> list[str]:
        """Return the players of the arena before a night, with the most games first."""
        day = await self._followed(slot.tournament.removesuffix("n"))
        if day is None:
            return []
        games: dict[str, int] = {}
        for (one, other), sums in tally_of(day.cup).items():
            for name in (one, other):
                games[name] = games.get(name, 0) + sums.games
        people = [name for name in games if name in known.players]
        people.sort(key=lambda name: (-games[name], name))
        return [*(MARK + level for level in known.plan.levels), *people] if people else []

    def _played_enough(self, known: Known, names: list[str]) -> list[tuple[int, int]]:
        """Return the pairs, by their numbers from 1, that needn't play again at night."""
        found = []
        for nth, one in enumerate(names):
            for number, other in enumerate(names[:nth]):
                sums = known.tally.get((min(one, other), max(one, other)), Sums())
                both_levels = one.startswith(MARK) and other.startswith(MARK)
                if both_levels or sums.fresh >= known.plan.enough:
                    found.append((number + 1, nth + 1))
        return found

    async def _open_final(self, known: Known) -> None:
        """Make the next round of the finals, or end the series."""
        known.ranked_at = -inf
        await self.rank(known)
        most, there = known.plan.most, set(known.players)
        near = [
            pair
            for pair in unseparated(known.estimates)
            if known.tally.get((min(pair), max(pair)), Sums()).games < most
            and all(name in there or name.startswith(MARK) for name in pair)
        ]
        names = list(dict.fromkeys(name for pair in near for name in pair))
        names = names[: MOST_PLAYERS["round-robin"]]
        finals = [each for each, (kind, _) in known.tournaments.items() if kind == "final"]
        if len(names) < 2 or await self._was_deserted(finals):
            await self.change(known, "over", known.plan)
            return
        number = {name: nth for nth, name in enumerate(names, 1)}
        wanted = {frozenset((number[a], number[b])) for a, b in near if a in number and b in number}
        skip = [
            [one, other]
            for other in range(1, len(names) + 1)
            for one in range(1, other)
            if frozenset((one, other)) not in wanted
        ]
        plan, now = known.plan, self._follower.utc()
        slot = Slot(f"{known.id}-f{len(finals) + 1}", "final", now, inf)
        cup = {
            "name": f"{plan.name}, final {len(finals) + 1}"[:40], "system": "round-robin",
            "game": plan.game, "options": dict(plan.options), "clock": plan.clock.fields(),
            "begins": utc_text(now + 1), "games": min(20, 2 * plan.games), "skip": skip, "rest": 0,
        }  # fmt: skip
        await self._make(known, slot, cup, names)

    async def _was_deserted(self, finals: list[str]) -> bool:
        """Return whether no game was played in the last final: another one would decide nothing."""
        last = await self._followed(finals[-1]) if finals else None
        return last is not None and not tally_of(last.cup)

    async def _make(
        self, known: Known, slot: Slot, plan: dict[str, object], names: Iterable[str]
    ) -> None:
        """Make a tournament with its first players, in one transaction."""
        tournament, levels = slot.tournament, known.plan.levels
        await self._log.ask(SeriesTables.open_tournament, known.id, tournament, slot.kind)
        known.tournaments.setdefault(tournament, (slot.kind, False))
        entrants = list(names) or [MARK + level for level in levels]
        followed = await self._followed(tournament)
        if followed is None:
            now = round(self._follower.utc() * 1000)
            cup = Cup(load_plan(plan))
            lines = list(_entered(known, entrants))
            row = Row(
                tournament, cup.phase, now, json.dumps(cup.plan.dump()),
                json.dumps(head_of(tournament, cup), ensure_ascii=False), "", self._follower.lobby,
            )  # fmt: skip
            after = cup.fold(lines)
            head = json.dumps(head_of(tournament, after), ensure_ascii=False)
            new = [NewLine(now, line, after.phase, head) for line in lines]
            await self._tournaments.ask(TournamentTables.fill, row, new)
            if not new:
                await self._tournaments.ask(TournamentTables.make, row)
            await self._follower.catch_up(tournament)
        known.current = tournament
        self.opened(known)

    # Standings

    def removed(self, name: str) -> None:
        """Forget a removed account. The database has none of its rows by then."""
        for known in self.series.values():
            known.week_ago.pop(name, None)
            if known.players.pop(name, None) is not None:
                known.tally = {pair: its for pair, its in known.tally.items() if name not in pair}
                known.before, known.ranked, known.ranked_at = None, -1, -inf

    async def curve(self, known: Known, name: str) -> Curve:
        """Return the ratings of a player by day."""
        return await self._log.ask(SeriesTables.curve, known.id, name)

    async def rank(self, known: Known) -> None:
        """Find the ratings of all players, unless that was done a moment ago.

        Everyone can ask for them, and the work grows with the games of a day.
        """
        await known.ranking.run(lambda: Deferred.fromCoroutine(self._rank(known)))

    async def _rank(self, known: Known) -> None:
        if self._clock.seconds() < known.ranked_at + RANKED_FOR:
            return
        today = int(self._follower.utc() // DAY)
        if known.today != today:
            known.week_ago = await self._log.ask(SeriesTables.rated, known.id, today - WEEK)
            known.today = today
        if known.before is None:
            known.before = await self._last_counted(known)
        tally, cups = dict(known.tally), []
        for tournament, (_, counted) in known.tournaments.items():
            followed = None if counted else self._follower.known.get(tournament)
            cups += [] if followed is None else [followed.cup]
        last = {name: deque(each, LAST) for name, each in known.before.items()}
        await self._cooperate(_adding(cups, tally, last, known.players))
        games = sum(sums.games for sums in tally.values())
        known.ranked_at = self._clock.seconds()
        if games == known.ranked:
            return
        marks = {MARK + level: rating for level, rating in known.plan.marks().items()}
        before = {name: each.rating for name, each in known.estimates.items()}
        ranking = Ranking(tally, marks, before)
        against, record = dict[str, dict[str, Sums]](), dict[str, Sums]()
        await self._cooperate(chain(ranking.steps(), _turning(tally, against, record)))
        known.estimates, known.ranked = ranking.estimates, games
        known.against, known.record, known.last = against, record, last

    async def _cooperate(self, work: Iterator[None]) -> None:
        await self._cooperator.cooperate(work).whenDone()

    async def _last_counted(self, known: Known) -> Last:
        """Return the last games of the last two tournaments that are counted."""
        found: Last = {}
        counted = [each for each, (_, is_counted) in known.tournaments.items() if is_counted]
        for tournament in counted[-2:]:
            followed = await self._followed(tournament)
            if followed is not None:
                await self._cooperate(_adding([followed.cup], {}, found, known.players))
        return found


def places_of(known: Known) -> Rated:
    """Return the ratings and places of the players who have games, the best first."""
    names = [name for name in known.estimates if name in known.players]
    names.sort(key=lambda name: (-known.estimates[name].rating, name))
    return {name: (round(known.estimates[name].rating), n) for n, name in enumerate(names, 1)}


def _adding(cups: list[Cup], tally: Tally, last: Last, there: Container[str]) -> Iterator[None]:
    """Add the games among levels and present players, some in each step."""
    for cup in cups:
        for number, (game, names) in enumerate(games_of(cup)):
            if all(name in there or name.startswith(MARK) for name in names):
                _add(tally, game, names)
                _note(last, game, names)
            if number % SLICE == 0:
                yield


def _turning(
    tally: Tally, against: dict[str, dict[str, Sums]], record: dict[str, Sums]
) -> Iterator[None]:
    """Sort sums by players, and add them up for each, some in each step."""
    for number, ((one, other), sums) in enumerate(tally.items()):
        for name, met, theirs in ((one, other, sums), (other, one, sums.turned())):
            against.setdefault(name, {})[met] = theirs
            record[name] = record.get(name, Sums()).plus(theirs)
        if number % SLICE == 0:
            yield


def _entered(known: Known, names: Iterable[str]) -> Iterator[Line]:
    """Yield the lines with which players and levels enter a tournament."""
    computers = chain([COMPUTER], (f"{COMPUTER} {number}" for number in count(2)))
    for name in names:
        estimate = known.estimates.get(name)
        rating = None if estimate is None else round(estimate.rating)
        if name.startswith(MARK):
            yield ["entered", next(computers), rating, name.removeprefix(MARK)]
        else:
            yield ["entered", name, rating, None]

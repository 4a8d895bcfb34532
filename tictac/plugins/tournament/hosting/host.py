"""Run the tournaments of a server: count outcomes, add lines, and make the rooms of due games.

Only the active process has a host. If the active process changes, both hosts can decide the same
line for a moment. The database accepts the first one, and the other host then reads it (follower).
The host looks at all tournaments every second, and soon after each event. For each tournament, the
order is:

1. Count the outcomes of finished games: add their lines, and delete the outcomes.
2. Decide lines (deciding.decide), until none follows.
3. Make the rooms of due games.

Example: a room closes. The host reads the outcome from the database, adds the line ``ended``, pairs
the next round, and makes its rooms. If the process stops between these steps, the next process
continues, because each step depends only on the database.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from random import Random

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.errors import ArchiveAway, Refusal
from tictac.game import Game
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended, Position
from tictac.lobby.record import SOONEST
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Play, Terms
from tictac.logs import LIMITED
from tictac.plugins.tournament.cup import Cup, CupGame, Line
from tictac.plugins.tournament.deciding import beginning, decide, filling, is_slow
from tictac.plugins.tournament.hosting.due_games import Elsewhere
from tictac.plugins.tournament.hosting.follower import COMMAND, Followed, Follower
from tictac.plugins.tournament.hosting.pairing_process import Pairer
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.plugins.tournament.view import computers_json, decided_json, room_of
from tictac.storage.store import StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

EVERY = 1.0
"""Seconds between two looks at all tournaments."""

SOON = 0.05
"""Seconds from the end of a room until the host reads its outcome."""

AGAIN = 5.0
"""Seconds until the host makes a new room for a game whose room closed without an outcome."""

LULL = 10.0
"""Seconds after which a free player of an arena doesn't wait for more free players."""

AT_ONCE = 20
"""Maximum rooms that the host makes in one turn of the reactor."""

THINK_AGAIN = 10.0
"""Seconds until the host repeats a failed pairing."""

FEW = 3600.0
"""Seconds after the planned beginning for which a tournament waits for more players."""

FORGOTTEN = 7 * 86_400.0
"""Seconds without a new line after which an open tournament ends."""


class Host:
    """Decides and plays the tournaments of ``follower`` that belong to this process.

    Games are rooms of ``registry``. ``pair`` decides the lines that take long. ``soon`` is the
    number of seconds from the end of a room until the host reads its outcome. ``lull`` is the
    number of seconds for which a free player of an arena waits for more free players.
    """

    def __init__(
        self,
        log: Stored[TournamentTables],
        follower: Follower,
        registry: Registry,
        pair: Pairer,
        clock: IReactorTime,
        rng: Random,
    ) -> None:
        self.soon, self.lull = SOON, LULL
        self.may_begin: Callable[[CupGame], bool] = lambda game: True
        """Returns whether the host can make the room of a due game now."""
        self.log, self.follower, self._registry = log, follower, registry
        self._pair, self._clock, self._rng = pair, clock, rng
        self._elsewhere = Elsewhere(follower, registry)
        self._started = 0.0
        self._seen: dict[str, float] = {}
        self._rooms: dict[str, Room] = {}
        self._refused: set[str] = set()
        self._thoughts: dict[str, tuple[int, Line | None]] = {}
        self._working: Deferred[None] | None = None
        self._again = self._is_away = self._is_stopping = False
        self._soon: IDelayedCall | None = None
        self._looking = LoopingCall(self.look)
        self._looking.clock = clock

    def start(self) -> None:
        """Begin to decide tournaments."""
        self._started = self.follower.utc()
        self._registry.observers.append(self)
        self._looking.start(EVERY)

    async def stop(self) -> None:
        """Decide nothing more."""
        self._is_stopping = True
        if self._looking.running:
            self._looking.stop()
        if self._soon is not None and self._soon.active():
            self._soon.cancel()
        if self._working is not None:
            await self._working

    def running(self) -> list[Followed]:
        """Return the tournaments that are being played."""
        return [each for each in self.follower.running() if each.cup.phase == "running"]

    # lobby.interfaces.RoomObserver

    def room_opened(self, name: str, terms: Terms) -> None:
        """Note the room of a game."""
        if terms.play is not None:
            self._seen[name] = self._clock.seconds()
            self._note(name)

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Read the outcome of a game soon, or later make a new room without an outcome."""
        if name not in self._seen or self._is_stopping:
            return
        if ended.ending == "closed":
            del self._seen[name]
        else:
            self._seen[name] = self._clock.seconds()
        self.look_soon()

    def look_soon(self) -> None:
        """Look at all tournaments in a moment, because something has changed."""
        if not self._is_stopping and (self._soon is None or not self._soon.active()):
            self._soon = self._clock.callLater(self.soon, self.look)

    # Looking

    def look(self) -> None:
        """Look at all tournaments; if a look is running, repeat it afterwards."""
        if self._is_stopping:
            return
        if self._working is not None:
            self._again = True
            return
        self._working = Deferred.fromCoroutine(self._look())
        self._working.addBoth(self._looked)

    def _looked(self, failure: object) -> None:
        self._working = None
        if isinstance(failure, Failure):
            if not self._is_away and not failure.check(StoreClosedError, StoreAwayError):
                why = failure.getErrorMessage()
                _log.failure("tournaments paused: {why}", failure, why=why)
            self._is_away = True
        elif self._is_away:
            self._is_away = False
            _log.info("tournaments continue")
        if self._again:
            self._again = False
            self.look_soon()

    async def _look(self) -> None:
        await self.follower.look()
        for followed in self.follower.running_here():
            if not self._is_stopping and self._has_work(followed):
                await self._advance(followed)

    def _has_work(self, followed: Followed) -> bool:
        cup, begins = followed.cup, followed.cup.plan.begins
        if cup.phase == "running":
            return True
        now = self.follower.utc()
        return now >= begins if begins is not None else now >= followed.at + FORGOTTEN

    async def _advance(self, followed: Followed) -> None:
        """Take the three steps for one tournament: outcomes, lines, and rooms."""
        tournament = followed.id
        await self._count(followed)
        while not self._is_stopping:
            line = self._next_line(followed)
            if line is None:
                break
            # Use the returned object, because a reload can have replaced the old one.
            followed = await self.follower.append(
                tournament, partial(_unless_changed, followed.cup.lines, line)
            )
            if line[0] == "over":
                self._finish(followed)
            elif line[0] == "ended":  # a player's account was removed, perhaps in the room
                room = room_of(tournament, followed.cup.games[line[1]])
                self._registry.call_off(room, "closed", decided_json("withdrew", line[2]))
        self._make_rooms(followed)

    async def _count(self, followed: Followed) -> None:
        if not followed.cup.open:
            return
        for outcome in await self.log.ask(TournamentTables.outcomes, followed.id):
            line = ["ended", outcome.game, json.loads(outcome.scores), outcome.how, outcome.match]
            name = f"{followed.id}.{outcome.game}"
            if (room := self._rooms.pop(name, None)) is not None:
                line += [{}, room.moves]
            try:
                await self.follower.append(followed.id, partial(_always, line), outcome.game)
            except ArchiveAway:
                raise
            except Refusal:  # the game is counted already, or can never be counted
                await self.log.ask(TournamentTables.drop, followed.id, outcome.game)
            self._registry.call_off(name, "closed")  # a new room from before the outcome came
            self._seen.pop(name, None)

    def _next_line(self, followed: Followed) -> Line | None:
        cup, plan, now = followed.cup, followed.cup.plan, self.follower.utc()
        if cup.phase == "open":
            return self._line_before(followed, now)
        is_time_up = plan.ends is not None and now >= plan.ends
        # If the time of day was set back, it is before ``ended``. The rest then ends at once.
        rests = bool(cup.round) and not plan.pairs_ahead
        is_resting = rests and 0 <= now - followed.ended < plan.rest
        if is_slow(cup):
            line = self._slow_line(followed)  # while the players rest
            return None if is_resting else line
        elsewhere = self._elsewhere.players(followed) if plan.is_arena else ()
        is_closed = followed.is_closed(now)
        lulls = partial(self._lulls, followed, now)
        line = decide(cup, is_time_up, lulls, elsewhere, is_closed)
        begins_round = line is not None and line[0] == "paired" and line[1] > cup.round
        if begins_round and is_resting and not plan.is_arena:
            return None
        return line

    def _lulls(self, followed: Followed, now: float, line: int) -> float:
        """Return how many lulls have passed since a line was added."""
        waited = now - followed.added_at[line - 1]
        return waited / self.lull if waited >= 0 else inf  # the time of day was set back

    def _slow_line(self, followed: Followed) -> Line | None:
        """Return the line from ``pair`` for the current state; None until it arrives."""
        tournament, lines = followed.id, followed.cup.lines
        if self._thoughts.get(tournament, (-1, None))[0] != lines:
            self._thoughts[tournament] = lines, None
            asked = maybeDeferred(self._pair, followed.cup)
            asked.addCallbacks(self._thought, self._not_thought, (followed, lines), {}, (followed,))
        return self._thoughts[tournament][1]

    def _thought(self, line: Line | None, followed: Followed, lines: int) -> None:
        if self._thoughts.get(followed.id, (-1, None))[0] == lines:
            self._thoughts[followed.id] = lines, line
            self.look_soon()

    def _not_thought(self, failure: Failure, followed: Followed) -> None:
        if followed.id not in self._refused:
            self._refused.add(followed.id)
            why = failure.getErrorMessage()
            _log.error("tournament {tournament} paused: {why}", tournament=followed.id, why=why)
        if not self._is_stopping:
            self._clock.callLater(THINK_AGAIN, self._thoughts.pop, followed.id, None)

    def _line_before(self, followed: Followed, now: float) -> Line | None:
        """Return the line that begins an open tournament, or that ends it; None if it waits."""
        cup, begins = followed.cup, followed.cup.plan.begins
        if begins is None:
            return ["over", "abandoned"] if now >= followed.at + FORGOTTEN else None
        if now < begins:
            return None
        if filled := filling(cup):
            return filled
        if len(cup.available) >= max(2, cup.plan.seats):
            return beginning(cup, self._rng.getrandbits(32), now)
        # An arena takes players until its end.
        return ["over", "few"] if now >= (cup.plan.ends or begins + FEW) else None

    def _make_rooms(self, followed: Followed) -> None:
        """Make the missing rooms of due games."""
        cup, now, made = followed.cup, self._clock.seconds(), 0
        if cup.phase != "running":
            return
        for game in cup.due():
            name = room_of(followed.id, game)
            if self._registry.has_room(name):
                self._seen[name] = now
                self._note(name)
            elif made == AT_ONCE:
                self.look_soon()  # so that no move waits for a hundred rooms
                return
            elif now >= self._seen.get(name, -AGAIN) + AGAIN and self._may_begin(followed, game):
                self._seen[name] = now
                self._open(followed, game, name)
                made += 1

    def _note(self, name: str) -> None:
        """Keep the room of a game, which has the number of its moves when it is closed."""
        if (room := self._registry.room(name)) is not None:
            self._rooms[name] = room

    def _may_begin(self, followed: Followed, game: CupGame) -> bool:
        return self._elsewhere.game(followed, game) is None and self.may_begin(game)

    def _grace(self, followed: Followed, game: CupGame) -> float:
        """Return the seconds for which a room waits, minus its wait in an earlier process."""
        grace, due = followed.cup.plan.grace, self._elsewhere.playable_at(followed, game)
        if due >= self._started or followed.owner == COMMAND:
            return grace
        return min(grace, max(SOONEST, due + grace - self.follower.utc()))

    def _open(self, followed: Followed, game: CupGame, name: str) -> None:
        cup = followed.cup
        levels = tuple([cup.entries[number].level for number in game.seats])
        grace = self._grace(followed, game)
        names, known = cup.names(game), computers_json(cup).get("computers", {})
        called: dict[str, str] = cup.called(names)
        if any(levels) and not game_type_of(cup.plan.game).roles:
            called |= {name: known[name]["name"] for name in names if name in known}
        by_seat = tuple(map(called.get, names)) if called else ()
        play = Play(followed.id, game.number, game.round, names, levels, grace, by_seat)
        terms = terms_of(cup, play)
        try:
            self._registry.convene(name, terms, start_of(cup, game, terms.game))
        except Refusal as refusal:
            _log.error("room {room!r} can't be made: {why}", room=name, why=refusal)

    def _finish(self, followed: Followed) -> None:
        """Delete the state of a finished tournament's rooms."""
        prefix = f"{followed.id}."
        for name in [name for name in self._seen if name.startswith(prefix)]:
            del self._seen[name]
            self._rooms.pop(name, None)
        self._thoughts.pop(followed.id, None)


def _always(line: Line, _: Cup) -> Line:
    return line


def _unless_changed(lines: int, line: Line, cup: Cup) -> Line | None:
    """Return the line if the tournament still has the number of lines for which it was decided."""
    return line if cup.lines == lines else None


def start_of(cup: Cup, game: CupGame, rules: Game[Position]) -> Position:
    """Return the position after a game's deal and its opening. Raises Refusal."""
    rng = Random(cup.deal_of(game))
    position = rules.start(len(game.seats), rng)
    for move in cup.opening_of(game):
        position = rules.play(position, move, rng).position
    return position


def terms_of(cup: Cup, play: Play) -> Terms:
    """Return the terms of a game's room, without a clock if only computers play."""
    terms = replace(cup.plan.terms(), play=play)
    if all(play.levels):
        return replace(terms, time=None, move_timeout=0)
    return terms

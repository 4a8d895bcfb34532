"""The runner of a tournament: begins the games that are due, and saves their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from tictac.errors import SetupError
from tictac.game import Game
from tictac.lobby.events import Ended, Position
from tictac.plugins.tournament.plan import ABSENT, Fault, Pairing, Played, fault_of_loser
from tictac.plugins.tournament.running.contestants import (
    Command,
    Computer,
    Contestant,
    Missing,
    WaitingArea,
)
from tictac.plugins.tournament.running.file import TournamentFile, as_line
from tictac.plugins.tournament.running.rooms import TournamentRooms, WaitingPlayer
from tictac.plugins.tournament.tournament import Tournament
from tictac.protocols.lobby.json_view import points

LOOKED_AT = 200
"""Maximum of due games that are searched for accounts which are present."""

ResultCallback = Callable[[Played], object]
"""Called with each finished game."""

Make = Callable[[str, int, Pairing], Contestant]
"""Returns a player by name, for a seat of a game."""


@dataclass
class Under:
    """A running game: its players, and the name of its room."""

    pairing: Pairing
    contestants: Sequence[Contestant] = field(default_factory=list)
    room: str = ""


class Runner:
    """The runner of a ``tournament``, whose results go to ``file``.

    ``make`` makes contestants. Up to ``jobs`` games with a program on this machine run at a time.
    ``accounts`` are the players who come into the ``waiting_area`` themselves. A game waits up to
    ``patience`` seconds for an absent account while the other players are free.
    """

    def __init__(
        self,
        reactor: Any,
        tournament: Tournament,
        file: TournamentFile,
        seating: TournamentRooms,
        make: Make,
        jobs: int = 1,
        accounts: Sequence[str] = (),
        patience: float = 600.0,
        utc: Callable[[], float] = time.time,
        defer: Callable[..., Deferred[None]] = deferToThread,
    ) -> None:
        self.tournament = tournament
        self.under: dict[int, Under] = {}
        self.waiting_area = WaitingArea(frozenset(accounts), self._changed)
        self._report: ResultCallback = lambda played: None
        self._ended: Deferred[None] | None = None
        self._reactor, self._file, self._seating, self._make = reactor, file, seating, make
        self._jobs, self._patience, self._utc, self._defer = jobs, patience, utc, defer
        self._accounts = frozenset(accounts)
        self._due_since: dict[int, float] = {}
        self._over: Deferred[None] = Deferred()
        self._look_again: Any = None
        self._bots: set[Command] = set()
        self._stopped = False
        file.trouble = self.fail

    async def run(self, shown: AbstractContextManager[ResultCallback]) -> bool:
        """Play until the tournament ends or is stopped; return whether it ended.

        The runner calls the function that ``shown`` gives after each game. Raises SetupError if
        results can't be saved.
        """
        self._ended = Deferred()
        try:
            with shown as self._report:
                self._look()
                await self._over
                await DeferredList([bot.done for bot in self._bots if bot.done is not None])
                await self._file.written()
        finally:
            self._ended.callback(None)
        return not self._stopped

    def stop(self) -> Deferred[None] | None:
        """Stop without saving running games; return a Deferred that fires when all have ended."""
        self._stopped = True
        if self._look_again is not None and self._look_again.active():
            self._look_again.cancel()
        for bot in self._bots:
            bot.kill()
        self._finish()
        return self._ended

    # Games that begin

    def _changed(self) -> None:
        if not self._stopped:
            self._reactor.callLater(0, self._look)

    def _look(self) -> None:
        """Begin the games that can begin; finish if the tournament is over."""
        if self._stopped or self._over.called:
            return
        now, again = self._utc(), None
        free = self._jobs - sum(self._runs_here(each.pairing) for each in self.under.values())
        most = LOOKED_AT if self._accounts else free
        busy = {name for each in self.under.values() for name in each.pairing.seats}
        away = self._accounts - busy - self.waiting_area.waiting.keys()
        running = {number: each.pairing for number, each in self.under.items()}
        for pairing in self.tournament.due(running, now, most, away) if most > 0 else ():
            if self._runs_here(pairing) and free <= 0:
                continue
            theirs = self._accounts.intersection(pairing.seats)
            if theirs & busy:
                continue
            missing = theirs & away
            since = self._due_since.setdefault(pairing.number, now)
            if missing and now < since + self._patience:
                again = min(again or since + self._patience, since + self._patience)
                continue
            free -= self._runs_here(pairing)
            busy.update(theirs)
            self._begin(pairing, missing)
        if not self.under:
            ends = self.tournament.plan.ends
            if self.tournament.over({}, now):
                self._reactor.callLater(0, self._finish)
            elif ends is not None:
                again = min(again or ends, ends)
        if again is not None:
            self._look_later(max(0.0, again - now))

    def _look_later(self, seconds: float) -> None:
        if self._look_again is not None and self._look_again.active():
            self._look_again.cancel()
        self._look_again = self._reactor.callLater(seconds, self._look)

    def _runs_here(self, pairing: Pairing) -> bool:
        return not self._accounts.issuperset(pairing.seats)

    def _finish(self) -> None:
        if not self._over.called:
            self._over.callback(None)

    def _failed(self, failure: Failure) -> None:
        self.fail(failure.value or RuntimeError())

    def fail(self, error: BaseException) -> None:
        """End the tournament with ``error``."""
        if not self._over.called:
            self._over.errback(error)
        self.stop()

    # A game

    def _begin(self, pairing: Pairing, missing: frozenset[str]) -> None:
        self.under[pairing.number] = Under(pairing)
        self._due_since.pop(pairing.number, None)
        playing = Deferred.fromCoroutine(self._play(self.under[pairing.number], missing))
        playing.addErrback(self._failed)

    async def _play(self, under: Under, missing: frozenset[str]) -> None:
        pairing = under.pairing
        try:
            if missing:
                absent = {name: Fault(ABSENT, "hasn't come") for name in missing}
                played = _without(pairing, absent)
            else:
                under.contestants = [
                    self._make(name, seat, pairing) for seat, name in enumerate(pairing.seats)
                ]
                self._bots.update(each for each in under.contestants if isinstance(each, Command))
                played = await self._match(under)
        finally:
            for each in under.contestants:
                self._end(each)
        if self._stopped:
            return
        del self.under[pairing.number]
        self.tournament.note(played)
        self._file.add(as_line(played), self._defer)
        self._report(played)
        self._look()

    def _end(self, contestant: Contestant) -> None:
        contestant.end()
        if isinstance(contestant, Command) and contestant.done is not None:
            contestant.done.addCallback(lambda _: self._bots.discard(contestant))

    async def _match(self, under: Under) -> Played:
        """Play a game; return its result."""
        contestants = under.contestants
        come = await DeferredList([each.arrive() for each in contestants], consumeErrors=True)
        faults: dict[str, Fault] = {}
        guests: list[WaitingPlayer] = []
        for each, (_, guest) in zip(contestants, come, strict=True):
            if isinstance(guest, Failure):
                faults[each.name] = _missing(guest)
            else:
                guests.append(guest)
        for each in contestants:
            if each.name not in faults and each.is_gone():
                left = Fault(ABSENT, "has gone before the match began")
                faults[each.name] = await each.fault() or left
        if faults:
            return _without(under.pairing, faults)
        under.room = self._seating.name_of(under.pairing.number)
        start = start_of(self._seating.terms.game, under.pairing)
        clock = not all(isinstance(each, Computer) for each in contestants)
        ended = await self._seating.seat(under.room, guests, start, clock)
        for seat, each in enumerate(contestants):
            if seat != ended.seat and (fault := await each.fault()):
                faults[each.name] = fault
        return _ended(under.pairing, ended, faults)


def start_of(game: Game[Position], pairing: Pairing) -> Position:
    """Return the position after a game's deal and opening. Raise Refusal for an illegal move."""
    rng = Random(pairing.deal)
    position = game.start(len(pairing.seats), rng)
    for move in pairing.opening:
        position = game.play(position, move, rng).position
    return position


def _missing(failure: Failure) -> Fault:
    failure.trap(Missing)
    return cast(Missing, failure.value).fault


def _without(pairing: Pairing, faults: Mapping[str, Fault]) -> Played:
    """Return a game that was not played: the players with ``faults`` lost it."""
    scores = tuple(float(name not in faults) for name in pairing.seats)
    return Played(pairing, scores, next(iter(faults.values())).how, faults=faults)


def _ended(pairing: Pairing, ended: Ended, faults: Mapping[str, Fault]) -> Played:
    scores = points(ended, len(pairing.seats))
    if scores is None:
        raise SetupError(f"the room of game {pairing.number} was closed")
    lost = [
        faults[name].how
        for name, score in zip(pairing.seats, scores, strict=True)
        if name in faults and score < 1
    ]
    how = lost[0] if lost and ended.ending not in ("won", "drawn", "agreed") else ended.ending
    faults = faults or fault_of_loser(pairing.seats, scores, how)
    return Played(pairing, tuple(scores), how, ended.match or None, faults)

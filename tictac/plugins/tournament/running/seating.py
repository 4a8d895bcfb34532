"""The games of `tictac tournament`: seat programs in their rooms, and add the ends of games."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from tictac.lobby.events import Ended
from tictac.lobby.journal import Outcome, outcome_of
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Play, Terms
from tictac.plugins.tournament.cup import CupGame, Line
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.plan import ABSENT, Fault, fault_of_loser
from tictac.plugins.tournament.refusals import AlreadyCounted, TournamentOver
from tictac.plugins.tournament.running.contestants import Command, Contestant, Missing
from tictac.plugins.tournament.running.roles import WaitingPlayer
from tictac.plugins.tournament.view import decided_json
from tictac.reactor import Work

Make = Callable[[Terms, int], Contestant]
"""Returns the program for a seat in a game with the given terms."""

AGREED = "won", "drawn", "agreed"
"""Endings without a fault of a player."""


@dataclass
class Board:
    """A running game: its room, and its programs by their seats."""

    play: Play
    room: Room
    programs: Mapping[int, Contestant]
    ended: Deferred[Ended] = field(default_factory=Deferred)


class Boards:
    """The games of one ``tournament`` in ``registry`` (lobby.interfaces.RoomObserver).

    ``make`` makes the players in ``programs``; other players connect to the server. Up to ``jobs``
    games with a program run at a time. ``failed`` is called with the Failure of an unexpected
    error.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        registry: Registry,
        follower: Follower,
        tournament: str,
        make: Make,
        programs: frozenset[str],
        jobs: int,
        failed: Callable[[BaseException], object],
    ) -> None:
        self.playing: dict[int, Board] = {}
        self._reactor, self._registry, self._follower = reactor, registry, follower
        self._id, self._make, self._programs, self._jobs = tournament, make, programs, jobs
        self._failed = failed
        self._commands: set[Command] = set()
        self._stopped = False

    def stop(self) -> None:
        """Kill all commands, and add no more ends of games."""
        self._stopped = True
        for command in self._commands:
            command.kill()

    def ended(self) -> Deferred[list[tuple[bool, None]]]:
        """Return a Deferred that fires when the commands of finished games have ended."""
        return DeferredList([each.done for each in self._commands if each.done is not None])

    def may_begin(self, game: CupGame) -> bool:
        """Return whether the host can make the room of a game now (host.Host.may_begin)."""
        cup = self._follower.known[self._id].cup
        is_free = self._jobs > sum(bool(each.programs) for each in self.playing.values())
        return is_free or self._programs.isdisjoint(cup.names(game))

    # RoomObserver

    def room_opened(self, name: str, terms: Terms) -> None:
        """Bring the programs to the room of a game."""
        play, room = terms.play, self._registry.room(name)
        if play is None or play.tournament != self._id or room is None or self._stopped:
            return
        programs = {
            seat: self._make(terms, seat)
            for seat, player in enumerate(play.names)
            if player in self._programs
        }
        self._commands.update(each for each in programs.values() if isinstance(each, Command))
        board = self.playing[play.game] = Board(play, room, programs)
        self._run(self._play(board))

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Note the end of a game."""
        tournament, _, number = name.rpartition(".")
        board = self.playing.get(int(number)) if tournament == self._id else None
        if board is not None and not board.ended.called:
            # Later, so that the registry sends the end to the players first.
            self._reactor.callLater(0, board.ended.callback, ended)

    # A game

    def _run(self, work: Work[None]) -> None:
        Deferred.fromCoroutine(work).addErrback(self._has_failed)

    def _has_failed(self, failure: Failure) -> None:
        if not self._stopped:
            self._failed(failure.value or RuntimeError())

    async def _play(self, board: Board) -> None:
        try:
            line = await self._end_of(board)
        finally:
            for each in board.programs.values():
                each.end()
                if isinstance(each, Command) and each.done is not None:
                    each.done.addCallback(partial(self._gone, each))
        if line is not None and not self._stopped:
            await self._add_line(line)
            # Close the room only now: for a game without a line, the host would make a new room.
            decided = decided_json("withdrew", line[2])
            self._registry.call_off(board.room.name, "closed", decided)
        if self.playing.get(board.play.game) is board:
            del self.playing[board.play.game]

    def _gone(self, command: Command, _: None) -> None:
        self._commands.discard(command)

    async def _add_line(self, line: Line) -> None:
        # The sequential test can have ended the tournament, or an admin can have set the result.
        with suppress(AlreadyCounted, TournamentOver):
            await self._follower.append(self._id, lambda _: line)

    async def _end_of(self, board: Board) -> Line | None:
        """Seat the programs, and return the line of the game's end; None without an end."""
        faults = await self._seat(board)
        if faults:
            return _without(board.play, faults)
        ended = await board.ended
        outcome = outcome_of(board.room, ended.match or None)
        for seat, each in board.programs.items():
            if seat != ended.seat and (fault := await each.fault()):
                faults[each.name] = fault
        return None if outcome is None else _ended(board.play, outcome, faults)

    async def _seat(self, board: Board) -> dict[str, Fault]:
        """Wait for all programs, and seat them; return the faults of missing programs."""
        programs, room = board.programs.values(), board.room.name
        come = await DeferredList([each.arrive() for each in programs], consumeErrors=True)
        faults: dict[str, Fault] = {}
        players: list[WaitingPlayer] = []
        for each, (_, player) in zip(programs, come, strict=True):
            if isinstance(player, Failure):
                faults[each.name] = _missing(player)
            elif each.is_gone():
                left = Fault(ABSENT, "disconnected before the match began")
                faults[each.name] = await each.fault() or left
            else:
                players.append(player)
        if not faults:
            for player in players:
                occupant = player.take_seat(room)
                self._registry.join(occupant, room, "PLAYER", seated_by=board.play.tournament)
        return faults


def _missing(failure: Failure) -> Fault:
    failure.trap(Missing)
    assert isinstance(failure.value, Missing)
    return failure.value.fault


def _ended_line(
    play: Play, scores: Sequence[float], how: str, match: str | None, faults: Mapping[str, Fault]
) -> Line:
    named = [{name: list(fault) for name, fault in faults.items()}] if faults else []
    return ["ended", play.game, list(scores), how, match, *named]


def _without(play: Play, faults: Mapping[str, Fault]) -> Line:
    """Return the line for an unplayed game, which the players with ``faults`` lost."""
    scores = [float(name not in faults) for name in play.names]
    return _ended_line(play, scores, next(iter(faults.values())).how, None, faults)


def _ended(play: Play, outcome: Outcome, faults: Mapping[str, Fault]) -> Line:
    scores: list[float] = json.loads(outcome.scores)
    lost = [
        faults[name].how
        for name, score in zip(play.names, scores, strict=True)
        if name in faults and score < 1
    ]
    how = lost[0] if lost and outcome.how not in AGREED else outcome.how
    faults = faults or fault_of_loser(play.names, scores, how)
    return _ended_line(play, scores, how, outcome.match, faults)

"""Games of Clue side by side: who waits for one, and the running of each.

Source: clue.md, "Server". Whatever takes long is given to ``run``, away from the reactor: the
players of the server, and the looking for where a roll leads.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.workers import WorkersStoppedError
from tictac.clue import wire
from tictac.clue.board import Board
from tictac.clue.cards import SEATS, deal
from tictac.clue.events import Answer, Dropped, Event, Message, Over, Rolled, Told
from tictac.clue.game import Game
from tictac.clue.mini import MiniGame
from tictac.clue.player import Hears
from tictac.clue.players import make_player
from tictac.clue.rules import options
from tictac.clue.table import MAX_ROUNDS, Table
from tictac.errors import NotAMove

_log = Logger()

Run = Callable[..., Deferred[Any]]
"""Calls a function with arguments somewhere else."""


class NetworkSeat(Protocol):
    """A connection that plays."""

    def sit(self, match: Match, seat: int) -> None: ...
    def tell(self, messages: Sequence[Message]) -> None: ...
    def await_answer(self) -> None: ...
    def next_line(self) -> bytes | None: ...
    def expel(self, why: str) -> None: ...
    def finish(self) -> None: ...


class _Computer:
    """A player of the server: hears what it is told, a batch at a time."""

    def __init__(self, player: Hears) -> None:
        self.player = player
        self.unheard: list[Message] = []
        self.busy = False


def _hear(player: Hears, messages: Sequence[Message]) -> Answer | None:
    """The answer to the last of these messages that asks for one."""
    answer: Answer | None = None
    for message in messages:
        said = player.hear(message)
        answer = answer if said is None else said
    return answer


class Match:
    """A game with its seats. ``ended`` is told how it ended, in one word, once.

    Events are carried out in their order, and what comes of that after them.
    """

    def __init__(
        self,
        game: Table,
        network: dict[int, NetworkSeat],
        players: dict[int, Hears],
        run: Run,
        ended: Callable[[Match, str], None],
    ) -> None:
        self._game = game
        self._network = network
        self._computers = {seat: _Computer(player) for seat, player in players.items()}
        self._run = run
        self._ended: Callable[[Match, str], None] | None = ended
        self._waiting: deque[Sequence[Event]] = deque()
        self._working = False
        self._looking = False

    def start(self) -> None:
        """Seat everybody and begin."""
        for seat, connection in self._network.items():
            connection.sit(self, seat)
        self._apply(self._game.start())

    def go_on(self) -> None:
        """Something may have come that is waited for."""
        self._apply([])

    def leave(self, seat: int) -> None:
        """A network seat has gone, whatever the reason."""
        if self._network.pop(seat, None) is None or self._ended is None:
            return
        if self._network:
            self._apply(self._game.drop(seat))
        else:
            self._end("abandoned")

    def close(self) -> None:
        """The server stops."""
        self._end("closed")

    # Carrying out

    def _apply(self, events: Sequence[Event]) -> None:
        if events:
            self._waiting.append(events)
        if self._working:
            return
        self._working = True
        try:
            while self._ended is not None and (self._waiting or self._take_line()):
                if self._waiting:
                    self._carry_out(self._waiting.popleft())
        finally:
            self._working = False

    def _carry_out(self, events: Sequence[Event]) -> None:
        told: dict[int, list[Message]] = {}
        for event in events:
            if isinstance(event, Told):
                told.setdefault(event.seat, []).append(event.message)
        for seat, messages in told.items():
            self._tell(seat, messages)
        for event in events:
            if isinstance(event, Dropped):
                self._expel(event)
            elif isinstance(event, Over):
                self._end(event.how)

    def _tell(self, seat: int, messages: list[Message]) -> None:
        if seat in self._computers:
            computer = self._computers[seat]
            computer.unheard += messages
            self._think(seat, computer)
        elif seat in self._network:
            connection = self._network[seat]
            connection.tell(messages)
            due = self._game.due
            if due is not None and due.seat == seat:
                connection.await_answer()
                if isinstance(messages[-1], Rolled):
                    self._look(seat, messages[-1].steps)

    def _expel(self, dropped: Dropped) -> None:
        connection = self._network.pop(dropped.seat, None)
        if connection is not None:
            connection.expel(dropped.why)
        if not self._network:
            self._end("abandoned")

    def _take_line(self) -> bool:
        """Take the answer of a network seat, if one is due and there."""
        due = self._game.due
        if due is None or self._looking or due.seat not in self._network:
            return False
        line = self._network[due.seat].next_line()
        if line is None:
            return False
        try:
            answer = wire.read_answer(due.asked, line)
        except NotAMove as refusal:
            self._waiting.append([Dropped(due.seat, str(refusal)), *self._game.drop(due.seat)])
        else:
            self._waiting.append(self._game.answer(due.seat, answer))
        return True

    def _end(self, how: str) -> None:
        ended, self._ended = self._ended, None
        if ended is None:
            return
        network, self._network = self._network, {}
        for connection in network.values():
            connection.finish()
        ended(self, how)

    # Elsewhere

    def _look(self, seat: int, steps: int) -> None:
        """Find where a roll leads before the move comes: the rules remember it."""
        self._looking = True
        looking = self._run(options, self._game.board, self._game.state, seat, steps)
        looking.addErrback(self._failed, None).addCallback(self._looked)

    def _looked(self, _: object) -> None:
        self._looking = False
        self.go_on()

    def _think(self, seat: int, computer: _Computer) -> None:
        if computer.busy or not computer.unheard or self._ended is None:
            return
        computer.busy = True
        messages, computer.unheard = computer.unheard, []
        thinking = self._run(_hear, computer.player, messages)
        thinking.addCallback(self._thought, seat)
        thinking.addErrback(self._failed, seat)

    def _thought(self, answer: Answer | None, seat: int) -> None:
        computer = self._computers[seat]
        computer.busy = False
        due = self._game.due
        if answer is not None and due is not None and due.seat == seat:
            self._apply(self._game.answer(seat, answer))
        self._think(seat, computer)

    def _failed(self, failure: Failure, seat: int | None) -> None:
        if failure.check(WorkersStoppedError):
            return
        _log.failure("clue: a player of the server failed", failure)
        if seat is not None and self._ended is not None:
            del self._computers[seat]
            self._apply(self._game.drop(seat))


@dataclass(frozen=True, slots=True)
class Settings:
    """What every game is like.

    ``players`` are the names of the server's own, for the seats after ``humans``; with
    ``mini`` neither counts. ``seed`` None: no two runs are alike.
    """

    board: Board
    humans: int = 1
    players: Sequence[str] = ("random",) * 5
    mini: bool = False
    seed: int | None = None
    max_rounds: int = MAX_ROUNDS


class Lobby:
    """Those who wait for a game, and the games that go on.

    ``counts`` are the games that have ended, by a word: ``won``, ``all out``, ``rounds``,
    ``abandoned`` (no network seat was left), ``closed`` (by the server's stop).
    """

    def __init__(self, settings: Settings, run: Run) -> None:
        self.counts: Counter[str] = Counter()
        self._settings = settings
        self._run = run
        self._waiting: list[NetworkSeat] = []
        self._matches: set[Match] = set()
        self._numbers = count(1)
        self._closed = False

    @property
    def running(self) -> int:
        """How many games go on."""
        return len(self._matches)

    def open(self) -> None:
        """Take whoever comes, from now on."""
        self._closed = False

    def enter(self, connection: NetworkSeat) -> None:
        """Somebody has given a name."""
        if self._closed:
            connection.finish()
            return
        self._waiting.append(connection)
        if len(self._waiting) >= (1 if self._settings.mini else self._settings.humans):
            waiting, self._waiting = self._waiting, []
            self._begin(waiting)

    def leave(self, connection: NetworkSeat) -> None:
        """Somebody who waited has gone."""
        if connection in self._waiting:
            self._waiting.remove(connection)

    def finish(self) -> None:
        """Begin no more games: who waits for one is sent away."""
        self._closed = True
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.finish()

    def close(self) -> None:
        """End every game."""
        self.finish()
        for match in list(self._matches):
            match.close()

    def _begin(self, waiting: list[NetworkSeat]) -> None:
        settings, number = self._settings, next(self._numbers)
        dice = self._dice(number)
        game: Table
        if settings.mini:
            game = MiniGame(settings.board, dice, settings.max_rounds)
            network, players = {game.token: waiting[0]}, dict[int, Hears]()
        else:
            game = Game(settings.board, deal(dice), dice, settings.max_rounds)
            network = dict(enumerate(waiting))
            seats = range(len(waiting), SEATS)
            players = {
                seat: make_player(name, settings.board, self._dice(number, seat))
                for seat, name in zip(seats, settings.players, strict=True)
            }
        match = Match(game, network, players, self._run, self._note_end)
        self._matches.add(match)
        match.start()

    def _dice(self, *of: int) -> Random:
        """Dice for the n-th game, or for a seat in it."""
        seed = self._settings.seed
        return Random() if seed is None else Random(" ".join(map(str, (seed, *of))))

    def _note_end(self, match: Match, how: str) -> None:
        self._matches.discard(match)
        self.counts[how] += 1

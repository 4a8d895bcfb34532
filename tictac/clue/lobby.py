"""Games of Clue side by side: who waits for one, and which go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Protocol

from tictac.clue.board import Board
from tictac.clue.cards import SEATS, deal
from tictac.clue.game import Game
from tictac.clue.hosting import Match, Seat
from tictac.clue.mini import MiniGame
from tictac.clue.table import MAX_ROUNDS, Table
from tictac.clue.thinking import ComputerSeat, Thinker


class NetworkSeat(Seat, Protocol):
    """A connection. ``place`` is where it comes from."""

    @property
    def place(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """What every game is like.

    ``players`` are the names of the server's own, for the seats after ``humans``; with
    ``mini`` neither counts. ``seed`` None: no two runs are alike.
    """

    board: Board
    humans: int
    players: Sequence[str]
    mini: bool = False
    seed: int | None = None
    max_rounds: int = MAX_ROUNDS

    @property
    def computers(self) -> int:
        """How many seats of a game the server plays itself."""
        return 0 if self.mini else len(self.players)


class Lobby:
    """Those who wait for a game, and the games that go on.

    ``counts`` are the games that have ended, by the word of hosting.Match.
    """

    def __init__(self, settings: Settings, thinker: Thinker) -> None:
        self.counts: Counter[str] = Counter()
        self._settings = settings
        self._thinker = thinker
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
        if len(self._waiting) == (1 if self._settings.mini else self._settings.humans):
            waiting, self._waiting = self._waiting, []
            self._begin(waiting)

    def leave(self, connection: NetworkSeat) -> None:
        """Somebody who waited, if so, has gone."""
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

    def _begin(self, waiting: Sequence[NetworkSeat]) -> None:
        number = next(self._numbers)
        if self._settings.mini:
            game, seats = self._mini_game(number, waiting[0])
        else:
            game, seats = self._full_game(number, waiting)
        people = [seat for seat, player in seats.items() if player in waiting]
        match = Match(number, game, seats, people, self._note_end)
        self._matches.add(match)
        match.start()

    def _mini_game(self, number: int, connection: NetworkSeat) -> tuple[Table, dict[int, Seat]]:
        game = MiniGame(self._settings.board, Random(self._seed(number)), self._settings.max_rounds)
        return game, {game.token: connection}

    def _full_game(
        self, number: int, waiting: Sequence[NetworkSeat]
    ) -> tuple[Table, dict[int, Seat]]:
        settings, dice = self._settings, Random(self._seed(number))
        seats: dict[int, Seat] = dict(enumerate(waiting))
        # Whoever opens many games has them thought about in one line.
        line = waiting[0].place
        free = range(len(waiting), SEATS)
        for seat, kind in zip(free, settings.players, strict=True):
            seed = self._seed(number, seat)
            seats[seat] = ComputerSeat(self._thinker, settings.board, kind, seed, line)
        return Game(settings.board, deal(dice), dice, settings.max_rounds), seats

    def _seed(self, *of: int) -> str:
        """The seed of the n-th game, or of a seat in it."""
        seed = self._settings.seed
        return " ".join(map(str, (Random().getrandbits(64) if seed is None else seed, *of)))

    def _note_end(self, match: Match, how: str) -> None:
        self._matches.discard(match)
        self.counts[how] += 1

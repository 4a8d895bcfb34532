"""Matches of two computers to watch, over HTTP, for visitors of an empty lobby.

A show is a position, and no room: no list, journal, archive, or tournament knows it. It has no
timer. Each read continues it by at most one move, and by none if the last move is younger than
``PAUSE``. So a show that no visitor reads costs nothing, and a thousand readers cost as much as
one. Only levels that find their move at once play, so that a show never takes the turn of a
player's question in the engine processes.

Source: docs/reference/api.md, "Paths".
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from random import Random

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IReactorTime

from tictac.archive.match import to_json
from tictac.game import GameType, time_is_up
from tictac.games.all import GAMES
from tictac.plugins.people.refusals import NoShow
from tictac.plugins.web.api import Document

PAUSE = 2.5
"""Seconds from a move to the next one."""

REST = 8.0
"""Seconds from the end of a match to the next one."""

FORGOTTEN = 60.0
"""Seconds without a reader until another game can take the place of a show."""

MOST_MOVES = 400
"""Moves after which a match ends."""


class Shows:
    """Answers ``/api/shows`` (web.api.ApiPart). Up to ``most`` games have a show at a time."""

    def __init__(self, clock: IReactorTime, rng: Random, most: int) -> None:
        self._clock, self._rng, self._most = clock, rng, most
        self._shows: dict[str, _Show] = {}

    def answer(self, path: Sequence[str], given: Mapping[str, str]) -> Deferred[Document]:
        """Return the match of a game, or null. Fails with NoShow if there is no such game."""
        name, now = path[0] if path else "", self._clock.seconds()
        show = self._shows.get(name)
        if show is None:
            for other in [each for each in self._shows if self._shows[each].read + FORGOTTEN < now]:
                del self._shows[other]
            game_type = GAMES.get(name)
            levels = _levels_of(game_type)
            if game_type is None:
                return fail(NoShow(f"there is no game {name!r:.40}"))
            if not levels or len(self._shows) >= self._most:
                return succeed(Document(to_json({"show": None}).encode()))
            show = self._shows[name] = _Show(game_type, levels, now, self._rng)
        return succeed(Document(to_json({"show": show.read_at(now)}).encode()))


def _levels_of(game_type: GameType | None) -> list[str]:
    """Return the levels of the two players: the two strongest that find their move at once."""
    if game_type is None or game_type.choose is None or game_type.native:
        return []
    levels = [level for level in game_type.levels if level not in game_type.slow]
    return (2 * levels[-1:] + levels)[-2:] if levels and 2 in game_type.seats else []


class _Show:
    """A match between two computers at ``levels``, which begins ``now``."""

    def __init__(self, game_type: GameType, levels: Sequence[str], now: float, rng: Random) -> None:
        self.read = now
        self._type, self._levels, self._rng = game_type, levels, rng
        self._game = game_type.game()
        self._begin(now)

    def _begin(self, now: float) -> None:
        self._position: object = self._game.start(2, self._rng)
        self._moves, self._changed = 0, now

    def read_at(self, now: float) -> dict[str, object]:
        """Return the match, after a move if it is time for one."""
        self.read, age = now, now - self._changed
        turn = self._game.turn(self._position)
        if turn is None or self._moves >= MOST_MOVES:
            if age >= REST:
                self._begin(now)
        elif age >= PAUSE:
            assert self._type.choose is not None
            stop = time_is_up(time.monotonic, 0)
            move = self._type.choose(
                self._game, self._position, self._levels[turn], stop, self._rng
            )
            self._position = self._game.play(self._position, move, self._rng).position
            self._moves, self._changed = self._moves + 1, now
        result = self._game.result(self._position)
        return {
            "game": self._type.name, "options": self._type.values({}), "levels": self._levels,
            "position": self._game.view(self._position, None), "moves": self._moves,
            "turn": self._game.turn(self._position),
            "winner": None if result is None else result.winner,
        }  # fmt: skip

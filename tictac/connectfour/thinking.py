"""The computer's moves, found by processes (worker.py) so that the reactor needn't."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from twisted.internet.defer import Deferred

from tictac.connectfour import worker
from tictac.games.connectfour.rules import Move, Position, Rules
from tictac.net.processes import Language, Processes, Worker, spawn

LANGUAGE = Language(worker.__name__, worker.answer)


class Thinkers(Processes[Move]):
    """Processes that choose moves (opponent.py)."""

    def __init__(
        self,
        reactor: Any,
        size: int,
        most_waiting: int = 0,
        spawn: Callable[[Any, Worker[Move]], None] = spawn,
    ) -> None:
        super().__init__(reactor, size, LANGUAGE, spawn, most_waiting)

    def think(
        self, rules: Rules, position: Position, seconds: float, line: Hashable = None
    ) -> Deferred[Move]:
        """A move for the side to move, after ``seconds`` of thinking, less if it is clear.

        For the rest see :meth:`~tictac.net.processes.Processes.ask`.
        """
        return self.ask(worker.ask(rules, position, seconds), seconds, line)

"""What processes (worker.py) find in any game, so that the reactor need not: moves, judgements."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from twisted.internet.defer import Deferred

from tictac import worker
from tictac.net.processes import Language, Processes, Worker, spawn
from tictac.worker import Case, Question

LANGUAGE = Language(worker.__name__, worker.answer)


class Thinkers(Processes[str]):
    """Processes that choose moves and judge matches, in any game."""

    def __init__(
        self,
        reactor: Any,
        size: int,
        most_waiting: int = 0,
        spawn: Callable[[Any, Worker[str]], None] = spawn,
    ) -> None:
        super().__init__(reactor, size, LANGUAGE, spawn, most_waiting)

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """A move for the side to move; for the rest see Processes.ask (net/processes.py)."""
        return self.ask(question.line(), question.seconds, line)

    def judge(self, case: Case) -> Deferred[str]:
        """The judgement of a match, as text (judging.dump); cancelling gives it up."""
        # All of them are one line: who plays doesn't wait behind many who look back.
        return self.ask(case.line(), case.seconds * len(case.moves), Case)

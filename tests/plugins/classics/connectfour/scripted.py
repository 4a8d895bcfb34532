"""A computer player that plays from a script, for tests and transcripts (computer.Engine)."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from twisted.internet.defer import Deferred

from tictac.engines.worker import Question


class Asked(NamedTuple):
    """A move that was asked for: the arguments of :meth:`Scripted.think`."""

    question: Question
    line: Hashable


class Scripted:
    """Makes ``moves``, texts, one after the other, whoever asks.

    An exception among them it fails with.
    With ``waits`` it thinks until :meth:`answer` is called. ``asked`` is what it was asked
    for, ``given_up`` how often the question was cancelled.
    """

    def __init__(self, moves: Iterable[str | Exception], waits: bool = False) -> None:
        self.asked: list[Asked] = []
        self.given_up = 0
        self._moves = iter(moves)
        self._waits = waits
        self._waiting: deque[Deferred[str]] = deque()

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """Return the next move of the script (computer.Engine)."""
        self.asked.append(Asked(question, line))
        thinking: Deferred[str] = Deferred(self._give_up)
        self._waiting.append(thinking)
        if not self._waits:
            self.answer()
        return thinking

    def answer(self) -> None:
        """Answer whoever has waited longest."""
        thinking, move = self._waiting.popleft(), next(self._moves)
        if isinstance(move, Exception):
            thinking.errback(move)
        else:
            thinking.callback(move)

    def _give_up(self, thinking: Deferred[str]) -> None:
        self._waiting.remove(thinking)
        self.given_up += 1

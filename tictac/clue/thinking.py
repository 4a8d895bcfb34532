"""Seats of the server's own players, who think in processes (worker.py)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.clue import worker
from tictac.clue.board import Board
from tictac.clue.events import Message
from tictac.clue.hosting import Match
from tictac.clue.worker import Question, Thought
from tictac.errors import CannotThink, TooManyQuestions
from tictac.logs import LIMITED
from tictac.net.processes import Language, Processes, ProcessesStoppedError, Worker, spawn

_log = Logger(observer=LIMITED)

SECONDS = 1.0
"""What a decision may take; it takes half of it at the most."""

LANGUAGE = Language(worker.__name__, worker.answer)


class Thinker(Protocol):
    """Whoever thinks for the players."""

    def think(self, question: Question, line: Hashable = None) -> Deferred[Thought]:
        """The answer; ``line`` is whose question it is, and may be cancelled."""


class Thinkers(Processes[Thought]):
    """Processes in which players think."""

    def __init__(
        self,
        reactor: Any,
        size: int,
        most_waiting: int = 0,
        spawn: Callable[[Any, Worker[Thought]], None] = spawn,
    ) -> None:
        super().__init__(reactor, size, LANGUAGE, spawn, most_waiting)

    def think(self, question: Question, line: Hashable = None) -> Deferred[Thought]:
        """See :class:`Thinker`."""
        return self.ask(worker.ask(question), SECONDS, line)


class ComputerSeat:
    """A player of the server at a seat (hosting.Seat).

    What it is told is kept until it has to answer. ``seed`` is that of its dice, ``line`` whose
    game it plays in.
    """

    def __init__(
        self, thinker: Thinker, board: Board, kind: str, seed: str, line: Hashable
    ) -> None:
        self.name = kind
        self._thinker = thinker
        self._rows = board.rows
        self._seed = seed
        self._line = line
        self._kept: str | None = None
        self._told: list[Message] = []
        self._answer: bytes | None = None
        self._thinking: Deferred[Any] | None = None

    def sit(self, match: Match, seat: int) -> None:
        """Take a seat."""
        self._match, self._seat = match, seat

    def tell(self, messages: Sequence[Message]) -> None:
        """Note messages."""
        self._told += messages

    def await_answer(self) -> None:
        """Begin to think about the last message."""
        told, self._told = self._told, []
        question = Question(self._rows, self.name, self._seed, self._kept, told)
        self._thinking = self._thinker.think(question, self._line)
        self._thinking.addCallback(self._thought).addErrback(self._failed)

    def next_line(self) -> bytes | None:
        """The answer, once it is there."""
        line, self._answer = self._answer, None
        return line

    def expel(self) -> None:
        """It has cheated."""
        self.finish()

    def finish(self) -> None:
        """The game is over."""
        if self._thinking is not None:
            self._thinking.cancel()

    def _thought(self, thought: Thought) -> None:
        self._kept, self._answer = thought
        self._match.go_on()

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError, ProcessesStoppedError):
            return
        refusal = failure.value
        if isinstance(refusal, CannotThink | TooManyQuestions):
            self._match.leave(self._seat, refusal.code)
            return
        _log.failure("a player of Clue has no answer", failure)
        self._match.leave(self._seat, "failed")

"""The Connect Four protocol on Twisted: a connection is a game against the computer.

Source: connect-four.md, "The conversation". What arrives is judged when it arrives: while
the computer thinks it is nobody else's turn, and a line is out of step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.connectfour import wire
from tictac.connectfour.wire import Answer, Hello, NewGame, Welcome, Word
from tictac.errors import CannotThink, IllegalMove, TooManyQuestions
from tictac.game import Value
from tictac.games.connectfour.game import KIND, ConnectFour, make, read_move
from tictac.games.connectfour.rules import RED, YELLOW, Move, Outcome, Position, Side
from tictac.logs import LIMITED
from tictac.net.connection import ConnectionFactory, Limits, ServerConnection
from tictac.net.framing import Framing
from tictac.worker import Question

_log = Logger(observer=LIMITED)

FRAMING = Framing(mode="line", max_message=wire.MAX_LINE)

_WINNERS: dict[Side | None, Word] = {RED: wire.WINNER_RED, YELLOW: wire.WINNER_YELLOW}
_ENDINGS: dict[Side | None, str] = {RED: "red", YELLOW: "yellow", None: "drawn"}


class Thinker(Protocol):
    """Whoever finds yellow's moves."""

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """A move for the side to move.

        ``line`` is whose question it is: many of one asker don't keep others waiting.
        Cancelling it gives the question up.
        """


class Games:
    """How many games are under way, and how those that aren't have ended.

    That is one word: ``red`` or ``yellow`` (who has won), ``drawn``, ``left`` (the
    connection was lost), ``closed`` (by the server: a refusal, or its stop) or ``failed``.
    """

    def __init__(self) -> None:
        self.running = 0
        self.counts: Counter[str] = Counter()

    def begun(self) -> None:
        """One more is under way."""
        self.running += 1

    def ended(self, how: str) -> None:
        """One less is."""
        self.running -= 1
        self.counts[how] += 1


class ConnectFourProtocol(ServerConnection):
    """One connection of the protocol, on the server's side. Its peer plays red."""

    factory: ConnectFourFactory

    # What is in step next; None: nothing, since the computer thinks.
    _awaited: type[wire.Request] | None = Hello
    _options: Mapping[str, Value]
    _game: ConnectFour
    _position: Position
    _playing = False
    _thinking: Deferred[Any] | None = None

    # The connection

    def timed_out(self, now: float) -> str | None:
        return None if self._thinking is not None else super().timed_out(now)

    def lineLengthExceeded(self, line: bytes) -> None:
        self.close_for("message-too-long")

    def is_answering(self) -> bool:
        return self._thinking is not None

    def close(self) -> None:
        self._end_game("left" if self.finished else "closed")
        super().close()

    def drop(self) -> None:
        self._end_game("closed")
        super().drop()

    def gone(self) -> None:
        self._end_game("left")

    # Requests

    def lineReceived(self, line: bytes) -> None:
        if not self.pay():
            return
        request = wire.parse_request(line)
        if request is None:
            self.close_for("malformed")
        elif type(request) is not self._awaited:
            self.close_for("out-of-step")
        else:
            self._take(request)

    def _take(self, request: wire.Request) -> None:
        match request:
            case Hello(user):
                self._awaited = NewGame
                self._answer(Welcome(user))
            case NewGame(columns, rows):
                self._begin(columns, rows)
                self._answer(wire.READY)
            case Move():
                self._play(request)

    def _begin(self, columns: int, rows: int) -> None:
        self._awaited = Move
        repetition = self.factory.repetition
        self._options = {"columns": columns, "rows": rows, "pops": True, "repetition": repetition}
        self._game = make(columns, rows, pops=True, repetition=repetition)
        self._position = self._game.rules.initial()
        self._playing = True
        self.factory.games.begun()

    def _play(self, move: Move) -> None:
        try:
            outcome = self._make(move)
        except IllegalMove as refusal:
            self.factory.refusals.note(refusal.code, self.host)
            self._answer(wire.INVALID, wire.READY)
            return
        if outcome is None:
            self._think()
        elif outcome.winner is None:
            self._finish(outcome, wire.OKAY)
        else:
            self._finish(outcome)

    # The computer

    def _think(self) -> None:
        self._awaited = None
        question = Question(
            game=KIND.name,
            options=self._options,
            position=self._game.dump(self._position),
            level="best",
            seconds=self.factory.seconds_a_move,
        )
        thinking = maybeDeferred(self.factory.thinker.think, question, self.host)
        self._thinking = thinking
        thinking.addCallback(self._thought).addErrback(self._failed)

    def _thought(self, text: str) -> None:
        move = read_move(text)
        outcome = self._make(move)
        self._thinking = None
        self.heard = self.factory.seconds()
        if outcome is None:
            self._awaited = Move
            self._answer(wire.OKAY, move, wire.READY)
            self.close_if_answered()
        else:
            self._finish(outcome, wire.OKAY, move)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError):
            return
        self._end_game("failed")
        refusal = failure.value
        if isinstance(refusal, CannotThink | TooManyQuestions):
            self.close_for(refusal.code)
            return
        _log.failure("the computer has no move for {peer}", failure, peer=self.host)
        self.close()

    # The game

    def _make(self, move: Move) -> Outcome | None:
        """Make ``move``, and tell how the game has ended by it. Raises IllegalMove."""
        self._position = self._game.rules.play(self._position, move)
        return self._game.rules.outcome(self._position)

    def _finish(self, outcome: Outcome, *answers: Answer) -> None:
        """Say ``answers`` and who has won, if anybody has, and close."""
        won = outcome.winner is not None
        self._answer(*answers, *([_WINNERS[outcome.winner]] if won else []))
        self._end_game(_ENDINGS[outcome.winner])
        self.close()

    def _end_game(self, how: str) -> None:
        """Count the game, if there still is one, and think about it no longer."""
        if self._playing:
            self._playing = False
            self.factory.games.ended(how)
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.cancel()

    def _answer(self, *answers: Answer) -> None:
        if answers:
            self.outlet.write(wire.format_lines(*answers))


class ConnectFourFactory(ConnectionFactory):
    """What the connections of one listener share: who thinks, how long, and the limits.

    ``thinker`` and ``games`` may serve several listeners. With ``repetition`` a position that
    comes for the third time is a draw (rules.py). For the rest see
    :class:`~tictac.net.connection.ConnectionFactory`.
    """

    def __init__(
        self,
        thinker: Thinker,
        games: Games,
        seconds_a_move: float,
        clock: IReactorTime,
        seconds: Callable[[], float],
        limits: Limits | None = None,
        proxied: bool = False,
        repetition: bool = False,
    ) -> None:
        super().__init__(clock, seconds, FRAMING, limits, proxied)
        self.thinker = thinker
        self.games = games
        self.seconds_a_move = seconds_a_move
        self.repetition = repetition

    def new_connection(self) -> ConnectFourProtocol:
        return ConnectFourProtocol()

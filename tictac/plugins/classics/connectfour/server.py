"""The Connect Four protocol on Twisted: each connection is a game against the computer.

The player and the computer sit in a room of the lobby, which holds the game. This module translates
the room's events into the protocol. Source: connect-four.md, "The conversation". The server
evaluates a line when it arrives; a line that comes while the computer thinks is out of step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random

from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.engines.computer import ComputerOccupant, Engine
from tictac.errors import CannotThink, IllegalMove, TooManyQuestions
from tictac.lobby.events import Began, Ended, Event, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for
from tictac.logs import LIMITED
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.net.framing import Framing
from tictac.plugins.classics.connectfour import wire
from tictac.plugins.classics.connectfour.wire import Answer, Hello, NewGame, Welcome, Word
from tictac.plugins.games.connectfour.game import GAME_TYPE, format_move, read_move
from tictac.plugins.games.connectfour.rules import Move

_log = Logger(observer=LIMITED)

FRAMING = Framing(mode="line", max_message=wire.MAX_LINE)

PROTOCOL = GAME_TYPE.name
"""The protocol that owns the rooms (lobby.room.Terms)."""

_WINNERS: tuple[Word, Word] = (wire.WINNER_RED, wire.WINNER_YELLOW)


class ConnectFourProtocol(ServerConnection):
    """One connection on the server's side (lobby.interfaces.Occupant).

    Its peer plays red.
    """

    factory: ConnectFourFactory
    supports_all_events = False
    whole_events = True
    occupant_id = ""
    user: str | None = None

    # The next line that is in step; None while the computer thinks.
    _awaited: type[wire.Request] | None = Hello
    _playing = False

    # Connection

    def timed_out(self, now: float) -> str | None:
        return None if self.is_answering() else super().timed_out(now)

    def lineLengthExceeded(self, line: bytes) -> None:
        self.close_for("message-too-long")

    def is_answering(self) -> bool:
        return self._awaited is None

    def close(self) -> None:
        self._end_game("left" if self.finished else "closed")
        super().close()

    def drop(self) -> None:
        self._end_game("closed")
        super().drop()

    def disconnected(self) -> None:
        self._end_game("left")

    # Requests

    def lineReceived(self, line: bytes) -> None:
        self.pay()
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
                self._take_seats(columns, rows)
            case Move():
                self.factory.registry.place(self, format_move(request))

    def _take_seats(self, columns: int, rows: int) -> None:
        """Take the first seat of a room, and give the computer the second."""
        factory, registry = self.factory, self.factory.registry
        self.occupant_id = registry.new_occupant_id()
        self.user = f"guest-{self.occupant_id}"
        values = {"columns": columns, "rows": rows, "pops": True, "repetition": False}
        # The connection has its own limit on silence.
        terms = terms_for(GAME_TYPE, values, protocol=PROTOCOL, move_timeout=0)
        computer = ComputerOccupant(
            registry,
            factory.clock,
            factory.rng,
            terms,
            factory.engine,
            delay=0,
            seconds=factory.seconds_a_move,
            line=self.network,
            failed=self._without_answer,
        )
        numbers = factory.numbers
        name = next(n for i in numbers if registry.room(n := f"connect four {i}") is None)
        registry.create(self, name, terms)
        registry.join(computer, name, "PLAYER", seated_by=PROTOCOL)

    # Events

    def receive(self, event: Event) -> None:
        """Send the peer the lines for an event (lobby.interfaces.Occupant)."""
        match event:
            case Began():
                self._playing = True
                self._awaited = Move
                self._answer(wire.READY)
            case Placed(seat=0):
                self._awaited = None
            case Placed(move=move):
                self._awaited = Move
                self.last_message = self.factory.seconds()
                self._answer(wire.OKAY, read_move(move), wire.READY)
                self.close_if_answered()
            case Refused(request="place"):
                self.factory.refusals.note(IllegalMove.code, self.host)
                self._answer(wire.INVALID, wire.READY)
            case Ended(move=str(move), seat=winner):
                self._finish(read_move(move), winner)

    def _finish(self, move: Move, winner: int | None) -> None:
        """Send the last move of the game, and the winner, if there is one."""
        answers: list[Answer] = []
        if self._awaited is None:
            answers = [wire.OKAY, move]
        elif winner is None:
            answers = [wire.OKAY]
        if winner is not None:
            answers.append(_WINNERS[winner])
        self._answer(*answers)
        self._end_game("drawn" if winner is None else ("red", "yellow")[winner])
        self.close()

    def _without_answer(self, failure: Failure) -> None:
        self._end_game("failed")
        refusal = failure.value
        if isinstance(refusal, CannotThink | TooManyQuestions):
            self.close_for(refusal.code)
            return
        _log.failure("the computer has no move for {peer}", failure, peer=self.host)
        self.close()

    def _end_game(self, how: str) -> None:
        """Count the game, if there still is one, and leave the room."""
        if self._playing:
            self._playing = False
            self.factory.games[how] += 1
            self.factory.registry.leave(self, for_good=True)

    def _answer(self, *answers: Answer) -> None:
        self.outlet.write(wire.format_lines(*answers))


@dataclass(eq=False, kw_only=True)
class ConnectFourFactory(ConnectionFactory):
    """The shared objects of one listener's connections: rooms, engine, time, and limits.

    ``games`` counts finished games by one word: ``red`` or ``yellow`` (the winner), ``drawn``,
    ``left`` (the connection was lost), ``closed`` (by the server: a refusal, or its shutdown), or
    ``failed``. ``registry``, ``engine`` and ``games`` can serve several listeners.
    """

    connection = ConnectFourProtocol
    registry: Registry
    engine: Engine
    games: Counter[str]
    seconds_a_move: float
    rng: Random = field(default_factory=Random)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

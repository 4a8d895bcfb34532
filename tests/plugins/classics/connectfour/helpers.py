"""Games of Connect Four and a server without a network, for the tests of all its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from random import Random

from twisted.internet.defer import Deferred, succeed

from tests.helpers import LineCaller, LineServer, TurnClock
from tests.plugins.classics.connectfour.scripted import Scripted
from tictac.engines.computer import Engine
from tictac.engines.worker import Question
from tictac.lobby.registry import Registry
from tictac.net.connection import ConnectionFactory, Limits
from tictac.plugins.classics.connectfour.server import FRAMING, PROTOCOL, ConnectFourFactory
from tictac.plugins.games.connectfour.game import GAME_TYPE, format_move
from tictac.plugins.games.connectfour.rules import DROP, POP, Move
from tictac.testing.server import raise_fault


def moves(text: str) -> list[Move]:
    """Return the moves of ``3 -3 4``: drop in column 3, pop from it, drop in column 4."""
    columns = [int(word) for word in text.split()]
    return [Move(DROP, column) if column > 0 else Move(POP, -column) for column in columns]


def texts(text: str) -> list[str]:
    """Return the moves of ``3 -3 4`` as texts of the game."""
    return [format_move(move) for move in moves(text)]


def said(text: str) -> list[str]:
    """Return the moves of ``3 -3 4`` as lines of the protocol."""
    return [str(move) for move in moves(text)]


# Games by what red and yellow do, in turns.
RED_WINS = ("3 3 3 3", "4 4 4")
YELLOW_WINS = ("1 1 7 7", "2 2 2 2")
RED_GIVES_IT_AWAY = ("1 7 7 6 -1", "2 1 3 4")
"""The pop of red's own makes yellow the winner."""
YELLOW_GIVES_IT_AWAY = ("2 1 3 4", "1 7 7 -1")
"""The other way round."""
DRAWN_BY_YELLOW = ("1 -1 1 -1", "2 -2 2 -2")
"""The empty board for the third time, which is a draw where that option is on."""
DRAWN_BY_RED = ("4 1 -1 1 -1", "5 -5 5 -5")
"""The position after red's first move for the third time."""


class RandomThinker:
    """Answers with any legal move, at once (computer.Engine)."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        """Pick a random move."""
        game = GAME_TYPE.game(question.options)
        return succeed(self._rng.choice(game.moves(game.load(question.position))))


class Server(LineServer):
    """A Connect Four server whose ``engine`` is scripted, by text as for :func:`moves`."""

    def __init__(
        self,
        script: str | Iterable[str | Exception] | Engine = "",
        waits: bool = False,
        limits: Limits | None = None,
        seconds_a_move: float = 1.0,
        registry: Registry | None = None,
    ) -> None:
        self.clock = TurnClock()
        self.games: Counter[str] = Counter()
        self.registry = registry or Registry(0, self.clock.seconds, raise_fault, rng=Random(1))
        if isinstance(script, str):
            script = texts(script)
        self.scripted = Scripted(script if isinstance(script, Iterable) else [], waits)
        self.factory = ConnectFourFactory(
            self.clock,
            self.clock.seconds,
            FRAMING,
            limits or Limits(),
            registry=self.registry,
            engine=self.scripted if isinstance(script, Iterable) else script,
            games=self.games,
            seconds_a_move=seconds_a_move,
        )

    @property
    def running(self) -> int:
        """How many games are under way."""
        return self.registry.running(PROTOCOL)

    def connect(self) -> Caller:
        return Caller(self.factory)

    def play(self, size: str = "") -> Caller:
        """Open a connection, and begin a game."""
        caller = self.connect()
        assert caller.ask("I32CFSP_HELLO boo", f"AI_GAME{size}") == ["WELCOME boo", "READY"]
        return caller


class Caller(LineCaller):
    """The other side of a connection of a :class:`Server`."""

    def __init__(self, factory: ConnectionFactory) -> None:
        super().__init__(factory, "\r\n")

    @property
    def closed(self) -> bool:
        """Whether the server has closed the connection: softly, so that all still leaves."""
        assert not self.transport.disconnected
        return bool(self.transport.disconnecting)


def hint(columns: int = 7) -> str:
    """Return the hint on what can be typed."""
    return (
        f"(a column from 1 to {columns} to drop,"
        " POP and a column to pop your piece at its bottom, or QUIT)\n"
    )


EXAMPLE = """\
> I32CFSP_HELLO boo
< WELCOME boo
> AI_GAME
< READY
> DROP 3
< OKAY
< DROP 4
< READY
> DROP 8
< INVALID
< READY
> DROP 3
< OKAY
< DROP 4
< READY
> DROP 3
< OKAY
< DROP 4
< READY
> DROP 3
< WINNER_RED
"""
"""Of connect-four.md."""

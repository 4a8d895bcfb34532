"""A Clue server without a network, and its callers."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from twisted.internet.defer import Deferred, fail, succeed

from tests.helpers import LineCaller, LineServer, TurnClock
from tests.plugins.clue.helpers import BOARD, Hears
from tictac.engines import worker
from tictac.engines.worker import Question
from tictac.errors import CannotThink
from tictac.lobby.registry import Registry
from tictac.net.connection import ConnectionFactory, Limits
from tictac.plugins.clue.game.messages import Message
from tictac.plugins.clue.game.opponent import Newcomer
from tictac.plugins.clue.game.position import Answer
from tictac.plugins.clue.matchmaking import ClueMatches
from tictac.plugins.clue.server import ClueFactory
from tictac.plugins.clue.settings import ClueOptions
from tictac.plugins.clue.wire import read_message
from tictac.testing.server import raise_fault

LIMITS = Limits(login_timeout=60, idle_timeout=120, budget=0)


class ThinksHere:
    """Answers at once, without a process (computer.Engine); ``broken`` fails instead."""

    broken = False

    def think(self, question: Question, line: Hashable = None) -> Deferred[str]:
        if self.broken:
            return fail(CannotThink())
        thought = worker.think(worker.line_of(question), lambda: False, lambda: 0.0, Random(1))
        return succeed(worker.answer(thought))


class Server(LineServer):
    """A Clue server without a network or threads."""

    def __init__(
        self,
        humans: int = 1,
        player: str = "sensible",
        mini: bool = False,
        rounds: int = 500,
        chosen: ClueOptions | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        self.clock = TurnClock()
        if chosen is None:
            chosen = ClueOptions(
                clue_humans=humans, clue_players=(player,) * (6 - humans), clue_seed=1,
                clue_max_rounds=rounds, clue_mini=mini,
            )  # fmt: skip
        self.engine = ThinksHere()
        self.registry = Registry(0, self.clock.seconds, raise_fault, rng=Random(1))
        self.seating = ClueMatches(self.registry, chosen, self.clock, self.engine)
        self.factory = ClueFactory(
            self.clock,
            self.clock.seconds,
            limits=limits or Limits(),
            seating=self.seating,
            pairs=not chosen.clue_mini,
        )

    def connect(self, name: str | None = "boo") -> Caller:
        """Open a connection, and send its name unless that is None."""
        caller = Caller(self.factory)
        if name is not None:
            caller.send(name)
        return caller


class Caller(LineCaller):
    """The other side of a connection; ``player`` answers for it in :func:`play`."""

    def __init__(self, factory: ConnectionFactory) -> None:
        super().__init__(factory)
        self.player: Hears = Newcomer("sensible", BOARD, Random(5))
        self.heard: list[Message] = []
        self.got: list[str] = []
        self.sent: list[str] = []

    def send(self, *pieces: str | bytes) -> None:
        self.sent += [line if isinstance(line, str) else line.decode("latin-1") for line in pieces]
        super().send(*pieces)

    def step(self) -> Answer | None:
        """Read the messages; return the answer to them, without sending it."""
        new = self.read()
        self.got += new
        lines = [line.encode() for line in new]
        answer: Answer | None = None
        for name, data in zip(lines[::2], lines[1::2], strict=True):
            message = read_message(name, data)
            self.heard.append(message)
            said = self.player.respond(message)
            answer = answer if said is None else said
        return answer

    @property
    def closed(self) -> bool:
        """Whether the server has closed it."""
        return bool(self.transport.disconnecting or self.transport.disconnected)

"""The Connect Four server as a part: its options, what runs while it does, its end."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.logs import log, texts
from tests.plugins.classics.connectfour.helpers import texts as texts_of
from tests.plugins.classics.connectfour.scripted import Scripted
from tictac.lobby.registry import Registry
from tictac.options import Settings
from tictac.plugins.classics.connectfour import service as service_module
from tictac.plugins.classics.connectfour.service import ConnectFourService
from tictac.runtime import Runtime
from tictac.testing.connection import Caller, FakeTransport
from tictac.testing.server import Server, raise_fault


class StoppableScripted(Scripted):
    """Notes when it is started and stopped (pool.EnginePool)."""

    def __init__(self, script: str, waits: bool = False) -> None:
        super().__init__(texts_of(script), waits)
        self.ready = True
        self.calls: list[str] = []
        self.stopped: Deferred[None] = Deferred()

    def start(self) -> None:
        """Note it."""
        self.calls.append("start")

    def stop(self) -> Deferred[None]:
        """Note it; it is done when the test says so."""
        self.calls.append("stop")
        return self.stopped


class ServiceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.engine: Any = StoppableScripted("4 4 4 4 4 4")

    def started(self, *ports: str, idle: float = 600) -> ConnectFourService:
        """Start a service."""
        self.patch(service_module, "EnginePool", lambda *_: self.engine)
        values = {"connectfour-idle": idle, "connectfour-think": 0.5}
        runtime = Runtime(Settings(values), self.reactor)
        runtime.registry = Registry(0, self.reactor.seconds, raise_fault, rng=Random(1))
        service = ConnectFourService(ports or ("tcp:1",), runtime)
        service.privilegedStartService()
        service.startService()
        return service

    def play(self, listener: int = 0) -> FakeTransport:
        """Open a connection to a port, and begin a game."""
        return self.play_at(self.reactor.tcpServers[listener][1])

    def play_at(self, factory: Any) -> FakeTransport:
        """Open a connection, and begin a game."""
        transport = Caller(factory).transport
        transport.arrive(b"I32CFSP_HELLO boo\nAI_GAME\n")
        assert transport.take() == b"WELCOME boo\r\nREADY\r\n"
        return transport


class RunningTests(ServiceCase):
    def test_one_thinker_for_every_port(self) -> None:
        service = self.started("tcp:1", "tcp:2")
        assert self.engine.calls == ["start"]
        for listener in (0, 1):
            self.play(listener).arrive(b"DROP 3\n")
        assert [asked.question.seconds for asked in self.engine.asked] == [0.5, 0.5]
        assert service.matches_running() == 2

    def test_who_is_silent_is_found(self) -> None:
        for idle, seconds in ((600, 605), (1, 1.5)):
            self.setUp()
            service = self.started(idle=idle)
            transport = self.play()
            (connection,) = service.factories[0].connections
            connection.last_message -= seconds
            self.reactor.advance(5)
            assert transport.disconnecting


class ReadyTests(ServiceCase):
    def test_it_serves_while_it_can_think(self) -> None:
        service = self.started()
        assert service.serving()
        self.engine.ready = False
        assert not service.serving()


class StoppingTests(ServiceCase):
    def test_it_stops_listening_and_games_go_on(self) -> None:
        service = self.started()
        transport = self.play()
        service.stop_listening()
        transport.arrive(b"DROP 3\n")
        assert transport.take() == b"OKAY\r\nDROP 4\r\nREADY\r\n"
        for _ in range(2):
            transport.arrive(b"DROP 3\n")
        assert service.matches_running() == 1
        transport.arrive(b"DROP 3\n")
        assert service.matches_running() == 0

    def test_it_stops_the_thinker_last_and_counts(self) -> None:
        self.engine = StoppableScripted("", waits=True)
        with log() as events:
            service = self.started()
            thinking, waiting = self.play(), self.play()
            thinking.arrive(b"DROP 3\n")
            waiting.arrive(b"DROP 9\nDROP 9\n")
            stopping = service.stopService()
            assert thinking.disconnecting and waiting.disconnecting
            assert (self.engine.given_up, self.engine.calls) == (1, ["start"])
            thinking.lose()
            waiting.lose()
            self.reactor.advance(0.05)
            assert self.engine.calls == ["start", "stop"]
            self.assertNoResult(stopping)
            self.engine.stopped.callback(None)
            self.successResultOf(stopping)
        said = "connectfour: games: {'closed': 2}; refusals: {'illegal-move': 2}"
        assert texts(events)[-1] == said
        assert not self.reactor.getDelayedCalls()


class OptionTests(SynchronousTestCase):
    def made(self, *arguments: str) -> Any:
        """Return the service made from these options."""
        self.patch(ConnectFourService, "begin", lambda service: None)  # no process that thinks
        service = Server("connectfour", *arguments).service
        assert isinstance(service, ConnectFourService)
        return service

    def test_defaults(self) -> None:
        service = self.made()
        [listener], [factory] = service.listeners, service.factories
        assert (listener.description, listener._eager) == ("tcp:1:backlog=4096", True)
        assert factory.seconds_a_move == 1
        assert (factory.limits.idle_timeout, factory.limits.login_timeout) == (600, 0)

    def test_values(self) -> None:
        service = self.made(
            "--connectfour", "tcp:5555", "--connectfour-think", "0", "--connectfour-idle", "0",
            "--connectfour-workers", "3", "--no-eager-send", "--max-connections", "5",
        )  # fmt: skip
        assert [listener._eager for listener in service.listeners] == [False, False]
        factory = service.factories[1]
        assert (factory.seconds_a_move, service._engine.size) == (0, 3)
        assert (factory.limits.idle_timeout, factory.limits.max_connections) == (0, 5)

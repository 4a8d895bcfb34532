"""What every part does by itself."""

from __future__ import annotations

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.helpers import Server
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.plugin import ProtocolService, sweep_interval


class PartTests(SynchronousTestCase):
    def test_a_sweep_is_a_tenth_of_the_shortest_limit_within_reason(self) -> None:
        assert sweep_interval(60, 3600, 600, 3600) == 5
        assert sweep_interval(3600, 10, 600) == 1
        assert sweep_interval(3600, 0.1) == 0.05
        assert sweep_interval(0, 0) == 5
        assert sweep_interval(0, 30) == 3
        assert sweep_interval() == 5

    def test_a_sweep_that_fails_isnt_the_last(self) -> None:
        reactor = MemoryReactorClock()
        looked = []

        class Part(ProtocolService):
            def expire(self) -> None:
                looked.append(reactor.seconds())
                raise ValueError("no")

        service = Part(
            reactor, "part", (), lambda proxied: ConnectionFactory(reactor, reactor.seconds), 1.0
        )
        service.startService()
        reactor.pump([1.0] * 3)
        assert looked == [1, 2, 3]
        assert len(logged_errors(self, ValueError)) == 3

    def test_a_proxy_is_known_by_the_endpoint(self) -> None:
        reactor = MemoryReactorClock()
        told = []

        def factory(proxied: bool) -> ConnectionFactory:
            told.append(proxied)
            return ConnectionFactory(reactor, reactor.seconds, proxied=proxied)

        ProtocolService(reactor, "part", ("tcp:1", "haproxy:tcp:2"), factory, 1.0)
        assert told == [False, True]

    def test_it_listens_from_its_start_until_it_stops(self) -> None:
        reactor = MemoryReactorClock()
        service = ProtocolService(
            reactor,
            "part",
            ("tcp:1", "tcp:2"),
            lambda _: ConnectionFactory(reactor, lambda: 0),
            1.0,
        )
        assert not service.listening()
        service.startService()
        assert service.listening()
        service.stop_listening()
        assert not service.listening()


class ObservedTests(SynchronousTestCase):
    def test_each_read_is_timed_when_somebody_observes(self) -> None:
        server = Server()
        told: list[float] = []
        server.factory.observe = told.append
        visitor = server.connect()
        assert visitor.ask("FORFEIT") == ["BADAUTH"]
        assert visitor.ask("LOGIN:alice:secret") == ["LOGIN:ACKSTATUS:0"]
        assert told == [0.0, 0.0]

    def test_the_code_of_a_refusal_is_kept_for_the_transport(self) -> None:
        server = Server(limits=Limits(login_timeout=5))
        visitor = server.connect()
        assert visitor.protocol.why == ""
        server.expire(5)
        assert visitor.protocol.why == "login-timeout"

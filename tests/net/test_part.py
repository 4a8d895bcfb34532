"""What every part does by itself."""

from __future__ import annotations

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tictac.net.connection import ConnectionFactory
from tictac.net.part import PartService, sweep_interval


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

        class Part(PartService):
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

        PartService(reactor, "part", ("tcp:1", "haproxy:tcp:2"), factory, 1.0)
        assert told == [False, True]

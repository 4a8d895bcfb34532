"""Tests with real sockets, in the reactor of the process: TLS uses its clock."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

from twisted.internet import reactor
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHostnameResolver
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

PATIENCE = 15
"""Seconds after which a test has failed."""

_reactor: Any = reactor

T = TypeVar("T", bound="RealCase")


def real(test: Callable[[T], Coroutine[Any, Any, None]]) -> Callable[[T], None]:
    """Run a test that is a coroutine."""

    @wraps(test)
    def run(self: T) -> None:
        self.wait(test(self))

    return run


@implementer(IHostnameResolver)
class LoopbackResolver:
    """A resolver for which each name is this machine."""

    def resolveHostName(
        self,
        receiver: Any,
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        *words: Any,
    ) -> Any:
        receiver.resolutionBegan(None)
        receiver.addressResolved(IPv4Address("TCP", "127.0.0.1", portNumber))
        receiver.resolutionComplete()
        return receiver


class RealCase(SynchronousTestCase):
    """A test with real sockets; each name is this machine."""

    def setUp(self) -> None:
        self.reactor = _reactor
        usual = self.reactor.installNameResolver(LoopbackResolver())
        self.addCleanup(self.reactor.installNameResolver, usual)

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Let the reactor run until a coroutine has ended; return its outcome."""
        outcomes: list[Any] = []
        Deferred.fromCoroutine(work).addBoth(outcomes.append)
        until = time.monotonic() + PATIENCE
        while not outcomes:
            assert time.monotonic() < until, "it doesn't end"
            self.reactor.iterate(0.05)
        if isinstance(outcomes[0], Failure):
            outcomes[0].raiseException()
        return outcomes[0]

    async def fails(self, work: Awaitable[object], *kinds: type[Exception]) -> Exception:
        """Return the exception with which that fails."""
        try:
            await work
        except Exception as error:
            assert isinstance(error, kinds), error
            return error
        raise AssertionError("it didn't fail")

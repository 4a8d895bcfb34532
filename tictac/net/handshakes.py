"""TLS handshakes, one at a time, with rests.

A handshake takes as long as dozens of moves, because the server signs, and any number can begin in
one turn of the reactor. Here they wait for one another, the addresses take turns, and after each
step the reactor has :data:`REST` times as long for everything else. An address pays for them
(:mod:`tictac.net.budget`) before the server works on them.

This needs a private name of Twisted: its test fails when it goes.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.protocols.tls import BufferingTLSTransport, TLSMemoryBIOFactory
from twisted.python.failure import Failure

from tictac.fair_queue import FairQueue
from tictac.logs import LIMITED
from tictac.net.budget import HANDSHAKE, SIGN_OF_LIFE, Place, Purse
from tictac.net.limits import peer_name

_log = Logger(observer=LIMITED)

REST = 1.5
"""The time for other work after a step of a handshake, as a multiple of its time.

Most moves of others then find no handshake before them.
"""


class Handshakes:
    """The handshakes of one reactor, whose steps wait for one another."""

    def __init__(self, clock: IReactorTime, seconds: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._seconds = seconds
        self._waiting: FairQueue[object, Callable[[], object]] = FairQueue()
        self._planned = False

    def add(self, host: str, key: object, step: Callable[[], object]) -> None:
        """Do the next step of a handshake in a later turn."""
        self._waiting.add(host, key, step)
        self._plan(0)

    def forget(self, host: str, key: object) -> None:
        """Forget the handshake of a lost connection."""
        self._waiting.remove(host, key)

    def _plan(self, seconds: float) -> None:
        if not self._planned:
            self._planned = True
            self._clock.callLater(seconds, self._work)

    def _work(self) -> None:
        self._planned = False
        if not self._waiting:
            return
        began = self._seconds()
        try:
            self._waiting.next()[1]()
        except Exception:
            _log.failure("background job failed")
        self._plan(REST * (self._seconds() - began))


_handshakes: WeakKeyDictionary[IReactorTime, Handshakes] = WeakKeyDictionary()


class TurnTLS(BufferingTLSTransport):
    """TLS whose handshake waits for those of others, and for the budget (budget.Waiting)."""

    factory: Any
    transport: Any
    used = 0
    _early = b""
    _purse: Purse | None = None
    _place: Place | None = None
    _host = ""

    def dataReceived(self, data: bytes) -> None:
        if self._handshakeDone:
            super().dataReceived(data)
            return
        self._early += data
        self.transport.pauseProducing()
        if self._purse is None:
            self._host = peer_name(self.transport.getPeer())
            purse = self._purse = self.factory.wrappedFactory.budget.purse(self._host)
            self.used = purse.used
            purse.spend(HANDSHAKE, self)
        else:
            self._purse.spend(SIGN_OF_LIFE, self)
        self._place = self._purse.keeps(self)
        if self._place is None:
            self.go_on()

    def go_on(self) -> None:
        """Join the handshakes that wait."""
        self._place = None
        self.factory.turns.add(self._host, self, self._step)

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        if self._place is not None and self._purse is not None:
            self._purse.forget(self._place)
        if self._host:
            self.factory.turns.forget(self._host, self)
        super().connectionLost(reason)

    def _step(self) -> None:
        data, self._early = self._early, b""
        self.transport.resumeProducing()  # the layer below can pause it
        try:
            super().dataReceived(data)
        except Exception:
            self.abortConnection()  # as the reactor does; `turns` only logs it
            raise


def shake_in_turn(port: object, reactor: IReactorTime) -> None:
    """Let the handshakes of a TLS port wait for one another, if its connections have a budget."""
    factory = getattr(port, "factory", None)
    if isinstance(factory, TLSMemoryBIOFactory) and hasattr(factory.wrappedFactory, "budget"):
        factory.protocol = TurnTLS
        factory.turns = _handshakes.setdefault(reactor, Handshakes(reactor))  # type: ignore[attr-defined]

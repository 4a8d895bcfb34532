"""Starting and stopping the whole server: signals, draining, one line when it can't start."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn, Protocol

from twisted.application.service import MultiService
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import ILogObserver, Logger
from twisted.python.components import Componentized

from tictac.errors import SetupError
from tictac.logs import Log

_log = Logger()

LOOKS_AGAIN = 0.1
"""Seconds between two looks at whether the last match is over."""


def fail(message: object) -> NoReturn:
    """End the program: one line on standard error, exit status 1."""
    sys.stderr.write(f"Error: {message}\n")
    sys.stderr.flush()
    raise SystemExit(1)


class Part(Protocol):
    """One of the servers in this process; a Twisted service, and more."""

    def stop_listening(self) -> None:
        """Take no more connections; those that are there go on."""

    def matches_running(self) -> int:
        """How many matches are under way that are worth waiting for."""


class MainService(MultiService):
    """The parent of all parts.

    To stop is to drain: no new connections, and up to ``drain`` seconds for the matches
    that are running; :meth:`hurry` cuts that short.
    """

    def __init__(
        self, clock: IReactorTime, drain: float, parts: Sequence[Any], log: Log | None = None
    ) -> None:
        super().__init__()
        self._clock = clock
        self._drain = drain
        self._parts: Sequence[Part] = parts
        self._log = log
        self._drained: Deferred[None] | None = None
        for part in parts:
            part.setServiceParent(self)

    def setServiceParent(self, parent: Any) -> None:
        # twistd asks its application for an observer before it makes one.
        if self._log is not None and self._log.observer and isinstance(parent, Componentized):
            parent.setComponent(ILogObserver, self._log.observer)
        super().setServiceParent(parent)

    def privilegedStartService(self) -> None:
        self._or_fail(super().privilegedStartService)

    def startService(self) -> None:
        raise_open_files()
        if self._log is not None:
            self._log.start()
        self._or_fail(super().startService)

    def stopService(self) -> Deferred[None]:
        stopping: Deferred[None] = Deferred.fromCoroutine(self._stop())
        return stopping

    def hurry(self) -> None:
        """Wait for no match any longer."""
        if self._drained is not None:
            drained, self._drained = self._drained, None
            drained.callback(None)

    async def _stop(self) -> None:
        for part in self._parts:
            part.stop_listening()
        if self._running() and self._drain:
            await self._finish_matches()
        await super().stopService()
        if self._log is not None:
            self._log.stop()
        _log.info("tictac has stopped")

    async def _finish_matches(self) -> None:
        _log.info(
            "stopping: up to {seconds} s for {count} running matches (a second signal stops now)",
            seconds=self._drain,
            count=self._running(),
        )
        self._drained = Deferred()
        timeout = self._clock.callLater(self._drain, self.hurry)
        look = LoopingCall(self._hurry_if_done)
        look.clock = self._clock
        look.start(LOOKS_AGAIN, now=False)
        try:
            await self._drained
        finally:
            look.stop()
            if timeout.active():
                timeout.cancel()

    def _hurry_if_done(self) -> None:
        if not self._running():
            self.hurry()

    def _running(self) -> int:
        return sum(part.matches_running() for part in self._parts)

    def _or_fail(self, start: Callable[[], None]) -> None:
        try:
            start()
        except SetupError as error:
            fail(error)


def stop_on_signals(reactor: Any, service: MainService) -> None:
    """SIGTERM and SIGINT stop the reactor, a second one hurries; to be called running.

    twistd's own handlers raise the signal again in the end, which would make the exit
    status of a server that was stopped properly that of one that was killed.
    """
    stopping = False

    def stop() -> None:
        nonlocal stopping
        if stopping:
            service.hurry()
        else:
            stopping = True
            reactor.stop()

    def handler(number: int, frame: FrameType | None) -> None:
        reactor.callFromThread(stop)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)
    _log.info("tictac is up")


def raise_open_files() -> None:
    """As many open files as the system grants: each connection is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

"""Starting and stopping the whole server: signals, draining, one line if it can't start."""

from __future__ import annotations

import atexit
import gc
import math
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

from twisted.application.service import MultiService
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import ILogObserver, Logger
from twisted.python.components import Componentized

from tictac import __version__
from tictac.archive.write_behind import WriteBehind
from tictac.errors import SetupError
from tictac.logs import Log
from tictac.net.limits import grant_files
from tictac.net.listening import check_endpoint
from tictac.net.plugin import Turn
from tictac.net.running_time import RunningTime
from tictac.storage.disk import Disk
from tictac.storage.file_lock import FileLock

_log = Logger()

LOST = 75
"""The exit status of a process that has lost its turn (EX_TEMPFAIL): start it again."""

LOOKS_AGAIN = 0.1
"""Seconds between two checks whether the last match has ended."""


def fail(message: object) -> NoReturn:
    """Print one line on standard error, and exit with status 1."""
    sys.stderr.write(f"Error: {message}\n")
    sys.stderr.flush()
    raise SystemExit(1)


class MainService(MultiService):
    """The parent of all parts (net.plugin.ProtocolService).

    Stopping drains: the server accepts no new connections, and waits up to ``drain`` seconds for
    running matches; :meth:`hurry` ends the wait. ``connections`` is the maximum per listener, each
    of which is an open file. ``base`` starts before all parts, and stops after them, and so do
    ``disks``. ``started`` is called when all of them have started, or another process is active.
    ``end`` stops the reactor when this process has lost its rooms or its turn. ``claims`` are locks
    that this process has until its end, and ``pid_file`` another one, with its process id. ``time``
    stands still while no ports are open: before all parts have started, and in a pause.

    With a ``turn``, the base and the parts that wait start when it is the turn of this process
    (Served).
    """

    started: Callable[[], None] | None = None
    end: Callable[[], object] = bool
    claims: Sequence[FileLock] = ()
    pid_file: FileLock | None = None
    time: RunningTime | None = None

    def __init__(
        self,
        clock: IReactorTime,
        drain: float,
        parts: Sequence[Any],
        log: Log | None = None,
        connections: int = 0,
        base: WriteBehind | None = None,
        disks: Sequence[Disk] = (),
        turn: Turn | None = None,
    ) -> None:
        super().__init__()
        self._connections = connections
        self._clock = clock
        self._drain = drain
        self.parts = parts
        self._log = log
        self._base = base
        self.disks = disks
        self._drained: Deferred[None] | None = None
        self._turn = turn
        self._begun = turn is None
        for part in parts:
            if self._begun or not part.waits:
                part.setServiceParent(self)

    def setServiceParent(self, parent: Any) -> None:
        # twistd asks its application for an observer before it makes one itself.
        if self._log is not None and self._log.observer and isinstance(parent, Componentized):
            parent.setComponent(ILogObserver, self._log.observer)
        super().setServiceParent(parent)

    def privilegedStartService(self) -> None:
        for claim in self.claims:
            claim.sign()  # twistd has forked
        if self.pid_file is not None:
            self.pid_file.write(str(os.getpid()))
        self._or_fail(super().privilegedStartService)

    def startService(self) -> None:
        granted = raise_open_files()
        grant_files(granted)
        if granted <= self._connections:
            _log.warn(
                "--max-connections {connections} can't be reached with {files} open files",
                connections=self._connections,
                files=granted,
            )
        if self._log is not None:
            self._log.start()
        if self.time is not None:
            self.time.stand_still()
        if self._base is not None and self._begun:
            self._or_fail(self._base.start)
        for disk in self.disks:
            disk.start()
        self._or_fail(super().startService)
        if self._turn is not None:
            self._or_fail(self._try_ports)
            self._turn.wait(self)
        else:
            self._run_time()
            self.stands_by()

    def _try_ports(self) -> None:
        """Try the ports with the rights that this process has left at its turn."""
        for part in self._waiting():
            for listener in part.listeners:
                check_endpoint(listener.description, may_be_taken=True)

    # plugin.Served, for the turn

    def stands_by(self) -> None:
        """Call ``started``, once."""
        if self.started is not None:
            started, self.started = self.started, None
            started()

    def begin(self) -> bool:
        """Start the base, and the parts that wait."""
        self._begun = True
        try:
            if self._base is not None:
                self._base.start()
            for part in self._waiting():
                part.setServiceParent(self)
        except SetupError as error:
            self.lost(str(error))
            return False
        self._run_time()
        self.stands_by()
        return True

    def pause(self) -> None:
        """Close the ports of the parts that wait."""
        if self.time is not None:
            self.time.stand_still()
        for part in self._waiting():
            part.pause()

    def go_on(self) -> None:
        """Open their ports again."""
        try:
            for part in self._waiting():
                part.go_on()
        except SetupError as error:
            self.lost(str(error))
        else:
            self._run_time()

    def _run_time(self) -> None:
        if self.time is not None:
            self.time.watch(self._clock)

    def lost(self, why: str) -> None:
        """End the process with the status LOST."""
        _log.critical("{why}; this process ends with status {status}", why=why, status=LOST)
        self._drain = 0
        self.hurry()
        atexit.register(os._exit, LOST)  # twistd has no other way
        self.end()

    def _waiting(self) -> list[Any]:
        return [part for part in self.parts if part.waits]

    def stopService(self) -> Deferred[None]:
        stopping: Deferred[None] = Deferred.fromCoroutine(self._stop())
        return stopping

    def hurry(self) -> None:
        """End the wait for running matches."""
        if self._drained is not None:
            drained, self._drained = self._drained, None
            drained.callback(None)

    def reload(self) -> None:
        """Read the certificates of all parts again, and open the log file again."""
        if self._log is not None:
            self._log.reopen()
        _log.info("reloading the certificates")
        for part in self.parts:
            part.reload()

    async def _stop(self) -> None:
        base = self._base if self._begun else None
        if self._turn is not None:
            await self._turn.stop()
        for part in self.parts:
            part.stop_listening()
        if self._running() and self._drain:
            await self._finish_matches()
        if base is not None:
            base.cut()
        await super().stopService()
        if base is not None:
            await base.stop()
        for disk in self.disks:
            disk.stop()
        if self._log is not None:
            self._log.stop()
        if self.time is not None:
            self.time.stop()
        for claim in self.claims:
            claim.release()
        if self.pid_file is not None:
            self.pid_file.remove()
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
        return sum(part.matches_running() for part in self.parts)

    def _or_fail(self, start: Callable[[], None]) -> None:
        try:
            start()
        except SetupError as error:
            if self.pid_file is not None:
                self.pid_file.remove()
            fail(error)


def install_signal_handlers(reactor: Any, service: MainService) -> None:
    """Let SIGTERM and SIGINT stop the running reactor, and a second one hurry.

    SIGHUP reloads. SIGUSR1 and SIGUSR2 do nothing, except what twistd does at SIGUSR1 if it logs to
    a file. At the end, twistd's own handlers raise the signal again. A server that stopped properly
    would then have the exit status of a killed one.
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
    signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(service.reload))
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.SIG_IGN)
    # Keep the objects of the start out of garbage collections: each took 50 ms with them.
    gc.collect()
    gc.freeze()
    _log.info("tictac is up: version {version}", version=__version__)


OPEN_MAX = 10_240
"""Files that a process on macOS can open, although the system reports no limit.

Source: its setrlimit(2).
"""


def raise_open_files() -> float:
    """Raise the limit of open files, one for each connection, to the system's; return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except ValueError:
        resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_MAX, hard))
        return OPEN_MAX
    return math.inf if hard == resource.RLIM_INFINITY else hard

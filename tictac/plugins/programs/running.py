"""The coroutine of a console program while it runs: its signals, and how it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectingCancelledError
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.reactor import Reactor, Work
from tictac.terminal.stdio import open_terminal
from tictac.terminal.terminal import Terminal

Main = Callable[[Reactor, Terminal], Work[int]]
"""The coroutine of a program, with the reactor and the terminal."""

PATIENCE = 0.2
"""Seconds that an interrupted program has to write its output."""

SENDING, LOOK = 2.0, 0.01
"""Seconds that a program has to send its last bytes, and between looks whether it has."""

_log = Logger()


def run(main: Main) -> int:
    """Run the reactor until ``main`` returns (see console.run_program)."""
    from twisted.internet import reactor as installed

    reactor: Any = installed  # What Twisted declares of it has no threads.
    terminal = open_terminal(reactor)
    program = _Program(reactor, terminal, main)
    reactor.callWhenRunning(program.start)
    try:
        reactor.run()
    finally:
        terminal.restore()
    return program.status


class _Program:
    """``main`` while it runs. The first event that ends it sets the status."""

    status = 1
    _ending = False
    _stopped = False
    _running: Deferred[int]

    def __init__(self, reactor: Reactor, terminal: Terminal, main: Main) -> None:
        self._reactor = reactor
        self._terminal = terminal
        self._main = main

    def start(self) -> None:
        """Start ``main`` in the running reactor, which has set its own signal handlers before."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, self._signalled)
        self._terminal.output_lost.addCallback(lambda _: self._end(1))
        self._running = Deferred.fromCoroutine(self._main(self._reactor, self._terminal))
        self._running.addCallbacks(self._returned, self._failed)

    def _returned(self, status: int) -> None:
        self.status = status
        self._terminal.close().addBoth(self._stop)

    def _failed(self, failure: Failure) -> None:
        if not failure.check(CancelledError, ConnectingCancelledError):
            _log.failure("the program failed", failure)
        self._end(1)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        # Stopping waits for threads, one of which might look up a name. A second signal doesn't
        # wait.
        signal.signal(number, signal.SIG_DFL)
        self._terminal.show_input()
        self._reactor.callFromThread(self._killed, 128 + number)

    def _killed(self, status: int) -> None:
        self._terminal.break_line()
        self._end(status)

    def _end(self, status: int) -> None:
        if self._ending:
            return
        self._ending = True
        self.status = status
        self._running.cancel()
        self._terminal.close().addTimeout(PATIENCE, self._reactor).addBoth(self._stop)

    def _stop(self, _: object) -> None:
        if not self._stopped:
            self._stopped = True
            # TLS encrypts written bytes only in the next turn.
            self._reactor.callLater(LOOK, self._send_rest, self._reactor.seconds() + SENDING)

    def _send_rest(self, deadline: float) -> None:
        """Stop after all connections have sent the written bytes, such as a forfeit."""
        if self._reactor.getWriters() and self._reactor.seconds() < deadline:
            self._reactor.callLater(LOOK, self._send_rest, deadline)
        else:
            self._reactor.stop()

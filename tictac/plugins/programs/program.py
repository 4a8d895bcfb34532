"""A program of another person: a command under a supervisor, and the end of its output."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorProcess, IReactorTime
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import deferLater, react
from twisted.python.failure import Failure

from tictac.errors import SetupError
from tictac.reactor import Reactor
from tictac.terminal.style import visible

_T = TypeVar("_T")

_SUPERVISOR = [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py"))]

_NO_WORDS = re.compile(
    rb"""[ \t]                              # a stack frame, a property of an error
    |[^\w\x80-\xff]*$                       # only punctuation
    |Node\.js\ v\d|Emitted\ '|Require\ stack:|-\ /
    |stack\ (?:traceback|backtrace):|note:    # Lua, Rust
    |exit\ status\ \d+$                      # go run
    |Picked\ up\ \w*JAVA_""",
    re.VERBOSE,
)
"""Lines that an interpreter prints around the words of an error."""

_ERROR = re.compile(
    rb"Traceback \(most|Exception in thread|^panic: |^thread .* panicked|Unhandled |Uncaught",
    re.MULTILINE,
)
"""What interpreters print above an error that a program hasn't caught."""

MOST_PROCESSES = 500
"""Maximum processes and threads of a program that runs as another user."""

MAX_KEPT = 1 << 16
"""Maximum bytes of a program's output that are kept: the last ones."""


def in_reactor(work: Callable[[Reactor], Awaitable[_T]]) -> _T | None:
    """Return what ``work`` returns, which gets the reactor; None if the reactor was stopped.

    Raises SetupError; exits with status 1 after any other error.
    """
    done: list[_T] = []
    trouble: list[SetupError] = []

    async def main(reactor: Reactor) -> None:
        await deferLater(reactor, 0)  # before this, Ctrl-C would end the program at once
        try:
            done.append(await work(reactor))
        except SetupError as error:
            trouble.append(error)

    try:
        react(lambda reactor: Deferred.fromCoroutine(main(reactor)))
    except SystemExit as status:
        if status.code:
            raise
    if trouble:
        raise trouble[0]
    return done[0] if done else None


class Program(ProcessProtocol):
    """A command and its supervisor, after :func:`start_program`.

    ``output`` is the end of the command's output, of which ``size`` bytes came. ``status`` is None
    while it runs, then its exit status, or the negative number of a signal.
    """

    def __init__(self) -> None:
        self.output, self.size = b"", 0
        self.status: int | None = None
        self.has_exited = False
        self._ended: list[Deferred[None]] = []

    def connectionMade(self) -> None:
        transport: Any = self.transport
        self.pid: int = transport.pid

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803 -- Twisted's
        self.output = (self.output + data)[-MAX_KEPT:]
        self.size += len(data)

    def processExited(self, reason: Failure) -> None:
        self.has_exited = True

    def processEnded(self, reason: Failure) -> None:
        value: Any = reason.value
        self.status = -value.signal if value.signal else value.exitCode
        for waiting in self._ended:
            waiting.callback(None)

    def error_since(self, size: int) -> str:
        """Return the last line of an error that it printed after so many bytes, if it did."""
        new = self.output[max(0, len(self.output) - self.size + size) :]
        return last_words(new) if _ERROR.search(new) else ""

    async def ended(self) -> None:
        """Wait until the program has ended."""
        if self.status is None:
            self._ended.append(Deferred())
            await self._ended[-1]

    def how_it_ended(self) -> str:
        """Return a clause for people, such as ``it ended with exit status 1: KeyError``."""
        if self.status is None:
            return "it runs"
        by = f"exit status {self.status}"
        if self.status < 0:
            number = -self.status
            name = signal.Signals(number).name if number in set(signal.Signals) else "real-time"
            by = f"signal {number} ({name})"
        words = last_words(self.output)
        return f"it ended with {by}" + (f": {words}" if words else "")

    def is_busy(self) -> bool | None:
        """Return whether the program, or one that it started, is computing now; None if unknown."""
        states = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(_after_name(path)[3]) == self.pid:
                    states += [_after_name(each)[0] for each in path.parent.glob("task/*/stat")]
        return "R" in states if states else None

    def terminate(self) -> None:
        """Ask the command and its process group to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the command and all processes that it has started."""
        self._signal(signal.SIGHUP)
        self._signal(signal.SIGCONT)  # the command might have stopped its supervisor

    def _signal(self, number: int) -> None:
        if not self.has_exited:
            os.kill(self.pid, number)


def last_words(output: bytes) -> str:
    """Return the last line of a program that isn't a stack trace or banner of its interpreter."""
    lines = [line for line in output.splitlines() if line.strip()]
    before_trace = takewhile(lambda line: not line.startswith(b"goroutine "), lines)
    own = [line for line in before_trace if not _NO_WORDS.match(line)]
    return visible((own or lines or [b""])[-1].decode(errors="replace")[:200])


def _after_name(path: Path) -> list[str]:
    """Return the fields after the name in a Linux ``stat`` file.

    These are the state, the parent, the group, the session, and more.
    """
    return path.read_text().rpartition(")")[2].split()


def as_user(command: str, user: str) -> str:
    """Return a shell command that runs ``command`` with the rights of ``user``, and no others.

    It also gets an empty environment, and at most ``MOST_PROCESSES`` processes of that user. Only
    root can do that. Without a user, it is the same command. Raises SetupError.
    """
    if not user:
        return command
    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise SetupError(f"there is no user '{visible(user)}' on this system") from None
    if os.geteuid() != 0 or found.pw_uid == 0:
        raise SetupError("only root can run a program as another user, who isn't root")
    rights = f"--reuid={found.pw_uid} --regid={found.pw_gid} --clear-groups --no-new-privs"
    clean = 'env -i PATH="$PATH" HOME=/tmp LANG=C.UTF-8'
    limits = f"prlimit --nproc={MOST_PROCESSES} --core=0"
    return f"exec {limits} setpriv {rights} {clean} sh -c {shlex.quote(command)}"


def start_program(
    reactor: IReactorTime, program: Program, command: str, terminal: bool = False
) -> None:
    """Start ``command`` as a shell does, under a supervisor that ends all of its processes."""
    arguments = [*_SUPERVISOR, command]
    IReactorProcess(reactor).spawnProcess(
        program, arguments[0], arguments, os.environ, usePTY=terminal
    )

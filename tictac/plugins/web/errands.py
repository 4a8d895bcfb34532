"""What takes long, in a process of its own: drawing a match, and reading a file of matches.

``python -m tictac.plugins.web.errands draw gif`` gets a match as a line on its standard input and
answers with a picture; ``read pgn 50`` gets a file, and answers with its first 50 matches. The
process ends after one answer, because files of strangers and other people's libraries are in it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import process_time

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import (
    IDelayedCall,
    IProcessTransport,
    IReactorProcess,
    IReactorTime,
)
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from tictac.errors import TooManyQuestions
from tictac.fair_queue import FairQueue

MOST_SECONDS = 30.0
"""How long a process can take."""

MOST_CPU, MOST_MEMORY = 20, 2 << 30
"""Seconds of the processor, and bytes of addresses, that a process gets."""

MOST_BYTES = 8 << 20
"""The longest answer."""

MOST_WAITING, MOST_OF_ONE = 50, 4
"""Maximum waiting errands of all clients, and of one address."""

FAILED = 3
"""The status of a process that answers with the reason for its failure."""


class CannotRunError(Exception):
    """An errand that failed; ``str()`` is the reason, or empty."""


class Errand(ProcessProtocol):
    """A process, from its input to its answer."""

    transport: IProcessTransport

    def __init__(self, words: Sequence[str], data: bytes) -> None:
        self.words = words
        self.result: Deferred[bytes] = Deferred(lambda _: None)  # a begun process goes on
        self.ended: Callable[[], None] = lambda: None
        self.timer: IDelayedCall | None = None
        self._data = data
        self._answer = bytearray()

    def connectionMade(self) -> None:
        self.transport.write(self._data)
        self.transport.closeStdin()

    def outReceived(self, data: bytes) -> None:
        self._answer += data
        if len(self._answer) > MOST_BYTES:
            self.kill()

    def errReceived(self, data: bytes) -> None:
        pass  # a traceback of a library; the client gets the status

    def kill(self) -> None:
        """End the process by force."""
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    def processEnded(self, reason: Failure) -> None:
        if self.timer is not None and self.timer.active():
            self.timer.cancel()
        status = getattr(reason.value, "exitCode", None)
        self.ended()
        if self.result.called:
            return
        if status == 0 and len(self._answer) <= MOST_BYTES:
            self.result.callback(bytes(self._answer))
        else:
            why = self._answer.decode(errors="replace")[:300] if status == FAILED else ""
            self.result.errback(CannotRunError(why))


def spawn(reactor: IReactorTime, errand: Errand) -> None:
    """Start the process. Raises OSError."""
    command = [sys.executable, "-m", __spec__.name, *errand.words]
    IReactorProcess(reactor).spawnProcess(errand, command[0], command, os.environ)


class Errands:
    """Runs one errand at a time. The lines of clients, by their addresses, take turns."""

    def __init__(
        self, reactor: IReactorTime, start: Callable[[IReactorTime, Errand], None] = spawn
    ) -> None:
        self._reactor = reactor
        self._start = start
        self._queue: FairQueue[Errand, Errand] = FairQueue()
        self._running: Errand | None = None

    def run(self, line: str, words: Sequence[str], data: bytes) -> Deferred[bytes]:
        """Return the answer. Fails with TooManyQuestions or CannotRunError."""
        if len(self._queue) >= MOST_WAITING or self._queue.waiting(line) >= MOST_OF_ONE:
            return fail(TooManyQuestions("too many pictures and files wait already"))
        errand = Errand(words, data)
        errand.ended = self._next
        self._queue.add(line, errand, errand)
        if self._running is None:
            self._next()
        return errand.result

    def stop(self) -> None:
        """End the process, and give up all others."""
        for errand in self._queue.clear():
            if not errand.result.called:
                errand.result.errback(CannotRunError())
        if self._running is not None:
            self._running.kill()

    def _next(self) -> None:
        self._running = None
        while self._queue and self._running is None:
            _, errand = self._queue.next()
            if errand.result.called:  # its client has gone
                continue
            self._running = errand
            errand.timer = self._reactor.callLater(MOST_SECONDS, errand.kill)
            try:
                self._start(self._reactor, errand)
            except OSError as error:
                errand.timer.cancel()
                self._running = None
                errand.result.errback(CannotRunError(str(error.strerror)))


# The process


def draw(suffix: str, line: bytes) -> bytes:
    """Return the picture of a match. Raises ValueError."""
    from tictac.archive.match import EXPORTS, load_match

    match = load_match(line.decode())
    export = EXPORTS.load(f"{match.game}.{suffix}")
    if export is None or export.draw is None:
        raise ValueError(f"matches of {match.game} have no picture {suffix!r:.40}")
    return export.draw(match)


def read(suffix: str, most: int, data: bytes) -> bytes:
    """Return up to ``most`` matches of a file, as viewers would see them. Raises ValueError.

    Each is a line of the archive with the events of Reader.replay. ``rest`` is why others are
    missing, or empty. A file whose first match can't be read has no matches.
    """
    from tictac.archive.event_view import messages
    from tictac.archive.match import EXPORTS, dump_match, to_json

    text = data.decode(errors="replace")
    names = [name for name in EXPORTS.names() if name.endswith(f".{suffix}")]
    readers = filter(None, (export.read for export in map(EXPORTS.load, names) if export))
    reader = next(readers, None)
    if reader is None:
        raise ValueError(f"this server can't read {suffix!r:.40} files")
    found, rest, size, began = list[str](), "", 0, process_time()
    try:
        for match in reader(text):
            if (
                len(found) >= most
                or size > MOST_BYTES // 2
                or process_time() - began > MOST_CPU / 2
            ):
                rest = f"the file has more than {len(found)} matches"
                break
            events = messages(match, None, True, (match.game,))
            events_json = [{"at": at, **message} for at, message in events]
            line = json.loads(dump_match(match))
            found.append(to_json({**line, "events": events_json, "next": None, "judgement": None}))
            size += len(found[-1])
    except ValueError as error:
        if not found:
            raise
        rest = str(error)
    if not found:
        raise ValueError("the file has no match")
    return f'{{"matches":[{",".join(found)}],"rest":{json.dumps(rest)}}}'.encode()


def main() -> int:
    """Run the errand that the arguments name; return the exit status."""
    import resource

    os.nice(19)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU, MOST_CPU))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    what, suffix, *most = sys.argv[1:]
    data = sys.stdin.buffer.read()
    try:
        answer = draw(suffix, data) if what == "draw" else read(suffix, int(most[0]), data)
    except ValueError as error:
        sys.stdout.write(str(error))
        return FAILED
    sys.stdout.buffer.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())

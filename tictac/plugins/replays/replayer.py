"""The server's end of the process that replays saved histories (process.py).

It blocks its thread: before the server serves, that is the reactor's; later, one of the pool.
"""

from __future__ import annotations

import json
import select
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from tictac.archive.match import Match, dump_match
from tictac.games.all import GAMES
from tictac.lobby.journal import KeptRoom
from tictac.lobby.record import load_terms
from tictac.plugins.replays import process as program
from tictac.reactor import module_command

PATIENCE = 10.0
"""Default timeout in seconds for the replay of a history."""

ENDS_IN = 5.0
"""Seconds that the process has to end by itself."""

Start = Callable[[], "subprocess.Popen[bytes]"]


def start() -> subprocess.Popen[bytes]:
    """Start the process. Raises OSError."""
    command, environment = module_command(program.__name__)
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, env=environment)


class Replayer:
    """Finds out which saved histories of native games end a process, or take too long.

    ``timeout`` is in seconds for a history; 0: no limit. The first history starts the process.
    """

    def __init__(self, timeout: float, start: Start = start) -> None:
        self._timeout = timeout
        self._start = start
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def runs(self) -> bool:
        """Whether the process runs."""
        return self._process is not None

    def vet_room(self, kept: KeptRoom) -> None:
        """Raise ValueError if a saved room must not be replayed here, or its terms are unknown."""
        if not load_terms(kept.opened.terms).game_type.native:
            return
        if fault := self._fault({"room": [*kept.opened[:3], [*kept.lines]]}):
            raise ValueError(f"room {kept.opened.name}: {fault}")

    def fault_of_match(self, match: Match) -> str:
        """Return why a match must not be replayed here; empty: it can be."""
        return self._fault({"match": [dump_match(match)]})

    def close(self) -> None:
        """End the process; the next history starts another."""
        with self._lock:
            self._end()

    def _fault(self, history: dict[str, Sequence[object]]) -> str:
        with self._lock:
            try:
                process = self._process = self._process or self._start()
            except OSError as error:
                return f"no process to replay it can be started: {error.strerror}"
            assert process.stdin is not None and process.stdout is not None
            line = memoryview(json.dumps(history).encode() + b"\n")
            with suppress(BrokenPipeError):  # then the output ends, too
                while line:
                    line = line[process.stdin.write(line) :]
            is_late = not self._waits(process.stdout.fileno())
            if not is_late and process.stdout.read(1) == b"\n":
                return ""
            code = self._end(kill=is_late)
        if is_late:
            return f"its replay takes longer than {self._timeout:g} s"
        return f"its replay ends the process, with status {code}"

    def _waits(self, pipe: int) -> bool:
        """Wait for output or its end; return False if there is none in time."""
        waiting = select.poll()
        waiting.register(pipe, select.POLLIN)
        return bool(waiting.poll(self._timeout * 1000 or None))

    def _end(self, kill: bool = False) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(0 if kill else ENDS_IN)
        process.kill()
        process.stdout.close()
        return process.wait()


@contextmanager
def vetting() -> Iterator[Callable[[Match], str]]:
    """Begin to vet matches from elsewhere (tictac.archive.checking.Vet)."""
    replayer = Replayer(PATIENCE)

    def vet(match: Match) -> str:
        game_type = GAMES.get(match.game)
        return replayer.fault_of_match(match) if game_type and game_type.native else ""

    try:
        yield vet
    finally:
        replayer.close()

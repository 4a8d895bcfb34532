"""The file of a tournament: its settings in the first line, then its lines (cup.Cup).

Lines reach the disk in their order. A killed process loses the last few lines at most, and plays
those games again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred

from tictac.errors import SetupError
from tictac.plugins.tournament.cup import Line

FORMAT = 2

Head = dict[str, Any]


class TournamentFile:
    """The file at ``path``, locked against other processes while it is open.

    ``head`` has the settings, None in a new file. ``lines`` are the lines. ``id`` names the
    tournament on the server. Raises SetupError if the file can't be read, isn't a tournament's, or
    another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head: Head | None = None
        self.id = ""
        self.lines: list[Line] = []
        self.trouble: Callable[[SetupError], object] = lambda error: None
        """Called when lines can't be written."""
        self._waiting: list[bytes] = []
        self._writing: Deferred[None] | None = None
        self._is_writing = False
        self._error: SetupError | None = None
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise SetupError(f"{path} can't be used: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except BlockingIOError:
            self.close()
            raise SetupError(f"{path} is being played by another process") from None
        except OSError as error:  # a pipe, a device
            self.close()
            raise SetupError(f"{path} can't be used: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                read = json.loads(line)
                if number == 1:
                    self._begins_with(dict(read))
                else:
                    self.lines.append([*read])
            except (ValueError, TypeError, KeyError):
                raise SetupError(
                    f"{self.path}, line {number}: not a line of a tournament"
                ) from None
        if whole < len(data) and self.head is None:
            raise SetupError(f"{self.path} isn't the file of a tournament")
        # Remove the rest of a line that was not written to its end.
        self._file.truncate(whole)

    def _begins_with(self, first: Head) -> None:
        if first["format"] > FORMAT:
            raise SetupError(f"{self.path} is a newer version's")
        self.head, self.id = dict(first["tournament"]), str(first["id"])

    def begin(self, head: Head, tournament: str) -> None:
        """Write the first line of a new file. Raise SetupError if the file has another one."""
        self.compare(head)
        if self.head is None:
            self.head, self.id = head, tournament
            try:
                self._write(_line({"format": FORMAT, "tournament": head, "id": tournament}))
            except OSError as error:
                raise SetupError(f"{self.path} can't be written: {error.strerror}") from None

    def compare(self, head: Head) -> None:
        """Raise SetupError if the file has another first line."""
        head = json.loads(json.dumps(head))
        for name in {**self.head, **head} if self.head is not None else ():
            then, now = (json.dumps(each.get(name)) for each in (self.head or {}, head))
            if then != now:
                raise SetupError(
                    f"{self.path} is of another tournament: its {name} is {then:.80}, and not "
                    f"{now:.80}. Go on with that, or name another file"
                )

    def add(self, line: Line, defer: Callable[..., Deferred[None]]) -> None:
        """Write a line soon; ``defer`` calls a function in a thread, as deferToThread does."""
        self.lines.append(line)
        self._waiting.append(_line(line))
        if not self._is_writing:
            self._is_writing = True
            self._writing = Deferred.fromCoroutine(self._write_all(defer))

    async def _write_all(self, defer: Callable[..., Deferred[None]]) -> None:
        try:
            while self._waiting:
                data, self._waiting = b"".join(self._waiting), []
                await defer(self._write, data)
        except OSError as error:
            self._error = SetupError(f"{self.path} can't be written: {error.strerror}")
            self.trouble(self._error)
        finally:
            self._is_writing = False

    async def written(self) -> None:
        """Wait until all lines are on the disk. Raises SetupError if a write fails."""
        if self._writing is not None:
            await self._writing
        if self._error is not None:
            raise self._error

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file, which unlocks it."""
        self._file.close()


def _line(line: object) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"

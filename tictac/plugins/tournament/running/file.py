"""The file of a tournament: its plan in the first line, then a line for each finished game.

Lines reach the disk in the order in which games end. A tournament that is killed loses the last
few games at most, and plays those again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred

from tictac.errors import SetupError
from tictac.plugins.tournament.plan import Fault, Pairing, Played, fault_of_loser

Line = dict[str, Any]


class TournamentFile:
    """The file at ``path``, locked against other processes while it is open.

    ``head`` is the content of the first line, None in a new file. ``lines`` are the other lines.
    Raises SetupError if the file can't be read, isn't a tournament's, or another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head: Line | None = None
        self.lines: list[Line] = []
        self.trouble: Callable[[SetupError], object] = lambda error: None
        """Called when lines can't be written."""
        self._waiting: list[bytes] = []
        self._writing: Deferred[None] | None = None
        self._is_writing = False
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
                    self.head = dict(read["tournament"])
                else:
                    self.lines.append(dict(read))
            except (ValueError, TypeError, KeyError):
                raise SetupError(f"{self.path}, line {number}: no tournament's") from None
        if whole < len(data) and self.head is None:
            raise SetupError(f"{self.path} is no tournament's file")
        # Remove the rest of a line that was not written to its end.
        self._file.truncate(whole)

    def begin(self, head: Line) -> None:
        """Write the first line. Raise SetupError if the file has another one."""
        self.compare(head)
        if self.head is None:
            self.head = head
            try:
                self._write(_line({"tournament": head}))
            except OSError as error:
                raise SetupError(f"{self.path} can't be written: {error.strerror}") from None

    def compare(self, head: Line) -> None:
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
        """Write a line soon; ``defer`` calls a function in a thread."""
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
            self.trouble(SetupError(f"{self.path} can't be written: {error.strerror}"))
        finally:
            self._is_writing = False

    async def written(self) -> None:
        """Wait until all lines are on the disk."""
        if self._writing is not None:
            await self._writing

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file, which unlocks it."""
        self._file.close()


def _line(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def as_line(played: Played) -> Line:
    """Return the line of a finished game."""
    pairing = played.pairing
    line: Line = {"number": pairing.number, "round": pairing.round, "seats": pairing.seats}
    line |= {"opening": pairing.opening} if pairing.opening else {}
    line |= {"deal": pairing.deal, "scores": played.scores, "how": played.how}
    faults = {name: fault._asdict() for name, fault in played.faults.items()}
    return line | {"match": played.match} | ({"faults": faults} if faults else {})


def of_line(line: Line) -> Played:
    """Return the game of a line. Raise SetupError for a line that has none."""
    try:
        number, round_, deal = line["number"], line["round"], line["deal"]
        seats, opening = tuple(line["seats"]), tuple(line.get("opening", ()))
        scores = tuple(map(float, line["scores"]))
        if len(scores) != len(seats) or {type(each) for each in (number, round_, deal)} != {int}:
            raise ValueError
        return Played(
            Pairing(number, round_, seats, opening, deal), scores, line["how"], line["match"],
            _faults_of(line, seats, scores),
        )  # fmt: skip
    except (AttributeError, KeyError, TypeError, ValueError):
        raise SetupError(
            f"the tournament's file has a line that isn't a game: {line}"[:200]
        ) from None


def _faults_of(line: Line, seats: Sequence[str], scores: Sequence[float]) -> dict[str, Fault]:
    """Return the faults of a line; older files have ``how``, and reasons with names in ``why``."""
    if "faults" in line:
        faults = {name: Fault(str(f["how"]), str(f["why"])) for name, f in line["faults"].items()}
    else:
        parts = [each.partition(": ") for each in line.get("why", "").split("; ")]
        is_fault = line["how"] not in ("won", "drawn", "agreed", "forfeited")
        faults = {name: Fault(line["how"], why) for name, _, why in parts if name in seats}
        return faults if faults and is_fault else fault_of_loser(seats, scores, line["how"])
    if not faults.keys() <= set(seats):
        raise ValueError
    return faults

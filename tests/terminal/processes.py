"""Programs that tests start, and reading what they write, with nothing left to chance."""

from __future__ import annotations

import os
import pty
import pwd
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Seconds after which a program that says nothing is taken to hang."""


def read_until(descriptor: int, text: str, seen: str = "") -> str:
    """Return ``seen`` and what comes from ``descriptor``, up to ``text`` at least.

    Fail when the other side closes before, or hasn't said it in time.
    """
    until = time.monotonic() + PATIENCE
    while text not in seen:
        ready, _, _ = select.select([descriptor], [], [], max(0, until - time.monotonic()))
        assert ready, f"no {text!r} in {seen!r}"
        data = _read(descriptor)
        assert data, f"closed after {seen!r}"
        seen += data.decode()
    return seen


def read_all(descriptor: int) -> str:
    """Return all that comes from ``descriptor`` until its other side is closed."""
    pieces = []
    while piece := _read(descriptor):
        pieces.append(piece)
    return b"".join(pieces).decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""  # how a pseudo-terminal says that its other side is closed


def start(
    case: SynchronousTestCase, command: Sequence[str], **options: Any
) -> subprocess.Popen[bytes]:
    """Start a program with pipes, unless told otherwise; it doesn't outlive its test."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    settings: dict[str, Any] = {"cwd": ROOT} | pipes | options
    process: subprocess.Popen[bytes] = subprocess.Popen(command, **settings)
    case.addCleanup(end, process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill it if it still runs, and close its pipes."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            stream.close()


def as_ordinary_user(directory: Path) -> dict[str, Any]:
    """Return options with which Popen runs a program that refuses to be root.

    The program's user then owns ``directory``.
    """
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    directory.chmod(0o755)
    for path in [directory, *directory.rglob("*")]:
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class PseudoTerminal:
    """Both sides of a pseudo-terminal, closed after the test."""

    def __init__(self, case: SynchronousTestCase) -> None:
        self.far, self.near = pty.openpty()
        case.addCleanup(os.close, self.far)
        case.addCleanup(os.close, self.near)

    def start(
        self,
        case: SynchronousTestCase,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program with this as all three of its streams."""
        near = self.near
        return start(case, command, stdin=near, stdout=near, stderr=near, env=environment)

    def type(self, line: str) -> None:
        """Type a line, with its end."""
        os.write(self.far, line.encode() + b"\n")

    def read_until(self, text: str) -> str:
        """Read the output up to ``text``, or further; lines end with CR LF."""
        return read_until(self.far, text)

    def echoes(self) -> bool:
        """Return whether the terminal shows what is typed."""
        local_flags = termios.tcgetattr(self.near)[3]
        return bool(local_flags & termios.ECHO)

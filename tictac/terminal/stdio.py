"""The process's own standard input, output and error as a :class:`Terminal`."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from twisted.internet.stdio import StandardIO

from tictac.reactor import Reactor
from tictac.terminal.terminal import Terminal, TerminalSettings

_STDIN, _STDOUT, _STDERR = 0, 1, 2


def open_terminal(reactor: Reactor) -> Terminal:
    """Open a terminal that reads and writes in ``reactor``.

    :meth:`Terminal.restore` undoes the changes.
    """
    source = _open_or_null(_STDIN, sys.stdin)
    sink = _open_or_null(_STDOUT, sys.stdout)
    settings = TerminalSettings(source, (source, sink))
    together = sys.stderr is not None and os.path.sameopenfile(sink, _STDERR)
    terminals = os.isatty(source), os.isatty(sink)
    write_error = None if together else _write_to_stderr
    terminal = Terminal(write_error, settings, *terminals, lambda: _columns(sink))
    # StandardIO closes its descriptors, and 0 and 1 must not become a socket while there are
    # settings to restore. So it gets copies. (mypy sees the one of Windows.)
    StandardIO(terminal, os.dup(source), os.dup(sink), reactor)  # type: ignore[call-arg]
    return terminal


def _open_or_null(number: int, stream: object) -> int:
    """Return ``number``, or the null device if the program was started with it closed."""
    return number if stream is not None else os.open(os.devnull, os.O_RDWR)


def _columns(sink: int) -> int:
    """Return the width of the terminal now; 0 if it is unknown, or if there is none."""
    try:
        return os.get_terminal_size(sink).columns
    except OSError:
        return 0


def _write_to_stderr(data: bytes) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            os.write(_STDERR, data)

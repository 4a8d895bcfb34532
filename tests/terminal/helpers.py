"""A Terminal without a terminal, for everything that talks to a person."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr

import pytest
from twisted.internet.testing import StringTransport

from tictac.terminal.terminal import Terminal, TerminalSettings


class RecordedSettings(TerminalSettings):
    """Notes what is done to the echo of a keyboard that isn't there ."""

    def __init__(self, has_echo: bool) -> None:
        self.has_echo = has_echo
        self.calls: list[str] = []

    def hide_input(self) -> bool:
        self.calls.append("hide")
        return self.has_echo

    def show_input(self) -> None:
        self.calls.append("show")

    def restore(self) -> None:
        self.calls.append("restore")


class Person:
    """Types at one side of a real :class:`Terminal`, and reads on the other."""

    def __init__(self, keyboard: bool = False, screen: bool = False, width: int = 0) -> None:
        self.settings = RecordedSettings(keyboard)
        self._errors = b""
        self.terminal = Terminal(self._note_error, self.settings, keyboard, screen, lambda: width)
        self.transport = StringTransport()
        self.terminal.makeConnection(self.transport)

    def type(self, *lines: str) -> None:
        """Type lines, each with its end."""
        self.terminal.dataReceived("".join(line + "\n" for line in lines).encode())

    def end_input(self) -> None:
        """Close standard input."""
        self.terminal.readConnectionLost()

    def type_or_end(self, line: str | None) -> None:
        """Type a line; None closes standard input."""
        if line is None:
            self.end_input()
        else:
            self.type(line)

    def read(self) -> str:
        """Return the standard output since the last time."""
        shown: str = self.transport.value().decode()
        self.transport.clear()
        return shown

    def read_errors(self) -> str:
        """Return the standard error since the last time."""
        errors, self._errors = self._errors, b""
        return errors.decode()

    def _note_error(self, data: bytes) -> None:
        self._errors += data


def complaint(parse: Callable[..., object], *arguments: str) -> str:
    """Return the error printed for arguments that a command doesn't take."""
    with redirect_stderr(io.StringIO()) as errors, pytest.raises(SystemExit) as ended:
        parse(*arguments)
    assert ended.value.code == 2
    return errors.getvalue()

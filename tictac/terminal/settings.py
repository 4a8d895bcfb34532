"""What a program changes about a terminal that it shares with the shell, to be put back."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterable
from contextlib import suppress

_LOCAL_FLAGS = 3
"""The index of the local flags in what tcgetattr() gives."""


class TerminalSettings:
    """The settings of some open file descriptors as they were when this was made.

    ``keyboard`` is the one of them whose echo can be turned off, if it is a terminal.
    """

    def __init__(self, keyboard: int, descriptors: Iterable[int]) -> None:
        self._keyboard = keyboard
        self._blocking = {number: os.get_blocking(number) for number in descriptors}
        self._attributes = termios.tcgetattr(keyboard) if os.isatty(keyboard) else None
        self._hidden = False

    def hide_input(self) -> bool:
        """Don't show what is typed. Whether it has been shown until now."""
        if self._attributes is None or not self._attributes[_LOCAL_FLAGS] & termios.ECHO:
            return False
        changed = self._attributes.copy()
        changed[_LOCAL_FLAGS] &= ~termios.ECHO
        self._set(changed)
        self._hidden = True
        return True

    def show_input(self) -> None:
        """Undo :meth:`hide_input`."""
        if self._hidden and self._attributes is not None:
            self._set(self._attributes)
            self._hidden = False

    def restore(self) -> None:
        """Put everything back. StandardIO makes what it uses non-blocking for everybody."""
        self.show_input()
        for number, blocking in self._blocking.items():
            os.set_blocking(number, blocking)

    def _set(self, attributes: list[int | list[bytes | int]]) -> None:
        with suppress(termios.error):  # The terminal may be gone, its settings with it.
            termios.tcsetattr(self._keyboard, termios.TCSANOW, attributes)

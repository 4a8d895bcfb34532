"""Input and output of a console program, used by a person or a script."""

from __future__ import annotations

import os
import termios
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IHalfCloseableProtocol, ITransport
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.net.inbox import Inbox
from tictac.terminal.style import Style, style_for

T = TypeVar("T")

_LOCAL_FLAGS = 3
"""The index of the local flags in the result of tcgetattr()."""


class TerminalSettings:
    """The settings of some open file descriptors at the time when this was made.

    ``keyboard`` is the descriptor whose echo can be turned off, if it is a terminal.
    """

    def __init__(self, keyboard: int, descriptors: Iterable[int]) -> None:
        self._keyboard = keyboard
        self._blocking = {number: os.get_blocking(number) for number in descriptors}
        self._attributes = termios.tcgetattr(keyboard) if os.isatty(keyboard) else None
        self._hidden = False

    def hide_input(self) -> bool:
        """Hide typed text. Return whether the terminal has shown it until now."""
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
        """Restore the echo, and the blocking mode, which StandardIO changes for all processes."""
        self.show_input()
        for number, blocking in self._blocking.items():
            os.set_blocking(number, blocking)

    def _set(self, attributes: list[int | list[bytes | int]]) -> None:
        with suppress(termios.error):  # The terminal might have closed.
            termios.tcsetattr(self._keyboard, termios.TCSANOW, attributes)


@implementer(IHalfCloseableProtocol)
class Terminal(LineReceiver):
    """Questions and answers: standard input is a queue of lines, standard output the transport.

    ``write_error`` writes bytes to standard error; None: standard error is the same as standard
    output, and the order of both must be kept. The two flags say which side is a terminal. A
    program writes more than its documented lines only to a terminal. ``width`` returns the columns
    of the output, 0 for no limit. ``output_lost`` fires when nothing reads the output any longer.
    Reading pauses while many lines wait, so a script can be of any length.
    """

    delimiter = b"\n"
    transport: ITransport

    def __init__(
        self,
        write_error: Callable[[bytes], object] | None,
        settings: TerminalSettings,
        input_is_terminal: bool = False,
        output_is_terminal: bool = False,
        width: Callable[[], int] = lambda: 0,
    ) -> None:
        self._inbox: Inbox[str] = Inbox(self.pauseProducing, self.resumeProducing)
        self._write_error = write_error
        self._settings = settings
        self._width = width
        self.input_is_terminal = input_is_terminal
        self.output_is_terminal = output_is_terminal
        self.line_waits = self._inbox.waits
        self.put_back = self._inbox.put_back
        self.show_input = settings.show_input
        self.restore = settings.restore
        self.output_lost: Deferred[None] = Deferred()
        self._closed: Deferred[None] = Deferred()
        self._in_prompt = False
        self._behind = b""

    @property
    def is_interactive(self) -> bool:
        """Whether a person types and reads."""
        return self.input_is_terminal and self.output_is_terminal

    @property
    def style(self) -> Style:
        """The style of the output."""
        return style_for(self.output_is_terminal, os.environ)

    def show(self, line: str) -> None:
        """Write a line to standard output."""
        self._write(line + "\n")

    def show_list(self, items: Iterable[str], gap: str = "   ") -> None:
        """Write ``items`` to standard output, in as many lines as its width needs.

        No item is broken, however narrow the terminal is.
        """
        width, line = self._width(), ""
        for item in items:
            longer = line + gap + item if line else item
            if line and 0 < width < len(longer):
                self.show(line)
                longer = item
            line = longer
        self.show(line)

    def error(self, line: str) -> None:
        """Write a line to standard error."""
        (self._write_error or self.transport.write)((line + "\n").encode("utf-8", "replace"))

    def ask(self, prompt: str, hidden: bool = False) -> Deferred[str]:
        """Return the next line of input, without its end; ``hidden`` input isn't shown.

        Fails with EOFError at the end of the input. Cancelling the Deferred gives the question up:
        a later line answers the next one. One question at a time.
        """
        self._write(prompt)
        asking = self._inbox.next()
        if not asking.called:
            self._in_prompt = bool(prompt)
            was_hidden = hidden and self._settings.hide_input()
            asking.addBoth(self._asked, was_hidden)
        return asking

    def _asked(self, result: T | Failure, was_hidden: bool) -> T | Failure:
        given_up = isinstance(result, Failure) and self._in_prompt
        self._in_prompt = False
        if was_hidden:
            self.show_input()
        if was_hidden or given_up:
            self.break_line()
        return result

    def break_line(self) -> None:
        """Begin a new line of a terminal, unless giving up a question will do so."""
        if self.output_is_terminal and not self._in_prompt:
            self._write("\n")

    def close(self) -> Deferred[None]:
        """Close both sides; fire when everything is written, or nothing reads it."""
        if self.output_lost.called:
            return succeed(None)
        self.transport.loseConnection()
        return self._closed

    def _write(self, text: str) -> None:
        self.transport.write(text.encode("utf-8", "replace"))

    # What Twisted calls

    def lineReceived(self, line: bytes) -> None:
        self._inbox.put(line.removesuffix(b"\r").decode("utf-8", "replace"))

    def dataReceived(self, data: bytes) -> None:
        super().dataReceived(data)
        while self._behind:  # LineReceiver passes this together with a line that is too long
            behind, self._behind = self._behind, b""
            super().dataReceived(behind)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Skip a line that no terminal could have sent, whose end might be yet to come."""
        self.error(f"Error: skipped a line of input that is longer than {self.MAX_LENGTH} bytes")
        _, end, self._behind = line.partition(self.delimiter)
        if not end:
            self.setRawMode()

    def rawDataReceived(self, data: bytes) -> None:
        _, end, behind = data.partition(self.delimiter)
        if end:
            self.setLineMode(behind)

    def readConnectionLost(self) -> None:
        """Accept a last line without a newline."""
        rest = self.clearLineBuffer()
        if rest:
            self.lineReceived(rest)
        self._inbox.end(EOFError("end of input"))

    def writeConnectionLost(self) -> None:
        self.output_lost.callback(None)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._inbox.end(EOFError("end of input"))
        self._closed.callback(None)

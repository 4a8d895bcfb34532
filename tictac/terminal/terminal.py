"""What a console program asks of the person, or of the script, that uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure

from tictac.terminal.lines import Lines

T = TypeVar("T")


class Settings(Protocol):
    """The part of :class:`~tictac.terminal.settings.TerminalSettings` that is used here."""

    def hide_input(self) -> bool:
        """Don't show what is typed. Whether it has been shown until now."""

    def show_input(self) -> None:
        """Undo it."""

    def restore(self) -> None:
        """Put everything back."""


class Terminal:
    """Questions and answers over ``lines``, which are connected to input and output.

    ``write_error`` writes bytes to standard error. The two flags say which side is a
    terminal: only with a terminal to write to is anything said beyond a program's
    documented lines. ``width`` gives the columns of the output, 0 for any number.
    """

    def __init__(
        self,
        lines: Lines,
        write_error: Callable[[bytes], object],
        settings: Settings,
        input_is_terminal: bool = False,
        output_is_terminal: bool = False,
        width: Callable[[], int] = lambda: 0,
    ) -> None:
        self._lines = lines
        self._write_error = write_error
        self._settings = settings
        self._width = width
        self.input_is_terminal = input_is_terminal
        self.output_is_terminal = output_is_terminal
        self.output_lost = lines.output_lost
        self.line_waits = lines.line_waits
        self._in_prompt = False

    @property
    def is_interactive(self) -> bool:
        """Whether somebody types, and looks."""
        return self.input_is_terminal and self.output_is_terminal

    def say(self, line: str) -> None:
        """Write a line to standard output."""
        self._write(line + "\n")

    def say_list(self, items: Iterable[str], gap: str = "   ") -> None:
        """Write ``items`` to standard output, in as many lines as its width asks for.

        No item is broken, however narrow it is.
        """
        width, line = self._width(), ""
        for item in items:
            longer = line + gap + item if line else item
            if line and 0 < width < len(longer):
                self.say(line)
                longer = item
            line = longer
        self.say(line)

    def error(self, line: str) -> None:
        """Write a line to standard error."""
        self._write_error((line + "\n").encode("utf-8", "replace"))

    def ask(self, prompt: str, hidden: bool = False) -> Deferred[str]:
        """The next line of input, without its end; ``hidden`` isn't shown while typed.

        Fails with EOFError when there is no line any more. Cancelling it gives the
        question up, and a line that comes later is for the next one. One at a time.
        """
        self._write(prompt)
        asking = self._lines.next_line()
        if not asking.called:
            self._in_prompt = bool(prompt)
            was_hidden = hidden and self._settings.hide_input()
            asking.addBoth(self._asked, was_hidden)
        return asking

    def _asked(self, result: T | Failure, was_hidden: bool) -> T | Failure:
        given_up = isinstance(result, Failure) and self._in_prompt
        self._in_prompt = False
        if was_hidden:
            self._settings.show_input()
        if was_hidden or given_up:
            self.break_line()
        return result

    def break_line(self) -> None:
        """Go to a new line of a terminal, unless giving up a question will do so."""
        if self.output_is_terminal and not self._in_prompt:
            self._write("\n")

    def show_input(self) -> None:
        """Show what is typed, whatever is being asked."""
        self._settings.show_input()

    def close(self) -> Deferred[None]:
        """Close both sides; fires when everything is written, or nobody reads it."""
        if self._lines.output_lost.called:
            return succeed(None)
        self._lines.transport.loseConnection()
        return self._lines.closed

    def restore(self) -> None:
        """Leave the terminal as it was found."""
        self._settings.restore()

    def _write(self, text: str) -> None:
        self._lines.transport.write(text.encode("utf-8", "replace"))

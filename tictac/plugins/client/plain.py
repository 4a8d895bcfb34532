"""The shell line by line: for a script, a pipe, or a screen reader.

Source: playing.md, "The client".
"""

from __future__ import annotations

from twisted.internet.defer import Deferred

from tictac.terminal.terminal import Terminal


class Plain:
    """A screen that never redraws a line (screen.Screen)."""

    def __init__(self, terminal: Terminal) -> None:
        self.is_script = not terminal.input_is_terminal
        self.fail = terminal.error
        self.show = terminal.show
        self.line_waits = terminal.line_waits
        self._terminal = terminal

    def ask(self, question: str, hidden: bool = False) -> Deferred[str]:
        """Return the next line unchanged; print the question, as a line, only on terminals."""
        if self._terminal.output_is_terminal:
            self.show(question.rstrip())
        return self._terminal.ask("", hidden)

    def next_line(self) -> Deferred[str]:
        """Return the next line; fails with EOFError at the end."""
        return self._terminal.ask("")

"""The interface between the shell and its user's screen."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol


class Screen(Protocol):
    """Input and output: at a terminal (editor.Editor), or line by line (plain.Plain).

    ``is_script``: no user is there to answer questions; each line waits for the script's turn.
    """

    is_script: bool

    def show(self, text: str) -> None:
        """Write lines."""

    def fail(self, text: str) -> None:
        """Write the reason for a failure."""

    def line_waits(self) -> bool:
        """Return whether a line is typed ahead."""

    def ask(self, question: str, hidden: bool = False) -> Awaitable[str | None]:
        """Return the answer to a question; None if the user canceled it."""

    def next_line(self) -> Awaitable[str]:
        """Return the next command; fails with EOFError at the end."""

"""Who types, and reads, as the shell knows them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol


class Screen(Protocol):
    """Who types, and reads: at a terminal (terminal.editor.Editor), or line by line (plain.Plain).

    ``is_script`` says that nobody is there to be asked: each line waits for its turn.
    """

    is_script: bool

    def say(self, text: str) -> None:
        """Write lines."""

    def fail(self, text: str) -> None:
        """Write why something wasn't done."""

    def line_waits(self) -> bool:
        """Whether a line was written ahead."""

    def ask(self, question: str, hidden: bool = False) -> Awaitable[str | None]:
        """The answer to a question; None: it was left."""

    def next_line(self) -> Awaitable[str]:
        """The next command; fails with EOFError at the end."""

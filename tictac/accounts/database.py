"""An open database, whichever it is: statements and transactions. Tables are built on it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Cursor(Protocol):
    """The part of a DB-API cursor that is needed here."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Give the next row of the answer; None after the last."""

    def fetchall(self) -> Sequence[Any]:
        """Give all rows of the answer."""


class Database(Protocol):
    """An open database. Its methods block.

    Outside of a transaction each change is safely kept when :meth:`execute` returns. When the
    database can't be read or written, or is locked for too long, its own errors are raised; then
    nothing has changed.
    """

    unsure: bool
    """Whether this very request may have been carried out before, and only its answer was lost.
    What it finds done is then its own work."""

    @property
    def taken(self) -> type[Exception]:
        """What is raised when a key is there already."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement in which each `?` stands for one of the values."""

    def transaction(self) -> AbstractContextManager[object]:
        """Do all of the body or none of it."""

"""The interface of an open database: statements and transactions, on which tables are built."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Cursor(Protocol):
    """The part of a DB-API cursor that the tables use."""

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""

    def fetchone(self) -> Any:
        """Return the next row of the answer; None after the last."""

    def fetchall(self) -> Sequence[Any]:
        """Return all rows of the answer."""


class Database(Protocol):
    """An open database. Its methods block.

    Outside of a transaction, each change is durably saved when :meth:`execute` returns. If the
    database is unreadable, read-only, or locked for too long, the methods raise its own errors and
    change nothing.
    """

    unsure: bool
    """Whether the database might have carried out this request before, with its answer lost. A
    row that exists already is then the request's own work."""

    @property
    def taken(self) -> type[Exception]:
        """The exception for a key that exists already."""

    def execute(self, statement: str, values: Sequence[object] = (), /) -> Cursor:
        """Run a statement in which each `?` stands for one of the values."""

    def transaction(self) -> AbstractContextManager[object]:
        """Do all of the body or none of it."""

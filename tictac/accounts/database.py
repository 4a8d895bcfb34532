"""An open database, whichever it is: statements, transactions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol


class Cursor(Protocol):
    """The part of a DB-API cursor that is needed here."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Give the next row of the answer; None after the last."""

    def fetchall(self) -> Sequence[Any]:
        """Give all rows of the answer."""


class OpenDatabase(ABC):
    """An open database. Its methods block; every change is safely kept when they return.

    Besides what is said at each, they raise the database's own errors when it can't be read or
    written, or is locked for too long; then nothing has changed.
    """

    taken: ClassVar[type[Exception]]
    """What the database raises when a key is there already."""

    unsure = False
    """Whether this very call may have been carried out before, and only its answer was lost. What
    it finds done is then its own work."""

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[object] = ()) -> Cursor:
        """Run a statement in which each `?` stands for one of the values."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[object]:
        """Do all of the body or none of it."""

    @abstractmethod
    def explained(self) -> AbstractContextManager[None]:
        """Turn what the database raises in the body into a SetupError that names it."""

    @abstractmethod
    def close(self) -> None:
        """Close it."""

"""Keepers: the data of an account in the tables of plug-ins, for its export and its removal.

Each table with names of accounts has a keeper, which a plug-in names in its ``keepers``. A test
compares the columns of all keepers with the schema. Therefore, no table can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from tictac.accounts.tables import AccountTables
from tictac.plugin import Added
from tictac.storage.database import Database


class Keeper(Protocol):
    """Tables (tictac/storage/store.py) that have names of accounts."""

    columns: Mapping[str, Collection[str]]
    """The columns that can have a name, by table."""

    def export(self, name: str) -> Mapping[str, object]:
        """Return what the tables have of an account, as JSON; empty: nothing."""

    def remove(self, name: str) -> None:
        """Delete that, or put "deleted" in place of the name, in short transactions.

        The account might have been removed already.
        """


KEEPERS: Added[Callable[[Database], Keeper]] = Added("keepers", "keeper")


def remove(database: Database, name: str) -> None:
    """Remove an account, and all that the keepers have of it. Raises NoSuchUser at the end."""
    for _, make in KEEPERS.all():
        make(database).remove(name)
    # The account is the last, so that a caller can repeat this after a kill.
    AccountTables(database).remove(name)

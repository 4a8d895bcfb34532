"""The SQL about the players of matches over days."""

from __future__ import annotations

from collections.abc import Sequence

from tictac.storage.database import Database
from tictac.storage.store import reading


class PlayerTables:
    """The accounts that can have seats."""

    def __init__(self, database: Database) -> None:
        self._execute = database.execute

    @reading
    def gone(self, names: Sequence[str]) -> list[str]:
        """Return the names without an account, and those of accounts that are banned forever."""
        of_these = f"name IN ({', '.join('?' * len(names))})"
        users = self._execute(f"SELECT name FROM users WHERE {of_these}", names).fetchall()
        banned = f"SELECT name FROM bans WHERE kind = 'user' AND until = 0 AND {of_these}"
        stay = {name for (name,) in users}
        stay -= {name for (name,) in self._execute(banned, names).fetchall()}
        return [name for name in names if name not in stay]

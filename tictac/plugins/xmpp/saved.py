"""The table of saved rooms, in the database of the accounts."""

from __future__ import annotations

from tictac.accounts.database import Database
from tictac.accounts.store import reading


class RoomTables:
    """Bytes by the name of a room."""

    def __init__(self, database: Database) -> None:
        self._execute = database.execute

    @reading
    def all(self) -> dict[str, bytes]:
        """Give everything that is kept."""
        rows = self._execute("SELECT name, content FROM saved_rooms").fetchall()
        return {name: bytes(content) for name, content in sorted(rows)}

    def put(self, name: str, content: bytes) -> None:
        """Keep `content`, in place of what has that name."""
        self._execute(
            "INSERT INTO saved_rooms (name, content) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET content = excluded.content",
            (name, content),
        )

    def remove(self, name: str) -> None:
        """Keep nothing of that name."""
        self._execute("DELETE FROM saved_rooms WHERE name = ?", (name,))

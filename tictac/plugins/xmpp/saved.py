"""The table of saved rooms, in the database of the accounts."""

from __future__ import annotations

from tictac.accounts.database import Database
from tictac.accounts.store import reading


class RoomTables:
    """The contents of saved rooms, by their names."""

    def __init__(self, database: Database) -> None:
        self._execute = database.execute

    @reading
    def all(self) -> dict[str, bytes]:
        """Return all saved rooms."""
        rows = self._execute("SELECT name, content FROM saved_rooms").fetchall()
        return {name: bytes(content) for name, content in sorted(rows)}

    def put(self, name: str, content: bytes) -> None:
        """Save a room in place of any of that name."""
        self._execute(
            "INSERT INTO saved_rooms (name, content) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET content = excluded.content",
            (name, content),
        )

    def remove(self, name: str) -> None:
        """Delete the room of that name."""
        self._execute("DELETE FROM saved_rooms WHERE name = ?", (name,))

"""The table of saved rooms, in the database of the accounts."""

from __future__ import annotations

from tictac.options import MAIN
from tictac.storage.database import Database
from tictac.storage.store import reading


class RoomTables:
    """The contents of a lobby's saved rooms, by their names."""

    def __init__(self, database: Database, lobby: str = MAIN) -> None:
        self._execute = database.execute
        self._lobby = lobby

    @reading
    def all(self) -> dict[str, bytes]:
        """Return all saved rooms."""
        there = "SELECT name, content FROM saved_rooms WHERE lobby = ?"
        rows = self._execute(there, (self._lobby,)).fetchall()
        return {name: bytes(content) for name, content in sorted(rows)}

    def put(self, name: str, content: bytes) -> None:
        """Save a room in place of any of that name."""
        self._execute(
            "INSERT INTO saved_rooms (lobby, name, content) VALUES (?, ?, ?)"
            " ON CONFLICT (lobby, name) DO UPDATE SET content = excluded.content",
            (self._lobby, name, content),
        )

    def remove(self, name: str) -> None:
        """Delete the room of that name."""
        gone = "DELETE FROM saved_rooms WHERE lobby = ? AND name = ?"
        self._execute(gone, (self._lobby, name))

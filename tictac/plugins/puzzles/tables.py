"""The SQL of puzzles."""

from __future__ import annotations

from tictac.storage.database import Database
from tictac.storage.store import reading


class PuzzleTables:
    """A puzzle for each day and game, as JSON; days are like 2026-11-29, in UTC."""

    def __init__(self, database: Database) -> None:
        self._execute, self._transaction = database.execute, database.transaction

    @reading
    def of(self, day: str) -> list[str]:
        """Return the puzzles of a day, in the order of their games."""
        found = self._execute("SELECT content FROM puzzles WHERE day = ? ORDER BY game", (day,))
        return [content for (content,) in found.fetchall()]

    @reading
    def last(self, game: str, limit: int) -> list[str]:
        """Return the last puzzles of a game, the newest first."""
        found = self._execute(
            "SELECT content FROM puzzles WHERE game = ? ORDER BY day DESC LIMIT ?", (game, limit)
        )
        return [content for (content,) in found.fetchall()]

    @reading
    def matches(self, game: str, since: int, limit: int) -> list[str]:
        """Return the IDs of a game's last matches that are public and ended since then.

        ``since`` is in milliseconds since 1970.
        """
        found = self._execute(
            "SELECT id FROM matches WHERE ended >= ? AND game = ? AND private = 0"
            " ORDER BY ended DESC, number DESC LIMIT ?",
            (since, game, limit),
        )
        return [match_id for (match_id,) in found.fetchall()]

    def add(self, day: str, game: str, content: str) -> None:
        """Save a puzzle, unless the day has one of this game."""
        with self._transaction():
            self._execute(
                "INSERT INTO puzzles (day, game, content) SELECT ?, ?, ? WHERE NOT EXISTS"
                " (SELECT 1 FROM puzzles WHERE day = ? AND game = ?)",
                (day, game, content, day, game),
            )

    def prune(self, before: str) -> None:
        """Delete the puzzles of the days before that one."""
        with self._transaction():
            self._execute("DELETE FROM puzzles WHERE day < ?", (before,))

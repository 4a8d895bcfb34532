"""The SQL of puzzles, and of the accounts that solved them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from tictac.storage.database import Database
from tictac.storage.store import reading


class Solved(NamedTuple):
    """A puzzle that an account solved on its day."""

    day: str
    game: str


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

    def prune(self, before: str, solved_before: str) -> None:
        """Delete the puzzles of the days before that one, and solutions of those before another."""
        with self._transaction():
            self._execute("DELETE FROM puzzles WHERE day < ?", (before,))
            self._execute("DELETE FROM puzzle_solvers WHERE day < ?", (solved_before,))

    def solve(self, name: str, day: str, game: str) -> list[Solved]:
        """Note that an account has solved a puzzle; return all that it has solved."""
        self._execute(
            "INSERT INTO puzzle_solvers (name, day, game) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (name, day, game),
        )
        return self.solved(name)

    @reading
    def solved(self, name: str) -> list[Solved]:
        """Return what an account has solved, the newest first."""
        found = self._execute(
            "SELECT day, game FROM puzzle_solvers WHERE name = ? ORDER BY day DESC, game", (name,)
        )
        return [Solved(*row) for row in found.fetchall()]


class PuzzleKeeper:
    """The puzzles that an account solved (accounts.keepers.Keeper); they go with the account."""

    columns: ClassVar = {"puzzle_solvers": ("name",)}

    def __init__(self, database: Database) -> None:
        self._database, self._tables = database, PuzzleTables(database)

    def export(self, name: str) -> Mapping[str, object]:
        """Return the days and games of the puzzles."""
        solved = self._tables.solved(name)
        return {"puzzles": [each._asdict() for each in solved]} if solved else {}

    def remove(self, name: str) -> None:
        """Delete the rows of the account."""
        self._database.execute("DELETE FROM puzzle_solvers WHERE name = ?", (name,))

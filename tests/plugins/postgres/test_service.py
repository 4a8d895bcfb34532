"""Which options ask for rooms in PostgreSQL."""

from __future__ import annotations

from typing import Any

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import SetupError
from tictac.options import Settings
from tictac.plugins.postgres.service import LOBBY
from tictac.runtime import Runtime

FILE, URL = "users.db", "postgresql://127.0.0.1/tictac"


def made(database: str, journal: str, lobby: str = "main") -> Any:
    """Return the registry and the turn made for these options, or None."""
    settings = Settings({"database": database, "journal": journal, "lobby": lobby})
    runtime = Runtime(settings, MemoryReactorClock())
    runtime.database = database
    return LOBBY.make(runtime)


class OptionsTests(SynchronousTestCase):
    def test_rooms_go_where_the_accounts_are(self) -> None:
        for database, journal in ((FILE, "auto"), (FILE, "none"), (FILE, "sqlite"), (URL, "none")):
            assert made(database, journal) is None
        for journal in ("auto", "postgres"):
            registry, turn = made(URL, journal)
            assert registry.outlives and not registry.ready()
            assert turn.why_not() == "the server starts"

    def test_it_needs_a_database_of_that_kind(self) -> None:
        error = self.assertRaises(SetupError, made, FILE, "postgres")
        assert str(error) == "--journal postgres needs a --database that is a postgresql:// URL"

    def test_only_there_are_lobbies(self) -> None:
        assert made(URL, "auto", "north") and made(URL, "postgres", "north")
        for database, journal in ((FILE, "auto"), (FILE, "none"), (FILE, "sqlite"), (URL, "none")):
            error = self.assertRaises(SetupError, made, database, journal, "north")
            assert str(error) == (
                "--lobby north: only rooms in PostgreSQL have lobbies; use a postgresql://"
                " --database with --journal postgres"
            )

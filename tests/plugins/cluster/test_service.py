"""Whether the options ask for a node, and which of them don't go together."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import SetupError
from tictac.plugins.cluster.service import LOBBY

FILE, URL = "users.db", "postgresql://127.0.0.1/tictac"


def made(database: str, node: str | None = None, journal: str = "none") -> Any:
    """Return the registry made for these options, or None."""
    options = {"node": node, "journal": journal}
    return LOBBY.make(None, options, lambda: database, lambda room: None)


class OptionsTests(SynchronousTestCase):
    def test_without_a_node_the_rooms_are_kept_elsewhere(self) -> None:
        for database, journal in ((FILE, "none"), (FILE, "sqlite"), (URL, "none")):
            assert made(database, journal=journal) is None

    def test_a_node_needs_a_shared_database(self) -> None:
        error = self.assertRaises(SetupError, made, FILE, "tcp:a:7")
        assert str(error) == "--node needs a --database that is a postgresql:// URL"

    def test_a_node_keeps_no_rooms_in_a_file(self) -> None:
        error = self.assertRaises(SetupError, made, URL, "tcp:a:7", "sqlite")
        assert str(error) == "--node keeps rooms in PostgreSQL: leave --journal out"

    def test_a_journal_in_postgresql_needs_it(self) -> None:
        error = self.assertRaises(SetupError, made, FILE, None, "postgres")
        assert str(error) == "--journal postgres needs a --database that is a postgresql:// URL"

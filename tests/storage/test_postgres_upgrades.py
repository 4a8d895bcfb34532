"""Databases in PostgreSQL of every schema that there was, and players who play on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.plugins.postgres.two_processes import TwoCase
from tests.storage.postgres import Postgres
from tests.storage.schemas import check_filled, fill
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.upgrades import shipped_steps

STEPS = shipped_steps("postgresql")

TWO_NODES = Path(__file__).with_name("two_nodes.sql").read_text("utf-8")

# Steps that were changed soon after the first commit that had them.
WITHOUT_NODES = """
DROP TABLE nodes;
ALTER TABLE rooms DROP COLUMN node, DROP COLUMN former, DROP CONSTRAINT rooms_name_key;
"""
SHORT_IDS = """
ALTER TABLE nodes ALTER COLUMN id TYPE VARCHAR(100), ALTER COLUMN heir TYPE VARCHAR(100);
ALTER TABLE rooms ALTER COLUMN node TYPE VARCHAR(100), ALTER COLUMN former TYPE VARCHAR(100);
"""
OTHER_INDEX = """
DROP INDEX matches_by_time;
CREATE INDEX matches_by_time ON matches (ended, number);
CREATE INDEX matches_by_game ON matches (game, ended, number);
"""
CHANGED = [(4, WITHOUT_NODES), (4, SHORT_IDS), (5, OTHER_INDEX)]

COLUMNS = """SELECT table_name, column_name, data_type, is_nullable, column_default
 FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2"""
KEYS = """SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()
 AND indexdef LIKE '%UNIQUE%' ORDER BY 1, 2"""


def shape(postgres: Postgres, url: str) -> str:
    """Return the columns and keys of all tables, as a text without the name of their schema."""
    found = [postgres.execute(query, url) for query in (COLUMNS, KEYS)]
    return repr(found).replace(url.rpartition("%3D")[2], "")


@pytest.mark.parametrize(
    ("version", "changes"), [*((version, "") for version in range(1, len(STEPS))), *CHANGED]
)
def test_from_every_schema(postgres: Postgres, version: int, changes: str) -> None:
    url, new = postgres.new_place(), postgres.new_place()
    PostgresDatabase.open(new).close()
    with closing(PostgresDatabase.open(url, steps=STEPS[:version])) as database:
        if changes:
            postgres.execute(changes, url)
        has_nodes = 4 <= version < 13 and changes != WITHOUT_NODES
        nodes: list[dict[str, object]] = [{"node": "a"}, {"node": "b", "former": "c"}]
        fill(database, version, nodes if has_nodes else ())
    with closing(PostgresDatabase.open(url)) as database:
        check_filled(database, version)
    assert shape(postgres, url) == shape(postgres, new)


class TwoNodesTests(TwoCase):
    """A cluster of the former design, both of whose nodes were killed in the middle of a match."""

    def setUp(self) -> None:
        super().setUp()
        self.postgres.execute(TWO_NODES, self.url)

    def test_the_players_of_both_play_on(self) -> None:
        program = self.serve()
        assert "3 rooms restored" in program.log
        for room, first, second in (("den", "alice", "bob"), ("attic", "carol", "dave")):
            callers = [self.log_in(program, user) for user in (first, second)]
            state = (f"INPROGRESS:{second}:{first}", "BOARDSTATUS:000010000")
            for caller in callers:
                caller.ask(f"JOIN:{room}:PLAYER", "JOIN:ACKSTATUS:0", *state)
            callers[1].send("PLACE:0:0")
            for caller in callers:
                caller.expect("BOARDSTATUS:200010000")

    def test_what_else_there_was_stays(self) -> None:
        PostgresDatabase.open(self.url).close()
        rows = {
            "id": "SELECT id FROM matches",
            "players": "SELECT player FROM match_players ORDER BY 1",
            "tournaments": "SELECT id, state, owner FROM tournaments",
            "lines": "SELECT line FROM tournament_lines",
        }
        found = {what: self.postgres.execute(query, self.url) for what, query in rows.items()}
        assert found == {
            "id": [("PkfUyhq3f7SvvU0i",)],
            "players": [("erin",), ("frank",)],
            "tournaments": [("friday-cup", "open", "erin")],
            "lines": [('["entered","alice"]',)],
        }

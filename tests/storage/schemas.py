"""Rows of earlier schemas, and what must be left of them after an upgrade."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.accounts.helpers import HASH
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import UserExists
from tictac.storage.database import Database

ROWS: list[tuple[int, str, dict[str, object]]] = [
    (1, "users", {"name": "alice", "password_hash": HASH}),
    (2, "saved_rooms", {"name": "hall", "content": b"<muc/>"}),
    (4, "rooms", {"id": 1, "format": 1, "name": "den", "terms": "{}", "start": "x"}),
    (4, "rooms", {"id": 2, "format": 1, "name": "attic", "terms": "{}", "start": "x"}),
    (4, "room_events", {"room": 1, "number": 1, "at": 1.5, "event": "[]"}),
    (5, "match_players", {"player": "bob", "ended": 1, "match": 1, "seat": 0, "account": 1}),
    (6, "judgements", {"id": "m1", "content": "{}"}),
    (7, "tokens", {"hash": "0f", "name": "alice", "expires": 1}),
    (8, "ended_logins", {"number": 1, "name": "carol"}),
    (9, "bans", {"kind": "user", "name": "mallory", "until": 1}),
    (10, "rating_aborts", {"player": "bob", "ended": 1, "id": "m1"}),
    (12, "tournaments", {"id": "cup", "state": "open", "made": 1, "plan": "{}", "head": "{}"}),
]
"""Rows of the schema of that number and of later ones: the table, and the columns."""


def insert(database: Database, *names: str) -> None:
    """Add users as the first releases did."""
    for name in names:
        database.execute("INSERT INTO users (name, password_hash) VALUES (?, ?)", (name, HASH))


def fill(database: Database, version: int, nodes: Sequence[dict[str, object]] = ()) -> None:
    """Insert rows of that schema; ``nodes`` are more columns of its rooms."""
    more = iter(nodes)
    for since, table, row in ROWS:
        if since <= version:
            every = row | (next(more, {}) if table == "rooms" else {})
            marks = ", ".join("?" * len(every))
            statement = f"INSERT INTO {table} ({', '.join(every)}) VALUES ({marks})"
            database.execute(statement, list(every.values()))


def check_filled(database: Database, version: int) -> None:
    """Check that the rows of that schema are there."""
    for since, table, row in ROWS:
        if since <= version:
            found = database.execute(f"SELECT {', '.join(row)} FROM {table}").fetchall()
            assert tuple(row.values()) in [tuple(each) for each in found]


def check_doubles(database: Database) -> None:
    """Check that an upgrade of any database kept the three names, each with its account."""
    names = ["CaseTest", "Computer", "casetest"]
    assert [account.name for account in AccountTables(database).all()] == names
    for name in names:
        assert AccountTables(database).get(name) == Account(name, HASH)
    with pytest.raises(UserExists):
        AccountTables(database).add(Account("CASETEST", HASH))
    AccountTables(database).remove("CaseTest")
    with pytest.raises(UserExists):
        AccountTables(database).add(Account("CaseTest", HASH))
    AccountTables(database).remove("casetest")
    AccountTables(database).add(Account("CASETEST", HASH))

"""From one schema to the next."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.accounts.helpers import HASH
from tests.storage.schemas import check_doubles, check_filled, fill, insert
from tictac.errors import SetupError
from tictac.storage import upgrades
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps, transaction, upgrade, version_of

FIRST = shipped_steps()[0]
SECOND = """
-- What may come; with a semicolon in a comment, and in 'a text'.
CREATE TABLE games (name VARCHAR(20) NOT NULL, note VARCHAR(20) DEFAULT ';');
INSERT INTO games (name) VALUES ('chess; and more');
"""
THIRD = "ALTER TABLE users ADD COLUMN seen INTEGER;"
BROKEN = "CREATE TABLE games (name VARCHAR(20)); CREATE TABLE games (name VARCHAR(20));"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Create a database of the first schema with one user, and return its path."""
    path = tmp_path / "users.db"
    with closing(SqliteDatabase.open(path, steps=[FIRST])) as database:
        insert(database, "alice")
    return path


def look(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return version_of(connection, path)


def test_the_steps_of_this_release() -> None:
    folder = Path(upgrades.__file__).with_name("schema")
    names = sorted(file.name for file in folder.glob("*.sql"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert list(shipped_steps()) == [(folder / name).read_text("utf-8") for name in names]


def test_a_new_place_has_all_steps_and_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    SqliteDatabase.open(path, steps=[FIRST, SECOND, THIRD]).close()
    assert version(path) == 3
    assert list(tmp_path.iterdir()) == [path]


def test_an_older_database_gets_the_steps_that_it_lacks(path: Path) -> None:
    SqliteDatabase.open(path, steps=[FIRST, SECOND, THIRD]).close()
    assert version(path) == 3
    assert look(path, "SELECT * FROM users") == [("alice", HASH, None)]
    assert look(path, "SELECT * FROM games") == [("chess; and more", ";")]


def test_before_that_it_is_copied(path: Path) -> None:
    SqliteDatabase.open(path, steps=[FIRST, SECOND]).close()
    backup = path.with_name("users.db.v1.backup")
    assert sorted(path.parent.iterdir()) == [path, backup]
    assert version(backup) == 1
    assert look(backup, "SELECT * FROM users") == [("alice", HASH)]


def test_a_database_that_is_up_to_date_is_left_alone(path: Path) -> None:
    content = path.read_bytes()
    SqliteDatabase.open(path, steps=[FIRST]).close()
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_step_that_fails_undoes_those_before(path: Path) -> None:
    with pytest.raises(SetupError, match=r"users\.db can't be used: table games already exists"):
        SqliteDatabase.open(path, steps=[FIRST, THIRD, BROKEN])
    assert version(path) == 1
    assert look(path, "SELECT * FROM users") == [("alice", HASH)]


def test_a_step_that_is_cut_off_is_not_taken(path: Path) -> None:
    with pytest.raises(ValueError, match="CREATE TABLE games"):
        SqliteDatabase.open(path, steps=[FIRST, "CREATE TABLE games (name"])
    assert version(path) == 1


def test_a_copy_that_fails_prevents_the_upgrade(path: Path) -> None:
    path.with_name("users.db.v1.backup").mkdir()
    with pytest.raises(SetupError, match=r"users\.db can't be used: Is a directory"):
        SqliteDatabase.open(path, steps=[FIRST, SECOND])
    assert version(path) == 1
    assert len(list(path.parent.iterdir())) == 2


def test_who_comes_second_neither_upgrades_nor_copies(path: Path) -> None:
    """Another process upgrades between the first look and the lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        hurried = False

        def overtake(statement: str) -> None:
            nonlocal hurried
            if statement.startswith("BEGIN") and not hurried:
                hurried = True
                SqliteDatabase.open(path, steps=[FIRST, SECOND]).close()
                path.with_name("users.db.v1.backup").unlink()

        connection.set_trace_callback(overtake)
        upgrade(connection, path, [FIRST, SECOND], lambda: sqlite3.connect(path))
    assert hurried
    assert look(path, "SELECT name FROM games") == [("chess; and more",)]
    assert list(path.parent.iterdir()) == [path]


def test_names_that_differ_only_in_case_stay_and_no_more_are_added(tmp_path: Path) -> None:
    path = tmp_path / "users.db"
    with closing(SqliteDatabase.open(path, steps=shipped_steps()[:2])) as database:
        insert(database, "casetest", "CaseTest", "Computer")
    with closing(SqliteDatabase.open(path)) as database:
        check_doubles(database)


@pytest.mark.parametrize("version", range(1, len(shipped_steps())))
def test_from_every_schema(tmp_path: Path, version: int) -> None:
    path, new = tmp_path / "users.db", tmp_path / "new.db"
    SqliteDatabase.open(new).close()
    with closing(SqliteDatabase.open(path, steps=shipped_steps()[:version])) as database:
        fill(database, version)
    with closing(SqliteDatabase.open(path)) as database:
        check_filled(database, version)
    schema = "SELECT name, sql FROM sqlite_master ORDER BY name"
    assert look(path, schema) == look(new, schema)


def test_a_transaction_is_undone_when_its_body_fails(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(KeyError), transaction(connection):
            connection.execute("DELETE FROM users")
            raise KeyError
        assert not connection.in_transaction
    assert look(path, "SELECT name FROM users") == [("alice",)]

"""Every file that can't be used is refused in one line that names it."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.accounts.helpers import HASH
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import SetupError
from tictac.storage import opening
from tictac.storage.databases import prepare
from tictac.storage.opening import create_file, open_file
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.db"


def refusal(path: Path | str) -> str:
    """Return why ``path`` can't be used: one line, without its name."""
    with pytest.raises(SetupError) as caught:
        SqliteDatabase.open(path, busy_timeout=0.01)
    line = str(caught.value)
    assert line.startswith(f"{path}") and "\n" not in line
    return line.removeprefix(f"{path}").strip()


def make(path: Path, users: int = 0) -> None:
    with closing(SqliteDatabase.open(path)) as database:
        AccountTables(database).add_many(Account(str(number), HASH) for number in range(users))


def patch(path: Path, offset: int, new: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(new)


def test_a_missing_file_is_made_for_its_owner_alone(path: Path) -> None:
    make(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_no_build_of_sqlite_leaves_deleted_rows_in_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*args: object) -> sqlite3.Connection:
        connection = connected(*args)
        connection.execute("PRAGMA secure_delete = OFF")  # as most builds do
        return connection

    connected: Callable[..., sqlite3.Connection] = opening._connect
    monkeypatch.setattr(opening, "_connect", connect)
    with closing(SqliteDatabase.open(path)) as database:
        database.execute("CREATE TABLE notes (text TEXT)")
        for _ in range(100):
            database.execute("INSERT INTO notes VALUES ('forgotten')")
        database.execute("DELETE FROM notes")
    assert b"forgotten" not in path.read_bytes()


def test_a_missing_file_is_not_made_unasked(path: Path) -> None:
    with pytest.raises(SetupError, match=r"users\.db doesn't exist"):
        SqliteDatabase.open(path, create=False)
    assert not path.exists()


def test_an_empty_file_is_taken(path: Path) -> None:
    path.touch()
    make(path, users=1)
    with closing(SqliteDatabase.open(path)) as database:
        assert len(AccountTables(database).all()) == 1


def test_an_odd_name_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "50% of #1? it's ü.db"
    make(path, users=1)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_relative_name_is_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    prepare("users.db")
    assert path.exists()


def test_memory(path: Path) -> None:
    assert "isn't supported" in refusal(":memory:")


def test_a_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "isn't a file"


def test_a_device() -> None:
    assert refusal("/dev/null") == "isn't a file"


def test_a_missing_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no" / "users.db") == "can't be made: its directory doesn't exist"


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300)) == "can't be used: File name too long"


def test_a_link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")
    assert refusal(path) == "doesn't exist"


@pytest.mark.parametrize("content", [b"hello", b"[]\n", b"x" * 10_000, b"\0" * 100])
def test_something_else_than_sqlite(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path) == "isn't an SQLite database"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE pets (name TEXT)",
        "CREATE TABLE users (name TEXT)",
        "CREATE TABLE schema_version (version INTEGER)",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (version INTEGER)",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (number INTEGER)",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (version TEXT);"
        "INSERT INTO schema_version VALUES ('one')",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (version INTEGER);"
        "INSERT INTO schema_version VALUES (-1)",
    ],
)
def test_the_database_of_another_program(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    content = path.read_bytes()
    assert refusal(path) == "is a database of another program"
    assert path.read_bytes() == content


def test_a_newer_schema(path: Path) -> None:
    make(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    assert refusal(path).startswith("was made by a newer version of this program")


@pytest.mark.parametrize("offset", [4096 * 3, 4096 * 20 + 3])
def test_a_damaged_file(path: Path, offset: int) -> None:
    make(path, users=2000)
    patch(path, offset, b"\xff" * 2000)
    assert refusal(path).startswith("is damaged: ")


def test_a_damaged_schema(path: Path) -> None:
    make(path)
    patch(path, 100, b"\xff" * 500)
    assert refusal(path).startswith("is damaged: ")


def test_a_file_that_was_cut_off(path: Path) -> None:
    make(path, users=2000)
    os.truncate(path, 4096 * 10)
    assert refusal(path).startswith("is damaged: ")


@pytest.mark.parametrize("how", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_locked_file(path: Path, how: str) -> None:
    make(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as another:
        another.execute(how)
        assert refusal(path) == "is locked by another program"


def test_a_file_that_is_locked_altogether(path: Path) -> None:
    path.touch()
    with closing(sqlite3.connect(path, isolation_level=None)) as another:
        another.execute("BEGIN EXCLUSIVE")
        assert refusal(path) == "is locked by another program"


def test_a_file_that_is_read_only(path: Path) -> None:
    make(path)
    # A format that this SQLite may read but not write; unlike a mode, it binds root too.
    patch(path, 18, b"\x03")
    assert refusal(path) == "can't be written"


def test_a_file_that_vanishes_is_not_made_anew(path: Path) -> None:
    make(path)
    connection = open_file(path, 1, shipped_steps())
    connection.close()
    path.unlink()
    with pytest.raises(sqlite3.OperationalError):
        opening._connect(path, 1)
    assert not path.exists()


def test_opening_does_not_wait_as_long_as_a_request_may(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that can't start should say so soon; hours would pass here otherwise."""
    make(path)
    monkeypatch.setattr(opening, "PATIENCE", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        with pytest.raises(SetupError, match="is locked"):
            SqliteDatabase.open(path, busy_timeout=10_000)


def crash(connection: sqlite3.Connection) -> None:
    raise KeyboardInterrupt


def fill_the_disk(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 1")
    connection.execute("CREATE TABLE too_much AS SELECT zeroblob(1 << 20)")


def test_a_file_that_was_not_finished_does_not_appear(path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        create_file(path, shipped_steps(), crash)
    assert list(path.parent.iterdir()) == []


def test_remains_of_another_file_are_not_taken_in(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"somebody's accounts")
    with pytest.raises(SetupError, match=r"users\.db is missing but .*users\.db-wal isn't"):
        make(path)
    assert not path.exists()


def test_a_new_file_is_whole_without_its_log(path: Path) -> None:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO users VALUES ('alice', 'hash', '', 0)")

    create_file(path, shipped_steps(), fill)
    assert list(path.parent.iterdir()) == [path]
    address = f"{path.as_uri()}?immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        assert connection.execute("SELECT count(*) FROM users").fetchone() == (1,)


def test_what_goes_wrong_on_the_way_names_the_file_that_was_wanted(path: Path) -> None:
    with pytest.raises(SetupError, match=r"/users\.db can't be used: database or disk is full"):
        create_file(path, shipped_steps(), fill_the_disk)


@pytest.mark.parametrize("maker", [make, Path.touch, lambda path: path.write_text("hello")])
def test_a_file_that_appears_meanwhile_is_not_replaced(
    path: Path, maker: Callable[[Path], object]
) -> None:
    found = []

    def meanwhile(connection: sqlite3.Connection) -> None:
        maker(path)
        found.append(path.read_bytes())

    create_file(path, shipped_steps(), meanwhile)
    assert [path.read_bytes()] == found
    assert list(path.parent.iterdir()) == [path]

"""A database in PostgreSQL: what the commands use, its schema, and why one can't be used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import Queue

import psycopg
import pytest

from tests.accounts.helpers import HASH
from tests.storage.postgres import PASSWORD, Postgres
from tests.storage.schemas import check_doubles, insert
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import SetupError
from tictac.plugins.check.target import free_port
from tictac.storage.address import Address
from tictac.storage.postgres import PostgresDatabase, connect, upgrade
from tictac.storage.upgrades import shipped_steps

ALICE = Account("alice", HASH)
FIRST = shipped_steps("postgresql")[0]
SECOND = "CREATE TABLE games (name TEXT, note TEXT DEFAULT ';%'); INSERT INTO games VALUES ('go');"
BROKEN = "CREATE TABLE games (name TEXT); CREATE TABLE games (name TEXT);"


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.new_place()


@pytest.fixture
def database(url: str) -> Iterator[PostgresDatabase]:
    with closing(PostgresDatabase.open(url)) as opened:
        yield opened


def refusal(url: str) -> str:
    """Return why a database can't be used: one line, without its password."""
    with pytest.raises(SetupError) as caught:
        PostgresDatabase.open(url)
    line = str(caught.value)
    assert "\n" not in line and PASSWORD not in line
    return line


def test_what_fails_on_the_way_is_explained_in_a_line(
    database: PostgresDatabase, postgres: Postgres, url: str
) -> None:
    postgres.execute("DROP TABLE users CASCADE", url)
    with pytest.raises(SetupError) as caught, database.explained():
        AccountTables(database).all()
    assert "users" in str(caught.value) and "\n" not in str(caught.value)


# Promises


def test_what_is_acknowledged_is_committed_on_disk(postgres: Postgres) -> None:
    """Whatever the database has been set to; what is stronger may stay."""
    for setting, kept in (("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")):
        place = f"{postgres.new_place()}%20-csynchronous_commit%3D{setting}"
        with closing(connect(Address.parse(place))) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == (kept,)


def test_a_statement_ends_by_itself(url: str) -> None:
    with closing(connect(Address.parse(url), 3)) as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == ("3s",)
        assert connection.execute("SHOW lock_timeout").fetchone() == ("1500ms",)
    with closing(connect(Address.parse(url), 0)) as connection:
        assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)


# Schema


def version(postgres: Postgres, url: str) -> object:
    return postgres.execute("SELECT version FROM schema_version", url)


def test_the_steps_have_the_numbers_of_sqlites() -> None:
    assert len(shipped_steps("postgresql")) == len(shipped_steps())
    assert shipped_steps("postgresql")[0] == shipped_steps()[0]
    assert "BYTEA" in shipped_steps("postgresql")[1]


def test_an_older_database_gets_the_steps_that_it_lacks(postgres: Postgres, url: str) -> None:
    with closing(PostgresDatabase.open(url, steps=[FIRST])) as database:
        insert(database, "alice")
    PostgresDatabase.open(url, steps=[FIRST, SECOND]).close()
    assert postgres.execute("SELECT name FROM users", url) == [("alice",)]
    assert version(postgres, url) == [(2,)]
    assert postgres.execute("SELECT * FROM games", url) == [("go", ";%")]


def test_names_that_differ_only_in_case_stay_and_no_more_are_added(url: str) -> None:
    with closing(PostgresDatabase.open(url, steps=shipped_steps("postgresql")[:2])) as database:
        insert(database, "casetest", "CaseTest", "Computer")
    with closing(PostgresDatabase.open(url)) as database:
        check_doubles(database)


def test_a_step_that_fails_undoes_those_before(postgres: Postgres, url: str) -> None:
    PostgresDatabase.open(url, steps=[FIRST]).close()
    with pytest.raises(SetupError, match='relation "games" already exists'):
        PostgresDatabase.open(url, steps=[FIRST, "CREATE TABLE pets (name TEXT)", BROKEN])
    assert version(postgres, url) == [(1,)]
    with pytest.raises(psycopg.errors.UndefinedTable):
        postgres.execute("SELECT * FROM pets", url)


def test_a_newer_schema(postgres: Postgres, url: str) -> None:
    PostgresDatabase.open(url).close()
    postgres.execute("UPDATE schema_version SET version = 99", url)
    assert "was made by a newer version of this program: its schema is 99" in refusal(url)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE pets (name TEXT)",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (number INTEGER)",
        "CREATE TABLE users (name TEXT); CREATE TABLE schema_version (version INTEGER)",
    ],
)
def test_the_database_of_another_program(postgres: Postgres, url: str, script: str) -> None:
    postgres.execute(script, url)
    assert refusal(url).endswith(" is a database of another program")


def test_tables_are_not_made_unasked(postgres: Postgres, url: str) -> None:
    with pytest.raises(SetupError, match="holds no accounts"):
        PostgresDatabase.open(url, create=False)
    found = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
    assert postgres.execute(found, url) == [(0,)]


def test_of_servers_that_start_at_once_one_upgrades(url: str) -> None:
    """All four servers found the schema old, and wait for the lock that the test holds.

    At their isolation level, a second look in the same transaction would show the old schema again.
    """
    place = f"{url}%20-cdefault_transaction_isolation%3Dserializable"
    outcomes: Queue[BaseException | None] = Queue()

    def start() -> None:
        try:
            PostgresDatabase.open(place).close()
        except BaseException as error:
            outcomes.put(error)
        else:
            outcomes.put(None)

    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with psycopg.connect(url, autocommit=True) as holder:
        with holder.transaction():
            holder.execute("SELECT pg_advisory_xact_lock(%s)", (0x746963746163,))
            servers = [threading.Thread(target=start) for _ in range(4)]
            for server in servers:
                server.start()
            with psycopg.connect(url, autocommit=True) as observer:
                while observer.execute(waiting).fetchone() != (4,):
                    assert outcomes.empty(), outcomes.get()
        for server in servers:
            server.join()
    assert [outcomes.get() for _ in servers] == [None] * 4


def test_who_comes_second_finds_nothing_to_do(url: str) -> None:
    address = Address.parse(url)
    with closing(connect(address)) as first, closing(connect(address)) as second:
        upgrade(first, address, [*shipped_steps("postgresql"), SECOND])
        upgrade(second, address, [*shipped_steps("postgresql"), SECOND])
        assert second.execute("SELECT count(*) FROM games").fetchone() == (1,)


# What can't be used


def test_nobody_listens() -> None:
    port = free_port()
    line = refusal(f"postgresql://bob:sesame@127.0.0.1:{port}/games")
    assert line.startswith(f"postgresql://bob@127.0.0.1:{port}/games can't be used: ")
    assert line.endswith("Connection refused") and "sesame" not in line


def test_a_wrong_password(postgres: Postgres) -> None:
    line = refusal(postgres.url(user="postgres:open"))
    assert 'password authentication failed for user "postgres"' in line
    assert "open" not in line


def test_a_database_that_isnt_there(postgres: Postgres) -> None:
    assert refusal(postgres.url("nothing")).endswith('FATAL: database "nothing" does not exist')


def test_a_user_who_may_not_make_tables(postgres: Postgres) -> None:
    postgres.execute("CREATE ROLE guest LOGIN PASSWORD 'sesame'")
    line = refusal(postgres.url(user="guest:sesame"))
    assert line.endswith("can't be used: permission denied for schema public")


def test_an_encoding_that_hasnt_all_characters(postgres: Postgres) -> None:
    postgres.execute(
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    line = refusal(postgres.url("latin"))
    assert line.endswith("can't be used: its encoding is LATIN1 and not UTF8")


def test_a_place_that_only_reads(url: str) -> None:
    line = refusal(f"{url}%20-cdefault_transaction_read_only%3Don")
    assert line.endswith("session is read-only")


def test_a_lock_that_is_not_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictac.storage.postgres.UPGRADE_PATIENCE", 0.01)
    with psycopg.connect(url) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(%s)", (0x746963746163,))
        assert refusal(url).endswith(" is locked by another program")


def test_the_password_may_be_elsewhere(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = postgres.new_place().replace(postgres.url(), postgres.url(user="postgres"))
    assert "fe_sendauth: no password supplied" in refusal(place)
    with monkeypatch.context() as context:
        context.setenv("PGPASSWORD", PASSWORD)
        PostgresDatabase.open(place).close()
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:{postgres.port}:*:*:{PASSWORD.replace(':', chr(92) + ':')}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    PostgresDatabase.open(place).close()

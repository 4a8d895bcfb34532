"""Where accounts are kept, as an operator says it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.accounts.helpers import HASH, ROOT
from tests.server.helpers import ServiceCase
from tests.storage.postgres import InPostgres, Postgres
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import SetupError
from tictac.plugins.check.target import free_port
from tictac.storage.databases import is_url, opened, prepare, store_at
from tictac.storage.postgres_store import PostgresStore
from tictac.storage.sqlite import SqliteStore


def test_what_is_an_address_and_what_a_file() -> None:
    for url in ("postgresql://h/x", "postgres://h/x", "postgresql:///x", "postgresql:x"):
        assert is_url(url)
    for path in ("users.db", "postgresql/users.db", "/postgresql:/x", "./postgresql://h"):
        assert not is_url(path)


def test_a_place_is_checked_and_made(tmp_path: Path, postgres: Postgres) -> None:
    for place in (str(tmp_path / "users.db"), postgres.new_place()):
        with pytest.raises(SetupError), opened(place, create=False):
            raise AssertionError("there is nothing yet")
        prepare(place)
        with opened(place, create=False) as database:
            AccountTables(database).add(Account("alice", HASH))
        prepare(place)
        with opened(place) as database:
            assert AccountTables(database).all() == [Account("alice", HASH)]


def test_what_fails_on_the_way_names_the_place(tmp_path: Path, postgres: Postgres) -> None:
    for place in (str(tmp_path / "users.db"), postgres.new_place()):
        with pytest.raises(SetupError) as caught, opened(place) as database:
            database.execute("DROP TABLE users")
            AccountTables(database).all()
        assert str(caught.value).startswith((f"{tmp_path}/users.db ", "postgresql://postgres@"))


def test_the_stores_of_a_place() -> None:
    reactor: Any = MemoryReactorClock()
    assert isinstance(store_at("users.db", "accounts", reactor, 5), SqliteStore)
    assert isinstance(store_at("postgresql://h/x", "accounts", reactor, 5), PostgresStore)


def test_nothing_of_postgresql_is_loaded_for_a_file(tmp_path: Path) -> None:
    code = """
import os, sys
from twisted.internet.testing import MemoryReactorClock
from tictac.server.make import Options, makeService
options = Options()
options.parseOptions(["--port", "tcp:0:interface=127.0.0.1", "--database", "users.db"])
service = makeService(options, MemoryReactorClock())
service.services[0].accounts.start()
print([name for name in sys.modules if "psycopg" in name or "adbapi" in name])
sys.stdout.flush()
os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


class StartTests(InPostgres, ServiceCase):
    """What can't work is said before anything listens, or is opened for good."""

    PORT = ("--port", "tcp:0:interface=127.0.0.1")

    def test_nobody_listens(self) -> None:
        url = f"postgresql://bob:hunter2@127.0.0.1:{free_port()}/games"
        line = self.failure(*self.PORT, "--database", url)
        assert line.startswith("postgresql://bob@127.0.0.1:") and "hunter2" not in line

    def test_what_is_no_address(self) -> None:
        line = self.failure(*self.PORT, "--database", "postgresql://a:hunter2@b@c/games")
        assert line.startswith("the database isn't an address")

    def test_a_database_that_isnt_there(self) -> None:
        line = self.failure(*self.PORT, "--database", self.postgres.url("nothing"))
        assert line.endswith('database "nothing" does not exist')

    def test_without_its_package(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "psycopg", None)
            line = self.failure(*self.PORT, "--database", "postgresql://h/games")
        assert line.endswith("pip install '.[postgres]'")

    def test_an_address_that_looks_like_a_file_of_users(self) -> None:
        line = self.failure(*self.PORT, "--database", self.postgres.url("users.json"))
        assert line.endswith('database "users.json" does not exist')

    def test_nothing_stays_open_before_it_starts(self) -> None:
        before = self.sessions()
        service = self.make(*self.PORT, "--database", self.url)
        assert self.sessions() == before
        assert not service.running

    def sessions(self) -> object:
        """Return the number of sessions of the program."""
        return self.postgres.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tictac'"
        )

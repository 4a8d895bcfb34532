"""Stores in PostgreSQL with a real server, threads and connections that break."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
import pytest
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import deferLater
from twisted.logger import capturedLogs, formatEvent

from tests.accounts.helpers import HASH, OTHER_HASH, close_in_the_middle, in_reactor, reactor
from tests.helpers import needs_linux
from tests.logs import log, texts
from tests.storage.postgres import Postgres
from tests.storage.relay import Relay
from tictac.accounts.tables import Account, AccountTables
from tictac.errors import SetupError, UserExists
from tictac.storage.postgres import is_lost
from tictac.storage.postgres_store import PostgresStore
from tictac.storage.store import Store, StoreAwayError, Stored
from tictac.storage.upgrades import shipped_steps

ALICE = Account("alice", HASH)

SHORT = 2
"""Seconds after which requests are given up, where that is to be seen; others need less."""


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.new_place()


@pytest.fixture
def relay(postgres: Postgres) -> Iterator[Relay]:
    relay = Relay(postgres.port)
    yield relay
    relay.close()


class Accounts:
    """Those of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._stored = Stored(store, AccountTables)

    def get(self, name: str) -> Deferred[Account | None]:
        return self._stored.ask(AccountTables.get, name)

    def add(self, account: Account) -> Deferred[None]:
        return self._stored.ask(AccountTables.add, account)

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        return self._stored.ask(AccountTables.replace_hash, name, old, new)


@asynccontextmanager
async def store(url: str, timeout: float = 20) -> AsyncIterator[Accounts]:
    """Yield accounts in a store that has reached its server."""
    made = Accounts(PostgresStore(url, "accounts", reactor, timeout=timeout))
    made.store.start()
    try:
        await made.get("anybody")
        assert made.store.ready()
        yield made
    finally:
        await made.store.close()
        assert not made.store.ready()


def through(relay: Relay, url: str, postgres: Postgres) -> str:
    """Return the URL of the same schema through the relay, which can't read TLS."""
    return f"{url.replace(str(postgres.port), str(relay.port))}&sslmode=disable"


async def until(condition: Any) -> None:
    """Wait until the condition holds."""
    while not condition():
        await deferLater(reactor, 0.01, lambda: None)


def names(postgres: Postgres, url: str) -> set[str]:
    return {str(name) for (name,) in postgres.execute("SELECT name FROM users", url)}


@in_reactor
async def test_a_store_works_in_one_thread_that_ends(postgres: Postgres, url: str) -> None:
    before = threading.active_count()
    async with store(url) as accounts:
        adding = [accounts.add(Account(str(number), HASH)) for number in range(50)]
        assert threading.active_count() == before + 1
        for each in adding:
            await each
    assert threading.active_count() == before
    assert len(names(postgres, url)) == 50


@in_reactor
async def test_closing_finishes_what_was_asked_for(postgres: Postgres, url: str) -> None:
    async with store(url) as accounts:
        await close_in_the_middle(accounts.store)
    assert len(names(postgres, url)) == 10


@in_reactor
async def test_of_two_servers_that_register_a_name_at_once_one_wins(url: str) -> None:
    wins: dict[str, list[str]] = {str(number): [] for number in range(100)}
    async with store(url) as one, store(url) as other:

        async def register(name: str, server: Accounts, password_hash: str) -> None:
            with suppress(UserExists):
                await server.add(Account(name, password_hash))
                wins[name].append(password_hash)

        sides = ((one, HASH), (other, OTHER_HASH))
        asked = [Deferred.fromCoroutine(register(name, *side)) for name in wins for side in sides]
        await DeferredList(asked, fireOnOneErrback=True)
        for name, winners in wins.items():
            found = await one.get(name)
            assert found is not None and winners == [found.password_hash]


@in_reactor
async def test_a_row_that_is_locked_fails_a_request_and_no_more(url: str) -> None:
    async with store(url, timeout=SHORT) as accounts:
        with psycopg.connect(url) as another:
            another.execute("INSERT INTO users VALUES ('alice', 'x')")
            adding = accounts.add(ALICE)
            looking = accounts.get("bob")
            with capturedLogs() as logs, pytest.raises(StoreAwayError):
                await adding
            [line] = [str(formatEvent(event)) for event in logs]
            assert line.endswith(
                " is locked by another program; requests are refused until that is repaired"
            )
            assert await looking is None
            another.rollback()
        await accounts.add(ALICE)
        assert accounts.store.ready()


# Connections that end


@in_reactor
async def test_a_connection_that_was_ended_is_replaced_unnoticed(
    postgres: Postgres, url: str
) -> None:
    async with store(url) as accounts:
        with log() as events:
            for number in range(5):
                postgres.execute(
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                    " WHERE application_name = 'tictac'"
                )
                await accounts.add(Account(str(number), HASH))
                assert accounts.store.ready()
        assert texts(events) == []
    assert len(names(postgres, url)) == 5


@pytest.mark.parametrize("reaches", [True, False])
@in_reactor
async def test_what_was_lost_is_made_again_and_never_a_name_taken(
    postgres: Postgres, url: str, relay: Relay, reaches: bool
) -> None:
    """Whether the request was lost, or its answer when it was committed."""
    async with store(through(relay, url, postgres)) as accounts:
        relay.lose(b"INSERT INTO users", reaches)
        await accounts.add(ALICE)
        assert relay.lost == 1
        assert await accounts.get("alice") == ALICE
        relay.lose(b"UPDATE users", reaches)
        assert await accounts.replace_hash("alice", HASH, OTHER_HASH)
        assert relay.lost == 2
        assert await accounts.get("alice") == Account("alice", OTHER_HASH)


@in_reactor
async def test_a_name_that_another_took_meanwhile_is_taken(
    postgres: Postgres, url: str, relay: Relay
) -> None:
    async with store(through(relay, url, postgres)) as accounts:
        relay.lose(b"INSERT INTO users", reaches=False)
        adding = accounts.add(ALICE)
        postgres.execute(f"INSERT INTO users VALUES ('alice', '{OTHER_HASH}')", url)
        with pytest.raises(UserExists):
            await adding
        assert await accounts.get("alice") == Account("alice", OTHER_HASH)


@in_reactor
async def test_a_server_that_is_killed_and_comes_back(postgres: Postgres, url: str) -> None:
    async with store(url) as accounts:
        await accounts.add(ALICE)
        with log() as events:
            postgres.kill()
            waiting = accounts.get("alice")
            await until(lambda: not accounts.store.ready())
            assert not waiting.called
            postgres.start()
            assert await waiting == ALICE
            assert accounts.store.ready()
        gone, back = texts(events)
        assert gone.startswith("accounts in postgresql://postgres@127.0.0.1:")
        assert " unavailable: " in gone and gone.endswith("; requests wait up to 20 s")
        assert "sesame" not in gone
        assert "available again after " in back and back.endswith("refused requests: 0")


@in_reactor
async def test_a_server_that_stays_away(postgres: Postgres, url: str) -> None:
    before = threading.active_count()
    async with store(url, timeout=SHORT) as accounts:
        with log() as events:
            postgres.stop()
            for adding in [accounts.add(ALICE) for _ in range(3)]:
                with pytest.raises(StoreAwayError):
                    await adding
            assert not accounts.store.ready()
            postgres.start()
            await until(accounts.store.ready)
        assert len(events) == 2
        assert await accounts.get("alice") is None
        await accounts.add(ALICE)
    assert threading.active_count() == before


@needs_linux
@in_reactor
async def test_a_server_that_takes_connections_and_says_nothing(
    postgres: Postgres, url: str
) -> None:
    before = threading.active_count()
    async with store(url, timeout=SHORT) as accounts:
        postgres.pause()
        try:
            with pytest.raises(StoreAwayError):
                await accounts.get("alice")
            assert not accounts.store.ready()
            with pytest.raises(StoreAwayError):
                await accounts.get("alice")
        finally:
            postgres.resume()
        await until(accounts.store.ready)
        await accounts.add(ALICE)
    assert threading.active_count() == before


@in_reactor
async def test_a_connection_on_which_nothing_comes_any_more_is_given_up(
    postgres: Postgres, url: str, relay: Relay
) -> None:
    """The server is there: what helps is another connection."""
    async with store(through(relay, url, postgres), timeout=SHORT) as accounts:
        relay.hang(b"INSERT INTO users")
        with pytest.raises(StoreAwayError):
            await accounts.add(ALICE)
        assert relay.lost == 1
        assert await accounts.get("alice") is None
        await accounts.add(ALICE)


@in_reactor
async def test_a_stop_outwaits_no_server(postgres: Postgres, url: str) -> None:
    before = threading.active_count()
    accounts = Accounts(PostgresStore(url, "accounts", reactor, timeout=0))
    accounts.store.start()
    await accounts.get("alice")
    postgres.stop()
    waiting = accounts.get("alice")
    await until(lambda: not accounts.store.ready())
    closing = accounts.store.close()
    with pytest.raises(StoreAwayError):
        await waiting
    await closing
    assert threading.active_count() == before
    postgres.start()


# What is no use, and what is no outage


@in_reactor
async def test_tables_of_a_newer_version_are_as_good_as_none(postgres: Postgres, url: str) -> None:
    async with store(url, timeout=SHORT) as accounts:
        postgres.execute("UPDATE schema_version SET version = 99", url)
        await accounts.get("alice")
        postgres.kill()
        postgres.start()
        with log() as events, pytest.raises(StoreAwayError):
            await accounts.get("alice")
        [line] = texts(events)
        assert "was made by a newer version of this program" in line
        ours = len(shipped_steps("postgresql"))
        postgres.execute(f"UPDATE schema_version SET version = {ours}", url)
        await until(accounts.store.ready)


def test_what_isnt_an_address_is_refused_at_once() -> None:
    with pytest.raises(SetupError):
        PostgresStore("postgresql://a:b@c@d/e", "accounts", reactor)


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.CannotConnectNow(), True),
        (psycopg.errors.ReadOnlySqlTransaction(), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.QueryCanceled(), False),
        (psycopg.errors.DiskFull(), False),
        (psycopg.OperationalError("what"), False),
    ],
)
def test_which_errors_end_a_connection(url: str, error: psycopg.Error, lost: bool) -> None:
    with psycopg.connect(url) as connection:
        assert is_lost(connection, error) is lost
    assert is_lost(connection, error), "it is closed"

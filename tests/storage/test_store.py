"""What every store promises, asked of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import (
    HASH,
    Case,
    InstantDatabaseReactor,
    InstantReactor,
    error_of,
    instant_pool,
    temporary_directory,
)
from tests.storage.memory import MemoryStore
from tests.storage.postgres import InPostgres
from tictac.accounts.tables import Account, AccountTables, TokenTables
from tictac.errors import UserExists
from tictac.storage.postgres_store import PostgresStore
from tictac.storage.sqlite import SqliteStore
from tictac.storage.store import Store, StoreClosedError, Stored

ALICE = Account("alice", HASH)


class StoreContract(Case):
    """The promises; a subclass says of which store."""

    def new_store(self) -> Store:
        raise NotImplementedError

    def setUp(self) -> None:
        self.store = self.new_store()
        self.accounts = Stored(self.store, AccountTables)
        self.store.start()
        self.addCleanup(lambda: self.successResultOf(self.store.close()))

    def found(self, name: str) -> Account | None:
        return self.successResultOf(self.accounts.ask(AccountTables.get, name))

    def test_it_is_ready_between_start_and_close(self) -> None:
        assert self.store.ready()
        assert not self.new_store().ready()
        self.successResultOf(self.store.close())
        assert not self.store.ready()

    def test_a_request_fires_with_what_the_method_returns(self) -> None:
        assert self.found("alice") is None
        assert self.successResultOf(self.accounts.ask(AccountTables.add, account=ALICE)) is None
        assert self.found("alice") == ALICE

    def test_a_request_fails_with_what_the_method_raises(self) -> None:
        self.successResultOf(self.accounts.ask(AccountTables.add, ALICE))
        error = error_of(self.accounts.ask(AccountTables.add, ALICE), UserExists)
        assert "alice" in str(error)
        assert self.store.ready()

    def test_a_closed_store_refuses(self) -> None:
        self.successResultOf(self.store.close())
        error_of(self.accounts.ask(AccountTables.get, "alice"), StoreClosedError)
        error_of(self.accounts.ask(AccountTables.add, ALICE), StoreClosedError)

    def test_a_store_that_was_not_started_refuses_and_can_be_closed(self) -> None:
        store = self.new_store()
        error_of(Stored(store, AccountTables).ask(AccountTables.get, "alice"), StoreClosedError)
        self.successResultOf(store.close())

    def test_accounts_are_there_after_closing_and_starting_again(self) -> None:
        self.successResultOf(self.accounts.ask(AccountTables.add, ALICE))
        self.successResultOf(self.store.close())
        self.store.start()
        assert self.found("alice") == ALICE


if TYPE_CHECKING:  # mypy checks requests, or these comments would be unused

    def refused(accounts: Stored[AccountTables]) -> Deferred[bool]:
        accounts.ask(AccountTables.get)  # type: ignore[call-arg]
        accounts.ask(AccountTables.get, 1)  # type: ignore[arg-type]
        accounts.ask(TokenTables.end, "alice", None)  # type: ignore[arg-type]
        return accounts.ask(AccountTables.get, "alice")  # type: ignore[arg-type]


class MemoryTests(StoreContract, SynchronousTestCase):
    def new_store(self) -> Store:
        return MemoryStore()


class SqliteTests(StoreContract, SynchronousTestCase):
    def new_store(self) -> Store:
        path = temporary_directory(self) / "users.db"
        return SqliteStore(path, "accounts", InstantReactor(), pool=instant_pool)


class PostgresTests(InPostgres, StoreContract, SynchronousTestCase):
    def new_store(self) -> Store:
        return PostgresStore(self.url, "accounts", InstantDatabaseReactor(), pool=instant_pool)


class AccountTests(SynchronousTestCase):
    def test_it_does_not_show_the_hash(self) -> None:
        assert HASH not in repr(ALICE)

"""What every store promises, and what tables of accounts answer, asked of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import (
    HASH,
    OTHER_HASH,
    Case,
    InstantDatabaseReactor,
    InstantReactor,
    error_of,
    instant_pool,
    temporary_directory,
)
from tests.accounts.memory import MemoryStore
from tests.accounts.postgres import InPostgres
from tictac.accounts.pool import PostgresStore
from tictac.accounts.sqlite import SqliteStore
from tictac.accounts.store import Account, Store, StoreClosedError, Stored
from tictac.accounts.tables import AccountTables, TokenTables
from tictac.errors import UserExists

ALICE = Account("alice", HASH)


class StoreContract(Case):
    """The promises; a subclass says of which store."""

    store: Store

    def new_store(self) -> Store:
        raise NotImplementedError

    def setUp(self) -> None:
        self.store = self.new_store()
        self.accounts = Stored(self.store, AccountTables)
        self.tokens = Stored(self.store, TokenTables)
        self.store.start()
        self.addCleanup(lambda: self.successResultOf(self.store.close()))

    def found(self, name: str) -> Account | None:
        return self.successResultOf(self.accounts.ask(AccountTables.get, name))

    def add(self, account: Account) -> None:
        self.successResultOf(self.accounts.ask(AccountTables.add, account))

    def test_it_is_ready_between_start_and_close(self) -> None:
        assert self.store.ready()
        assert not self.new_store().ready()
        self.successResultOf(self.store.close())
        assert not self.store.ready()

    def test_an_unknown_name_is_none(self) -> None:
        assert self.found("alice") is None

    def test_an_account_that_was_added_is_found(self) -> None:
        self.add(ALICE)
        assert self.found("alice") == ALICE

    def test_a_name_is_taken_once(self) -> None:
        self.add(ALICE)
        error = error_of(
            self.accounts.ask(AccountTables.add, Account("alice", OTHER_HASH)), UserExists
        )
        assert "alice" in str(error)
        assert self.found("alice") == ALICE

    def test_a_name_is_found_by_its_very_characters(self) -> None:
        self.add(ALICE)
        assert self.found("Alice") is None

    def test_a_name_is_taken_in_every_spelling(self) -> None:
        assert not self.successResultOf(self.accounts.ask(AccountTables.is_taken, "ALICE"))
        self.add(ALICE)
        assert self.successResultOf(self.accounts.ask(AccountTables.is_taken, "ALICE"))
        error_of(self.accounts.ask(AccountTables.add, Account("Alice", OTHER_HASH)), UserExists)
        assert self.found("Alice") is None
        self.add(Account("alice2", OTHER_HASH))

    def test_a_name_is_not_a_pattern_or_sql(self) -> None:
        self.add(ALICE)
        for name in ("%", "a_ice", "' OR ''='", "alice'--"):
            assert self.found(name) is None

    def test_a_hash_is_replaced_if_it_is_the_expected_one(self) -> None:
        self.add(ALICE)
        self.add(Account("bob", HASH))
        assert (
            self.successResultOf(
                self.accounts.ask(AccountTables.replace_hash, "alice", HASH, OTHER_HASH)
            )
            is True
        )
        assert self.found("alice") == Account("alice", OTHER_HASH)
        assert self.found("bob") == Account("bob", HASH)

    def test_a_hash_that_was_changed_meanwhile_stays(self) -> None:
        self.add(Account("alice", OTHER_HASH))
        assert (
            self.successResultOf(
                self.accounts.ask(AccountTables.replace_hash, "alice", HASH, "new")
            )
            is False
        )
        assert self.found("alice") == Account("alice", OTHER_HASH)

    def test_nobody_has_no_hash_to_replace(self) -> None:
        assert (
            self.successResultOf(
                self.accounts.ask(AccountTables.replace_hash, "alice", HASH, OTHER_HASH)
            )
            is False
        )
        assert self.found("alice") is None

    def add_token(
        self, token: str, expires: int = 100, now: int = 0, most: int = 0, account: Account = ALICE
    ) -> bool:
        return self.successResultOf(
            self.tokens.ask(TokenTables.add, account, token, expires, now, most)
        )

    def use_token(self, token: str, now: int, name: str = "alice", expires: int = 0) -> bool:
        return self.successResultOf(self.tokens.ask(TokenTables.use, name, token, now, expires))

    def test_a_token_is_good_for_its_account_until_it_ends(self) -> None:
        self.add(ALICE)
        self.add(Account("bob", HASH))
        assert self.add_token("t")
        assert self.use_token("t", now=99)
        assert not self.use_token("t", now=100)
        assert not self.use_token("t", now=0, name="bob")
        assert not self.use_token("T", now=0)

    def test_using_a_token_puts_its_end_off(self) -> None:
        self.add(ALICE)
        self.add_token("t", expires=100)
        assert self.use_token("t", now=50, expires=8000)
        assert self.use_token("t", now=7000)

    def test_nobody_has_no_token_nor_has_who_changed_the_password_meanwhile(self) -> None:
        assert not self.add_token("t")
        self.add(Account("alice", OTHER_HASH))
        assert not self.add_token("t")
        assert not self.use_token("t", now=0)

    def test_of_too_many_tokens_the_one_that_ends_first_goes(self) -> None:
        self.add(ALICE)
        self.add(Account("bob", HASH))
        self.add_token("bobs", expires=10, account=Account("bob", HASH))
        for number, expires in enumerate((200, 100, 300)):
            self.add_token(str(number), expires, most=2)
        assert [self.use_token(str(number), now=0) for number in range(3)] == [True, False, True]
        assert self.use_token("bobs", now=0, name="bob")

    def test_tokens_that_have_ended_are_forgotten_with_the_next(self) -> None:
        self.add(ALICE)
        self.add_token("old", expires=100)
        self.add_token("new", expires=1000, now=100)
        assert self.successResultOf(self.tokens.ask(TokenTables.end, "alice", "old")) == 0
        assert self.use_token("new", now=100)

    def test_one_token_ends_or_all_of_the_account(self) -> None:
        self.add(ALICE)
        self.add(Account("bob", HASH))
        for token in ("1", "2", "3"):
            self.add_token(token)
        self.add_token("bobs", account=Account("bob", HASH))
        assert self.successResultOf(self.tokens.ask(TokenTables.end, "alice", "1")) == 1
        assert [self.use_token(each, now=0) for each in ("1", "2")] == [False, True]
        assert self.successResultOf(self.tokens.ask(TokenTables.end, "alice", None)) == 2
        assert not self.use_token("2", now=0)
        assert self.use_token("bobs", now=0, name="bob")

    def test_a_closed_store_refuses(self) -> None:
        self.successResultOf(self.store.close())
        error_of(self.accounts.ask(AccountTables.get, "alice"), StoreClosedError)
        error_of(self.accounts.ask(AccountTables.add, ALICE), StoreClosedError)
        error_of(self.accounts.ask(AccountTables.is_taken, "alice"), StoreClosedError)
        error_of(
            self.accounts.ask(AccountTables.replace_hash, "alice", HASH, OTHER_HASH),
            StoreClosedError,
        )

    def test_a_store_that_was_not_started_refuses_and_can_be_closed(self) -> None:
        store = self.new_store()
        error_of(Stored(store, AccountTables).ask(AccountTables.get, "alice"), StoreClosedError)
        self.successResultOf(store.close())

    def test_accounts_are_there_after_closing_and_starting_again(self) -> None:
        self.add(ALICE)
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

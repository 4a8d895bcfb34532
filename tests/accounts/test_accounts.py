"""Logging in and registering."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import (
    HASH,
    OTHER_HASH,
    InstantReactor,
    ManualPool,
    answering,
    error_of,
    failing,
    logged_errors,
    temporary_directory,
)
from tests.storage.memory import MemoryStore
from tictac.accounts.accounts import Accounts
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.passwords import cost_of
from tictac.accounts.registration import Registration
from tictac.accounts.tables import Account, AccountTables, LoginTables
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import DAY, Token, Tokens
from tictac.errors import (
    BadCode,
    BadPassword,
    BadToken,
    BadUserName,
    NoSuchUser,
    RegistrationClosed,
    UserExists,
    WrongPassword,
)
from tictac.storage.store import StoreAwayError, StoreClosedError
from tictac.storage.workers import WorkersStoppedError

HERE = "192.0.2.1"


class AccountsCase(SynchronousTestCase):
    """The store notes whose account it is asked for."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.pool = ManualPool()
        self.store = MemoryStore([Account("alice", HASH), Account("bob", OTHER_HASH)])
        self.tables = AccountTables(self.store.database)
        self.asked: list[str] = []

        def get(request: Callable[[str], Deferred[Account]], name: str) -> Deferred[Account]:
            self.asked.append(name)
            return request(name)

        self.enterContext(answering(AccountTables.get, get))
        self.accounts = self.new_accounts()

    def new_accounts(self, days: int = 30, registration: Registration | None = None) -> Accounts:
        hasher = PasswordHasher(InstantReactor(), 4, 1, lambda threads, name: self.pool)
        throttle = LoginThrottle(self.clock, self.clock.seconds)
        tokens = Tokens(self.store, days, utc=self.clock.seconds)
        accounts = Accounts(self.store, hasher, throttle, tokens, registration)
        self.pool.state = "new"
        accounts.start()
        return accounts

    def login(self, user: str, password: bytes = b"secret") -> Deferred[Token | None]:
        return self.accounts.login(user, password, HERE)

    def stored(self, name: str) -> str:
        account = self.tables.get(name)
        assert account is not None
        return account.password_hash


class LoginTests(AccountsCase):
    def test_the_right_password(self) -> None:
        login = self.login("alice")
        self.assertNoResult(login)
        self.pool.finish_one()
        assert self.successResultOf(login) is None

    def test_a_wrong_password(self) -> None:
        for password in (b"wrong", b"", b"x" * 73):
            login = self.login("alice", password)
            self.pool.finish_all()
            error = error_of(login, WrongPassword)
            assert "wrong" not in str(error)

    def test_an_unknown_user(self) -> None:
        assert "carol" in str(self.refuse_carol(self.login("carol")))

    def test_names_that_nobody_can_have_are_not_looked_up(self) -> None:
        for name in ("computer", "", "a:b", "x" * 21, "e\u0301", "\u3164"):
            error_of(self.login(name), NoSuchUser)
        assert self.asked == []

    def test_a_name_of_another_script_is_registered_composed(self) -> None:
        registered = self.accounts.register("A\u0308nne", b"secret", HERE)
        self.pool.finish_all()
        assert self.successResultOf(registered) is None
        assert self.stored("\u00c4nne")
        error_of(self.accounts.register("\u00e4NNE", b"secret", HERE), UserExists)

    def test_a_new_password_may_need_more_characters(self) -> None:
        self.accounts.min_password = 8
        error_of(self.accounts.register("carol", b"1234567", HERE), BadPassword)
        error_of(self.accounts.change_password("alice", b"secret", b"1234567", HERE), BadPassword)
        login = self.login("alice")
        self.pool.finish_all()
        assert self.successResultOf(login) is None

    def test_a_store_that_fails(self) -> None:
        self.successResultOf(self.store.close())
        error_of(self.login("alice"), StoreClosedError)

    def test_after_five_failures_the_next_waits_before_anything_is_looked_at(self) -> None:
        self.fail_five_times()
        login = self.login("carol")
        self.clock.advance(0.24)
        assert self.asked == []
        self.clock.advance(0.02)
        assert self.asked == ["carol"]
        self.refuse_carol(login)

    def test_wrong_passwords_slow_where_they_come_from(self) -> None:
        for _ in range(5):
            login = self.login("alice", b"wrong")
            self.pool.finish_one()
            error_of(login, WrongPassword)
        self.login("alice")
        assert not self.pool.jobs
        self.accounts.login("alice", b"secret", "198.51.100.1")
        assert len(self.pool.jobs) == 1

    def test_the_right_password_forgives_the_wrong_ones(self) -> None:
        for password in [b"wrong"] * 4 + [b"secret"] + [b"wrong"] * 5:
            login = self.login("alice", password)
            self.pool.finish_one()
            login.addErrback(lambda failure: None)
            self.successResultOf(login)

    def test_a_store_that_is_away_is_no_failure_of_the_password(self) -> None:
        self.successResultOf(self.store.close())
        for _ in range(10):
            error_of(self.login("alice"), StoreClosedError)
        assert not self.clock.getDelayedCalls()

    def test_hanging_up_while_it_is_put_off(self) -> None:
        self.fail_five_times()
        login = self.login("carol")
        login.cancel()
        error_of(login, CancelledError)
        assert not self.clock.getDelayedCalls()
        assert self.asked == []

    def fail_five_times(self) -> None:
        for _ in range(5):
            self.refuse_carol(self.login("carol"))
        self.asked.clear()

    def refuse_carol(self, login: Deferred[Token | None]) -> NoSuchUser:
        """Finish the login to an account that doesn't exist, which takes as long as another."""
        assert len(self.pool.jobs) == 1
        self.pool.finish_one()
        return error_of(login, NoSuchUser)

    def test_hanging_up_before_the_check_has_begun(self) -> None:
        first, second = self.login("alice"), self.login("bob")
        second.cancel()
        error_of(second, CancelledError)
        self.pool.finish_one()
        self.successResultOf(first)
        assert not self.pool.jobs

    def test_hanging_up_during_the_check(self) -> None:
        login = self.login("alice")
        login.cancel()
        error_of(login, CancelledError)
        self.pool.finish_one()
        after = self.login("alice")
        self.pool.finish_one()
        self.successResultOf(after)


def _note(order: list[int], number: int, _: object) -> None:
    order.append(number)


class TokenTests(AccountsCase):
    def remembered(self) -> Token:
        login = self.accounts.login("alice", b"secret", HERE, remember=True)
        self.pool.finish_one()
        token = self.successResultOf(login)
        assert token is not None
        return token

    def by_token(self, token: str, user: str = "alice", address: str = HERE) -> Deferred[Token]:
        return self.accounts.login_by_token(user, token, address)

    def test_a_token_logs_in_and_costs_no_bcrypt(self) -> None:
        token = self.remembered()
        assert len(token.text) == 43
        assert self.successResultOf(self.by_token(token.text)) == token
        assert not self.pool.jobs
        assert self.accounts.logins == 2

    def test_only_who_asks_gets_one(self) -> None:
        login = self.login("alice")
        self.pool.finish_one()
        assert self.successResultOf(login) is None

    def test_registering_gives_one_too(self) -> None:
        registering = self.accounts.register("carol", b"hunter2", HERE, remember=True)
        self.pool.finish_one()
        token = self.successResultOf(registering)
        assert token is not None
        self.successResultOf(self.by_token(token.text, "carol"))

    def test_it_lasts_for_thirty_days_after_it_was_used(self) -> None:
        token = self.remembered()
        self.clock.advance(29 * DAY)
        assert self.successResultOf(self.by_token(token.text)).expires == 59 * DAY
        self.clock.advance(29 * DAY)
        self.successResultOf(self.by_token(token.text))
        self.clock.advance(30 * DAY)
        error_of(self.by_token(token.text), BadToken)

    def test_neither_it_nor_a_name_is_in_the_store_as_it_is_sent(self) -> None:
        token = self.remembered()
        assert token.text not in str(vars(self.store)) and token.text not in repr(token)

    def test_it_ends_alone_or_with_all_others(self) -> None:
        tokens = [self.remembered() for _ in range(3)]
        self.successResultOf(self.accounts.tokens.end("alice", tokens[0]))
        error_of(self.by_token(tokens[0].text), BadToken)
        self.successResultOf(self.by_token(tokens[1].text))
        self.successResultOf(self.accounts.tokens.end("alice", None))
        error_of(self.by_token(tokens[1].text), BadToken)

    def test_wrong_ones_slow_their_address_and_no_password_nor_a_token_that_was_good(self) -> None:
        token = self.remembered()
        for number in range(200):
            error_of(self.by_token(f"wrong {number}"), BadToken)
        first, wrong = self.by_token(token.text), self.by_token("wrong")
        self.assertNoResult(first)
        self.clock.pump([0.3] * 4)
        self.successResultOf(first)
        error_of(wrong, BadToken)
        self.successResultOf(self.by_token(token.text))
        self.login("alice")
        assert len(self.pool.jobs) == 1

    def test_a_password_that_is_changed_during_the_check_is_checked_again(self) -> None:
        login = self.accounts.login("alice", b"wrong", HERE, remember=True)
        self.tables.replace_hash("alice", HASH, OTHER_HASH)
        self.pool.finish_all()
        error_of(login, WrongPassword)

    def test_names_that_nobody_can_have_have_none(self) -> None:
        error_of(self.by_token("t", "guest-1"), BadToken)

    def test_a_server_that_gives_none_takes_none(self) -> None:
        token = self.remembered()
        self.accounts = self.new_accounts(days=0)
        error_of(self.by_token(token.text), BadToken)
        login = self.accounts.login("alice", b"secret", HERE, remember=True)
        self.pool.finish_one()
        assert self.successResultOf(login) is None


class TurnTests(AccountsCase):
    """There is one slot, for the one thread of the hasher."""

    def setUp(self) -> None:
        super().setUp()
        self.begun = self.login("alice")

    def login_from(self, address: str, user: str = "alice") -> Deferred[Token | None]:
        return self.accounts.login(user, b"secret", address)

    def test_nothing_is_looked_up_before_it(self) -> None:
        late = self.login_from(HERE)
        assert self.asked == ["alice"]
        self.pool.finish_all()
        self.successResultOf(late)

    def test_it_comes_when_a_thread_is_free(self) -> None:
        late = self.login_from(HERE)
        self.begun.cancel()
        error_of(self.begun, CancelledError)
        assert self.asked == ["alice"]
        self.pool.finish_one()
        self.pool.finish_one()
        self.successResultOf(late)

    def test_addresses_take_turns(self) -> None:
        order: list[int] = []
        for number in range(3):
            self.login_from(HERE).addCallback(partial(_note, order, number))
        self.login_from("192.0.2.2").addCallback(partial(_note, order, 20))
        self.pool.finish_all()
        assert order == [0, 20, 1, 2]

    def test_who_may_well_be_gone_comes_last(self) -> None:
        order: list[int] = []
        for number, gone in enumerate((True, True, False, False)):
            address, may_wait = f"192.0.2.{number}", partial(bool, gone)
            login = self.accounts.login("bob", b"secret", address, may_wait)
            login.addCallback(partial(_note, order, number))
        self.pool.finish_all()
        assert order == [2, 3, 0, 1]

    def test_and_may_hang_up_there_too(self) -> None:
        gone = [self.accounts.login("bob", b"secret", HERE, lambda: True) for _ in range(2)]
        self.login_from(HERE)
        self.pool.finish_one()
        for login in gone:
            login.cancel()
            error_of(login, CancelledError)
        self.pool.finish_all()
        assert "bob" not in self.asked

    def test_hang_ups_leave_no_garbage(self) -> None:
        def hang_up() -> None:
            for check in (self.accounts.register, self.accounts.login):
                for number in range(10):
                    leaving = check(f"mob{number}", b"secret", f"192.0.2.{number}")
                    leaving.addErrback(lambda failure: None)
                    leaving.cancel()

        hang_up()  # what is made once is no garbage of one of them
        self.addCleanup(gc.enable)
        gc.disable()
        # What other tests have left isn't counted, though it may fall apart only now.
        self.addCleanup(gc.unfreeze)
        gc.freeze()
        hang_up()
        assert gc.collect() < 20

    def test_who_hangs_up_meanwhile_is_never_looked_up(self) -> None:
        gone = self.login_from(HERE, "carol")
        gone.cancel()
        error_of(gone, CancelledError)
        self.pool.finish_all()
        assert "carol" not in self.asked

    def test_when_the_store_is_gone_nobody_waits_for_it_in_turn(self) -> None:
        waiting = [self.login_from(HERE) for _ in range(2_000)]
        self.successResultOf(self.store.close())
        self.pool.finish_all()
        for login in waiting:
            error_of(login, StoreAwayError)


class RenewalTests(AccountsCase):
    """bob's hash was made with another cost than that of the hasher."""

    def login_bob(self) -> None:
        login = self.login("bob")
        self.pool.finish_one()
        self.successResultOf(login)

    def test_a_hash_of_another_cost_is_renewed_after_the_answer(self) -> None:
        self.login_bob()
        assert self.stored("bob") == OTHER_HASH
        self.pool.finish_one()
        assert cost_of(self.stored("bob")) == 4
        self.login_bob()
        assert not self.pool.jobs, "once is enough"

    def test_a_hash_of_the_right_cost_stays(self) -> None:
        login = self.login("alice")
        self.pool.finish_all()
        self.successResultOf(login)
        assert self.stored("alice") == HASH

    def test_a_wrong_password_renews_nothing(self) -> None:
        login = self.login("bob", b"wrong")
        self.pool.finish_all()
        error_of(login, WrongPassword)
        assert self.stored("bob") == OTHER_HASH

    def test_a_password_that_was_changed_meanwhile_stays_changed(self) -> None:
        self.login_bob()
        assert self.tables.replace_hash("bob", OTHER_HASH, HASH)
        self.pool.finish_one()
        assert self.stored("bob") == HASH

    def test_logging_in_twice_renews_once(self) -> None:
        logins = [self.login("bob"), self.login("bob")]
        self.pool.finish_one()
        self.pool.finish_one()
        for login in logins:
            self.successResultOf(login)
        self.pool.finish_one()
        assert not self.pool.jobs

    def test_a_failure_is_logged_once_and_tried_again_at_the_next_login(self) -> None:
        with failing(AccountTables.replace_hash, OSError("the disk is full")):
            self.login_bob()
            self.pool.finish_one()
        (logged,) = logged_errors(self, OSError)
        assert "secret" not in str(logged)
        self.login_bob()
        self.pool.finish_one()
        assert cost_of(self.stored("bob")) == 4

    def test_a_store_that_is_away_is_no_failure_of_a_renewal(self) -> None:
        with failing(AccountTables.replace_hash, StoreAwayError()):
            self.login_bob()
            self.pool.finish_one()
        assert logged_errors(self) == []

    def test_stopping_gives_up_a_renewal_without_complaint(self) -> None:
        self.login_bob()
        stopped = self.accounts.stop()
        self.pool.finish_all()
        self.successResultOf(stopped)
        self.store.start()
        assert self.stored("bob") == OTHER_HASH
        assert logged_errors(self) == []


class RemovedTests(AccountsCase):
    """Accounts that another process removes."""

    def setUp(self) -> None:
        super().setUp()
        self.ended: list[str] = []
        self.accounts.ended = lambda user, why: self.ended.append(user)
        self.look()

    def look(self) -> None:
        self.successResultOf(self.accounts.look())

    def test_each_is_told_of_once(self) -> None:
        self.tables.remove("alice")
        self.look()
        self.tables.remove("bob")
        self.look()
        self.look()
        assert self.ended == ["alice", "bob"]

    def test_those_from_before_the_first_look_have_no_connections(self) -> None:
        self.tables.remove("alice")
        accounts = self.new_accounts()
        accounts.ended = lambda user, why: self.ended.append(user)
        self.successResultOf(accounts.look())
        assert self.ended == []

    def test_the_first_look_waits_for_the_store(self) -> None:
        accounts = self.new_accounts()
        accounts.ended = lambda user, why: self.ended.append(user)
        with patch.object(self.store, "ready", return_value=False):
            self.successResultOf(accounts.look())
        self.tables.remove("alice")
        self.successResultOf(accounts.look())
        assert self.ended == ["alice"]

    def test_who_is_removed_while_the_password_is_checked_does_not_log_in(self) -> None:
        login = self.login("alice")
        self.tables.remove("alice")
        self.look()
        self.pool.finish_all()
        error_of(login, NoSuchUser)

    def test_a_store_that_fails_is_asked_again(self) -> None:
        with failing(LoginTables.changes, OSError("damaged")):
            self.look()
        assert len(logged_errors(self, OSError)) == 1
        self.tables.remove("alice")
        self.look()
        assert self.ended == ["alice"]

    def test_a_fault_at_an_end_stops_no_later_look(self) -> None:
        with patch.object(self.accounts, "ended", side_effect=ValueError):
            self.tables.remove("alice")
            self.look()
        assert len(logged_errors(self, ValueError)) == 1
        self.tables.remove("bob")
        self.look()
        assert self.ended == ["bob"]


class PasswordTests(AccountsCase):
    """A user changes the password."""

    def change(
        self, old: bytes = b"secret", new: bytes = b"hunter2", remember: bool = False
    ) -> Deferred[Token | None]:
        changing = self.accounts.change_password("alice", old, new, HERE, remember=remember)
        self.pool.finish_all()
        return changing

    def test_the_new_one_is_good_and_the_old_one_is_not(self) -> None:
        assert self.successResultOf(self.change()) is None
        logins = [self.login("alice", password) for password in (b"hunter2", b"secret")]
        self.pool.finish_all()
        self.successResultOf(logins[0])
        error_of(logins[1], WrongPassword)

    def test_tokens_end_but_for_a_new_one(self) -> None:
        login = self.accounts.login("alice", b"secret", HERE, remember=True)
        self.pool.finish_all()
        old, new = self.successResultOf(login), self.successResultOf(self.change(remember=True))
        assert old is not None and new is not None
        error_of(self.accounts.login_by_token("alice", old.text, HERE), BadToken)
        self.successResultOf(self.accounts.login_by_token("alice", new.text, HERE))

    def test_it_needs_the_old_one_and_a_new_one_that_is_allowed(self) -> None:
        error_of(self.change(b"wrong"), WrongPassword)
        error_of(self.change(new=b""), BadPassword)
        assert self.stored("alice") == HASH

    def test_guesses_of_the_old_one_are_slowed(self) -> None:
        for _ in range(5):
            error_of(self.change(b"wrong"), WrongPassword)
        waiting = self.change()
        self.assertNoResult(waiting)
        self.clock.advance(0.25)
        self.pool.finish_all()
        self.successResultOf(waiting)


class RegisterTests(AccountsCase):
    def test_a_code_brings_the_account_into_its_group(self) -> None:
        path = temporary_directory(self) / "codes"
        path.write_text("sesame 7b")
        self.accounts = self.new_accounts(registration=Registration(f"code:{path}"))
        registering = self.accounts.register("carol", b"hunter2", HERE, code="sesame")
        self.pool.finish_all()
        self.successResultOf(registering)
        account = self.tables.get("carol")
        assert account is not None and account.group == "7b"
        error_of(self.accounts.register("dora", b"hunter2", HERE), BadCode)

    def test_guesses_of_codes_are_slowed(self) -> None:
        path = temporary_directory(self) / "codes"
        path.write_text("sesame")
        self.accounts = self.new_accounts(registration=Registration(f"code:{path}"))
        for number in range(200):
            error_of(self.accounts.register("carol", b"x", HERE, code=str(number)), BadCode)
        self.assertNoResult(self.accounts.register("carol", b"x", HERE, code="sesame"))

    def test_where_it_is_closed_nobody_registers(self) -> None:
        self.accounts = self.new_accounts(registration=Registration("closed"))
        error_of(self.register(), RegistrationClosed)
        assert not self.pool.jobs, "nothing is hashed for that"

    def register(self, user: str = "carol", password: bytes = b"hunter2") -> Deferred[Token | None]:
        return self.accounts.register(user, password, "192.0.2.1")

    def test_who_has_registered_can_log_in(self) -> None:
        registering = self.register()
        self.assertNoResult(registering)
        self.pool.finish_one()
        assert self.successResultOf(registering) is None
        login = self.login("carol", b"hunter2")
        self.pool.finish_one()
        self.successResultOf(login)

    def test_names_and_passwords_that_are_not_allowed(self) -> None:
        error_of(self.register("a:b"), BadUserName)
        error_of(self.register("carol", b""), BadPassword)
        error_of(self.register("carol", b"a\nb"), BadPassword)
        error_of(self.register("carol", b"x" * 73), BadPassword)
        assert self.asked == []

    def test_a_name_that_is_taken_costs_no_hash(self) -> None:
        error_of(self.register("alice"), UserExists)
        assert not self.pool.jobs
        assert self.stored("alice") == HASH

    def test_a_reserved_name_is_taken_in_any_spelling(self) -> None:
        for name in ("computer", "Computer", "COMPUTER"):
            error_of(self.register(name), UserExists)

    def test_a_name_that_is_taken_in_another_spelling_costs_no_hash(self) -> None:
        error_of(self.register("ALICE"), UserExists)
        assert not self.pool.jobs

    def test_of_two_at_once_one_gets_the_name(self) -> None:
        first, second = self.register(), self.register(password=b"other")
        self.pool.finish_all()
        self.successResultOf(first)
        error_of(second, UserExists)
        login = self.login("carol", b"hunter2")
        self.pool.finish_one()
        self.successResultOf(login)

    def test_hanging_up_before_the_hash_has_begun(self) -> None:
        self.login("alice")
        registering = self.register()
        registering.cancel()
        error_of(registering, CancelledError)
        self.pool.finish_one()
        assert not self.pool.jobs
        assert self.tables.get("carol") is None


class ReadyTests(AccountsCase):
    def test_they_are_ready_when_their_store_is(self) -> None:
        assert self.accounts.ready()
        self.successResultOf(self.store.close())
        assert not self.accounts.ready()


class StopTests(AccountsCase):
    def test_what_has_begun_is_finished_and_kept(self) -> None:
        registering = self.accounts.register("carol", b"hunter2", "192.0.2.1")
        stopped = self.accounts.stop()
        assert not stopped.called
        self.pool.finish_one()
        self.successResultOf(registering)
        self.successResultOf(stopped)
        self.store.start()
        assert self.stored("carol")

    def test_what_waits_fails(self) -> None:
        self.login("alice")
        waiting = self.login("bob")
        stopped = self.accounts.stop()
        error_of(waiting, WorkersStoppedError)
        self.pool.finish_all()
        self.successResultOf(stopped)

    def test_afterwards_everything_fails(self) -> None:
        self.successResultOf(self.accounts.stop())
        error_of(self.login("alice"), StoreClosedError)
        error_of(self.accounts.register("carol", b"hunter2", "192.0.2.1"), StoreClosedError)

"""How long logins wait after failures, and what an attacker gets in an hour."""

from __future__ import annotations

import math
from ipaddress import ip_network
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import error_of
from tictac.accounts.throttle import LoginThrottle
from tictac.errors import BadToken, NoSuchUser, WrongPassword

HERE, ELSEWHERE = "192.0.2.1", "198.51.100.1"
HOUR = 3600


class ThrottleCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.throttle = self.new_throttle()

    def new_throttle(self, **options: Any) -> LoginThrottle:
        return LoginThrottle(self.clock, self.clock.seconds, **options)

    def login(
        self,
        user: str = "alice",
        address: str = HERE,
        right: bool = True,
        check: Deferred[None] | None = None,
    ) -> Deferred[float]:
        """Log in; fire with the time of the password check, or fail.

        The password check waits for ``check``; without one, it takes no time.
        """

        def look() -> Deferred[float]:
            now = self.clock.seconds()
            outcome: Deferred[float] = succeed(now) if right else fail(WrongPassword())
            return outcome if check is None else check.addCallback(lambda _: outcome)

        return self.throttle.run(user, address, look)

    def fails(self, times: int, user: str = "alice", address: str = HERE) -> None:
        """Fail so often, and wait as long as it takes."""
        for _ in range(times):
            login = self.login(user, address, right=False)
            self.clock.pump([0.25] * (0 if login.called else 32))
            error_of(login, WrongPassword)

    def delay(self, user: str = "alice", address: str = HERE) -> float:
        """Return the delay of a login in seconds; the login is canceled then."""
        login = self.login(user, address, check=Deferred())
        calls = self.clock.getDelayedCalls()
        delay = calls[0].getTime() - self.clock.seconds() if calls else 0
        login.cancel()
        error_of(login, CancelledError)
        assert not self.clock.getDelayedCalls()
        return delay

    def answers(self, seconds: float, guesses: list[tuple[str, str]]) -> int:
        """Return how many answers a client gets that guesses passwords for these seconds.

        It tries all users, each from its address, side by side, and tries again after each answer.
        """
        end, counted = self.clock.seconds() + seconds, 0
        again = list(guesses)

        def guess(user: str, address: str) -> None:
            def answered(_: object) -> None:
                nonlocal counted
                counted += 1
                again.append((user, address))

            self.login(user, address, right=False).addErrback(answered)

        while True:
            while again:
                guess(*again.pop())
            calls = self.clock.getDelayedCalls()
            following = min((c.getTime() for c in calls), default=math.inf)
            if following > end:
                return counted
            self.clock.advance(following - self.clock.seconds())


class PairTests(ThrottleCase):
    """An account, at an address."""

    def test_nothing_waits_at_first(self) -> None:
        assert self.delay() == 0

    def test_the_sixth_attempt_waits_and_then_each_twice_as_long(self) -> None:
        delays = []
        for _ in range(12):
            delays.append(self.delay())
            self.fails(1)
        assert delays == [0, 0, 0, 0, 0, 0.25, 0.5, 1, 2, 4, 8, 8]

    def test_an_unknown_user_is_a_failure_too(self) -> None:
        for _ in range(5):
            nobody = self.throttle.run("nobody", HERE, lambda: fail(NoSuchUser()))
            error_of(nobody, NoSuchUser)
        assert self.delay("nobody") == 0.25

    def test_other_accounts_and_other_addresses_dont_wait(self) -> None:
        self.fails(60)
        assert self.delay("bob", HERE) == self.delay("alice", ELSEWHERE) == 0

    def test_a_success_clears_it(self) -> None:
        self.fails(7)
        login = self.login()
        self.clock.advance(1)
        self.successResultOf(login)
        assert self.delay() == 0

    def test_each_ten_minutes_forgive_one(self) -> None:
        self.fails(7)
        delays = []
        for _ in range(4):
            delays.append(self.delay())
            self.clock.advance(600)
        assert delays == [1.0, 0.5, 0.25, 0]

    def test_a_new_failure_does_not_put_off_forgiveness_of_the_old(self) -> None:
        self.fails(5)
        self.clock.advance(300)
        self.fails(1)
        assert self.delay() == 0.5
        self.clock.advance(300)
        assert self.delay() == 0.25

    def test_without_forgiveness_a_failure_stays(self) -> None:
        self.throttle = self.new_throttle(forgive=0)
        self.fails(6)
        self.clock.advance(1e9)
        assert self.delay() == 0.5

    def test_what_breaks_off_is_no_failure(self) -> None:
        for _ in range(10):
            login = self.login(check=Deferred())
            login.cancel()
            error_of(login, CancelledError)
        assert self.delay() == 0

    def test_zero_turns_it_off(self) -> None:
        for option in ("failures", "first_delay", "max_delay"):
            self.throttle = self.new_throttle(**{option: 0})
            self.fails(200)
            assert self.delay() == 0
            assert len(self.throttle) == 0

    def test_the_longest_delay_may_be_the_first(self) -> None:
        self.throttle = self.new_throttle(first_delay=4, max_delay=2)
        self.fails(9)
        assert self.delay() == 2


class SideBySideTests(ThrottleCase):
    def test_the_first_who_are_wrong_are_as_many_as_one_after_the_other(self) -> None:
        checks: list[Deferred[None]] = [Deferred() for _ in range(95)]
        logins = [self.login(right=False, check=check) for check in checks]
        for check in checks[:5]:
            check.callback(None)
        for check in checks[5:]:
            check.callback(None)
        assert sum(login.called for login in logins) == 5
        for login in logins:
            login.addErrback(lambda _: None)
        self.clock.advance(0.25)
        assert sum(login.called for login in logins) == 6

    def test_those_who_are_right_dont_slow_each_other(self) -> None:
        checks: list[Deferred[None]] = [Deferred() for _ in range(95)]
        logins = [self.login(check=check) for check in checks]
        for check in checks:
            check.callback(None)
        assert [self.successResultOf(login) for login in logins] == [0] * 95

    def test_nobody_goes_before_the_outcome_of_the_one_before_is_known(self) -> None:
        self.fails(6)
        check: Deferred[None] = Deferred()
        now = self.clock.seconds()
        self.login(check=check)
        second = self.login()
        self.clock.advance(100)
        assert not second.called
        check.callback(None)
        assert self.successResultOf(second) == now + 100

    def test_parallel_guesses_get_no_more_answers_than_sequential_ones(self) -> None:
        for many in (1, 95):
            self.throttle = self.new_throttle()
            self.fails(10)
            assert self.answers(80, [("alice", HERE)] * many) == 10

    def test_any_number_that_wait_may_end_at_once(self) -> None:
        """As when the database has gone away meanwhile."""
        checks: list[Deferred[None]] = [Deferred() for _ in range(5)]
        logins = [self.login(check=check) for check in checks]
        logins += [self.login(check=fail(LookupError())) for _ in range(600)]
        for check in checks:
            check.errback(LookupError())
        for login in logins:
            error_of(login, LookupError)
        assert len(self.throttle) == 0

    def test_a_turn_is_given_back_by_a_hang_up(self) -> None:
        self.fails(6)
        now = self.clock.seconds()
        waiting = [self.login() for _ in range(95)]
        owner = self.login()
        for login in waiting:
            login.cancel()
            error_of(login, CancelledError)
        self.clock.advance(0.5)
        assert self.successResultOf(owner) == now + 0.5

    def test_hang_ups_gain_no_turns(self) -> None:
        """Not even when the one in the middle goes, and somebody else comes."""
        self.fails(10)
        logins = [self.login(right=False) for _ in range(20)]
        for _ in range(10):
            for login in logins[:-1]:
                login.cancel()
                error_of(login, CancelledError)
            logins = [logins[-1], *(self.login(right=False) for _ in range(19))]
        self.clock.pump([1.0] * 80)
        assert sum(login.called for login in logins) == 10
        for login in logins:
            login.addErrback(lambda _: None)

    def test_who_hangs_up_during_the_check_leaves_the_turn_to_the_next(self) -> None:
        self.fails(6)
        first, second = self.login(check=Deferred()), self.login()
        self.clock.advance(0.5)
        first.cancel()
        error_of(first, CancelledError)
        self.clock.advance(0.5)
        assert second.called


class AddressTests(ThrottleCase):
    def test_a_class_behind_one_address_does_not_notice(self) -> None:
        """30 people get their passwords wrong five times each, and then right."""
        for number in range(30):
            self.fails(5, f"pupil{number}")
        logins = [self.login(f"pupil{number}") for number in range(30)]
        self.clock.advance(0.25)
        assert all(login.called for login in logins)

    def test_beyond_that_it_is_slowed_for_newcomers(self) -> None:
        self.spend()
        assert self.delay("newcomer") == 0.25
        assert self.delay("newcomer", ELSEWHERE) == 0

    def test_who_has_logged_in_there_before_is_not(self) -> None:
        self.successResultOf(self.login("alice"))
        self.spend()
        assert self.delay("alice") == 0

    def test_a_trusted_net_has_no_budget(self) -> None:
        self.throttle = self.new_throttle(trusted=[ip_network("192.0.2.0/24")])
        self.spend()
        self.spend()
        assert self.delay("newcomer") == 0
        self.spend(ELSEWHERE)
        assert self.delay("newcomer", ELSEWHERE) == 0.25

    def test_a_trusted_net_is_slowed_for_each_account(self) -> None:
        self.throttle = self.new_throttle(trusted=[ip_network("192.0.2.0/24")])
        self.fails(6)
        assert self.delay() == 0.5

    def test_an_ipv4_address_is_the_same_on_a_port_of_both_protocols(self) -> None:
        self.throttle = self.new_throttle(trusted=[ip_network("192.0.2.0/24")])
        self.spend(f"::ffff:{HERE}")
        assert self.delay("newcomer", HERE) == 0
        self.spend(f"::ffff:{ELSEWHERE}")
        assert self.delay("newcomer", ELSEWHERE) == 0.25
        assert self.delay("newcomer", "::ffff:203.0.113.1") == 0

    def test_ipv6_addresses_of_64_bits_are_one(self) -> None:
        self.fails(3, address="2001:db8::1")
        self.fails(3, address="2001:db8::2:0:0:1")
        assert self.delay(address="2001:db8::3") == 0.5
        assert self.delay(address="2001:db8:0:1::1") == 0

    def test_what_is_no_ip_address_counts_as_it_is(self) -> None:
        self.fails(6, address="")
        assert self.delay(address="") == 0.5

    def test_hang_ups_cost_it_nothing(self) -> None:
        waiting = [self.login(f"user{number}", check=Deferred()) for number in range(300)]
        self.assertNoResult(self.login("newcomer"))
        for login in waiting:
            login.cancel()
            error_of(login, CancelledError)
        assert self.delay("newcomer") == 0

    def spend(self, address: str = HERE) -> None:
        """Use up the address's budget, with accounts that each stay below theirs."""
        for number in range(40):
            self.fails(5, f"user{number}", address)
        for number in range(40):
            self.throttle._pairs.failures.clear((address, f"user{number}"))


class OwnerTests(ThrottleCase):
    """The owner of an account under attack."""

    def attack(self, addresses: int = 40, seconds: float = 600) -> None:
        guesses = [("alice", f"203.0.113.{number}") for number in range(addresses)]
        self.answers(seconds, guesses * 5)

    def test_from_elsewhere_nothing_is_slowed(self) -> None:
        self.attack()
        assert self.login().called

    def test_mistakes_of_his_own_cost_as_much_as_ever(self) -> None:
        self.attack()
        self.fails(4)
        assert self.login().called

    def test_where_he_has_logged_in_before_ten_mistakes_cost_eight_seconds(self) -> None:
        self.login()
        self.attack()
        self.fails(10)
        before = self.clock.seconds()
        login = self.login()
        self.clock.advance(8)
        assert self.successResultOf(login) == before + 8

    def test_strangers_who_have_failed_often_wait_for_each_other(self) -> None:
        self.attack()
        assert self.answers(80, [("alice", f"203.0.113.{n}") for n in range(40)]) <= 10


class AttackerTests(ThrottleCase):
    """The numbers of docs/guides/protect.md, "Password guessing"."""

    def test_one_address_and_one_account(self) -> None:
        assert 300 < self.answers(HOUR, [("alice", HERE)]) <= 460

    def test_one_address_and_any_number_of_accounts(self) -> None:
        guesses = [(f"user{number}", HERE) for number in range(600)]
        assert 640 < self.answers(HOUR, guesses) <= 660

    def test_many_addresses_and_one_account(self) -> None:
        """5 for each address, and then one each 8 seconds for all of them together."""
        guesses = [("alice", f"203.0.113.{number}") for number in range(200)]
        assert 1000 < self.answers(590, guesses * 2) <= 5 * 200 + 590 / 8 + 5

    def test_many_addresses_that_wait_until_they_are_forgiven(self) -> None:
        """6 an hour for each of them."""
        addresses = [f"203.0.113.{number}" for number in range(100)]
        for address in addresses:
            self.fails(5, address=address)
        counted = 0
        for _ in range(6):
            self.clock.advance(600)
            for address in addresses:
                if self.delay(address=address) == 0:
                    self.fails(1, address=address)
                    counted += 1
        assert counted == 600


class MemoryTests(ThrottleCase):
    def test_what_is_forgiven_is_forgotten(self) -> None:
        for number in range(50):
            self.fails(1, f"user{number}", f"192.0.2.{number}")
        assert len(self.throttle) == 150
        self.clock.advance(600)
        self.fails(1)
        assert len(self.throttle) == 3

    def test_the_oldest_gives_way_when_there_are_too_many(self) -> None:
        self.throttle = self.new_throttle(max_entries=3)
        for user in "abc":
            self.fails(5, user)
        self.fails(1, "a")  # and so b has been silent for longest
        self.fails(5, "d")
        assert [self.delay(user) for user in "abcd"] == [0.5, 0, 0.25, 0.25]

    def test_invented_tokens_drive_no_account_out(self) -> None:
        self.throttle = self.new_throttle(max_entries=3)
        self.fails(5)
        for number in range(10):
            error_of(self.throttle.run(f"{number}", HERE, lambda: fail(BadToken())), BadToken)
        assert self.delay() == 0.25

    def test_everything_is_bounded(self) -> None:
        self.throttle = self.new_throttle(max_entries=10)
        for number in range(100):
            self.fails(1, f"user{number}", f"192.0.2.{number}")
            self.successResultOf(self.login(f"user{number}", f"198.51.100.{number}"))
        assert len(self.throttle) == 40

    def test_who_waits_is_forgotten_when_gone(self) -> None:
        waiting = [self.login(check=Deferred()) for _ in range(20)]
        assert len(self.throttle) > 0
        for login in waiting:
            login.cancel()
            error_of(login, CancelledError)
        assert len(self.throttle) == 0

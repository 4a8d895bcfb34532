"""Delays of logins after failures."""

from __future__ import annotations

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tictac.accounts.throttle import LoginThrottle


class LoginThrottleTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.throttle = self.new_throttle()

    def new_throttle(self, **options: int) -> LoginThrottle:
        return LoginThrottle(lambda: self.clock.rightNow, **options)

    def fails(self, times: int, user: str = "alice", address: str = "192.0.2.1") -> None:
        for _ in range(times):
            self.throttle.failed(user, address)

    def delay(self, user: str = "alice", address: str = "192.0.2.1") -> float:
        return self.throttle.delay(user, address)

    def test_nothing_waits_at_first(self) -> None:
        assert self.delay() == 0

    def test_the_sixth_attempt_waits_and_then_each_twice_as_long(self) -> None:
        delays = []
        for _ in range(12):
            delays.append(self.delay())
            self.clock.advance(delays[-1])
            self.fails(1)
        assert delays == [0, 0, 0, 0, 0, 0.25, 0.5, 1, 2, 4, 8, 8]

    def test_an_account_is_slowed_from_everywhere(self) -> None:
        for number in range(6):
            self.fails(1, address=f"192.0.2.{number}")
        assert self.delay(address="198.51.100.1") == 0.5
        assert self.delay("bob", "192.0.2.1") == 0

    def test_an_address_is_slowed_for_everybody(self) -> None:
        for number in range(6):
            self.fails(1, user=f"user{number}")
        assert self.delay("somebody") == 0.5
        assert self.delay("user1", "198.51.100.1") == 0

    def test_a_user_and_an_address_that_look_alike_are_two(self) -> None:
        self.fails(6, user="192.0.2.1", address="x")
        assert self.delay("bob", "192.0.2.1") == 0

    def test_success_clears_the_account_but_not_the_address(self) -> None:
        self.fails(6)
        self.throttle.succeeded("alice", "192.0.2.1")
        assert self.delay("alice", "198.51.100.1") == 0
        assert self.delay("bob", "192.0.2.1") == 0.5

    def test_success_without_failures_is_nothing(self) -> None:
        self.throttle.succeeded("alice", "192.0.2.1")
        assert len(self.throttle) == 0

    def test_each_minute_forgives_one(self) -> None:
        self.fails(7)
        delays = []
        for _ in range(4):
            delays.append(self.delay())
            self.clock.advance(60)
        assert delays == [1.0, 0.5, 0.25, 0]

    def test_asking_does_not_put_off_forgiveness(self) -> None:
        self.fails(6)
        for _ in range(5):
            self.clock.advance(10)
            self.delay()
        self.clock.advance(10)
        assert self.delay() == 0.25

    def test_attempts_side_by_side_follow_each_other(self) -> None:
        self.fails(6)
        assert [self.delay() for _ in range(4)] == [0.5, 1.0, 1.5, 2.0]
        self.clock.advance(1.75)
        assert self.delay() == 0.75

    def test_even_the_last_of_many_has_its_turn(self) -> None:
        self.fails(20)
        assert [self.delay() for _ in range(100)][-1] == 80

    def test_a_delay_of_0_slows_nobody(self) -> None:
        for options in ({"first_delay": 0}, {"max_delay": 0}):
            self.throttle = self.new_throttle(**options)
            self.fails(20)
            assert self.delay() == 0

    def test_without_forgiveness_a_failure_stays(self) -> None:
        self.throttle = self.new_throttle(forgive=0)
        self.fails(6)
        self.clock.advance(1e9)
        assert self.delay() == 0.5

    def test_a_new_failure_does_not_put_off_forgiveness_of_the_old(self) -> None:
        self.fails(5)
        self.clock.advance(30)
        self.fails(1)
        assert self.delay() == 0.5
        self.clock.advance(30)
        assert self.delay() == 0.25

    def test_however_many_failures_are_forgiven_in_ten_minutes(self) -> None:
        self.fails(1000)
        self.clock.advance(600)
        assert self.delay() == 0
        assert len(self.throttle) == 0

    def test_what_is_forgiven_takes_no_memory(self) -> None:
        for number in range(50):
            self.fails(1, f"user{number}", f"address{number}")
        assert len(self.throttle) == 100
        self.clock.advance(60)
        self.fails(1)
        assert len(self.throttle) == 2

    def test_the_oldest_gives_way_when_there_are_too_many(self) -> None:
        self.throttle = self.new_throttle(max_entries=3)
        self.fails(5, "a", "x")
        for user in ("b", "c"):
            self.fails(5, user, "x")
        self.fails(1, "a", "x")  # and so b has been silent for longest
        self.fails(5, "d", "x")
        assert self.delay("a", "y") == 0.5
        assert self.delay("b", "y") == 0
        assert self.delay("c", "y") == 0.25
        assert len(self.throttle) == 4

    def test_zero_failures_turn_it_off(self) -> None:
        self.throttle = self.new_throttle(failures=0)
        self.fails(100)
        assert self.delay() == 0
        assert len(self.throttle) == 0

    def test_the_longest_delay_may_be_the_first(self) -> None:
        self.throttle = LoginThrottle(lambda: self.clock.rightNow, first_delay=4, max_delay=2)
        self.fails(9)
        assert self.delay() == 2

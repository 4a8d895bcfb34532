"""Hashing and checking passwords."""

from __future__ import annotations

import bcrypt
import pytest
from twisted.internet.defer import CancelledError
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import (
    HASH,
    OTHER_HASH,
    InstantReactor,
    ManualPool,
    error_of,
    in_reactor,
    reactor,
)
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.passwords import cost_of, hash_password, valid_hash
from tictac.storage.workers import WorkersStoppedError

SALT_AND_SUM = HASH[7:]


@pytest.mark.parametrize("prefix", ["$2a$04$", "$2b$04$", "$2y$16$", "$2b$10$"])
def test_hashes_that_bcrypt_takes(prefix: str) -> None:
    assert valid_hash(prefix + SALT_AND_SUM)
    assert cost_of(prefix + SALT_AND_SUM) == int(prefix[4:6])


DAMAGED = [
    "",
    "secret",
    "$2b$03$" + SALT_AND_SUM,
    "$2b$17$" + SALT_AND_SUM,
    "$2b$31$" + SALT_AND_SUM,
    "$2b$4$" + SALT_AND_SUM,
    "$2b$٠٤$" + SALT_AND_SUM,  # digits, but not ASCII
    "$2x$04$" + SALT_AND_SUM,
    "$2$04$" + SALT_AND_SUM,
    HASH[:-1],
    HASH + "A",
    HASH + "\n",
    HASH[:40] + "é" + HASH[41:],
    HASH[:40] + "\0" + HASH[41:],
    HASH[:28] + "z" + HASH[29:],  # a salt that bcrypt refuses
]


@pytest.mark.parametrize("stored", DAMAGED)
def test_hashes_that_are_refused(stored: str) -> None:
    assert not valid_hash(stored)
    with pytest.raises(ValueError, match="bcrypt"):
        cost_of(stored)


def test_bcrypt_takes_every_salt_that_is_allowed() -> None:
    for last in ".Oeu":
        stored = HASH[:28] + last + HASH[29:]
        assert valid_hash(stored)
        assert bcrypt.checkpw(b"secret", stored.encode()) is (stored == HASH)


def test_hashing_in_this_thread() -> None:
    hashed = hash_password(b"secret", 4)
    assert cost_of(hashed) == 4
    assert bcrypt.checkpw(b"secret", hashed.encode())
    assert hashed != hash_password(b"secret", 4), "each has a salt of its own"


def test_hashing_refuses_what_bcrypt_would_cut_off() -> None:
    assert valid_hash(hash_password(b"x" * 72, 4))
    with pytest.raises(ValueError, match="72"):
        hash_password(b"x" * 73, 4)


@pytest.mark.parametrize(("rounds", "threads"), [(3, 1), (17, 1), (4, 0)])
def test_a_hasher_refuses_senseless_options(rounds: int, threads: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        PasswordHasher(InstantReactor(), rounds, threads)


class PasswordHasherTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pool = ManualPool()
        self.hasher = PasswordHasher(
            InstantReactor(), rounds=4, threads=1, pool=lambda threads, name: self.pool
        )
        self.hasher.start()

    def check(self, password: bytes, stored: str) -> bool:
        result = self.hasher.check(password, stored)
        self.pool.finish_all()
        return self.successResultOf(result)

    def test_a_hash_fits_its_password_alone(self) -> None:
        hashing = self.hasher.hash(b"secret")
        self.pool.finish_one()
        stored = self.successResultOf(hashing)
        assert cost_of(stored) == 4
        assert self.check(b"secret", stored) is True
        assert self.check(b"Secret", stored) is False
        assert self.check(b"", stored) is False

    def test_hashes_of_other_cost_and_prefix_are_checked(self) -> None:
        assert self.check(b"secret", OTHER_HASH) is True
        assert self.check(b"secret", OTHER_HASH.replace("$2b$", "$2y$")) is True
        assert self.check(b"wrong", OTHER_HASH) is False

    def test_without_an_account_it_costs_as_much(self) -> None:
        checking = self.hasher.check(b"secret", None)
        assert len(self.pool.jobs) == 1
        self.pool.finish_one()
        assert self.successResultOf(checking) is False

    def test_a_damaged_hash_fits_nothing_and_costs_nothing(self) -> None:
        for stored in DAMAGED:
            assert self.successResultOf(self.hasher.check(b"secret", stored)) is False
        assert not self.pool.jobs

    def test_a_password_that_is_too_long_is_wrong_although_it_begins_right(self) -> None:
        stored = hash_password(b"x" * 72, 4)
        assert self.check(b"x" * 72, stored) is True
        assert self.check(b"x" * 73, stored) is False

    def test_hashing_a_password_that_is_too_long_fails(self) -> None:
        hashing = self.hasher.hash(b"x" * 73)
        self.pool.finish_one()
        error_of(hashing, ValueError)

    def test_who_hangs_up_costs_nothing(self) -> None:
        first = self.hasher.check(b"secret", HASH)
        second = self.hasher.check(b"secret", HASH)
        third = self.hasher.hash(b"secret")
        assert self.hasher.waiting == 2
        second.cancel()
        error_of(second, CancelledError)
        assert self.hasher.waiting == 1
        self.pool.finish_one()
        assert self.successResultOf(first) is True
        assert len(self.pool.jobs) == 1, "the third is the next"
        self.pool.finish_one()
        assert valid_hash(self.successResultOf(third))

    def test_after_stopping_it_fails_at_once(self) -> None:
        begun, waiting = self.hasher.hash(b"secret"), self.hasher.hash(b"secret")
        stopped = self.hasher.stop()
        error_of(waiting, WorkersStoppedError)
        assert not stopped.called
        self.pool.finish_all()
        assert valid_hash(self.successResultOf(begun))
        self.successResultOf(stopped)
        error_of(self.hasher.hash(b"secret"), WorkersStoppedError)
        error_of(self.hasher.check(b"secret", HASH), WorkersStoppedError)


@in_reactor
async def test_with_real_threads() -> None:
    hasher = PasswordHasher(reactor, rounds=4)
    hasher.start()
    hashing = [hasher.hash(b"%d" % number) for number in range(20)]
    for number, hashed in enumerate([await each for each in hashing]):
        assert await hasher.check(b"%d" % number, hashed)
    await hasher.stop()

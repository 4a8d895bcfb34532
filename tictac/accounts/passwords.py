"""Passwords and their bcrypt hashes.

bcrypt is slow on purpose (a quarter of a second at 12 rounds) and lets go of the interpreter
lock meanwhile, so it gets threads of its own, one a core, that give way to everybody else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import bcrypt
from twisted.internet.defer import Deferred, succeed

from tictac.accounts.names import MAX_PASSWORD
from tictac.accounts.workers import FromThreads, Pool, Slots, Workers, background_pool

DEFAULT_COST = 12
MIN_COST = 4
MAX_COST = 16
"""Each step doubles the time: at bcrypt's own limit of 31, a check takes a day and a half."""

# The last character of the salt has only two bits to give; bcrypt refuses others than these.
_HASH = re.compile(r"\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}", re.ASCII)


def valid_hash(stored: str) -> bool:
    """Tell whether `stored` is a bcrypt hash that can be checked in reasonable time.

    That is prefix 2a, 2b or 2y and a cost of 4 to 16. What comes from a file must pass here
    before bcrypt sees it, which raises on damage and computes for hours on a huge cost.
    """
    found = _HASH.fullmatch(stored)
    return found is not None and MIN_COST <= int(found[1]) <= MAX_COST


def cost_of(stored: str) -> int:
    """Read the cost of a hash: the base-2 logarithm of its rounds.

    Raises:
        ValueError: `stored` isn't a valid hash.
    """
    if not valid_hash(stored):
        raise ValueError("not a bcrypt hash")
    return int(stored[4:6])


def hash_password(password: bytes, rounds: int = DEFAULT_COST) -> str:
    """Hash a password, in this thread: 60 ASCII characters.

    Args:
        password: at most 72 bytes.
        rounds: the cost, 4 to 16.

    Raises:
        ValueError: the password is too long.
    """
    if len(password) > MAX_PASSWORD:
        raise ValueError(f"bcrypt takes {MAX_PASSWORD} bytes at most")
    return bcrypt.hashpw(password, bcrypt.gensalt(rounds)).decode("ascii")


class PasswordHasher:
    """Hashes and checks passwords in background threads.

    ``slots``, one a thread, are for whoever looks something up and then hashes. Their lines have
    no limit of their own: each connection waits there once at most, because it isn't read from
    before it has its answer.
    """

    def __init__(
        self,
        reactor: FromThreads,
        rounds: int = DEFAULT_COST,
        threads: int | None = None,
        pool: Callable[[int, str], Pool] = background_pool,
    ) -> None:
        """
        Args:
            rounds: the cost of new hashes, 4 to 16.
            threads: jobs at a time; None is one for each core.
            pool: makes a pool of that many threads, with a name.

        Raises:
            ValueError: `rounds` out of range, or `threads` below 1.
        """
        threads = threads if threads is not None else os.cpu_count() or 1
        if not MIN_COST <= rounds <= MAX_COST or threads < 1:
            raise ValueError(f"rounds {rounds} or threads {threads} out of range")
        self.rounds = rounds
        self.slots = Slots(threads)
        self._workers = Workers(reactor, threads, lambda: pool(threads, "passwords"), self.slots)

    @property
    def waiting(self) -> int:
        """How many jobs haven't begun."""
        return self._workers.waiting

    def start(self) -> None:
        """Begin to work. Raises RuntimeError when it runs."""
        self._workers.start()

    def stop(self) -> Deferred[None]:
        """Drop what waits; fires when what has begun is done."""
        self.slots.clear()
        return self._workers.stop()

    def hash(self, password: bytes) -> Deferred[str]:
        """Hash a password of at most 72 bytes. Cancel it to leave the line.

        Fails:
            ValueError: the password is too long.
            WorkersStoppedError: before `start`, after `stop`, or stopped while it waited.
        """
        return self._workers.run(hash_password, password, self.rounds)

    def check(self, password: bytes, stored: str) -> Deferred[bool]:
        """Tell whether `stored` is a hash of `password`. Cancel it to leave the line.

        A damaged hash fits no password, and a password over 72 bytes no hash.

        Fails:
            WorkersStoppedError: as for `hash`.
        """
        if len(password) > MAX_PASSWORD or not valid_hash(stored):
            return succeed(False)
        return self._workers.run(bcrypt.checkpw, password, stored.encode("ascii"))

"""Hashing and checking of passwords while the reactor runs.

bcrypt is slow on purpose: a quarter of a second at 12 rounds. It releases the interpreter lock
meanwhile, so it runs in threads of its own, one a core, at the lowest priority.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import bcrypt
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorFromThreads
from twisted.python.threadpool import ThreadPool

from tictac.accounts.passwords import DEFAULT_COST, MAX_COST, MIN_COST, hash_password, valid_hash
from tictac.names import MAX_PASSWORD
from tictac.storage.workers import Slots, Workers, background_pool


class PasswordHasher:
    """Hashes and checks passwords in background threads.

    ``slots``, one a thread, are for requests that look something up and then hash. Their queues
    have no limit, because each connection waits there at most once: the server doesn't read from a
    connection before the answer.
    """

    def __init__(
        self,
        reactor: IReactorFromThreads,
        rounds: int = DEFAULT_COST,
        threads: int | None = None,
        pool: Callable[[int, str], ThreadPool] = background_pool,
    ) -> None:
        """Create a hasher; `start` starts its threads.

        Args:
            rounds: the cost of new hashes, 4 to 16.
            threads: jobs at a time; None is one for each core.
            pool: makes a pool of that many threads, with a name.

        Raises ValueError if `rounds` is out of range, or `threads` below 1.
        """
        threads = threads if threads is not None else os.cpu_count() or 1
        if not MIN_COST <= rounds <= MAX_COST or threads < 1:
            raise ValueError(f"rounds {rounds} or threads {threads} out of range")
        self.rounds = rounds
        self.slots = Slots(threads)
        self._workers = Workers(reactor, threads, lambda: pool(threads, "passwords"), self.slots)

    @property
    def waiting(self) -> int:
        """The number of jobs that haven't begun."""
        return self._workers.waiting

    def start(self) -> None:
        """Start the threads. Raises RuntimeError if they run already."""
        self._workers.start()

    def stop(self) -> Deferred[None]:
        """Drop waiting jobs; fire when the others are done."""
        self.slots.clear()
        return self._workers.stop()

    def hash(self, password: bytes) -> Deferred[str]:
        """Hash a password of at most 72 bytes. Cancel the Deferred to leave the queue.

        Fails:
            ValueError: the password is too long.
            WorkersStoppedError: the hasher isn't started, or stopped while the job waited.
        """
        return self._workers.run(hash_password, password, self.rounds)

    def check(self, password: bytes, stored: str | None) -> Deferred[bool]:
        """Check `password` against the hash `stored`. Cancel the Deferred to leave the queue.

        A damaged hash fits no password, and a password over 72 bytes no hash. None, for an account
        that doesn't exist, fits no password either, and takes as long as a new hash. Fails as
        `hash` with WorkersStoppedError.
        """
        if stored is None:
            decoy = f"$2b${self.rounds:02d}${'.' * 53}"
            return self.check(password, decoy).addCallback(lambda _: False)
        if len(password) > MAX_PASSWORD or not valid_hash(stored):
            return succeed(False)
        return self._workers.run(bcrypt.checkpw, password, stored.encode("ascii"))

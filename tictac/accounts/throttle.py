"""Slowing down who guesses passwords.

Failed logins are counted for the account and for the address they came from. From some number
on, each more doubles the time before the next is looked at; as time goes by they are forgiven.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class _Count:
    failures: int
    since: float  # the time up to which forgiving has been reckoned
    turn: float = 0.0  # the time for which the last slowed login was put off


class LoginThrottle:
    """How long a login has to wait. It keeps no time of its own and waits for nothing."""

    def __init__(
        self,
        seconds: Callable[[], float],
        failures: int = 5,
        first_delay: float = 0.25,
        max_delay: float = 8.0,
        forgive: float = 60.0,
        max_entries: int = 10_000,
    ) -> None:
        """
        Args:
            seconds: the time, in seconds, from a clock that never goes back.
            failures: so many cost nothing; 0 turns everything off.
            first_delay: seconds that the next login waits then; it doubles with each failure.
            max_delay: seconds that no login waits longer than; 0, like a first delay of 0,
                turns everything off.
            forgive: seconds after which one failure is forgotten; 0 is never.
            max_entries: accounts, and addresses, remembered at a time.
        """
        if not first_delay or not max_delay:
            failures, first_delay, max_delay = 0, 1.0, 1.0
        self._free = failures
        self._first_delay = first_delay
        self._max_delay = max_delay
        # Counting on beyond the longest delay would only put off forgiveness.
        doublings = max(0, math.ceil(math.log2(max_delay / first_delay)))
        counted = failures + doublings if failures else 0
        # Two tables, so that a flood of invented names drives out no address.
        self._users = _Failures(seconds, counted, forgive, max_entries)
        self._addresses = _Failures(seconds, counted, forgive, max_entries)

    def delay(self, user: str, address: str) -> float:
        """Seconds that this login as `user` from `address` has to wait; mostly 0.

        Logins that are slowed follow each other by their delays, also when they are asked for
        side by side, up to ten times the longest.
        """
        if not self._free:
            return 0.0
        return max(self._reserve(self._users, user), self._reserve(self._addresses, address))

    def _reserve(self, failures: _Failures, key: str) -> float:
        too_many = failures.count(key) - self._free
        if too_many < 0:
            return 0.0
        delay = min(self._max_delay, self._first_delay * 2.0**too_many)
        return failures.reserve(key, delay, 10 * self._max_delay)

    def failed(self, user: str, address: str) -> None:
        """Note a wrong password or an unknown user."""
        self._users.add(user)
        self._addresses.add(address)

    def succeeded(self, user: str, address: str) -> None:
        """Note a login that went well: the account starts afresh.

        The address doesn't, or an attacker would clear it with an account of his own.
        """
        self._users.clear(user)

    def __len__(self) -> int:
        """How many accounts and addresses it remembers."""
        return len(self._users) + len(self._addresses)


class _Failures:
    """Failures by key, the key that failed last at the end."""

    def __init__(
        self, seconds: Callable[[], float], most: int, forgive: float, max_entries: int
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._forgive = forgive
        self._max_entries = max_entries
        self._counts: OrderedDict[str, _Count] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, key: str) -> int:
        """Failures of `key` that aren't forgiven."""
        if key not in self._counts:
            return 0
        entry = self._counts[key]
        self._reckon(entry)
        if not entry.failures:
            del self._counts[key]
        return entry.failures

    def add(self, key: str) -> None:
        """One more failure of `key`, up to the most that are counted."""
        failures = min(self._most, self.count(key) + 1)
        if failures:
            entry = self._counts.setdefault(key, _Count(0, self._seconds()))
            entry.failures = failures
            self._counts.move_to_end(key)
            self._shrink()

    def reserve(self, key: str, delay: float, most: float) -> float:
        """Seconds until `delay` after the turn that was reserved last, or at the `most`."""
        now = self._seconds()
        entry = self._counts[key]
        entry.turn = min(max(now, entry.turn) + delay, now + most)
        return entry.turn - now

    def clear(self, key: str) -> None:
        self._counts.pop(key, None)

    def _reckon(self, entry: _Count) -> None:
        if not self._forgive:
            return
        forgiven = int((self._seconds() - entry.since) / self._forgive)
        entry.failures = max(0, entry.failures - forgiven)
        entry.since += forgiven * self._forgive

    def _shrink(self) -> None:
        """Drop the oldest that are forgiven, and one more if there are too many."""
        oldest = next(iter(self._counts))
        while self.count(oldest) == 0:  # which drops it; the newest never counts 0
            oldest = next(iter(self._counts))
        if len(self._counts) > self._max_entries:
            del self._counts[oldest]

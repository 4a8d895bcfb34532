"""Delays against password guessing.

The throttle counts each failure three times:

* By account and address together: this slows one person who guesses, and no other.
* By address, with a budget for a whole class.
* By account: this slows only addresses that often failed themselves. Many of them together get no
  more answers than one, and an owner at another address isn't slowed.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from tictac.errors import BadCode, BadToken, NoSuchUser, WrongPassword
from tictac.ip_networks import Network, is_within, network_of

T = TypeVar("T")

_INVENTED = BadToken | BadCode

CLASS = 40
"""Factor for the budget and the forgiveness rate of an address or account, compared with one
person: a class of 30 and some to spare."""


class LoginThrottle:
    """Delays logins after failures.

    A login under way counts as a failure until its result is known, so that parallel guesses get no
    more answers than sequential ones.
    """

    def __init__(
        self,
        clock: IReactorTime,
        seconds: Callable[[], float],
        failures: int = 5,
        first_delay: float = 0.25,
        max_delay: float = 8.0,
        forgive: float = 600.0,
        trusted: Collection[Network] = (),
        max_entries: int = 10_000,
    ) -> None:
        """Create a throttle on `clock`, which calls later.

        Args:
            seconds: a monotonic time in seconds.
            failures: free failures of a person; 0 turns the throttle off.
            first_delay: seconds before the next login, doubled with each failure; 0 turns the
                throttle off.
            max_delay: maximum seconds between two logins; 0 turns the throttle off.
            forgive: seconds until one failure of a person is forgotten; 0 is never.
            trusted: networks whose addresses have no budget.
            max_entries: maximum entries of each table.
        """
        self._on = bool(failures and first_delay and max_delay)
        self._trusted = trusted
        self._max_entries = max_entries

        def lines(times: int) -> _Lines:
            free = failures * times
            counted = _Failures(seconds, free, forgive / times, max_entries)
            return _Lines(clock, counted, free, first_delay, max_delay)

        # Three tables, so that a flood of invented names drives out no address.
        self._pairs, self._addresses, self._accounts = lines(1), lines(CLASS), lines(CLASS)
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def run(self, user: str, address: str, look: Callable[[], Deferred[T]]) -> Deferred[T]:
        """Call `look` once a login as `user` from `address` can proceed.

        NoSuchUser and WrongPassword are failures. BadToken and BadCode are failures of the address
        alone. No error is a success. Anything else, such as a hang-up, counts as no attempt.
        """
        if not self._on:
            return look()
        login = _Login(look)
        # No coroutine and no self-referring closure: when canceled, they are garbage.
        waiting = login.wait(self._wanted(user, address))
        return waiting.addBoth(self._over, login, user, address)

    def _wanted(self, user: str, address: str) -> Iterator[tuple[_Lines, Hashable]]:
        """Yield the queues of a login, the address last: its slots are for logins that proceed."""
        place = network_of(address)
        pair = place, user
        yield self._pairs, pair
        if pair not in self._known:
            if self._pairs.is_slowed(pair):
                yield self._accounts, user
            if not self._trusts(address):
                yield self._addresses, place

    def _over(self, outcome: T | Failure, login: _Login[T], user: str, address: str) -> T | Failure:
        place = network_of(address)
        pair = place, user
        if not isinstance(outcome, Failure):
            # Keep failures of the address, or an attacker would clear them with an account of their
            # own.
            self._pairs.failures.clear(pair)
            self._remember(pair)
        elif isinstance(outcome.value, NoSuchUser | WrongPassword | _INVENTED):
            if not isinstance(outcome.value, _INVENTED):  # anybody can invent any number of those
                self._pairs.failures.add(pair)
                self._accounts.failures.add(user)
            if not self._trusts(address):
                self._addresses.failures.add(place)
        for lines, key in login.held:
            lines.leave(key)
        return outcome

    def __len__(self) -> int:
        """Return the number of remembered entries."""
        kinds = self._pairs, self._addresses, self._accounts
        return len(self._known) + sum(len(lines) + len(lines.failures) for lines in kinds)

    def _remember(self, pair: tuple[str, str]) -> None:
        """Remember this success: failures of other users or addresses no longer slow the pair."""
        self._known[pair] = None
        self._known.move_to_end(pair)
        if len(self._known) > self._max_entries:
            self._known.popitem(last=False)

    def _trusts(self, address: str) -> bool:
        return is_within(address, self._trusted)


class _Login(Generic[T]):
    """A login that waits in some queues, one after the other, and then proceeds."""

    def __init__(self, look: Callable[[], Deferred[T]]) -> None:
        self._look = look
        self.held: list[tuple[_Lines, Hashable]] = []

    def wait(self, wanted: Iterator[tuple[_Lines, Hashable]]) -> Deferred[T]:
        """Take the remaining places in order, then proceed."""
        for lines, key in wanted:
            return lines.enter(key).addCallback(self._taken, lines, key, wanted)
        return self._look()

    def _taken(
        self, _: None, lines: _Lines, key: Hashable, wanted: Iterator[tuple[_Lines, Hashable]]
    ) -> Deferred[T]:
        self.held.append((lines, key))
        return self.wait(wanted)


@dataclass(eq=False, slots=True)
class _Line:
    under_way: int = 0
    waiting: dict[Deferred[None], None] = field(default_factory=dict)  # the first one is next
    call: IDelayedCall | None = None  # lets the first one go
    going_on: bool = False


class _Lines:
    """Logins by key, immediate after few failures, then one by one, each after a delay."""

    def __init__(
        self,
        clock: IReactorTime,
        failures: _Failures,
        free: int,
        first_delay: float,
        max_delay: float,
    ) -> None:
        self.failures = failures
        self._clock = clock
        self._free = free
        self._first_delay = first_delay
        self._max_delay = max_delay
        # Counting beyond the longest delay would only postpone forgiveness.
        doublings = math.log2(max_delay / first_delay) if first_delay and max_delay else 0
        failures.most = free + max(0, math.ceil(doublings))
        self._lines: dict[Hashable, _Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def is_slowed(self, key: Hashable) -> bool:
        """Return whether each login of `key` is delayed."""
        return self.failures.count(key) >= self._free

    def enter(self, key: Hashable) -> Deferred[None]:
        """Wait for a turn, and then call `leave`. Cancel it to give the turn to the next."""
        line = self._lines.setdefault(key, _Line())
        turn: Deferred[None] = Deferred(lambda turn: self._give_up(key, turn))
        line.waiting[turn] = None
        self._go_on(key, line)
        return turn

    def leave(self, key: Hashable) -> None:
        """End a turn, once a failure, if any, was added."""
        line = self._lines[key]
        line.under_way -= 1
        self._go_on(key, line)

    def _give_up(self, key: Hashable, turn: Deferred[None]) -> None:
        line = self._lines[key]
        del line.waiting[turn]
        if not line.waiting and line.call is not None:
            line.call.cancel()
            line.call = None
        self._go_on(key, line)

    def _go_on(self, key: Hashable, line: _Line) -> None:
        if line.going_on:
            return  # the loop below sees a login that ended at once
        line.going_on = True
        while line.waiting and line.call is None:
            failures = self.failures.count(key)
            if failures + line.under_way < self._free:
                self._let_go(line)
            elif line.under_way:
                break  # wait for its result
            else:
                delay = min(self._max_delay, self._first_delay * 2.0 ** (failures - self._free))
                line.call = self._clock.callLater(delay, self._delayed, key, line)
        line.going_on = False
        if not line.waiting and not line.under_way and self._lines.get(key) is line:
            del self._lines[key]

    def _delayed(self, key: Hashable, line: _Line) -> None:
        line.call = None
        self._let_go(line)
        self._go_on(key, line)

    def _let_go(self, line: _Line) -> None:
        turn = next(iter(line.waiting))
        del line.waiting[turn]
        line.under_way += 1
        turn.callback(None)


@dataclass(slots=True)
class _Count:
    failures: int
    since: float  # the time up to which forgiveness is applied


class _Failures:
    """Failures by key, the latest key last."""

    def __init__(
        self, seconds: Callable[[], float], most: int, forgive: float, max_entries: int
    ) -> None:
        self.most = most
        """Maximum count of a key."""
        self._seconds = seconds
        self._forgive = forgive
        self._max_entries = max_entries
        self._counts: OrderedDict[Hashable, _Count] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, key: Hashable) -> int:
        """Return the failures of `key` that aren't forgiven."""
        if key not in self._counts:
            return 0
        entry = self._counts[key]
        self._reckon(entry)
        if not entry.failures:
            del self._counts[key]
        return entry.failures

    def add(self, key: Hashable) -> None:
        """Count one more failure of `key`, up to the maximum."""
        failures = min(self.most, self.count(key) + 1)
        entry = self._counts.setdefault(key, _Count(0, self._seconds()))
        entry.failures = failures
        self._counts.move_to_end(key)
        self._shrink()

    def clear(self, key: Hashable) -> None:
        """Forget the failures of `key`."""
        self._counts.pop(key, None)

    def _reckon(self, entry: _Count) -> None:
        if not self._forgive:
            return
        forgiven = int((self._seconds() - entry.since) / self._forgive)
        entry.failures = max(0, entry.failures - forgiven)
        entry.since += forgiven * self._forgive

    def _shrink(self) -> None:
        """Drop the oldest forgiven entries, and one more if there are too many."""
        oldest = next(iter(self._counts))
        while self.count(oldest) == 0:  # count() drops them; the newest never counts 0
            oldest = next(iter(self._counts))
        if len(self._counts) > self._max_entries:
            del self._counts[oldest]

"""Slowing down guesses of passwords.

Failures are counted three times. By account and address together: this is what slows a person who
guesses, and nobody else. By address, with a budget for a whole class. By account: this slows only
addresses that have failed often themselves, so that many of them together get no more answers
than one, and an owner who comes from elsewhere doesn't notice.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from tictac.errors import BadCode, BadToken, NoSuchUser, WrongPassword
from tictac.fair_queue import Network, is_within, place_of

T = TypeVar("T")

_INVENTED = BadToken | BadCode

CLASS = 40
"""An address, like an account, may fail as often as so many people, and is forgiven so many times
as fast: a class of 30 and some to spare."""


class LoginThrottle:
    """Lets logins wait. It counts what is under way as a failure until it is known to be none,
    so that guesses side by side get no more answers than one after the other."""

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
        """
        Args:
            clock: calls later.
            seconds: the time, in seconds, from a clock that never goes back.
            failures: as many cost a person nothing; 0 turns everything off.
            first_delay: seconds that the next login waits then; it doubles with each failure.
            max_delay: seconds between two logins at most; 0, like a first delay of 0, turns
                everything off.
            forgive: seconds after which one failure of a person is forgotten; 0 is never.
            trusted: networks whose addresses have no budget.
            max_entries: how many of each kind are remembered at a time.
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
        """Wait until a login as `user` from `address` may be looked at; `look` does that.

        If that fails with NoSuchUser or WrongPassword it is a failure, with BadToken or BadCode one
        of the address alone; if it doesn't fail it is a success. After anything else, such as a
        hang-up, all is as if it hadn't been tried.
        """
        if not self._on:
            return look()
        login = _Login(look)
        # No coroutine, and no closure that knows itself: cancelled, they are garbage.
        waiting = login.wait(self._wanted(user, address))
        return waiting.addBoth(self._over, login, user, address)

    def _wanted(self, user: str, address: str) -> Iterator[tuple[_Lines, Hashable]]:
        """The lines in which it waits. Of the address last: its places are for what is really
        looked at."""
        place = place_of(address)
        pair = place, user
        yield self._pairs, pair
        if pair not in self._known:
            if self._pairs.is_slowed(pair):
                yield self._accounts, user
            if not self._trusts(address):
                yield self._addresses, place

    def _over(self, outcome: Any, login: _Login[T], user: str, address: str) -> Any:
        place = place_of(address)
        pair = place, user
        if not isinstance(outcome, Failure):
            # The address keeps its failures, or an attacker would clear it with an account of his.
            self._pairs.failures.clear(pair)
            self._remember(pair)
        elif isinstance(outcome.value, NoSuchUser | WrongPassword | _INVENTED):
            if not isinstance(outcome.value, _INVENTED):  # of which anybody can invent any number
                self._pairs.failures.add(pair)
                self._accounts.failures.add(user)
            if not self._trusts(address):
                self._addresses.failures.add(place)
        for lines, key in login.held:
            lines.leave(key)
        return outcome

    def __len__(self) -> int:
        """How many things it remembers."""
        kinds = self._pairs, self._addresses, self._accounts
        return len(self._known) + sum(len(lines) + len(lines.failures) for lines in kinds)

    def _remember(self, pair: tuple[str, str]) -> None:
        """A login as this user from this address has succeeded: failures of strangers, and those
        at the address with other accounts, don't slow it any more."""
        self._known[pair] = None
        self._known.move_to_end(pair)
        if len(self._known) > self._max_entries:
            self._known.popitem(last=False)

    def _trusts(self, address: str) -> bool:
        return is_within(address, self._trusted)


class _Login(Generic[T]):
    """A login that waits in some lines, one after the other, and is then looked at."""

    def __init__(self, look: Callable[[], Deferred[T]]) -> None:
        self._look = look
        self.held: list[tuple[_Lines, Hashable]] = []

    def wait(self, wanted: Iterator[tuple[_Lines, Hashable]]) -> Deferred[T]:
        """Take the next place, and so on."""
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
    """Logins by key. As long as there are few failures they go at once; then one by one, each
    after a delay."""

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
        # Counting on beyond the longest delay would only put off forgiveness.
        doublings = math.log2(max_delay / first_delay) if first_delay and max_delay else 0
        failures.most = free + max(0, math.ceil(doublings))
        self._lines: dict[Hashable, _Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def is_slowed(self, key: Hashable) -> bool:
        """Whether each login of `key` is delayed."""
        return self.failures.count(key) >= self._free

    def enter(self, key: Hashable) -> Deferred[None]:
        """Wait for a turn; cancelling gives it to the next. `leave` must follow it."""
        line = self._lines.setdefault(key, _Line())
        turn: Deferred[None] = Deferred(lambda turn: self._give_up(key, turn))
        line.waiting[turn] = None
        self._go_on(key, line)
        return turn

    def leave(self, key: Hashable) -> None:
        """The outcome of a login is known, and counted if it was a failure."""
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
            return  # one that was let go has ended at once: the loop below sees it
        line.going_on = True
        while line.waiting and line.call is None:
            failures = self.failures.count(key)
            if failures + line.under_way < self._free:
                self._let_go(line)
            elif line.under_way:
                break  # its outcome decides
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
    since: float  # the time up to which forgiving has been reckoned


class _Failures:
    """Failures by key, the key that failed last at the end."""

    def __init__(
        self, seconds: Callable[[], float], most: int, forgive: float, max_entries: int
    ) -> None:
        self.most = most
        """No more of a key are counted."""
        self._seconds = seconds
        self._forgive = forgive
        self._max_entries = max_entries
        self._counts: OrderedDict[Hashable, _Count] = OrderedDict()

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, key: Hashable) -> int:
        """Failures of `key` that aren't forgiven."""
        if key not in self._counts:
            return 0
        entry = self._counts[key]
        self._reckon(entry)
        if not entry.failures:
            del self._counts[key]
        return entry.failures

    def add(self, key: Hashable) -> None:
        """Count one more failure of `key`, up to the most that are counted."""
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
        """Drop the oldest that are forgiven, and one more if there are too many."""
        oldest = next(iter(self._counts))
        while self.count(oldest) == 0:  # which drops it; the newest never counts 0
            oldest = next(iter(self._counts))
        if len(self._counts) > self._max_entries:
            del self._counts[oldest]

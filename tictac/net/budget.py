"""What an address, and each of its connections, may make the server do: a budget in units.

A unit is about what an answered ``ping`` takes, with its read and its write. A connection pays
for a request after it. If nothing is left then, its next request waits: the server reads no more
of it, keeps the order and refuses nothing. All doors share the budget of an address. Source:
operations.md, "Budgets".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from heapq import heappop, heappush, nsmallest
from itertools import count
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from tictac.fair_queue import Network, is_within, place_of
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)

KIB = 1024
"""Bytes of an answer that cost a unit."""

SIGN_OF_LIFE = 1
PAGE = 4
"""A request of HTTP."""
MOVE = 6
CONNECTION = 8
WEBSOCKET = 32
"""What making a WebSocket of a connection costs."""
GUESS = 44
"""What a refusal costs besides that tells whether a room exists: it slows programs that guess."""

LUMP = 8 * MOVE
"""Units after which a connection pays for moves that came singly: less often than each is quicker,
and none gets far with what it owes, since a turn of the reactor brings one such move."""

SHARE = 4
"""An address may do as much as so many of its connections."""

TRUSTED = 10
"""The addresses of a trusted network may do so many times as much."""

SLICE = 400
"""Units that an address gets in one turn of the reactor, if they come faster than its rate."""

SHORTEST = 0.01
"""Seconds that such a slice is worth at least, however high the rate."""

CREDIT = 256
"""How many units a connection can be ahead of the others of its address, after a silence."""

OWN_PAUSE, PAUSE = 0.1, 0.002
"""The fewest seconds that a connection, or an address, waits when its budget is empty."""

PATIENCE, BREAK = 60.0, 1.0
"""The server cuts a connection that has waited for its own budget for ``PATIENCE`` seconds, if it
never had a break of ``BREAK`` seconds."""

LOGGED_EVERY = 3600.0

_order = count()


class Waiting(Protocol):
    """A connection that can wait for its address; ``used`` counts its units, to compare."""

    used: int

    def go_on(self) -> None:
        """Do one thing more."""


Place = list[Any]
"""A connection in the line: its units, its number in the order of coming, and itself, or None
when it has gone."""


class Purse:
    """The budget of an address, at all doors together.

    It is a token bucket, as the time until which all is paid for (GCRA, ITU-T I.371): a unit
    has a ``price`` in seconds, and an address can pay ``ahead`` seconds ahead. While the purse is
    ``shut``, connections wait in a line: until the next turn of the reactor, or until something is
    left. The connection that has used the fewest units goes first (self-clocked fair queueing,
    Golestani 1994).
    """

    __slots__ = (
        "_began", "_budget", "_end", "_host", "_line", "_logged", "_serving", "_slice", "ahead",
        "paid", "price", "rate", "seconds", "shut", "until", "used",
    )  # fmt: skip

    def __init__(self, budget: Budget, host: str, rate: float, burst: float) -> None:
        self._budget = budget
        self._host = host
        self.seconds = budget.seconds
        self.rate = rate
        self.price = 1 / rate if rate else 0.0
        # Half a unit more, since sums of fractions aren't exact.
        self.ahead = (burst + 0.5) / rate if rate else math.inf
        self._slice = max(SLICE * self.price, SHORTEST)
        self.paid = 0.0
        self.until = 0.0 if rate else math.inf
        """When ``paid`` is later than that, it is time to :meth:`look` (when shut: always)."""
        self._end = 0.0
        self.shut = False
        self.used = 0
        """The most that one of its connections has used."""
        self._began = self._logged = -math.inf
        self._line: list[Place] = []
        self._serving: Waiting | None = None

    def spend(self, units: int, payer: Waiting) -> None:
        """Pay for something that was done for ``payer``."""
        now = self.seconds()
        self.count(units, payer)
        paid = self.paid
        paid = self.paid = (paid if paid > now else now) + units * self.price
        if paid > self.until:
            self.look(now)

    def count(self, units: int, payer: Waiting) -> None:
        """Remember what ``payer`` has used."""
        used = payer.used = payer.used + units
        if used > self.used:
            self.used = used

    def look(self, now: float) -> None:
        """Begin another slice, or shut the purse until the next turn."""
        if self.shut:
            return
        if self.paid - now <= self.ahead and now - self._began >= self._slice:
            self._begin(now)  # what came was no faster than the rate
            self.until = self._end
        else:
            self.shut = True
            self.until = -math.inf
            self._budget.clock.callLater(0, self._turn)

    def is_empty(self) -> bool:
        """Whether connections wait for longer than a turn of the reactor."""
        return self.paid - self.seconds() > self.ahead

    def keeps(self, payer: Waiting) -> Place | None:
        """Give ``payer`` a place in the line, if it must wait; :meth:`_turn` calls it."""
        if not self.shut:
            return None
        if self._serving is payer:
            self._serving = None
            return None
        payer.used = max(payer.used, self.used - CREDIT)
        place = [payer.used, next(_order), payer]
        heappush(self._line, place)
        self._budget.begin_waiting("address" if self.is_empty() else "turn")
        return place

    def forget(self, place: Place) -> None:
        """Take a connection out of the line."""
        if place[2] is not None:
            place[2] = None
            self._budget.waiting -= 1

    def _begin(self, now: float) -> None:
        self._began = now
        self._end = min(max(self.paid, now) + self._slice, now + self.ahead)

    def _turn(self) -> None:
        """Let connections go on for as long as something is left."""
        budget = self._budget
        now = self.seconds()
        early = self.paid - self.ahead - now
        if early > 0:
            self.log(self.rate)
            budget.clock.callLater(max(early, PAUSE), self._turn)
            return
        self._begin(now)
        line = self._line
        while line and self.paid <= self._end:
            place = heappop(line)
            payer: Waiting | None = place[2]
            if payer is None:
                continue
            self.forget(place)
            self._serving = payer
            try:
                payer.go_on()
            except Exception:
                _log.failure("{protocol} failed on a message", protocol=payer)
            self._serving = None
        if line or self.paid > self._end:
            budget.clock.callLater(0, self._turn)
        else:
            self.shut = False
            self.until = self._end

    def log(self, rate: float) -> None:
        """Log that this address waits, or one of its connections, once an hour."""
        now = self.seconds()
        if now - self._logged >= LOGGED_EVERY:
            self._logged = now
            _log.info("{peer} waits: more than {rate:g} units a second", peer=self._host, rate=rate)


class Budget:
    """The purses of all addresses: ``rate`` units a second each, ``burst`` at once (0: any number).

    ``clock`` calls later; ``seconds`` is a monotonic clock. Addresses in a ``trusted`` network
    have more. Beyond ``capacity`` addresses those with the most left are forgotten first.
    """

    def __init__(
        self,
        clock: IReactorTime,
        seconds: Callable[[], float],
        rate: float,
        burst: float,
        trusted: Collection[Network] = (),
        capacity: int = 10_000,
    ) -> None:
        self.clock = clock
        self.seconds = seconds
        self._rate, self._burst = (rate, burst) if rate and burst else (0.0, 0.0)
        self._trusted = trusted
        self._capacity = capacity
        self._purses: dict[tuple[str, int], Purse] = {}
        self.waits: Counter[str] = Counter()
        """How often connections have waited: for the next ``turn``, because their ``address`` had
        nothing left, or because the ``connection`` itself had nothing left."""
        self.waiting = 0
        """How many connections wait now."""

    def purse(self, host: str) -> Purse:
        """Find the purse of an address, or make it."""
        place = place_of(host)
        times = TRUSTED if is_within(host, self._trusted) else 1
        purse = self._purses.get((place, times))
        if purse is None:
            self._make_room()
            purse = Purse(self, place, self._rate * times, self._burst * times)
            self._purses[place, times] = purse
        return purse

    def begin_waiting(self, why: str) -> None:
        """Count a connection that waits. :attr:`waiting` goes down again when it goes on."""
        self.waits[why] += 1
        self.waiting += 1

    def _make_room(self) -> None:
        purses = self._purses
        if len(purses) >= self._capacity:
            for key in nsmallest(
                max(1, self._capacity // 100), purses, key=lambda key: purses[key].paid
            ):
                del purses[key]


_budgets: WeakKeyDictionary[IReactorTime, dict[Any, Budget]] = WeakKeyDictionary()


def budget_of(
    clock: IReactorTime,
    seconds: Callable[[], float],
    rate: float,
    burst: float,
    trusted: tuple[Network, ...],
) -> Budget:
    """Find the budget of a reactor: all its ports have the same options, and share it."""
    budgets = _budgets.setdefault(clock, {})
    key = rate, burst, trusted
    if key not in budgets:
        budgets[key] = Budget(clock, seconds, rate, burst, trusted)
    return budgets[key]


class Granting(Protocol):
    """What a :class:`Paying` connection asks of its factory."""

    budget: Budget

    @property
    def seconds(self) -> Callable[[], float]:
        """A monotonic clock."""


class Paying:
    """A connection that pays for its messages, from its own budget and from its address's.

    ``last_message`` is when the last one came.
    """

    factory: Granting
    purse: Purse
    last_message = 0.0
    used = 0
    owed = 0
    """Units to be paid with the next lump."""

    _paid_until = 0.0
    _dry: bool  # of framing.MessageReceiver, as the next
    _idle: bool
    _dry_since = _went_on = -math.inf
    _own_pause: IDelayedCall | None = None
    _place: Place | None = None

    # Hooks: what it does while it waits

    def hold_for_answer(self) -> None:
        """Read nothing, and notice a hang-up."""
        raise NotImplementedError

    def hold(self) -> None:
        """Read nothing."""
        raise NotImplementedError

    def release_answered(self) -> None:
        """Undo either."""
        raise NotImplementedError

    def drop_for(self, kind: str) -> None:
        """Note a refusal and close at once."""
        raise NotImplementedError

    # What it does

    def have_purse(self, host: str) -> None:
        """Pay from the purse of this address from now on."""
        self.purse = self.factory.budget.purse(host)
        self.used = self.purse.used

    def pay(self, units: int = MOVE) -> None:
        """Pay for a message. If nothing is left then, the next message waits."""
        purse = self.purse
        now = self.last_message = purse.seconds()
        price = units * purse.price
        own = self._paid_until
        own = self._paid_until = (own if own > now else now) + SHARE * price
        if own - now > purse.ahead:
            self._dry, self._idle = True, False
        # As Purse.spend does it, but that units count only while the purse is shut, when they
        # matter: on the path of a move a call is worth sparing.
        paid = purse.paid
        paid = purse.paid = (paid if paid > now else now) + price
        if paid > purse.until:
            purse.count(units, self)
            purse.look(now)

    def pay_owed(self) -> None:
        """Pay a lump."""
        owed, self.owed = self.owed, 0
        self.pay(owed)

    def waits_for_budget(self) -> bool:
        """Hold the connection if a budget is empty, and whether it was; it goes on by itself."""
        if self._dry and self._waits_for_own():
            return True
        self._place = self.purse.keeps(self)
        if self._place is None:
            return False
        if self.purse.is_empty():
            self.hold_for_answer()
        else:
            self.hold()
        return True

    def is_waiting(self) -> bool:
        """Whether it waits for a budget, unread."""
        return self._place is not None or self._own_pause is not None

    def go_on(self) -> None:
        """Go on, as the address has something left (Waiting)."""
        self._place = None
        self.release_answered()

    def wait_no_longer(self) -> None:
        """Pay what is owed and leave the line, as the connection has gone."""
        if self.owed:
            self.pay_owed()
        if self._place is not None:
            self.purse.forget(self._place)
            self._place = None
        if self._own_pause is not None:
            self._own_pause.cancel()
            self._end_pause()

    def _waits_for_own(self) -> bool:
        """Wait if its own budget is empty; cut a connection that has waited for too long."""
        self._dry = False
        factory, purse = self.factory, self.purse
        now = factory.seconds()
        early = self._paid_until - purse.ahead - now
        if early <= 0:
            return False
        if now - self._went_on >= BREAK:
            self._dry_since = now
        elif now - self._dry_since >= PATIENCE:
            self.drop_for("rate")
            return True
        factory.budget.begin_waiting("connection")
        purse.log(purse.rate / SHARE)
        self.hold_for_answer()
        clock = factory.budget.clock
        self._own_pause = clock.callLater(max(early, OWN_PAUSE), self._own_pause_over)
        return True

    def _own_pause_over(self) -> None:
        self._end_pause()
        self._went_on = self.factory.seconds()
        self.release_answered()

    def _end_pause(self) -> None:
        self._own_pause = None
        self.factory.budget.waiting -= 1

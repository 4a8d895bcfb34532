"""The budget of an address and of each of its connections, in units.

A unit is about the cost of an answered ``ping``, with its read and its write. All protocols share
the budget of an address. Source: protect.md, "Budgets".

Invariants: over time, an address uses no more than its rate, and a connection no more than its
share of that. A request beyond it waits: the server reads nothing more from the connection, keeps
the order, and refuses nothing. Addresses whose purses are open don't wait for the others.

1. A connection pays after a request, because only the answer shows the cost. It pays twice: from
   its own budget (``SHARE`` times the price) and from the purse of its address. Both are times
   until which everything is paid, so no timer fills them.
2. If its own budget is empty, the connection is ``_dry``: before its next request, it holds until
   something is left. After ``PATIENCE`` seconds of that, the server closes it.
3. While ``paid`` isn't later than ``until``, the purse is open, and a request costs one comparison.
   Later, `look` begins the next slice, if the address stayed below its rate; otherwise, it lends
   another piece of this slice, or shuts the purse. An address alone rarely meets step 4.
4. While the purse is ``shut``, each connection with a request takes a place in the purse's line
   (`keeps`). In each turn of the reactor, the budget serves ``TURN`` units: first the address that
   has used the least of its rate, and there the connection that has used the fewest units.
5. `serve` continues one connection for one request, because only then is the cost of the request
   known. If the address is more than its burst ahead, it is served again when enough time has
   passed. If no connection waits, the purse opens.
6. Messages that take a short cut (rooms moves) only add to ``owed``. The next message pays for
   them, or the end of the connection. At ``LUMP``, no message takes the short cut.

An example::

    A sends 100 moves       48 units at once; then pieces of the slice, up to 400 units
                            shut: the next move waits in A's line
    B sends one move        its purse is open: answered at once
    turn                    2 moves of A (12 units), then the other ports of the reactor
    turn                    2 moves of A ...
    nothing waits           A's purse opens
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from heapq import heappop, heappush, nsmallest
from itertools import count
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from tictac.ip_networks import Network, is_within, network_of
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)

KIB = 1024
"""Bytes of an answer that cost one unit."""

SIGN_OF_LIFE = 1
PAGE = 4
"""Units for an HTTP request."""
MOVE = 6
CONNECTION = 8
WEBSOCKET = 32
"""Units for turning a connection into a WebSocket."""
HANDSHAKE = 24
"""Units for a TLS handshake, before the connection itself."""
GUESS = 44
"""Extra units for a refusal that reveals whether a room exists: they slow programs that guess."""

LUMP = 7 * MOVE
"""Units that a connection can owe for messages that took a short cut (:attr:`Paying.owed`).

No connection gets far with its debt, since a turn of the reactor brings one such message.
"""

SHARE = 4
"""The number of its connections that an address can pay for at full rate."""

TRUSTED = 10
"""The factor for the budget of an address in a trusted network."""

TURN = 12
"""Units of all waiting addresses together in one turn of the reactor."""

SLICE = 400
"""Units of an address at once that need no turn, if they come no faster than its rate."""

SHORTEST = 0.01
"""The minimum length of such a slice, in seconds, however high the rate."""

RECEIVERS = 2
"""The receivers of an event that cost its cause a unit."""

PIECE = 48 / SLICE
"""The part of a slice that an address has to itself: all share the rest, and what waits."""

AT_FULL_RATE = 2
"""The number of addresses that can use whole slices all the time without waiting for a turn."""

CREDIT = 256
"""Maximum units that a connection can be ahead of the others of its address after a silence."""

OWN_PAUSE, PAUSE = 0.1, 0.002
"""Minimum seconds that a connection, or an address, waits when its budget is empty."""

PATIENCE, BREAK = 60.0, 1.0
"""Seconds of waiting for its own budget after which the server cuts a connection.

A break of ``BREAK`` seconds without waiting restarts the time.
"""

LOGGED_EVERY = 3600.0

_order = count()


class Waiting(Protocol):
    """A connection that can wait for its address; ``used`` has its units for the comparison."""

    used: int

    def go_on(self) -> None:
        """Handle one more message."""


Place = list[Any]
"""A place in the line: units, running number, and the connection (None after it has closed)."""


class Purse:
    """The budget of an address, shared by all protocols.

    The purse is a token bucket, kept as the time until which everything is paid (GCRA, ITU-T
    I.371): a unit has a ``price`` in seconds, and an address can pay ``ahead`` seconds ahead. Its
    line is a self-clocked fair queue (Golestani 1994).
    """

    __slots__ = (
        "_began", "_end", "_line", "_logged", "_piece", "_serving", "ahead", "budget",
        "network", "paid", "price", "rate", "seconds", "shut", "slice", "tag", "times",
        "until", "used",
    )  # fmt: skip

    def __init__(self, budget: Budget, network: str, times: int, rate: float, burst: float) -> None:
        self.budget = budget
        self.network, self.times = network, times
        """The address as limits count it, and how many times the usual limits it has."""
        rate, burst = rate * times, burst * times
        self.seconds = budget.seconds
        self.rate = rate
        self.price = 1 / rate if rate else 0.0
        # Half a unit more, since sums of fractions aren't exact.
        self.ahead = (burst + 0.5) / rate if rate else math.inf
        self.slice = max(SLICE * self.price, SHORTEST)
        self._piece = PIECE * self.slice
        self.paid = self._end = 0.0
        self.until = 0.0 if rate else math.inf
        """When ``paid`` is later than that, :meth:`look` is due (when shut: always)."""
        self.shut = False
        self.tag = 0.0
        """The used budget, in seconds of the address's rate, to compare it with others."""
        self.used = 0
        """The most units that one of its connections has used."""
        self._began = self._logged = -math.inf
        self._line: list[Place] = []
        self._serving: Waiting | None = None

    def spend(self, units: int, payer: Waiting) -> None:
        """Pay for a message of ``payer``."""
        now = self.seconds()
        self.count(units, payer)
        paid = self.paid
        paid = self.paid = (paid if paid > now else now) + units * self.price
        if paid > self.until:
            self.look(now)

    def count(self, units: int, payer: Waiting) -> None:
        """Count the units of ``payer``, and of the turn."""
        self.budget.left -= units
        used = payer.used = payer.used + units
        if used > self.used:
            self.used = used

    def look(self, now: float) -> None:
        """Begin another slice, or shut the purse until the budget serves it."""
        if self.shut:
            return
        budget, ahead = self.budget, self.paid - now
        is_busy, turn = budget.is_busy(), TURN * self.price
        if ahead <= self.ahead and now - self._began >= self.slice:
            # No faster than the rate. While others wait, it is what a turn has.
            self._begin(now, turn if is_busy else self._piece)
        elif ahead <= turn and not is_busy:
            self.until = now + turn  # steadily, which takes nothing from the others
        elif self.paid <= self._end and budget.lends(self._piece, self.slice, now):
            self.until = min(self.paid + self._piece, self._end)
        else:
            self.shut = True
            self.until = -math.inf
            budget.queue(self)

    def is_empty(self) -> bool:
        """Return whether connections wait for longer than a turn of the reactor."""
        return self.paid - self.seconds() > self.ahead

    def keeps(self, payer: Waiting) -> Place | None:
        """Put ``payer`` into the line, if it must wait, and return its place; None: go on."""
        if not self.shut:
            return None
        if self._serving is payer:
            self._serving = None
            return None
        payer.used = max(payer.used, self.used - CREDIT)
        place = [payer.used, next(_order), payer]
        heappush(self._line, place)
        self.budget.begin_waiting("address" if self.is_empty() else "turn")
        return place

    def forget(self, place: Place) -> None:
        """Take a connection out of the line."""
        if place[2] is not None:
            place[2] = None
            self.budget.waiting -= 1

    def _begin(self, now: float, alone: float) -> None:
        """Begin a slice, whose first ``alone`` seconds no other address shares."""
        self._began = now
        paid, most = max(self.paid, now), now + self.ahead
        self._end = min(paid + self.slice, most)
        self.until = min(paid + alone, most)

    def serve(self) -> bool:
        """Let one connection continue, and return whether to serve the purse again.

        If no connection waits, open the purse. If nothing is left, wait for more.
        """
        now, line = self.seconds(), self._line
        early = self.paid - self.ahead - now
        if early > 0:
            self.log(self.rate)
            self.budget.clock.callLater(max(early, PAUSE), self.budget.queue, self)
            return False
        while line and line[0][2] is None:
            heappop(line)
        if not line:
            self.shut = False
            self._begin(now, 0.0)
            return False
        place = heappop(line)
        before, payer = self.paid, place[2]
        self.forget(place)
        self._serving = payer
        try:
            payer.go_on()
        except Exception:
            _log.failure("{protocol} failed on a message", protocol=payer)
        self._serving = None
        if self.paid == before:
            self.budget.left -= 1  # it joined another line, which takes time as well
        self.tag += self.paid - before
        return True

    def log(self, rate: float) -> None:
        """Log up to once an hour that this address, or one of its connections, waits."""
        now = self.seconds()
        if now - self._logged >= LOGGED_EVERY:
            self._logged = now
            _log.info(
                "{peer} waits: more than {rate:g} units per second", peer=self.network, rate=rate
            )


def times_of(host: str, trusted: Collection[Network]) -> int:
    """Return how many times the usual limits a host has."""
    return TRUSTED if is_within(host, trusted) else 1


class Budget:
    """The purses of all addresses: ``rate`` units per second each, ``burst`` at once (0: no limit).

    ``clock`` makes delayed calls, and ``seconds`` is a monotonic clock. Addresses in a ``trusted``
    network have more. Beyond ``capacity`` addresses, those with the most left are forgotten first.
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
        """The number of waits: for the next ``turn``, the ``address``, or the ``connection``."""
        self.waiting = 0
        """The number of connections that wait now."""
        self.left = 0
        """The units left in this turn for waiting connections."""
        self._queue: list[tuple[float, int, Purse]] = []
        self._reached = 0.0
        self._turning = False
        self._lent = 0.0

    def purse(self, host: str) -> Purse:
        """Find the purse of an address, or make it."""
        network, times = network_of(host), times_of(host, self._trusted)
        purse = self._purses.get((network, times))
        if purse is None:
            self._make_room()
            purse = Purse(self, network, times, self._rate, self._burst)
            self._purses[network, times] = purse
        return purse

    def queue(self, purse: Purse) -> None:
        """Serve an address in later turns, until none of its connections waits.

        The address that has used the least of its rate goes first (as in :class:`Purse`). A
        silent one can be ahead of the others by a slice.
        """
        purse.tag = max(purse.tag, self._reached - purse.slice)
        heappush(self._queue, (purse.tag, next(_order), purse))
        if not self._turning:
            self._turning = True
            self.clock.callLater(0, self._turn)

    def lends(self, piece: float, most: float, now: float) -> bool:
        """Return whether an address can use another piece of its slice at once; both in seconds.

        All of them together can use ``most`` at once, and nothing while others wait.
        """
        lent = max(self._lent, now) + piece / AT_FULL_RATE
        if self._queue or lent - now > most / AT_FULL_RATE:
            return False
        self._lent = lent
        return True

    def is_busy(self) -> bool:
        """Return whether addresses wait for their turn."""
        return bool(self._queue)

    def _turn(self) -> None:
        """Serve waiting addresses until the units of this turn are used."""
        self.left = TURN
        queue = self._queue
        while queue and self.left > 0:
            tag, _, purse = heappop(queue)
            self._reached = max(self._reached, tag)
            if purse.serve():
                heappush(queue, (purse.tag, next(_order), purse))
        self._turning = bool(queue)
        if queue:
            self.clock.callLater(0, self._turn)

    def begin_waiting(self, why: str) -> None:
        """Count a waiting connection. :attr:`waiting` decreases when the connection continues."""
        self.waits[why] += 1
        self.waiting += 1

    def _make_room(self) -> None:
        purses = self._purses
        if len(purses) >= self._capacity:
            for key in nsmallest(
                max(1, self._capacity // 100), purses, key=lambda key: purses[key].paid
            ):
                del purses[key]


_budgets: WeakKeyDictionary[IReactorTime, dict[Hashable, Budget]] = WeakKeyDictionary()


def budget_of(
    clock: IReactorTime,
    seconds: Callable[[], float],
    rate: float,
    burst: float,
    trusted: tuple[Network, ...],
) -> Budget:
    """Return the budget of a reactor, which all its ports share: they have the same options."""
    budgets = _budgets.setdefault(clock, {})
    key = rate, burst, trusted
    if key not in budgets:
        budgets[key] = Budget(clock, seconds, rate, burst, trusted)
    return budgets[key]


class Paying:
    """A connection that pays for its messages, from its own budget and from its address's.

    ``last_message`` is the time of the last message.
    """

    purse: Purse
    last_message = 0.0
    used = 0
    owed = 0
    """Units to pay with the next message that takes no short cut; up to :data:`LUMP`."""

    _paid_until = 0.0
    _dry: bool  # of framing.MessageReceiver, like the next one
    idle: bool
    _dry_since = _went_on = -math.inf
    _own_pause: IDelayedCall | None = None
    _place: Place | None = None

    # Methods of the connection. `hold_for_answer` also notices when the peer hangs up, and
    # `release_answered` undoes one of the first two.
    hold_for_answer: Callable[[], None]
    hold: Callable[[], None]
    release_answered: Callable[[], None]
    drop_for: Callable[[str], None]

    def have_purse(self, budget: Budget, host: str) -> None:
        """Pay from the purse of this address from now on."""
        self.purse = budget.purse(host)
        self.used = self.purse.used

    def pay(self, units: int = MOVE) -> None:
        """Pay for a message. If nothing is left then, the next message waits."""
        purse = self.purse
        now = self.last_message = purse.seconds()
        price = units * purse.price
        own = self._paid_until
        own = self._paid_until = (own if own > now else now) + SHARE * price
        if own - now > purse.ahead:
            self._dry, self.idle = True, False
        # Like Purse.spend, without a call on the path of a move. Units count only while the purse
        # is shut, when they matter.
        paid = purse.paid
        paid = purse.paid = (paid if paid > now else now) + price
        if paid > purse.until:
            purse.count(units, self)
            purse.look(now)

    def pay_for(self, receivers: int) -> None:
        """Pay for an event that so many receive.

        Only the address pays, since a connection that is out of units for long is closed, and no
        player can help it if others watch.
        """
        self.purse.spend(receivers // RECEIVERS, self)

    def waits_for_budget(self) -> bool:
        """Hold the connection if a budget is empty, until it isn't; return whether it is held."""
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
        """Return whether the connection is held for a budget."""
        return self._place is not None or self._own_pause is not None

    def go_on(self) -> None:
        """Continue, because the address has something left (Waiting)."""
        self._place = None
        self.release_answered()

    def wait_no_longer(self) -> None:
        """Pay the debt and leave the line, because the connection is closed."""
        if self.owed:
            owed, self.owed = self.owed, 0
            self.pay(owed)
        if self._place is not None:
            self.purse.forget(self._place)
            self._place = None
        if self._own_pause is not None:
            self._own_pause.cancel()
            self._end_pause()

    def _waits_for_own(self) -> bool:
        """Wait if the own budget is empty; cut a connection that has waited for too long."""
        self._dry = False
        purse = self.purse
        budget, now = purse.budget, purse.seconds()
        early = self._paid_until - purse.ahead - now
        if early <= 0:
            return False
        if now - self._went_on >= BREAK:
            self._dry_since = now
        elif now - self._dry_since >= PATIENCE:
            self.drop_for("rate")
            return True
        budget.begin_waiting("connection")
        purse.log(purse.rate / SHARE)
        self.hold_for_answer()
        self._own_pause = budget.clock.callLater(max(early, OWN_PAUSE), self._own_pause_over)
        return True

    def _own_pause_over(self) -> None:
        self._end_pause()
        self._went_on = self.purse.seconds()
        self.release_answered()

    def _end_pause(self) -> None:
        self._own_pause = None
        self.purse.budget.waiting -= 1

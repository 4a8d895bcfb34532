"""Limits that every server shares: connections, rates, and log lines about refusals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from twisted.internet.interfaces import IAddress
from twisted.logger import Logger

from tictac.ip_networks import network_of
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)


def peer_name(address: IAddress | None) -> str:
    """Return the name of a peer in counts and logs: its host, or the kind of its address."""
    host = getattr(address, "host", None)
    return host if isinstance(host, str) else type(address).__name__


UNKNOWN = "?"
"""A peer whose address isn't known yet; the number of such connections has no limit."""


class ConnectionLimit:
    """Counts the connections of one listener, in total and per peer, up to limits (0: none).

    They also count ``within`` another limit; there, a peer counts only if it counts here.
    """

    def __init__(self, total: int, of_one_peer: int, within: ConnectionLimit | None = None) -> None:
        self._within = within
        self._count = 0
        self._peers: Counter[str] = Counter()
        self.is_banned: Callable[[str], bool] = lambda peer: False
        self.grant(total, of_one_peer)

    def grant(self, total: int, of_one_peer: int) -> None:
        """Set the limits."""
        self._total = total
        self._of_one_peer = of_one_peer

    def enter(self, peer: str) -> str | None:
        """Count a connection of ``peer``, or return the error code of its refusal."""
        if self.is_banned(peer):
            return "banned"
        peer = network_of(peer)
        if self._total and self._count >= self._total:
            return "too-many-connections"
        if self._of_one_peer and peer != UNKNOWN and self._peers[peer] >= self._of_one_peer:
            return "too-many-connections-of-one-peer"
        if self._within is not None:
            reason = self._within.enter(peer if self._of_one_peer else UNKNOWN)
            if reason is not None:
                return reason
        self._count += 1
        self._peers[peer] += 1
        return None

    def leave(self, peer: str) -> None:
        """Note that a counted connection has closed."""
        peer = network_of(peer)
        if self._within is not None:
            self._within.leave(peer if self._of_one_peer else UNKNOWN)
        self._count -= 1
        self._peers[peer] -= 1
        if not self._peers[peer]:
            del self._peers[peer]


OPEN_FILES = ConnectionLimit(0, 0)
"""The limit of all connections of this process, each of which is an open file.

See :func:`grant_files`.
"""

SPARE_FILES = 64
"""Files reserved for databases, logs, and processes."""


def grant_files(files: float) -> None:
    """Limit the connections by the number of open files.

    One address gets up to three quarters of them, so that others can connect, too.
    """
    most = 0 if files == math.inf else max(4, int(files) - SPARE_FILES)
    OPEN_FILES.grant(most, most * 3 // 4)


class PeerRate:
    """Limits peers to ``rate`` actions per second each, ``burst`` at once (0: no limit).

    ``seconds`` is a monotonic clock. After ``capacity`` peers, all are forgotten.
    """

    def __init__(
        self, rate: float, burst: float, seconds: Callable[[], float], capacity: int = 10_000
    ) -> None:
        # Half an action more, since sums of fractions aren't exact.
        self._cost, self._ahead = (1 / rate, (burst + 0.5) / rate) if rate and burst else (0.0, 0.0)
        self._seconds = seconds
        self._capacity = capacity
        self._paid_until: dict[str, float] = {}

    def allows(self, peer: str) -> bool:
        """Return whether ``peer`` can act now, and count that; a refusal doesn't count."""
        if self.early(peer) > 0:
            return False
        self.spend(peer)
        return True

    def early(self, peer: str) -> float:
        """Return the seconds until ``peer`` can act; 0 or less: now."""
        now = self._seconds()
        paid = self._paid_until.get(network_of(peer), now)
        return max(paid, now) + self._cost - self._ahead - now

    def spend(self, peer: str, things: float = 1) -> None:
        """Count the actions of ``peer``."""
        peer, now = network_of(peer), self._seconds()
        paid = max(self._paid_until.get(peer, now), now)
        if len(self._paid_until) >= self._capacity:
            self._paid_until.clear()
        self._paid_until[peer] = paid + things * self._cost


class FirstOnly:
    """Counts refusals, and logs the first of each kind to each peer.

    A refused client retries, and a log line for each attempt would cost more than the refusal.
    After ``capacity`` pairs, all are forgotten.
    """

    def __init__(self, capacity: int = 10_000) -> None:
        self.counts: Counter[str] = Counter()
        self._capacity = capacity
        self._seen: set[tuple[str, str]] = set()

    def note(self, kind: str, peer: str) -> None:
        """Count a refusal of ``kind``, and log the first one of that kind to ``peer``."""
        if self.is_first(kind, peer):
            _log.info("{peer} was refused: {kind}", peer=peer, kind=kind)

    def is_first(self, kind: str, peer: str) -> bool:
        """Count a refusal, and return whether it is the first one of that ``kind`` to ``peer``."""
        self.counts[kind] += 1
        peer = network_of(peer)  # else an IPv6 network gets a log line for each of its addresses
        if (kind, peer) in self._seen:
            return False
        if len(self._seen) >= self._capacity:
            self._seen.clear()
        self._seen.add((kind, peer))
        return True

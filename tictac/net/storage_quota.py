"""The bytes that clients can store: so much per day and address, and less on a full disk.

Moves are never refused, and rated matches are always kept. Source: protect.md, "Disk space".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from heapq import nsmallest

from tictac.errors import DiskFull, TooMuchStored
from tictac.ip_networks import Network, network_of
from tictac.lobby.interfaces import Counted
from tictac.lobby.live_room import Opener
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import is_computer
from tictac.net.budget import times_of
from tictac.storage.disk import Disk

ROOM, EVENT, ACCOUNT = 512, 48, 1024
"""Bytes that count for a room with its archived match, for each of its events, and for an account.

A match of tic-tac-toe takes 414 bytes (bench.archive); an analysis of it can come later.
"""

ACCOUNTS = 16
"""The factor for the quota of an address with logged-in accounts, above that of guests."""

DAY = 86_400.0

CAPACITY = 10_000
"""Maximum addresses with a sum; beyond it, the quota forgets the lowest sums."""


class Storage:
    """Counts the stored bytes of each address (lobby.interfaces.Storage).

    ``a_day`` is the maximum of bytes that guests of an address store in a day, from the first of
    them (0: no limit). Addresses in a ``trusted`` network have more. ``disks`` has the
    disk of the database, once a file is used. ``seconds`` is a monotonic clock.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        a_day: int,
        trusted: Collection[Network] = (),
        disks: Collection[Disk] = (),
    ) -> None:
        self._seconds = seconds
        self._a_day = a_day
        self._trusted = trusted
        self._disks = disks
        self._sums: dict[str, tuple[float, int]] = {}  # by address: since when, and bytes

    def spend(self, who: Counted | None, size: int, spare: bool = False) -> None:
        if who is None:
            return
        if (who.is_guest or spare) and self._is_low():
            raise DiskFull("the disk of the server is almost full: try again later")
        if self._is_used_up(who):
            hint = "log in, or try again tomorrow" if who.is_guest else "try again tomorrow"
            raise TooMuchStored(f"too much was stored from your address today: {hint}")
        self._add(who.network, size)

    def register(self, host: str) -> None:
        """Count an account that a client from that host makes. Raises DiskFull or TooMuchStored."""
        self.spend(Opener(network_of(host), times_of(host, self._trusted), True, None), ACCOUNT)

    def open(self, who: Counted | None, terms: Terms) -> None:
        if terms.protocol is None:
            self.spend(who, ROOM)
        elif who is not None:  # its protocol can't express a refusal
            self._add(who.network, ROOM)

    def keeps(self, room: Room, opener: Counted | None) -> bool:
        if opener is not None:
            self._add(opener.network, EVENT * len(room.record))
        if room.terms.rated or room.terms.play is not None:
            return True
        if self._is_low() and any(is_computer(member.user) for member in room.players):
            return False
        return opener is None or not self._is_used_up(opener)

    def figures(self) -> Mapping[str, tuple[str, float]]:
        """Return the metrics of the disk (net.plugin.ProtocolService.figures)."""
        return {key: value for disk in self._disks for key, value in disk.figures().items()}

    @property
    def trouble(self) -> str:
        """The current fault of the disk in a few words; empty: none."""
        return "; ".join(filter(None, [disk.trouble for disk in self._disks]))

    def _is_low(self) -> bool:
        return any(disk.low for disk in self._disks)

    def _is_used_up(self, who: Counted) -> bool:
        since, size = self._sums.get(who.network, (0.0, 0))
        most = self._a_day * who.times * (1 if who.is_guest else ACCOUNTS)
        return 0 < most <= size and self._seconds() - since < DAY

    def _add(self, network: str, size: int) -> None:
        now, sums = self._seconds(), self._sums
        since, before = sums.get(network, (now, 0))
        if now - since >= DAY:
            since, before = now, 0
        elif len(sums) >= CAPACITY and network not in sums:
            for each in nsmallest(CAPACITY // 100, sums, key=lambda each: sums[each][1]):
                del sums[each]
        sums[network] = since, before + size

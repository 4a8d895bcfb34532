"""Bans of accounts and addresses, for a time or forever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from tictac.errors import Banned
from tictac.ip_networks import network_of

Kind = Literal["user", "address"]


class Ban(NamedTuple):
    """A banned account or address (IPv6: 64 bits); `until` in seconds since 1970, 0: forever."""

    kind: Kind
    name: str
    until: int

    def holds(self, now: float) -> bool:
        """Return whether the ban is still in force."""
        return self.until == 0 or now < self.until


class Bans:
    """The active bans, as last read from the database. ``utc`` is the time of day."""

    def __init__(self, utc: Callable[[], float] = time.time) -> None:
        self._utc = utc
        self._bans: dict[tuple[str, str], Ban] = {}

    def replace(self, bans: Iterable[Ban]) -> None:
        """Replace all bans with these."""
        self._bans = {(ban.kind, ban.name): ban for ban in bans}

    def active(self) -> list[Ban]:
        """Return all active bans."""
        now = self._utc()
        return [ban for ban in self._bans.values() if ban.holds(now)]

    def has_address(self, host: str) -> bool:
        """Return whether an address is banned."""
        ban = self._bans.get(("address", network_of(host))) if self._bans else None
        return ban is not None and ban.holds(self._utc())

    def check_user(self, user: str) -> None:
        """Check that an account isn't banned. Raises Banned."""
        ban = self._bans.get(("user", user))
        if ban is not None and ban.holds(self._utc()):
            until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ban.until))
            raise Banned(f"{user} is banned{f' until {until}' if ban.until else ''}")

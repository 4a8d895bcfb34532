"""Who may not come: accounts and addresses, for a time or for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from tictac.errors import Banned
from tictac.fair_queue import place_of

Kind = Literal["user", "address"]


class Ban(NamedTuple):
    """An account, or an address (of IPv6 64 bits), that is banned until then, in seconds since
    1970; 0: for ever."""

    kind: Kind
    name: str
    until: int

    def holds(self, now: float) -> bool:
        """Whether it hasn't ended."""
        return self.until == 0 or now < self.until


class Bans:
    """Those that hold, as the database had them at the last look. ``utc`` is the time of day."""

    def __init__(self, utc: Callable[[], float] = time.time) -> None:
        self._utc = utc
        self._bans: dict[tuple[str, str], Ban] = {}

    def replace(self, bans: Iterable[Ban]) -> None:
        """Let these hold, and no others."""
        self._bans = {(ban.kind, ban.name): ban for ban in bans}

    def active(self) -> list[Ban]:
        """Give all that hold."""
        now = self._utc()
        return [ban for ban in self._bans.values() if ban.holds(now)]

    def has_address(self, host: str) -> bool:
        """Tell whether an address is banned."""
        ban = self._bans.get(("address", place_of(host))) if self._bans else None
        return ban is not None and ban.holds(self._utc())

    def check_user(self, user: str) -> None:
        """Make sure that an account may come. Raises Banned."""
        ban = self._bans.get(("user", user))
        if ban is not None and ban.holds(self._utc()):
            until = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(ban.until))
            raise Banned(f"{user} is banned{f' until {until}' if ban.until else ''}")

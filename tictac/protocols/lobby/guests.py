"""Guests: their names, and the tokens with which they return to them.

Invariant: two guests never have one name at the same time, and a name is only given back to the
client that has its token. A token is ``NAME.SECRET`` with 192 random bits. The server has only its
hash: in memory while the guest is connected and for a while afterwards, and with each of the
guest's seats (``Member.token_hash``). A journal saves the hash of a seat with the seat. Without
that, a guest whose room was restored couldn't return to it. Names restart with the process, so
the registry skips the numbers of those with a seat, for all protocols: otherwise the third guest
after a restart would be "guest-3", and could sit down in a seat that is held for the "guest-3" from
before.

    guest-3 plays     the seat has the hash of guest-3's token
    kill -9           the room is restored with the seat and the hash
    a new guest       isn't guest-3, because the name has a seat
    token of guest-3  the hash of the seat fits: guest-3 is back, and joins the room
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from secrets import token_urlsafe

from tictac.accounts.tokens import token_hash
from tictac.lobby.registry import Registry
from tictac.names import GUEST

MOST_GONE = 1000
"""Maximum disconnected guests without a seat whose names are kept; the oldest are dropped."""


class Guests:
    """The guests of ``registry``. Names of disconnected ones are kept for ``held`` seconds.

    A name is also kept while the guest has a seat, or one of ``waits`` knows of news or a place.
    """

    def __init__(
        self,
        registry: Registry,
        seconds: Callable[[], float],
        held: float,
        waits: Callable[[str], bool],
    ) -> None:
        self._registry, self._seconds, self._held, self.waits = registry, seconds, held, [waits]
        self._hashes: dict[str, str] = {}
        self._connections: dict[str, int] = {}
        self._gone: dict[str, float] = {}  # since when, the oldest first

    def new_name(self) -> str:
        """Return a name for the next guest, which no guest of any protocol has."""
        while True:
            name = f"{GUEST}{self._registry.new_occupant_id()}"
            if name not in self._hashes:
                return name

    def come(self, token: str | None) -> tuple[str, str]:
        """Return the name and the token of a guest who connects: those of ``token``, or new ones.

        A token that isn't valid any more makes a new guest.
        """
        self._drop_old()
        name = (token or "").rpartition(".")[0]
        if token is None or not self._fits(name, token_hash(token)):
            name = self.new_name()
            token = f"{name}.{token_urlsafe(24)}"
        self._hashes[name] = token_hash(token)
        self._connections[name] = self._connections.get(name, 0) + 1
        self._gone.pop(name, None)
        return name, token

    def go(self, name: str) -> None:
        """Note that a connection of a guest is lost, or has another user."""
        self._connections[name] -= 1
        if not self._connections[name]:
            del self._connections[name]
            self._gone[name] = self._seconds()
            self._drop_old()

    def hash_of(self, name: str | None) -> str:
        """Return the hash of a connected guest's token; empty for accounts."""
        return self._hashes.get(name or "", "")

    def _fits(self, name: str, hashed: str) -> bool:
        return any(hmac.compare_digest(known, hashed) for known in self._known(name))

    def _known(self, name: str) -> Iterator[str]:
        yield self._hashes.get(name, "")
        for room_name in self._registry.seats.of(name):
            room = self._registry.room(room_name)
            for member in () if room is None else room.players:
                if member.user == name and not member.gone:
                    yield member.token_hash

    def _drop_old(self) -> None:
        now = self._seconds()
        for _ in range(len(self._gone)):
            name, since = next(iter(self._gone.items()))
            if since > now - self._held and len(self._gone) <= MOST_GONE:
                break
            del self._gone[name]
            if any(waits(name) for waits in self.waits):
                self._gone[name] = now
            else:
                del self._hashes[name]

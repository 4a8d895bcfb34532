"""Rooms that are kept: what a store of them promises."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.defer import Deferred


class RoomStore(Protocol):
    """Bytes by the name of a room, asked from the reactor's thread, which is never blocked.

    The promises are those of :class:`~tictac.accounts.store.AccountStore`: requests take effect
    in their order, a Deferred always fires, and what was kept stays when it has.
    """

    def start(self) -> None:
        """Open the store. Raises SetupError."""

    def ready(self) -> bool:
        """Tell whether requests would be served now."""

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done."""

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`, in place of what has that name."""

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""

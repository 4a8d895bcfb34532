"""Which rooms a node listens to, and since when it misses nothing."""

from __future__ import annotations

from collections.abc import Callable

from tictac.cluster import keys
from tictac.cluster.link import Link

Heard = Callable[[], None]


class _Channel:
    """Those who listen to one room; ``confirmed``: nothing is missed."""

    __slots__ = ("confirmed", "listeners")

    def __init__(self) -> None:
        self.listeners: list[Heard] = []
        self.confirmed = False


class Channels:
    """Subscribes once for each room, for as long as somebody listens to it.

    Each listener is called when nothing is missed from now on, and again whenever the link
    was made anew.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._channels: dict[str, _Channel] = {}

    def listen(self, room: str, heard: Heard) -> None:
        """Call ``heard`` when nothing is missed of a room."""
        channel = self._channels.get(room)
        if channel is None:
            channel = self._channels[room] = _Channel()
            self._subscribe(room, channel)
        channel.listeners.append(heard)
        if channel.confirmed:
            heard()

    def ignore(self, room: str, heard: Heard) -> None:
        """Listen for ``heard`` no longer."""
        channel = self._channels.get(room)
        if channel is None or heard not in channel.listeners:
            return
        channel.listeners.remove(heard)
        if not channel.listeners:
            del self._channels[room]
            self._link.unsubscribe(keys.room(room))

    def link_up(self) -> None:
        """Subscribe again."""
        for room, channel in self._channels.items():
            channel.confirmed = False
            self._subscribe(room, channel)

    def link_down(self) -> None:
        """From now on something may be missed."""
        for channel in self._channels.values():
            channel.confirmed = False

    def _subscribe(self, room: str, channel: _Channel) -> None:
        def confirmed() -> None:
            # Unless it was given up meanwhile, and subscribed to again.
            if self._channels.get(room) is channel:
                channel.confirmed = True
                for heard in list(channel.listeners):
                    heard()

        self._link.subscribe(keys.room(room), confirmed)

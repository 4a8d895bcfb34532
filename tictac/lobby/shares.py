"""The shares of an address in rooms and computers, and the room that makes way on a full server.

Without an account, a person can fill a server only with rooms without another person as a player.
Such a room makes way: the longest idle one of the address with the most of them.

Source: protect.md, "Rooms".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from zlib import crc32

from tictac.errors import TooManyRooms, TooManyRoomsOfOnePeer, TooManyRoomsOfOneUser
from tictac.lobby.live_room import LiveRoom, Opener

IDLE = 60.0
"""Seconds without an event after which a room makes way also if its address has no other."""

TEXT = 64
"""Bytes that count for a stored chat message, in addition to its own."""


def size_of(text: str) -> int:
    """Return the bytes that count for a chat message."""
    return TEXT + len(text.encode(errors="surrogatepass"))


def _of_guests(live_rooms: Iterable[LiveRoom]) -> list[tuple[LiveRoom, Opener]]:
    """Return the rooms that guests opened, except direct rooms."""
    return [
        (each, each.opener)
        for each in live_rooms
        if each.opener is not None and each.opener.is_guest and each.room.terms.protocol is None
    ]


def line_of(name: str, live_room: LiveRoom | None) -> Hashable:
    """Return the rooms that share a place in the computer's queue: all that an address opened.

    A trusted address has several lines; a room whose address isn't known has its own.
    """
    if live_room is None or live_room.opener is None:
        return name
    network, times = live_room.opener[:2]
    return network, crc32(name.encode()) % times


def check_user(user: str | None, live_rooms: Iterable[LiveRoom], most: int) -> None:
    """Raise TooManyRoomsOfOneUser if ``user`` is alone in ``most`` rooms (0: no limit)."""
    alone = [each.room for each in live_rooms if each.room.is_alone(user)] if most else []
    if most and sum(not room.terms.lasting for room in alone) >= most:
        raise TooManyRoomsOfOneUser(f"{user} is alone in {most} rooms already")


def is_full(live_rooms: Collection[LiveRoom], most: int) -> bool:
    """Return whether there are ``most`` rooms that count (0: no limit)."""
    if not 0 < most <= len(live_rooms):
        return False
    terms = [each.room.terms for each in live_rooms]
    return most <= sum(not (each.protocol or each.play or each.lasting) for each in terms)


def check_guest(opener: Opener | None, live_rooms: Iterable[LiveRoom], most: int) -> None:
    """Raise TooManyRoomsOfOnePeer if guests of an address have ``most`` rooms (0: no limit)."""
    if opener is not None and opener.is_guest:
        most *= opener.times
        if 0 < most <= [of.network for _, of in _of_guests(live_rooms)].count(opener.network):
            raise TooManyRoomsOfOnePeer(f"guests of your address have {most} rooms already")


def room_to_close(live_rooms: Collection[LiveRoom], opener: Opener | None, now: float) -> LiveRoom:
    """Return the room of a guest that makes way for one of ``opener``. Raises TooManyRooms.

    A guest gets no more than others have: their address must have more such rooms.
    """
    alone = [(each, of) for each, of in _of_guests(live_rooms) if each.room.is_alone(of.user)]
    counts = Counter(of.network for _, of in alone)
    mine = 1.0
    if opener is not None and opener.is_guest:
        mine = (counts[opener.network] + 1) / opener.times

    def share(of: Opener) -> float:
        return counts[of.network] / of.times

    found = [
        (share(of), -each.since, each)
        for each, of in alone
        if share(of) > mine or now - each.since >= IDLE
    ]
    if not found:
        raise TooManyRooms(f"there are {len(live_rooms)} rooms already")
    return max(found, key=lambda each: each[:2])[2]

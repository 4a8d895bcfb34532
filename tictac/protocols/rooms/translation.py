"""Events of a room in the words of the rooms protocol.

Source: rooms.md, "Requests" (statuses) and "The match".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tictac import errors
from tictac.lobby.events import Began, Ended, Ending, Joined, Listed, Placed, Refused, Undone
from tictac.names import ascii_form
from tictac.protocols.rooms import wire

_STATUS: dict[tuple[str, type[errors.Refusal]], int] = {
    ("create", errors.BadRoomName): 1,
    ("create", errors.RoomExists): 2,
    ("create", errors.TooManyRooms): 3,
    ("create", errors.TooManyRoomsOfOneUser): 3,
    ("create", errors.TooManyRoomsOfOnePeer): 3,
    ("create", errors.TooMuchStored): 3,
    ("create", errors.DiskFull): 3,
    ("create", errors.AlreadyInRoom): 4,
    ("join", errors.NoSuchRoom): 1,
    ("join", errors.RoomFull): 2,
    ("join", errors.AlreadyInRoom): 3,
}

_HOW: dict[Ending, int] = {
    "won": wire.WON,
    "drawn": wire.DRAWN,
    "closed": wire.DRAWN,
    "agreed": wire.DRAWN,
    "forfeited": wire.FORFEITED,
    "left": wire.FORFEITED,
    "timed out": wire.FORFEITED,
}


def encode(answer: wire.Answer) -> bytes:
    """Return a message as a line."""
    return wire.format_answer(answer) + b"\n"


# Matches share most of their boards: 4,520 boards aren't the last of a match.
@lru_cache(maxsize=8192)
def _encode_board(board: str) -> bytes:
    """Return the line with the board after a move."""
    return encode(wire.BoardStatus(board))


_CREATED, _JOINED = encode(wire.Ack("CREATE", 0)), encode(wire.Ack("JOIN", 0))


def _joined(event: Joined) -> bytes:
    ack = _CREATED if event.created else _JOINED
    if event.turn is None or event.waiting is None:
        return ack
    progress = encode(wire.InProgress(ascii_form(event.turn), ascii_form(event.waiting)))
    return ack + progress + (b"" if event.position is None else _encode_board(event.position))


def _ended(event: Ended) -> bytes:
    winner = event.winner and ascii_form(event.winner)
    return encode(wire.GameEnd(event.position, _HOW[event.ending], winner))


def _refused(event: Refused) -> wire.Answer:
    if isinstance(event.refusal, errors.NotInRoom):
        return wire.NoRoom()
    if event.position is not None:
        return wire.BoardStatus(event.position)
    return wire.Ack(event.request.upper(), _STATUS[event.request, type(event.refusal)])


LINES: dict[type, Callable[[Any], bytes]] = {
    Placed: lambda event: _encode_board(event.position),
    Undone: lambda event: _encode_board(event.position),
    Began: lambda event: encode(wire.Begin(*map(ascii_form, event.users))),
    Ended: _ended,
    Joined: _joined,
    Listed: lambda event: encode(wire.Ack("ROOMLIST", 0, event.rooms)),
    Refused: lambda event: encode(_refused(event)),
}
"""For each type of event, the function that returns its lines for a receiver."""

"""What happened in a room, in the words of the rooms protocol. Pure.

Source: rooms.md, "Requests" (statuses) and "The match".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tictac import errors
from tictac.lobby.events import Began, Ended, Ending, Joined, Listed, Placed, Refused, Undone
from tictac.protocols.rooms import wire

_STATUS: dict[tuple[str, type[errors.Refusal]], int] = {
    ("create", errors.BadRoomName): 1,
    ("create", errors.RoomExists): 2,
    ("create", errors.TooManyRooms): 3,
    ("create", errors.TooManyRoomsOfOneUser): 3,
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
    """A message as a line."""
    return wire.format_answer(answer) + b"\n"


# Most moves lead where others have led before: 4,520 boards aren't the last of a match.
@lru_cache(maxsize=8192)
def _encode_board(board: str) -> bytes:
    """The line that tells where a move has led to."""
    return encode(wire.BoardStatus(board))


_CREATED, _JOINED = encode(wire.Ack("CREATE", 0)), encode(wire.Ack("JOIN", 0))


def _joined(event: Joined) -> bytes:
    ack = _CREATED if event.created else _JOINED
    if event.turn is None or event.waiting is None:
        return ack
    progress = encode(wire.InProgress(event.turn, event.waiting))
    return ack + progress + (b"" if event.position is None else _encode_board(event.position))


def _refused(event: Refused) -> wire.Answer:
    if isinstance(event.refusal, errors.NotInRoom):
        return wire.NoRoom()
    if event.position is not None:
        return wire.BoardStatus(event.position)
    return wire.Ack(event.request.upper(), _STATUS[event.request, type(event.refusal)])


LINES: dict[type, Callable[[Any], bytes]] = {
    Placed: lambda event: _encode_board(event.position),
    Undone: lambda event: _encode_board(event.position),
    Began: lambda event: encode(wire.Begin(*event.users)),
    Ended: lambda event: encode(wire.GameEnd(event.position, _HOW[event.ending], event.winner)),
    Joined: _joined,
    Listed: lambda event: encode(wire.Ack("ROOMLIST", 0, event.rooms)),
    Refused: lambda event: encode(_refused(event)),
}
"""What makes, for each kind of event, the lines that tell it to somebody whom it is for."""

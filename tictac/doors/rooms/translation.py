"""What happened in a room, in the words of the rooms protocol. Pure.

Source: rooms.md, "Requests" (statuses) and "The match".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tictac.doors.rooms.wire import (
    DRAWN,
    FORFEITED,
    WON,
    Ack,
    Answer,
    Begin,
    BoardStatus,
    GameEnd,
    InProgress,
    NoRoom,
)
from tictac.errors import (
    AlreadyInRoom,
    BadRoomName,
    NoSuchRoom,
    NotInRoom,
    Refusal,
    RoomExists,
    RoomFull,
    TooManyRooms,
    TooManyRoomsOfOneUser,
)
from tictac.lobby.events import Began, Ended, Ending, Event, Joined, Listed, Placed, Refused

_STATUS: dict[tuple[str, type[Refusal]], int] = {
    ("create", BadRoomName): 1,
    ("create", RoomExists): 2,
    ("create", TooManyRooms): 3,
    ("create", TooManyRoomsOfOneUser): 3,
    ("create", AlreadyInRoom): 4,
    ("join", NoSuchRoom): 1,
    ("join", RoomFull): 2,
    ("join", AlreadyInRoom): 3,
}

_HOW: dict[Ending, int] = {
    "won": WON,
    "drawn": DRAWN,
    "closed": DRAWN,
    "agreed": DRAWN,
    "forfeited": FORFEITED,
    "left": FORFEITED,
    "timed out": FORFEITED,
}


def encode(*answers: Answer) -> bytes:
    """The lines of several messages to the same peer."""
    return "".join([answer.message() + "\n" for answer in answers]).encode()


# Most moves lead where others have led before: 4,520 boards aren't the last of a match.
@lru_cache(maxsize=8192)
def _encode_board(board: str) -> bytes:
    """The line that tells where a move has led to."""
    return encode(BoardStatus(board))


def encode_event(event: Event) -> bytes:
    """The lines that tell ``event`` to somebody whom it is for."""
    lines: bytes = _LINES[type(event)](event)
    return lines


_CREATED, _JOINED = encode(Ack("CREATE", 0)), encode(Ack("JOIN", 0))


def _joined(event: Joined) -> bytes:
    ack = _CREATED if event.created else _JOINED
    if event.turn is None or event.waiting is None:
        return ack
    progress = encode(InProgress(event.turn, event.waiting))
    return ack + progress + (b"" if event.position is None else _encode_board(event.position))


def _refused(event: Refused) -> Answer:
    if isinstance(event.refusal, NotInRoom):
        return NoRoom()
    if event.position is not None:
        return BoardStatus(event.position)
    return Ack(event.request.upper(), _STATUS[event.request, type(event.refusal)])


_LINES: dict[type, Callable[[Any], bytes]] = {
    Placed: lambda event: _encode_board(event.position),
    Began: lambda event: encode(Begin(*event.users)),
    Ended: lambda event: encode(GameEnd(event.position, _HOW[event.ending], event.winner)),
    Joined: _joined,
    Listed: lambda event: encode(Ack("ROOMLIST", 0, event.rooms)),
    Refused: lambda event: encode(_refused(event)),
}

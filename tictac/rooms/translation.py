"""What happened in a room, in the words of the rooms protocol. Pure.

Source: rooms.md, "Requests" (statuses) and "The match".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

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
from tictac.rooms.wire import (
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
    format_answer,
)

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

_CREATED, _JOINED = Ack("CREATE", 0), Ack("JOIN", 0)

_HOW: dict[Ending, int] = {
    "won": WON,
    "drawn": DRAWN,
    "closed": DRAWN,
    "agreed": DRAWN,
    "forfeited": FORFEITED,
    "left": FORFEITED,
    "timed out": FORFEITED,
}


def answers_to(event: Event) -> tuple[Answer, ...]:
    """The messages that tell ``event`` to somebody whom it is for."""
    answers: tuple[Answer, ...] = _ANSWERS[type(event)](event)
    return answers


def _joined(event: Joined) -> tuple[Answer, ...]:
    ack = _CREATED if event.created else _JOINED
    if event.turn is None or event.waiting is None:
        return (ack,)
    progress = InProgress(event.turn, event.waiting)
    return (
        (ack, progress) if event.position is None else (ack, progress, BoardStatus(event.position))
    )


def _refused(event: Refused) -> Answer:
    if isinstance(event.refusal, NotInRoom):
        return NoRoom()
    if event.position is not None:
        return BoardStatus(event.position)
    return Ack(event.request.upper(), _STATUS[event.request, type(event.refusal)])


_ANSWERS: dict[type, Callable[[Any], tuple[Answer, ...]]] = {
    Placed: lambda event: (BoardStatus(event.position),),
    Began: lambda event: (Begin(*event.users),),
    Ended: lambda event: (GameEnd(event.position, _HOW[event.ending], event.winner),),
    Joined: _joined,
    Listed: lambda event: (Ack("ROOMLIST", 0, event.rooms),),
    Refused: lambda event: (_refused(event),),
}


class Encoded(NamedTuple):
    """The messages of an event one by one, and all of them as lines."""

    messages: tuple[bytes, ...]
    lines: bytes


def encode(answers: tuple[Answer, ...]) -> Encoded:
    """The bytes of several messages to the same peer."""
    if len(answers) == 1:
        message = format_answer(answers[0])
        return Encoded((message,), message + b"\n")
    messages = tuple([format_answer(answer) for answer in answers])
    return Encoded(messages, b"\n".join(messages) + b"\n")


# Most events tell what others told before: 4,520 boards aren't the last of a match.
@lru_cache(maxsize=8192)
def _encode_board(board: str) -> Encoded:
    return encode((BoardStatus(board),))


_ENCODED_CREATED, _ENCODED_JOINED = encode((_CREATED,)), encode((_JOINED,))


def _encode_event(event: Event) -> Encoded:
    if type(event) is Joined and event.turn is None:
        return _ENCODED_CREATED if event.created else _ENCODED_JOINED
    return encode(answers_to(event))


class Encoder:
    """Turns events into bytes, once for all who get the same event in a row.

    ``messages`` and ``lines`` are those of the last ``event``.
    """

    __slots__ = ("event", "lines", "messages")

    def __init__(self) -> None:
        self.event: Event | None = None
        self.messages: tuple[bytes, ...] = ()
        self.lines = b""

    def encode(self, event: Event) -> None:
        """Turn to ``event``."""
        self.event = event
        if type(event) is Placed:
            self.messages, self.lines = _encode_board(event.position)
        else:
            self.messages, self.lines = _encode_event(event)

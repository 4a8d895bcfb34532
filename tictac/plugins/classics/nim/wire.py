"""Nim on the wire: the conversion of messages to values and back.

Source: nim.md, "Messages". All values are unsigned and in network byte order. The original values
of the message types are lost, so a replaceable table (:class:`Types`) has them; 0 is never one.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from tictac.plugins.games.nim.rules import Move, Numbers

DEFAULT_PORT = 5370
"""The port of a server, if a client is given none."""


@dataclass(frozen=True, slots=True)
class Play:
    """The client's request to take part."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The client's turn, with the numbers that are left."""

    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Win:
    """The client's win."""


@dataclass(frozen=True, slots=True)
class Lose:
    """The client's loss."""


@dataclass(frozen=True, slots=True)
class Exit:
    """The client's departure."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that aren't a message; nothing after them can be read. ``why`` is for a person."""

    why: str


Message = Play | Turn | Move | Win | Lose | Exit

ORDER: tuple[type[Message], ...] = (Play, Turn, Move, Win, Lose, Exit)
"""The messages in the order in which their type values are listed."""

FROM_CLIENT: Collection[type[Message]] = (Play, Move, Exit)
FROM_SERVER: Collection[type[Message]] = (Turn, Win, Lose)


class Types(NamedTuple):
    """The type value of each message, from 1 to 255; ``str()`` returns the typed form."""

    play: int = 1
    turn: int = 2
    move: int = 3
    win: int = 4
    lose: int = 5
    exit: int = 6

    def __str__(self) -> str:
        return ",".join(map(str, self))


TYPES = Types()


def read_types(text: str) -> Types:
    """Return the table for a text like ``1,2,3,4,5,6``; raises ValueError."""
    try:
        types = Types._make(map(int, str(text).split(",")))
    except (TypeError, ValueError):
        raise ValueError(f"{text!r:.40} isn't six numbers with commas") from None
    if len(set(types)) < len(types) or not all(0 < value < 256 for value in types):
        raise ValueError(f"{text} isn't six different numbers from 1 to 255")
    return types


def format_message(message: Message, types: Types = TYPES) -> bytes:
    """Return ``message`` as bytes."""
    kind = types[ORDER.index(type(message))]
    match message:
        case Turn(numbers):
            return struct.pack(f"!BB{len(numbers)}I", kind, len(numbers), *numbers)
        case Move(at, amount):
            return struct.pack("!BBI", kind, at, amount)
    return bytes([kind])


_MOVE = struct.Struct("!xBI")
_BEFORE_NUMBERS = 2
_NUMBER = 4


class Decoder:
    """Decoder of messages from a byte stream that is cut anywhere, for client and server.

    The decoder knows only the messages of ``kinds``. It buffers an incomplete message, up to 1022
    bytes, and reads nothing more after the first :class:`Malformed`.
    """

    def __init__(self, kinds: Collection[type[Message]], types: Types = TYPES) -> None:
        self._kinds = {
            value: kind for kind, value in zip(ORDER, types, strict=True) if kind in kinds
        }
        self._rest = b""
        self._failed = False

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun whose end hasn't come."""
        return bool(self._rest)

    def feed(self, data: bytes) -> list[Message | Malformed]:
        """Return the messages that ``data`` completes; a :class:`Malformed` is the last ever."""
        found: list[Message | Malformed] = []
        data = self._rest + data
        start = 0
        while start < len(data) and not self._failed:
            kind = self._kinds.get(data[start])
            size = _size(kind, data[start : start + _BEFORE_NUMBERS])
            if size is None or start + size > len(data):
                break
            message = _parse(kind, data[start : start + size])
            self._failed = isinstance(message, Malformed)
            found.append(message)
            start += size
        self._rest = b"" if self._failed else data[start:]
        return found


def _size(kind: type[Message] | None, head: bytes) -> int | None:
    """Return the size in bytes of the message that begins with ``head``; None if not yet known."""
    if kind is Move:
        return _MOVE.size
    if kind is not Turn:
        return 1
    return _BEFORE_NUMBERS + _NUMBER * head[1] if len(head) == _BEFORE_NUMBERS else None


def _parse(kind: type[Message] | None, data: bytes) -> Message | Malformed:
    if kind is None:
        return Malformed(f"{data[0]} isn't the type of a message")
    if kind is Move:
        return Move._make(_MOVE.unpack(data))
    if kind is Turn:
        return _parse_turn(data)
    return kind()  # type: ignore[call-arg]


def _parse_turn(data: bytes) -> Turn | Malformed:
    numbers = struct.unpack(f"!{data[1]}I", data[_BEFORE_NUMBERS:])
    if not numbers:
        return Malformed("a turn without numbers")
    return Turn(numbers) if all(numbers) else Malformed("a turn with a zero")

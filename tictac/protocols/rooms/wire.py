"""The rooms protocol in bytes: requests and answers to values and back, without state.

A message is the bytes between two ends of message, without its delimiter. :mod:`tictac.net.framing`
cuts a stream into messages. Source: rooms.md, "Requests".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import astuple

from tictac.lobby.events import Mode

MAX_MESSAGE = 8192
"""Maximum bytes of a message, without its delimiter."""


# Requests


class Login(Struct):
    """``LOGIN:<user>:<password>``."""

    user: str
    password: bytes


class Register(Login):
    """``REGISTER:<user>:<password>``."""


class RoomList(Struct):
    """``ROOMLIST:<PLAYER or VIEWER>``."""

    mode: Mode


class Create(Struct):
    """``CREATE:<room>``; the name might be forbidden."""

    room: str


class Join(Struct):
    """``JOIN:<room>:<PLAYER or VIEWER>``."""

    room: str
    mode: Mode


class Place(Struct):
    """``PLACE:<x>:<y>``: column and row, from 0, perhaps off the board."""

    move: tuple[int, int]

    def text(self) -> str:
        """Return the move as the game takes it (games/tictactoe)."""
        # No board is that large, and a number below 0 is off the board, too.
        column, row = (number if 0 <= number < 1000 else 999 for number in self.move)
        return f"{column}:{row}"


class Forfeit(Struct):
    """``FORFEIT``."""


class Malformed(Struct):
    """A known verb with the wrong number or kind of fields."""

    verb: str


class Unknown(Struct):
    """A message that isn't a request of this protocol."""

    message: bytes


Request = Login | Register | RoomList | Create | Join | Place | Forfeit
AnyRequest = Request | Malformed | Unknown

MODES: dict[str, Mode] = {"PLAYER": "PLAYER", "VIEWER": "VIEWER"}
_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)


def parse_request(message: bytes) -> AnyRequest:
    """Return the request in ``message``; any bytes give a value, never an exception."""
    return _COMMON.get(message) or _parse(message)


def is_request(message: bytes) -> bool:
    """Return whether ``message`` is one complete, well-formed request (rooms.md, "Messages")."""
    return not isinstance(parse_request(message), Malformed | Unknown)


def needs_login(request: AnyRequest) -> bool:
    """Return whether ``request`` is answered with BADAUTH before a login."""
    if isinstance(request, Malformed):
        return request.verb not in ("LOGIN", "REGISTER")
    return not isinstance(request, Login | Register)


def _parse(message: bytes) -> AnyRequest:
    verb, *fields = message.decode("ascii", "surrogateescape").split(":")
    if verb not in _VERBS:
        return Unknown(message)
    count, read = _VERBS[verb]
    if len(fields) != count or not (verb in _TAKES_ALL_BYTES or message.isascii()):
        return Malformed(verb)
    return read(*fields) or Malformed(verb)


def _name(field: str) -> str:
    """Return a field as a name. No name has the sign for bytes that aren't ASCII."""
    return field if field.isascii() else _password(field).decode("ascii", "replace")


def _password(field: str) -> bytes:
    return field.encode("ascii", "surrogateescape")


def _parse_place(*fields: str) -> Place | None:
    if not all(_NUMBER.fullmatch(field) for field in fields):
        return None
    # Python refuses to read numbers of thousands of digits. No board is that large, and -1 is off
    # the board, too.
    column, row = (int(field) if len(field) < 10 else -1 for field in fields)
    return Place((column, row))


# The number of fields of a verb, and the function that reads them; None: they are malformed.
_VERBS: dict[str, tuple[int, Callable[..., Request | None]]] = {
    "LOGIN": (2, lambda user, password: Login(_name(user), _password(password))),
    "REGISTER": (2, lambda user, password: Register(user, password.encode())),
    "ROOMLIST": (1, lambda mode: RoomList(mode) if mode in MODES else None),
    "CREATE": (1, lambda room: Create(_name(room))),
    "JOIN": (2, lambda room, mode: Join(_name(room), mode) if mode in MODES else None),
    "PLACE": (2, _parse_place),
    "FORFEIT": (0, Forfeit),
}

_TAKES_ALL_BYTES = {"LOGIN", "CREATE", "JOIN"}
"""The verbs with a status for impossible names or passwords."""


def format_request(request: Request) -> bytes:
    """Return the message for ``request``; the inverse of :func:`parse_request`.

    Raises ValueError for a field that a message can't have: it is all ASCII (R1.2), and its fields
    have no colon.
    """
    verb = type(request).__name__.upper().encode()
    fields = request.move if isinstance(request, Place) else astuple(request)
    parts = [each if isinstance(each, bytes) else str(each).encode() for each in fields]
    for part in parts:
        if wrong := _UNSENDABLE.search(part):
            char = part[wrong.start() :].decode("utf-8", "replace")[0]
            what = f"'{char}'" if char.isprintable() else "a control character"
            raise ValueError(f"the rooms protocol can't send {what}: it is ASCII without ':'")
    return b":".join([verb, *parts])


_UNSENDABLE = re.compile(rb"[^ -9;-~]")


# The requests of a match, read once: parsing one is then a look-up.
_MOVES = [Place((column, row)) for column in range(3) for row in range(3)]
_OFTEN: list[Request] = [*_MOVES, *(RoomList(mode) for mode in MODES.values())]
_COMMON: dict[bytes, AnyRequest] = {format_request(request): request for request in _OFTEN}

MOVES: dict[bytes, str] = {format_request(place) + b"\n": place.text() for place in _MOVES}
"""The moves on the board: the received line, and the move."""


# Answers


class Ack(Struct):
    """``<verb>:ACKSTATUS:<status>``; an accepted room list has ``rooms``."""

    verb: str
    status: int
    rooms: tuple[str, ...] | None = None


class BadAuth(Struct):
    """``BADAUTH``: not logged in."""


class NoRoom(Struct):
    """``NOROOM``: not in a room."""


class Begin(Struct):
    """``BEGIN:<first>:<second>``."""

    first: str
    second: str


class InProgress(Struct):
    """``INPROGRESS:<whose turn>:<other>``."""

    turn: str
    waiting: str


class BoardStatus(Struct):
    """``BOARDSTATUS:<nine digits>``."""

    board: str


class GameEnd(Struct):
    """``GAMEEND:<board>:<how>[:<winner>]``; ``how`` is 0 won, 1 draw, 2 forfeited."""

    board: str
    how: int
    winner: str | None = None


Answer = Ack | BadAuth | NoRoom | Begin | InProgress | BoardStatus | GameEnd

WON, DRAWN, FORFEITED = 0, 1, 2

_FORMATS: dict[type, str] = {
    BadAuth: "BADAUTH",
    NoRoom: "NOROOM",
    Begin: "BEGIN:{0.first}:{0.second}",
    InProgress: "INPROGRESS:{0.turn}:{0.waiting}",
    BoardStatus: "BOARDSTATUS:{0.board}",
    GameEnd: "GAMEEND:{0.board}:{0.how}:{0.winner}",
}


def format_answer(answer: Answer) -> bytes:
    """Return the message for ``answer``; the inverse of :func:`parse_answer`."""
    if isinstance(answer, Ack):
        rooms = "" if answer.rooms is None else f":{','.join(answer.rooms)}"
        message = f"{answer.verb}:ACKSTATUS:{answer.status}{rooms}"
        if len(message) > MAX_MESSAGE:  # cut after a whole name
            message = message[: message.rfind(",", 0, MAX_MESSAGE + 1)]
        return message.encode()
    if isinstance(answer, GameEnd) and answer.winner is None:
        return f"GAMEEND:{answer.board}:{answer.how}".encode()
    return _FORMATS[type(answer)].format(answer).encode()


_USER = r"[^:,\x00-\x1f\x7f]+"
_BOARD = r"[012]{9}"
_ANSWER = re.compile(
    rf"(?P<verb>LOGIN|REGISTER|CREATE|JOIN):ACKSTATUS:(?P<status>\d)"
    rf"|ROOMLIST:ACKSTATUS:(?:(?P<list_status>[1-9])|0(?::(?P<rooms>[^:\x00-\x1f\x7f]*))?)"
    rf"|(?P<badauth>BADAUTH)|(?P<noroom>NOROOM)"
    rf"|(?P<pair>BEGIN|INPROGRESS):(?P<one>{_USER}):(?P<two>{_USER})"
    rf"|BOARDSTATUS:(?P<board>{_BOARD})"
    rf"|GAMEEND:(?P<end>{_BOARD}):(?:(?P<how>[02]):(?P<winner>{_USER})|1(?::(?:{_USER})?)?)",
    re.ASCII,
)


def parse_answer(message: bytes) -> Answer | None:
    """Return the answer in ``message``; None if there is none."""
    found = _ANSWER.fullmatch(message.decode("ascii", "replace"))
    if found is None:
        return None
    if found["verb"]:
        return Ack(found["verb"], int(found["status"]))
    if found["pair"]:
        kind = Begin if found["pair"] == "BEGIN" else InProgress
        return kind(found["one"], found["two"])
    if found["board"]:
        return BoardStatus(found["board"])
    if found["end"]:
        return GameEnd(found["end"], int(found["how"] or DRAWN), found["winner"])
    if found["badauth"] or found["noroom"]:
        return BadAuth() if found["badauth"] else NoRoom()
    return _parse_list(found["list_status"], found["rooms"])


def _parse_list(status: str | None, rooms: str | None) -> Ack:
    if status is not None:
        return Ack("ROOMLIST", int(status))
    return Ack("ROOMLIST", 0, tuple(rooms.split(",")) if rooms else ())


def is_answer(message: bytes) -> bool:
    """Return whether ``message`` is one complete answer."""
    return parse_answer(message) is not None


_START = re.compile(
    rb"(?:LOGIN|REGISTER|ROOMLIST|CREATE|JOIN):ACKSTATUS:|BADAUTH|NOROOM"
    rb"|BEGIN:|INPROGRESS:|BOARDSTATUS:|GAMEEND:"
)


def split_answers(data: bytes) -> list[bytes]:
    """Cut answers that came without delimiters; the last one might be incomplete.

    A cut is made only before the start of a known message, if the bytes before it are a whole
    message and both together aren't: a user can have the name ``xBADAUTH``.
    """
    pieces = []
    while not is_answer(data):
        starts = (found.start() for found in _START.finditer(data, 1))
        cut = next((start for start in starts if is_answer(data[:start])), None)
        if cut is None:
            break
        pieces.append(data[:cut])
        data = data[cut:]
    return [*pieces, data]

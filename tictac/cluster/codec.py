"""Rooms, events and publications as Redis keeps them, and back. Pure.

All of it is ASCII text. docs/scaling.md, "Rooms in Redis", lists the fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from tictac import errors
from tictac.errors import Refusal
from tictac.lobby.events import Began, Ended, Ending, Placed, Refused, RoomEvent
from tictac.lobby.room import Member, Room
from tictac.lobby.terms import USUAL_TERMS

_json = json.JSONEncoder(separators=(",", ":")).encode

LOGGED = 16
"""How many of the last writes a room remembers."""


class Version(NamedTuple):
    """Which of the rooms that have had a name, and how often it was written."""

    token: str
    number: int

    def text(self) -> str:
        """As it stands in the field ``v``."""
        return f"{self.token}.{self.number}"


def version_of(text: str) -> Version:
    """What :meth:`Version.text` wrote."""
    token, _, number = text.rpartition(".")
    return Version(token, int(number))


def new_token(number: int | str, node: str) -> str:
    """What tells a room from all others of its name: the number of its claim, and whose."""
    return f"{number}-{node}"


def number_of(token: str) -> str:
    """The number of the claim of a room."""
    return token.partition("-")[0]


class Claim(NamedTuple):
    """That a name is taken: since claim ``number``, by ``node``; ``made``: there was a room."""

    made: bool
    number: str
    node: str

    @property
    def token(self) -> str:
        """The token of the room."""
        return new_token(self.number, self.node)


def claim_of(text: str) -> Claim:
    """A value of the index."""
    kind, number, who = text.split(":", 2)
    return Claim(kind == "m", number, who.partition(".")[0])


# A room


class Value(NamedTuple):
    """A room as it is in Redis. ``since`` is when something went on last, in Redis's time.

    ``log`` are the last publications by the number of their version, ``written`` the number
    that each origin has written last.
    """

    version: Version
    room: Room
    since: float
    log: dict[int, str]
    written: dict[str, int]


def position_text(room: Room, since: float) -> str:
    """What changes with a move."""
    return f"{room.number}:{room.position}:{since:.3f}"


def set_position(room: Room, text: str) -> float:
    """Take over what :func:`position_text` wrote; the time."""
    number, position, since = text.split(":")
    room.set_position(position)
    room.number = int(number)
    return float(since)


def seats_text(room: Room) -> str:
    """Who sits where."""
    return _json([member[:3] for member in room.players])


def set_seats(room: Room, text: str) -> None:
    """Take over what :func:`seats_text` wrote."""
    room.players = [Member(*member) for member in json.loads(text)]
    room.running = room.begun


def kept_text(room: Room) -> str:
    """The moves that came before their turn; empty for none."""
    return _json(room.kept) if room.kept else ""


def set_kept(room: Room, text: str) -> None:
    """Take over what :func:`kept_text` wrote."""
    room.kept = None
    if text:
        first, second = json.loads(text)
        room.kept = (first, second)


def read_room(name: str, found: Mapping[bytes, bytes]) -> Value | None:
    """A room out of all of its fields; None: there is none."""
    fields = {field.decode("ascii"): text.decode("ascii") for field, text in found.items()}
    if "v" not in fields:
        return None
    version = version_of(fields["v"])
    logged = [text for field, text in fields.items() if field[0] == "l"]
    log = {version_in(text).number: text for text in logged}
    room = Room(name)
    since = set_position(room, log[version.number].split("\n", 2)[1])
    set_seats(room, fields["s"])
    set_kept(room, fields.get("k", ""))
    written = {field[2:]: int(text) for field, text in fields.items() if field[:2] == "r:"}
    return Value(version, room, since, log, written)


# What is published


class Publication(NamedTuple):
    """What one write has changed, and the events of it that others have to hear.

    ``origin`` wrote it. ``seats`` and ``kept`` are None where nothing has changed.
    """

    origin: str
    version: Version
    position: str
    seats: str | None
    kept: str | None
    events: tuple[RoomEvent, ...]


def publication_text(publication: Publication) -> str:
    """What is published, and logged."""
    origin, version, position, seats, kept, events = publication
    lines = [f"{origin} {version.text()}", position]
    if seats is not None:
        lines.append("s" + seats)
    if kept is not None:
        lines.append("k" + kept)
    lines += map(event_text, events)
    return "\n".join(lines)


def read_publication(text: str) -> Publication:
    """What :func:`publication_text` wrote."""
    head, position, *lines = text.split("\n")
    origin, version = head.split(" ")
    seats = kept = None
    events = []
    for line in lines:
        if line[0] == "s":
            seats = line[1:]
        elif line[0] == "k":
            kept = line[1:]
        else:
            events.append(read_event(line))
    return Publication(origin, version_of(version), position, seats, kept, tuple(events))


def version_in(text: str) -> Version:
    """The version of a publication."""
    head = text[: text.index("\n")]
    return version_of(head.partition(" ")[2])


def event_text(event: RoomEvent) -> str:
    """An event that others than its sender have to hear, on a line."""
    if type(event) is Placed:
        return f"P{event.number}:{event.position}:{event.seat}:{event.move}"
    match event:
        case Began(number, _, (first, second)):
            return f"B{number}:{first}:{second}"
        case Ended(number, _, board, ending, winner, seat, move):
            return f"E{number}:{board}:{ending}:{winner or ''}:{_or_none(seat)}:{move or ''}"
        case Refused(to, request, refusal, board):
            words = [to, request, type(refusal).__name__, str(refusal), board]
            return "R" + json.dumps(words)
    raise TypeError(f"{event} is for its sender alone")


def _or_none(seat: int | None) -> str:
    return "" if seat is None else str(seat)


def read_event(text: str) -> RoomEvent:
    """What :func:`event_text` wrote."""
    if text[0] == "R":
        to, request, kind, sentence, board = json.loads(text[1:])
        refusal: Refusal = getattr(errors, kind)(sentence)
        return Refused(to, request, refusal, board)
    # A move may hold colons, and is the last word.
    first, *words = text[1:].split(":", 5 if text[0] == "E" else 3)
    number = int(first)
    match text[0], words:
        case "P", [board, seat, move]:
            turn = USUAL_TERMS.game.turn(board)
            return Placed(number, None, board, int(seat), move, turn)
        case "B", [one, two]:
            return Began(number, None, (one, two))
        case "E", [board, ending, winner, seat, move]:
            won = int(seat) if seat else None
            how = _ENDINGS[ending]
            return Ended(number, None, board, how, winner or None, won, move or None)
    raise ValueError(f"{text!r} isn't an event")


_ALL_ENDINGS: tuple[Ending, ...] = (
    "won",
    "drawn",
    "agreed",
    "forfeited",
    "left",
    "timed out",
    "closed",
)
_ENDINGS: dict[str, Ending] = {ending: ending for ending in _ALL_ENDINGS}

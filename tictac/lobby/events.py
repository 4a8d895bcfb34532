"""The events of rooms, as frozen values.

``to`` is the id of the occupant who gets the event, or None for all occupants of the room. Events
of a room have running numbers, from 1 without gaps. In their order they are the record of the room,
from which its position follows. Seats count from 0. Events are named tuples because each move makes
one: they cost a third of a frozen dataclass.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from tictac.errors import Refusal

OccupantId = str

Position = Any
"""A position of the room's game (tictac.game.Game)."""


# Literals, not enumerations: looking a member up costs more than a call on Python 3.11, and
# these are used several times in every request.

Mode = Literal["PLAYER", "VIEWER"]
"""The mode of an occupant, in the words of the rooms protocol."""

Ending = Literal["won", "drawn", "agreed", "forfeited", "left", "timed out", "closed", "absent"]
"""The ending of a match, or of a room that never had one (closed), as it is counted.

``agreed`` is a draw by agreement. ``absent``: a player of a tournament didn't come to the room.
"""

GAVE_UP: tuple[Ending, ...] = "forfeited", "left", "timed out"
"""The endings by one player alone. A rated match of two is aborted if the other hadn't moved."""

Agreement = Literal["draw", "takeback", "days"]
"""The types of offers; ``days``: to continue the match over days."""

OfferState = Literal["offered", "declined", "withdrawn", "expired"]
"""The state of an offer."""


class Joined(NamedTuple):
    """``to`` joined ``room`` under the name ``user``; ``created``: the room is new.

    ``seat`` is None for a viewer. If the match is running, ``turn`` is the user to move and
    ``waiting`` the other one, and ``position`` is for a player who rejoins. Otherwise they are
    None. ``token_hash`` is for the journal: that of a guest's token, or empty.
    """

    number: int
    to: OccupantId
    room: str
    mode: Mode
    created: bool
    turn: str | None = None
    waiting: str | None = None
    position: Position | None = None
    user: str = ""
    seat: int | None = None
    token_hash: str = ""


class Left(NamedTuple):
    """A viewer left, or a player (``seat``) disconnected, whose seat is held."""

    number: int
    to: None
    user: str
    seat: int | None


class Began(NamedTuple):
    """The match began; ``users`` are the players, by their seats."""

    number: int
    to: None
    users: tuple[str, ...]


class Placed(NamedTuple):
    """A move that doesn't end the match: ``seat`` made ``move``, and seat ``turn`` is to move.

    ``move`` is as in records (tictac.game.Played); the game says what each seat can see of it. If
    the match continues without a player, that is a move of their seat.
    """

    number: int
    to: None
    position: Position
    seat: int = 0
    move: str = ""
    turn: int | None = None


class Offered(NamedTuple):
    """A change of an offer: ``seat`` made, declined, or withdrew it, or it expired.

    ``days`` are those for each move, in an offer of ``days``.
    """

    number: int
    to: None
    seat: int
    what: Agreement
    state: OfferState
    days: int = 0


class Undone(NamedTuple):
    """A takeback: the last ``moves`` moves, of which ``seat`` made the first, are undone."""

    number: int
    to: None
    seat: int
    moves: int
    position: Position
    turn: int


class Retimed(NamedTuple):
    """From now on, each move has so many ``days``, as ``seat`` has offered."""

    number: int
    to: None
    seat: int
    days: int


class Paused(NamedTuple):
    """A pause of the match by ``user``, or, if ``paused`` is false, its end."""

    number: int
    to: None
    user: str
    paused: bool


class Said(NamedTuple):
    """A chat message of an occupant."""

    number: int
    to: None
    user: str
    text: str


class Ended(NamedTuple):
    """The end of the room, which has no occupants any more. ``winner`` is a user name or None.

    ``seat`` is the winner's. ``move`` is the last move, if one ended the match. If a player
    ``left``, ``cut`` says whether they disconnected and didn't rejoin. ``match`` is the id of the
    saved match; empty: the match isn't saved.
    """

    number: int
    to: None
    position: Position
    ending: Ending
    winner: str | None
    seat: int | None = None
    move: str | None = None
    cut: bool = False
    match: str = ""


class Refused(NamedTuple):
    """A refused request of ``to``.

    ``request`` is the registry's name for it (create, join, place, forfeit, offer, say, pause). If
    a move is refused, ``position`` is the unchanged position.
    """

    to: OccupantId
    request: str
    refusal: Refusal
    position: Position | None = None


class Listed(NamedTuple):
    """The rooms that ``to`` can join in ``mode``, the oldest first."""

    to: OccupantId
    mode: Mode
    rooms: tuple[str, ...]


Happened = Joined | Left | Began | Placed | Offered | Undone | Retimed | Paused | Said | Ended
"""The events in the record of a room."""

RoomEvent = Happened | Refused
Event = RoomEvent | Listed

"""What happens in rooms, as frozen values.

Every event says in ``to`` whom it is for: one occupant's id, or None for everybody in
the room. An event of a room carries the room's running ``number``, from 1 without gaps; in
their order they are its record, from which its position follows. Seats count from 0.
Events are named tuples because one is made for every move: they cost a third of a frozen
dataclass.
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
"""How somebody sits in a room, in the words of the rooms protocol."""

Ending = Literal["won", "drawn", "agreed", "forfeited", "left", "timed out", "closed"]
"""How a match, or a room that never had one (closed), ended: the word that is counted.

Players have ``agreed`` on a draw.
"""


Agreement = Literal["draw", "takeback"]
"""What players can agree on."""

OfferState = Literal["offered", "declined", "withdrawn", "expired"]
"""What has become of an offer."""


class Joined(NamedTuple):
    """``to``, called ``user``, sits in ``room`` now; ``created`` says that it was made for that.

    ``seat`` is None for a viewer. For who comes into a running match ``turn`` is the user to
    move and ``waiting`` the other one; for a player who comes back to a held seat of one,
    ``position`` is that. Otherwise they are None.
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


class Left(NamedTuple):
    """A viewer has gone, or a player (``seat``) is away, whose seat is held."""

    number: int
    to: None
    user: str
    seat: int | None


class Began(NamedTuple):
    """The match begins; ``users`` are the players, by their seats."""

    number: int
    to: None
    users: tuple[str, ...]


class Placed(NamedTuple):
    """``seat`` has made ``move``, and the match goes on: it is the turn of seat ``turn``.

    ``move`` is as in records (tictac.game.Played): what a seat may see of it the game says. A
    seat that the others go on without has made a move, too.
    """

    number: int
    to: None
    position: Position
    seat: int = 0
    move: str = ""
    turn: int | None = None


class Offered(NamedTuple):
    """``seat`` proposes something, has declined or withdrawn it, or has waited in vain."""

    number: int
    to: None
    seat: int
    what: Agreement
    state: OfferState


class Undone(NamedTuple):
    """``seat`` has taken its last move back, and what followed it: so many ``moves`` in all."""

    number: int
    to: None
    seat: int
    moves: int
    position: Position
    turn: int


class Paused(NamedTuple):
    """``user`` has interrupted the match, or (``paused`` is false) lets it go on."""

    number: int
    to: None
    user: str
    paused: bool


class Said(NamedTuple):
    """Somebody in the room has said something."""

    number: int
    to: None
    user: str
    text: str


class Ended(NamedTuple):
    """The room is over and its occupants are out. ``winner`` is a user name or None.

    ``seat`` is the winner's. The last move, if one ended the match, is ``move``. Who has ``left``
    was ``cut`` off and hasn't come back, or has gone for good. ``match`` is the id of what is kept
    of it; empty: nothing is.
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
    """``to`` asked for something that can't be had.

    ``request`` is the registry's name for it (create, join, place, forfeit, offer, say, pause). For
    a move that can't be made ``position`` is the one that stays.
    """

    to: OccupantId
    request: str
    refusal: Refusal
    position: Position | None = None


class Listed(NamedTuple):
    """The rooms that ``to`` could join in ``mode``, oldest first."""

    to: OccupantId
    mode: Mode
    rooms: tuple[str, ...]


Happened = Joined | Left | Began | Placed | Offered | Undone | Paused | Said | Ended
"""What is in the record of a room."""

RoomEvent = Happened | Refused
Event = RoomEvent | Listed

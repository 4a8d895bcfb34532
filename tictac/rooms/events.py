"""What happens in rooms, as frozen values.

Every event says in ``to`` whom it is for: one occupant's id, or None for everybody in
the room. An event of a room carries the room's running ``number``, from 1 without gaps.
Events are named tuples because one is made for every move: they cost a third of a frozen
dataclass.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tictac.errors import Refusal
from tictac.games.tictactoe.rules import Board

OccupantId = str


# Literals, not enumerations: looking a member up costs more than a call on Python 3.11, and
# these are used several times in every request.

Mode = Literal["PLAYER", "VIEWER"]
"""How somebody sits in a room, in the words of the rooms protocol."""

Ending = Literal["won", "drawn", "forfeited", "left", "timed out", "closed"]
"""How a match, or a room that never had one (closed), ended: the word that is counted."""


class Joined(NamedTuple):
    """``to`` sits in ``room`` now; ``created`` says that the room was made for that.

    For who comes into a running match ``turn`` is the user to move and ``waiting`` the other
    one; for a player who comes back to a held seat of one, ``board`` is the position.
    Otherwise they are None.
    """

    number: int
    to: OccupantId
    room: str
    mode: Mode
    created: bool
    turn: str | None = None
    waiting: str | None = None
    board: Board | None = None


class Began(NamedTuple):
    """The match begins; ``first`` plays X and moves."""

    number: int
    to: None
    first: str
    second: str


class Placed(NamedTuple):
    """A move was made, and the match goes on."""

    number: int
    to: None
    board: Board
    cell: int


class Ended(NamedTuple):
    """The room is over and its occupants are out. ``winner`` is a user name or None."""

    number: int
    to: None
    board: Board
    ending: Ending
    winner: str | None


class Refused(NamedTuple):
    """``to`` asked for something that can't be had.

    ``request`` is the registry's name for it (create, join, place, forfeit). For a move
    that can't be made ``board`` is the board as it stays.
    """

    to: OccupantId
    request: str
    refusal: Refusal
    board: Board | None = None


class Listed(NamedTuple):
    """The rooms that ``to`` could join in ``mode``, oldest first."""

    to: OccupantId
    mode: Mode
    rooms: tuple[str, ...]


RoomEvent = Joined | Began | Placed | Ended | Refused
Event = RoomEvent | Listed

"""What happens in rooms, as frozen values. Each says in ``to`` whom it is for.

``room`` is the address of the room, ``nick`` that of an occupant is a part of.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tictac.doors.xmpp.match import Move, Role, State, Status
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import Element
from tictac.games.tictactoe.rules import Board

Affiliation = Literal["owner", "member", "none"]

AFFILIATIONS: tuple[Affiliation, ...] = ("owner", "member", "none")


class Session(NamedTuple):
    """A client in a room: its full address.

    Of a client that has no idea of MUG, ``via`` is the address of ours that it talks to,
    and ``kind`` the type of its messages; it is sent bodies and no stanzas.
    """

    address: str
    via: str = ""
    kind: str = ""


Sessions = tuple[Session, ...]


class RoomShown(NamedTuple):
    """The room's presence. ``pause`` says that the match has just been interrupted."""

    room: str
    to: Sessions
    status: Status
    state: State | None
    reconfigured: bool = False
    pause: bool = False


class OccupantShown(NamedTuple):
    """An occupant's presence; ``jid`` for those who may know it, ``new_nick`` at a change."""

    room: str
    to: Sessions
    nick: str
    affiliation: Affiliation
    role: Role | None
    jid: str = ""
    new_nick: str = ""


class OccupantGone(NamedTuple):
    """An occupant is out; ``why`` is empty when nobody but the occupant wanted that."""

    room: str
    to: Sessions
    nick: str
    affiliation: Affiliation
    why: Literal["", "invalid-turn", "saved"] = ""


class Started(NamedTuple):
    """A player has started."""

    room: str
    to: Sessions
    nick: str


class Turned(NamedTuple):
    """A player has made a move; ``board``, with so many columns, is what it looks like then."""

    room: str
    to: Sessions
    nick: str
    move: Move
    board: Board
    columns: int


class Remarked(NamedTuple):
    """Something that only those can be told who chat."""

    room: str
    to: Sessions
    text: str


class Forwarded(NamedTuple):
    """A private message: what was in it, and its type."""

    room: str
    to: Sessions
    nick: str
    kind: str
    payload: tuple[Element | str, ...]


class Invited(NamedTuple):
    """An invitation to a person who isn't in the room. ``inviter`` is an address."""

    room: str
    id: str
    invitee: str
    inviter: str
    reason: str
    password: str


class Declined(NamedTuple):
    """An invitation was declined."""

    room: str
    to: Sessions
    invitee: str
    reason: str


class NotInvited(NamedTuple):
    """An invitation didn't reach anybody."""

    room: str
    to: Sessions
    invitee: str


class Answered(NamedTuple):
    """The result of an iq: for who asked."""

    payload: Element | None = None


class Erred(NamedTuple):
    """The request is refused: for who asked."""

    refused: Refused


class Stored(NamedTuple):
    """A room is to be kept as ``data``; ``then`` happens when it is, and only then."""

    room: str
    data: bytes
    then: tuple[Event, ...]


class Forgotten(NamedTuple):
    """A room needn't be kept any longer."""

    room: str


Event = (
    RoomShown
    | OccupantShown
    | OccupantGone
    | Started
    | Turned
    | Remarked
    | Forwarded
    | Invited
    | Declined
    | NotInvited
    | Answered
    | Erred
    | Stored
    | Forgotten
)

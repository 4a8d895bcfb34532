"""What may be asked of the service and its rooms, as values; ``stanzas.py`` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tictac.mug.addresses import Address
from tictac.mug.forms import Fields, Submitted
from tictac.mug.match import Move
from tictac.mug.ownership import Item
from tictac.mug.refusals import Refused
from tictac.mug.xml import Element

# Presence


@dataclass(frozen=True, slots=True)
class Enter:
    """To a room and a nick. ``game`` is the namespace that the client asks for; ``mug`` says
    whether it spoke of a game at all."""

    nick: str
    mug: bool
    game: str | None
    password: str | None


@dataclass(frozen=True, slots=True)
class Leave:
    """The client is gone, from the room or altogether."""


@dataclass(frozen=True, slots=True)
class TakeRole:
    """Take a role, or ``none``."""

    role: str


# Messages


@dataclass(frozen=True, slots=True)
class Start:
    """Start the match."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Make a move."""

    move: Move


@dataclass(frozen=True, slots=True)
class Invite:
    """Invite people: the address and the reason for each."""

    invitees: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Decline:
    """Decline an invitation."""

    inviter: str
    reason: str


@dataclass(frozen=True, slots=True)
class Private:
    """A message for one occupant."""

    nick: str
    payload: tuple[Element | str, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """A body for the service or a room: a command that a person typed."""

    body: str


@dataclass(frozen=True, slots=True)
class Bounced:
    """What we sent with this ``id`` wasn't delivered; ``gone`` when nobody is there to take it."""

    gone: bool
    id: str


# Iq


@dataclass(frozen=True, slots=True)
class Discover:
    """``info`` or ``items`` of a room, an occupant (``nick``) or the service."""

    what: Literal["info", "items"]
    nick: str
    node: str | None


@dataclass(frozen=True, slots=True)
class AskSearch:
    """The form for a search."""


@dataclass(frozen=True, slots=True)
class Search:
    """Search for rooms."""

    fields: Fields


@dataclass(frozen=True, slots=True)
class Ping:
    """Is anybody there?"""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The forms of the room and its game."""


@dataclass(frozen=True, slots=True)
class Configure:
    """The forms, filled in."""

    fields: Fields


@dataclass(frozen=True, slots=True)
class CancelOptions:
    """The forms, left alone."""


@dataclass(frozen=True, slots=True)
class ListRoles:
    """Who has a role, or that role."""

    role: str


@dataclass(frozen=True, slots=True)
class ListAffiliations:
    """Who has an affiliation, or that one."""

    affiliation: str


@dataclass(frozen=True, slots=True)
class ChangeRoles:
    """Give and take roles."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class ChangeAffiliations:
    """Make members and owners."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Save:
    """Save the room."""


@dataclass(frozen=True, slots=True)
class Load:
    """Load it."""


@dataclass(frozen=True, slots=True)
class Command:
    """An ad-hoc command (XEP-0050)."""

    node: str
    action: str
    session: str | None
    form: Submitted | None


@dataclass(frozen=True, slots=True)
class Wrong:
    """What can't be read is answered with an error."""

    refused: Refused


Request = (
    Enter
    | Leave
    | TakeRole
    | Start
    | Turn
    | Invite
    | Decline
    | Private
    | Chat
    | Bounced
    | Discover
    | AskSearch
    | Search
    | Ping
    | AskOptions
    | Configure
    | CancelOptions
    | ListRoles
    | ListAffiliations
    | ChangeRoles
    | ChangeAffiliations
    | Save
    | Load
    | Command
    | Wrong
)


@dataclass(frozen=True, slots=True)
class Stanza:
    """A stanza that came in: from whom, to which address of ours, and what it asks.

    ``kind`` is its type as it was given, ``whole`` all of it.
    """

    sender: Address
    to: Address
    kind: str
    request: Request
    whole: Element

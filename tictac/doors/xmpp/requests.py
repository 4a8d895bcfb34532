"""What may be asked of the service and its rooms, as values; ``stanzas.py`` reads them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from tictac.doors.xmpp.addresses import Address
from tictac.doors.xmpp.forms import Submitted
from tictac.doors.xmpp.xml import Element

What = Literal[
    "leave",  # the client is gone, from the room or altogether
    "take role",  # its name, or ``none``
    "start",
    "turn",  # a Move
    "invite",  # the address and the reason for each
    "decline",  # the inviter and the reason
    "private",  # the nick, and what is passed on
    "chat",  # the command that a person has typed
    "ask search",  # for its form
    "search",  # the fields of the form
    "ping",
    "ask options",  # for the forms of the room and its game
    "configure",  # the fields of both
    "cancel options",
    "list roles",  # one, or all
    "list affiliations",  # likewise
    "change roles",  # Items
    "change affiliations",  # Items
    "save",
    "load",
    "wrong",  # what the error is (Refused)
]


class Ask(NamedTuple):
    """A request, and what belongs to it."""

    what: What
    value: Any = None


class Enter(NamedTuple):
    """To a room and a nick. ``game`` is the namespace that the client asks for; ``mug`` says
    whether it spoke of a game at all."""

    nick: str
    mug: bool
    game: str | None
    password: str | None


class Bounced(NamedTuple):
    """What we sent with this ``id`` wasn't delivered; ``gone`` when nobody is there to take it."""

    gone: bool
    id: str


class Discover(NamedTuple):
    """``info`` or ``items`` of a room, an occupant (``nick``) or the service."""

    what: Literal["info", "items"]
    nick: str
    node: str | None


class Command(NamedTuple):
    """An ad-hoc command (XEP-0050)."""

    node: str
    action: str
    session: str | None
    form: Submitted | None


Request = Ask | Enter | Bounced | Discover | Command


class Stanza(NamedTuple):
    """A stanza that came in: from whom, to which address of ours, and what it asks.

    ``kind`` is its type as it was given, ``whole`` all of it.
    """

    sender: Address
    to: Address
    kind: str
    request: Request
    whole: Element

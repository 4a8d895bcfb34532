"""Refusals as XMPP's stanza errors (RFC 6120, section 8.3)."""

from __future__ import annotations

from typing import ClassVar

from tictac import errors
from tictac.errors import Refusal

_TYPES = {
    "modify": ("bad-request", "jid-malformed", "not-acceptable", "policy-violation"),
    "auth": ("not-authorized", "forbidden", "registration-required"),
    "wait": ("resource-constraint", "internal-server-error"),
}
"""The conditions by the type of error; all others are of type ``cancel``."""

_CONDITIONS: dict[type[Refusal], str] = {
    errors.NoSuchRoom: "item-not-found",
    errors.PrivateRoom: "not-authorized",
    errors.RoomExists: "conflict",
    errors.RoomFull: "conflict",
    errors.TooManyRooms: "resource-constraint",
    errors.TooManyRoomsOfOneUser: "resource-constraint",
    errors.TooManyRoomsOfOnePeer: "resource-constraint",
    errors.TooMuchStored: "resource-constraint",
    errors.DiskFull: "resource-constraint",
}
"""The conditions of the lobby's refusals; all others are not-acceptable."""


class Refused(Refusal):
    """A refusal that is sent as an error; ``invalid_turn`` adds that element to the error."""

    code: ClassVar[str] = "mug-refused"

    def __init__(
        self, condition: str, text: str, kind: str | None = None, invalid_turn: bool = False
    ) -> None:
        super().__init__(text)
        self.condition = condition
        self.kind = kind or next((k for k, all_ in _TYPES.items() if condition in all_), "cancel")
        self.invalid_turn = invalid_turn


def invalid_turn(text: str) -> Refused:
    """Return the refusal of a move that is illegal, or not this player's to make now."""
    return Refused("undefined-condition", text, invalid_turn=True)


def full(text: str) -> Refused:
    """Return the refusal of a room that is full now."""
    return Refused("service-unavailable", text, kind="wait")


def from_lobby(refusal: Refusal) -> Refused:
    """Return a refusal of the lobby as a stanza error."""
    return Refused(_CONDITIONS.get(type(refusal), "not-acceptable"), str(refusal))


class BadJid(Refusal):
    """No address that an account can be linked with."""


class TooManyLinks(Refusal):
    """More addresses than an account can have, or more messages than it can ask for."""


class NotDelivered(Refusal):
    """The XMPP server didn't deliver the message."""

"""What can be refused, in the words of XMPP's stanza errors (RFC 6120, section 8.3)."""

from __future__ import annotations

from typing import ClassVar

from tictac import errors
from tictac.errors import Refusal

_TYPES = {
    "modify": ("bad-request", "jid-malformed", "not-acceptable", "policy-violation"),
    "auth": ("not-authorized", "forbidden", "registration-required"),
    "wait": ("resource-constraint", "internal-server-error"),
}
"""The conditions by the type of error; that of all others is ``cancel``."""

_CONDITIONS: dict[type[Refusal], str] = {
    errors.NoSuchRoom: "item-not-found",
    errors.PrivateRoom: "not-authorized",
    errors.RoomExists: "conflict",
    errors.RoomFull: "conflict",
    errors.TooManyRooms: "resource-constraint",
    errors.TooManyRoomsOfOneUser: "resource-constraint",
}
"""What the lobby refuses; all else is not-acceptable."""


class Refused(Refusal):
    """A request that is answered with an error. ``invalid_turn`` adds that element to it."""

    code: ClassVar[str] = "mug-refused"

    def __init__(
        self, condition: str, text: str, kind: str | None = None, invalid_turn: bool = False
    ) -> None:
        super().__init__(text)
        self.condition = condition
        self.kind = kind or next((k for k, all_ in _TYPES.items() if condition in all_), "cancel")
        self.invalid_turn = invalid_turn


def invalid_turn(text: str) -> Refused:
    """A move that can't be made, or not now, or not by this player."""
    return Refused("undefined-condition", text, invalid_turn=True)


def full(text: str) -> Refused:
    """There is no place left; there may be later."""
    return Refused("service-unavailable", text, kind="wait")


def from_lobby(refusal: Refusal) -> Refused:
    """A refusal of the lobby."""
    return Refused(_CONDITIONS.get(type(refusal), "not-acceptable"), str(refusal))

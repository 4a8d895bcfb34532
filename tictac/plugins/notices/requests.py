"""The requests about notices. Source: notices.md, "Requests"."""

from __future__ import annotations

from typing import ClassVar, Literal

from tictac.plugins.notices.notices import Wish
from tictac.protocols.lobby.wire import NONE, AdminRequest, PublicRequest, Request

# fmt: off

class Notices(Request):
    """Ask for the addresses to which you get messages, and add one, or change its wish."""
    units: ClassVar = 20
    channel: str | None = None
    address: str | None = None
    wish: Wish | None = None
    language: str | None = None
    zone: str | None = None
    quiet: str | None = None

    def __post_init__(self) -> None:
        if (self.channel is None) is not (self.address is None):
            raise ValueError('"notices" needs "channel" and "address" together')

class Link(PublicRequest):
    """Ask what the link of a message does; with go, do it."""
    units: ClassVar = 20
    visitors: ClassVar = NONE
    link: str
    go: bool | None = None

class Outbox(AdminRequest):
    """List the messages that wait, and addresses that were given up; or give up one.

    message, why: the id of a message that came back, and why.
    """
    units: ClassVar = 20
    act: Literal["notices", "bounced"] = "notices"
    message: str | None = None
    why: str | None = None

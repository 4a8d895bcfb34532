"""The requests about an account's data, blocked players, and reports. Source: people.md."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from tictac.protocols.lobby.wire import INVITED, AdminRequest, Request

LONGEST = 500
"""Maximum characters of the reason of a report."""

_why = Meta(min_length=1, max_length=LONGEST, description=f"a text of 1 to {LONGEST} characters")

# fmt: off

class Export(Request):
    """Ask for all that the server keeps of the account. first: of long lists, from there on."""
    units: ClassVar = 100
    first: int | None = None

class Delete(Request):
    """Delete the account. In finished matches, its name becomes "deleted"."""
    units: ClassVar = 20
    password: str

class Block(Request):
    """Block a player (no challenges, no chat), mute one, or end that; without user, list them."""
    units: ClassVar = 10
    user: str | None = None
    how: Literal["block", "mute", "off"] | None = None

    def __post_init__(self) -> None:
        if (self.user is None) is not (self.how is None):
            raise ValueError('"block" needs "user" and "how" together')

class Report(Request):
    """Report a player to the admins. room: with the last texts there."""
    units: ClassVar = 20
    visitors: ClassVar = INVITED
    user: str
    text: Annotated[str, _why]
    room: str | None = None

class Reports(AdminRequest):
    """List the reports to the admins, or close one."""
    units: ClassVar = 20
    act: Literal["reports"] = "reports"
    close: int | None = None

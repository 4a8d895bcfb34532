"""The requests about tournaments. Source: people.md, "Tournaments"."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import Meta

from tictac.protocols.lobby.wire import INVITED, AdminRequest, PublicRequest, Request, ServerAct

CupAct = Literal["tournament", "begin", "add", "rename", "remove", "score", "extend", "end"]
ACTS = get_args(CupAct)
STATES = ("open", "running", "over")

_State = Annotated[str, Meta(extra_json_schema={"enum": STATES})]
_Version = Annotated[str, Meta(max_length=40, description="a text of up to 40 characters")]
_Scores = Annotated[list[int | float], Meta(max_length=100, description="a list of numbers")]

# fmt: off

class CupRequest(Request):
    """A request of a player in a tournament."""
    visitors: ClassVar = INVITED
    tournament: str

class Tournaments(PublicRequest):
    """List tournaments, the latest first. follow: send changes."""
    state: _State | None = None
    cursor: str | None = None
    limit: int | None = None
    follow: bool | None = None
    rights: bool | None = None

class Tournament(PublicRequest):
    """Ask for a tournament: the standings from a place on, the games of a round or of a player.

    follow: send changes.
    """
    visitors: ClassVar = INVITED
    tournament: str
    first: int | None = None
    round: int | None = None
    player: str | None = None
    follow: bool | None = None
    rights: bool | None = None

class Enter(CupRequest):
    """Take part in a tournament. name: what a guest is called in it."""
    name: str | None = None

class Withdraw(CupRequest):
    """Leave a tournament."""

class Pause(CupRequest):
    """Pause in an arena, or go on."""
    pause: bool

class Play(CupRequest):
    """Go to the board of the next game, as soon as it exists.

    With series, the game can be in any of its tournaments. version: of your program.
    """
    units: ClassVar = 10
    tournament: str = ""
    series: str | None = None
    version: _Version | None = None

    def __post_init__(self) -> None:
        if self.series is None and not self.tournament:
            raise ValueError('"play" needs "tournament", or "series"')

class Admin(AdminRequest):
    """Do an act of an admin."""
    act: Literal[ServerAct, CupAct]
    tournament: str | None = None
    plan: dict[str, Any] | None = None
    computer: str | None = None
    game: int | None = None
    scores: _Scores | None = None
    name: str | None = None
    new: bool | None = None

"""The requests about series. Source: people.md, "Series"."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import Meta

from tictac.plugins.tournament.hosting import request_types
from tictac.protocols.lobby.wire import AdminRequest, PublicRequest

SeriesAct = Literal["create", "change", "freeze", "end", "remove", "players"]
ACTS = get_args(SeriesAct)

Version = Annotated[str, Meta(max_length=40, description="a text of up to 40 characters")]

# fmt: off

class Series(PublicRequest):
    """List the series, or show the standings of one, from a place on."""
    units: ClassVar = 20
    series: str | None = None
    first: int | None = None

class Play(request_types.Play):
    """Go to the board of the next game, as soon as it exists.

    Of a series, it is the next game in any of its tournaments. version: of your program.
    """
    tournament: str = ""
    series: str | None = None
    version: Version | None = None

    def __post_init__(self) -> None:
        if self.series is None and not self.tournament:
            raise ValueError('"play" needs "tournament", or "series"')

class Ladder(AdminRequest, kw_only=True):
    """Do an act of an admin on a series."""
    units: ClassVar = 20
    act: SeriesAct
    series: str
    plan: dict[str, Any] | None = None

"""The requests about series. Source: people.md, "Series"."""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

from tictac.plugins.tournament.view import Json
from tictac.protocols.lobby.wire import AdminRequest, PublicRequest

SeriesAct = Literal["create", "change", "freeze", "end", "remove", "players"]
ACTS = get_args(SeriesAct)

# fmt: off

class Series(PublicRequest):
    """List the series, or show the standings of one, from a place on."""
    units: ClassVar = 20
    series: str | None = None
    first: int | None = None

class Ladder(AdminRequest, kw_only=True):
    """Do an act of an admin on a series."""
    units: ClassVar = 20
    act: SeriesAct
    series: str
    plan: Json | None = None

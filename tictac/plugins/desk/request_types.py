"""The requests of a teacher, and those for codes. Source: people.md, "The desk"."""

from __future__ import annotations

from typing import ClassVar, Literal

from tictac.protocols.lobby.wire import NONE, MatchRequest, Names, PublicRequest, Request

DeskAct = Literal["add", "slips", "rule", "drop", "teacher", "export"]

# fmt: off

class Desk(Request):
    """List the groups of a teacher, show the pupils of one, or do an act on it."""
    units: ClassVar = 20
    group: str | None = None
    act: DeskAct | None = None
    first: int | None = None
    users: Names | None = None
    rule: str | None = None
    title: str | None = None
    number: int | None = None
    off: bool | None = None

class Pair(MatchRequest, kw_only=True):
    """Pair those of a group who wait. odd: the level for one who is left over."""
    units: ClassVar = 40
    group: str
    odd: str | None = None
    users: Names | None = None

class Code(PublicRequest):
    """Get a code for another terminal of the account, or use one, a slip's with a password."""
    visitors: ClassVar = NONE
    units: ClassVar = 40
    code: str | None = None
    password: str | None = None

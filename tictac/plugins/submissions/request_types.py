"""The requests about submitted programs. Source: docs/guides/programs.md."""

from __future__ import annotations

from typing import ClassVar, Literal

from tictac.protocols.lobby.wire import NONE, AdminRequest, PublicRequest, Request

# fmt: off

class Push(Request):
    """Ask for an address to which the account can upload a program, once."""
    units: ClassVar = 10

class Programs(Request):
    """List the versions of your program, or show one."""
    units: ClassVar = 10
    number: int | None = None

class Run(PublicRequest):
    """Log in as a runner's program, by the token of its lease. It can only play."""
    visitors: ClassVar = NONE
    units: ClassVar = 4
    token: str

class Runners(AdminRequest, kw_only=True):
    """List the runners, add one, or remove one."""
    units: ClassVar = 10
    act: Literal["list", "add", "remove"] = "list"
    runner: str | None = None

class Submissions(AdminRequest):
    """List the latest programs of a group, or of all accounts."""
    units: ClassVar = 20
    act: Literal["submissions"] = "submissions"
    group: str | None = None

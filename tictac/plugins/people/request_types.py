"""The requests about people and challenges. Source: people.md, "People"."""

from __future__ import annotations

from typing import ClassVar, Literal

from tictac.plugins.people.roster import Challengers
from tictac.protocols.lobby.wire import MatchRequest, PublicRequest, Request

# fmt: off

class People(PublicRequest):
    """Ask for the list of people online, and follow it unless follow is false."""
    units: ClassVar = 2
    follow: bool | None = None

class Account(Request):
    """Ask for the settings of the account, and change the given ones."""
    units: ClassVar = 4
    hidden: bool | None = None
    challenges: Challengers | None = None

class UserRequest(MatchRequest):
    """A request for a match with a user."""
    user: str

class Challenge(UserRequest, kw_only=True):
    """Challenge a player to a game of two. side: the challenger's seat."""
    units: ClassVar = 10
    side: int | None = None
    private: bool | None = None

class Meanwhile(MatchRequest, kw_only=True):
    """Seek an opponent while you play: an event asks you. stop: seek no more."""
    units: ClassVar = 4
    seats: int | None = None
    stop: bool | None = None

class Respond(Request):
    """Accept or decline a challenge, or withdraw your own."""
    units: ClassVar = 12
    challenge: str
    how: Literal["accept", "decline", "withdraw"]

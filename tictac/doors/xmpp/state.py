"""What a room is: who may enter it, who is in it, how it stands, and how that is told.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tictac.doors.xmpp.addresses import bare
from tictac.doors.xmpp.configuration import Options
from tictac.doors.xmpp.events import Affiliation, Event, OccupantShown, RoomShown, Session, Sessions
from tictac.doors.xmpp.house import user_of
from tictac.doors.xmpp.match import ROLES, Match, Role
from tictac.doors.xmpp.occupants import Occupant, Roster
from tictac.doors.xmpp.refusals import Refused, full


@dataclass(slots=True)
class RoomState:
    """A room at ``address`` whose ``owner`` is a bare address, as the ``members`` are.

    ``most`` is how many occupants it holds whatever its options say. ``returning`` are
    those who were there when it was saved, with their roles. ``invited`` holds the ids of
    invitations by invitee and inviter, ``invitations`` counts them. ``news`` is what has come
    of the match and hasn't been told. A room that others have made in the lobby has no owner.
    """

    address: str
    owner: str
    match: Match
    most: int = 50
    options: Options = field(default_factory=Options)
    members: set[str] = field(default_factory=set)
    occupants: Roster = field(default_factory=Roster)
    news: list[Event] = field(default_factory=list)
    saved: bool = False
    awaited: bool = False
    returning: dict[str, Role | None] = field(default_factory=dict)
    invited: dict[tuple[str, str], str] = field(default_factory=dict)
    invitations: int = 0

    @property
    def node(self) -> str:
        """The room's name: its address without the domain."""
        return self.address.partition("@")[0]

    @property
    def is_over(self) -> bool:
        """Whether nobody is in it and nobody is awaited."""
        held = bool(self.owner) and self.match.is_shared  # a player from here may come back
        return not (self.saved or self.awaited or held or self.occupants.people())

    def affiliation(self, person: str) -> Affiliation:
        """What a person is to the room."""
        if person == self.owner:
            return "owner"
        return "member" if person in self.members else "none"

    def free_roles(self) -> list[Role]:
        """The roles that nobody has."""
        return [role for role in ROLES if self.occupants.holder(role) is None]

    def user(self, occupant: Occupant) -> str:
        """What the lobby calls somebody from here, without telling an address that it mustn't."""
        open_here = self.options.anonymity == "non-anonymous"
        hidden = f"{occupant.nick}@{self.node}"
        return user_of(occupant.person if open_here else hidden)

    @property
    def key(self) -> str | None:
        """What opens the match to those who come another way; None: it is public."""
        options = self.options
        if options.members_only or not (options.public or options.protected):
            return self.match.house.key
        return options.secret if options.protected else None

    def drain(self) -> list[Event]:
        """What has come of the match since the last time."""
        news, self.news = self.news, []
        return news

    def occupant(self, address: str) -> Occupant:
        """Who is in the room from ``address``. Raises Refused."""
        occupant = self.occupants.at(address)
        if occupant is None:
            raise Refused("not-acceptable", "you aren't in this room")
        return occupant

    # Who may enter

    def require_open(self, person: str) -> None:
        if self.match.status == "created" and person != self.owner:
            raise Refused("item-not-found", "the room is locked: its owner hasn't configured it")
        if self.saved:
            raise Refused("not-allowed", "the room is saved; its owner can load it")

    def require_entitled(self, person: str, nick: str, password: str | None) -> None:
        if self.options.members_only and self.affiliation(person) == "none":
            raise Refused("registration-required", "only members may enter")
        if self.options.protected and password != self.options.secret:
            raise Refused("not-authorized", "the room has a password, which is another")
        if self.occupants.named(nick) is not None:
            raise Refused("conflict", f"{nick} is taken")
        if self.is_full:
            raise full("the room is full")

    @property
    def is_full(self) -> bool:
        """Whether nobody more may enter."""
        return len(self.occupants) >= min(self.options.max_users or self.most, self.most)

    # Telling

    @property
    def is_fully_anonymous(self) -> bool:
        """Whether nobody may know an address, not even the owner."""
        return self.options.anonymity == "fully-anonymous"

    def told(self, to: Sessions, reconfigured: bool = False, pause: bool = False) -> RoomShown:
        """How the room stands."""
        status = self.match.status
        state = None if status == "created" else self.match.state()
        return RoomShown(self.address, to, status, state, reconfigured, pause)

    def shown_to_all(self, to: Sessions) -> list[Event]:
        """The presences of everybody."""
        return [event for occupant in self.occupants for event in self.shown(occupant, to)]

    def shown(self, occupant: Occupant, to: Iterable[Session], new_nick: str = "") -> list[Event]:
        """The presence of an occupant: with the address for those who may know it."""
        to, knowing = tuple(to), self.options.anonymity
        seeing = tuple(
            session
            for session in to
            if knowing == "non-anonymous"
            or (knowing == "semi-anonymous" and bare(session.address) == self.owner)
        )
        others = tuple(session for session in to if session not in seeing)
        who = occupant.nick, self.affiliation(occupant.person), occupant.role
        return [
            OccupantShown(self.address, viewers, *who, jid, new_nick)
            for jid, viewers in (("", others), (occupant.jid, seeing))
            if viewers
        ]

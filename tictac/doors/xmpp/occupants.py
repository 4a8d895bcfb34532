"""Who is in a room, by what name, and from which clients."""

from __future__ import annotations

from dataclasses import dataclass, field

from tictac.doors.xmpp.addresses import bare, fold
from tictac.doors.xmpp.events import Session, Sessions
from tictac.doors.xmpp.match import Role
from tictac.doors.xmpp.refusals import full

MOST_SESSIONS = 8
"""Clients by which one occupant may be in a room."""


@dataclass(slots=True, eq=False)
class Occupant:
    """Somebody in a room. ``person`` is the bare address.

    ``ready`` marks one who starts when the other player does: always the computer, and a player
    ``elsewhere``, who came another way and whose name there is ``person``; somebody who plays by
    ad-hoc commands once.
    """

    nick: str
    person: str
    sessions: list[Session] = field(default_factory=list)
    role: Role | None = None
    ready: bool = False
    computer: bool = False
    elsewhere: bool = False

    @property
    def jid(self) -> str:
        """The address that is shown to those who may see it, if there is one."""
        if self.elsewhere:
            return ""
        return self.sessions[0].address if self.sessions else self.person

    def session(self, address: str) -> Session | None:
        """The session of the client at ``address``: chat comes from any client of a person."""
        exact = (s for s in self.sessions if s.address == address)
        chats = (s for s in self.sessions if s.via and bare(s.address) == bare(address))
        return next(exact, None) or next(chats, None)

    def add(self, session: Session) -> None:
        """One more client, or one that is known, anew. Raises Refused for too many."""
        known = self.session(session.address)
        if known is not None and (known.address == session.address or session.via):
            self.sessions[self.sessions.index(known)] = session
            return
        if len(self.sessions) >= MOST_SESSIONS:
            raise full(f"nobody can be in a room by more than {MOST_SESSIONS} clients")
        self.sessions.append(session)


class Roster(list[Occupant]):
    """The occupants of a room, or some of them, in the order in which they came."""

    def named(self, nick: str) -> Occupant | None:
        """Who goes by ``nick``, whatever its case."""
        return next((occupant for occupant in self if fold(occupant.nick) == fold(nick)), None)

    def at(self, address: str) -> Occupant | None:
        """Whose client is at ``address``; an exact address comes before a person's chat."""
        exact = (o for o in self for session in o.sessions if session.address == address)
        return next(exact, None) or next((o for o in self if o.session(address)), None)

    def persons(self, person: str) -> Roster:
        """All occupants who are that person."""
        return Roster(occupant for occupant in self if occupant.person == person)

    def holder(self, role: Role) -> Occupant | None:
        """Who has that role."""
        return next((occupant for occupant in self if occupant.role == role), None)

    def players(self) -> Roster:
        """Who has a role."""
        return Roster(occupant for occupant in self if occupant.role)

    def people(self) -> Roster:
        """Everybody who has a client here."""
        return Roster(occupant for occupant in self if occupant.sessions)

    def computer(self) -> Occupant | None:
        """The computer, if it is here."""
        return next((occupant for occupant in self if occupant.computer), None)

    def sessions(self) -> Sessions:
        """The clients of everybody."""
        return tuple([session for occupant in self for session in occupant.sessions])

    def free_nick(self, nick: str, person: str = "") -> str:
        """``nick``, with a tail if anybody but ``person`` is called that."""
        while (other := self.named(nick)) and other.person != person:
            nick += "_"
        return nick

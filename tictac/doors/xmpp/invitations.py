"""Invitations to a room: who may send them, and what becomes of them.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tictac.doors.xmpp.events import Declined, Event, Invited, NotInvited, Sessions
from tictac.doors.xmpp.occupants import Occupant, sessions_of
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.room import Room

COMPUTER = "computer"
"""What the computer is called in an address."""

MOST_MEMBERS = 500
MOST_INVITATIONS = 100
"""Invitations of a room whose answers it waits for."""


def require_inviting(room: Room, address: str) -> Occupant:
    """Who invites from ``address``. Raises Refused when that isn't allowed."""
    inviter = room.occupants.at(address)
    if inviter is None or not (room.options.invites or inviter.person == room.owner):
        raise Refused("forbidden", "only the owner may invite to this room")
    if room.match.status == "created":
        raise Refused("not-allowed", "nobody can enter before the room is configured")
    return inviter


def invite(room: Room, inviter: Occupant, invitees: Sequence[tuple[str, str]]) -> list[Event]:
    """Invite these people, each with a reason."""
    events: list[Event] = []
    for who, reason in invitees:
        if room.options.members_only and room.affiliation(who) == "none":
            if len(room.members) >= MOST_MEMBERS:
                raise Refused("resource-constraint", f"a room has {MOST_MEMBERS} members at most")
            room.members.add(who)
            for occupant in room.occupants.persons(who):
                events += room.shown(occupant, room.occupants.sessions())
        events.append(invitation(room, who, inviter, reason))
    return events


def invitation(room: Room, who: str, inviter: Occupant | None, reason: str) -> Invited:
    """An invitation, noted; in the name of the room when there is no ``inviter``."""
    if len(room.invited) >= MOST_INVITATIONS:
        del room.invited[next(iter(room.invited))]
    room.invitations += 1
    stanza_id = f"invitation-{room.invitations}"
    room.invited[who, room.owner if inviter is None else inviter.person] = stanza_id
    if inviter is None:
        name = room.address
    elif room.options.anonymity == "non-anonymous":
        name = inviter.person
    else:
        name = f"{room.address}/{inviter.nick}"
    password = room.options.secret if room.options.protected else ""
    return Invited(room.address, stanza_id, who, name, reason, password)


def invite_again(room: Room, people: Iterable[str]) -> list[Event]:
    """Invite those who were in the room when it was saved."""
    owner = next(iter(room.occupants.persons(room.owner)), None)
    return [invitation(room, person, owner, "") for person in people]


def invite_computer(room: Room, domain: str, to: Sessions) -> list[Event]:
    """Let the computer in and take a free role, or decline in its name."""
    person = f"{COMPUTER}@{domain}"
    why = _why_not(room)
    if why:
        return [Declined(room.address, to, person, why)]
    nick = room.occupants.free_nick(COMPUTER)
    newcomer = Occupant(nick, person, [], room.free_roles()[0], ready=True, computer=True)
    room.match.starts.clear()
    return room.let_in(newcomer) + room.start_the_ready()


def _why_not(room: Room) -> str:
    if room.occupants.computer() is not None:
        return "I am here already"
    if not room.free_roles() or room.match.is_shared:
        return "there is no role for me"
    return "there is no place for me" if room.is_full else ""


def decline(room: Room, person: str, inviter: str, reason: str) -> list[Event]:
    """Tell the inviter, who is named by nick or address as in the invitation."""
    host, _, nick = inviter.partition("/")
    named = room.occupants.named(nick)
    if host == room.address:
        host = room.owner if not nick else "" if named is None else named.person
    if room.invited.pop((person, host), None) is None:
        raise Refused("item-not-found", "that isn't who has invited you")
    return [Declined(room.address, sessions_of(room.occupants.persons(host)), person, reason)]


def unreachable(room: Room, person: str, stanza_id: str) -> list[Event]:
    """Tell the inviter if what came back from ``person`` is an invitation.

    Its id says so: many servers send nothing else of it back (Prosody).
    """
    for (invitee, inviter), sent in room.invited.items():
        if (invitee, sent) == (person, stanza_id):
            del room.invited[invitee, inviter]
            to = sessions_of(room.occupants.persons(inviter))
            return [NotInvited(room.address, to, person)] if to else []
    return []

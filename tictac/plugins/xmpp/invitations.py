"""Invitations to a room: sending, declining, and those that come back.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Iterable

from twisted.words.xish.domish import SerializedXML

from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.events import ChatSession, Event, Sessions, error
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.state import Occupant
from tictac.plugins.xmpp.xml import TTT, USER, tag

COMPUTER = "computer"
"""The computer's name in an address."""

MOST_MEMBERS = 500
MOST_INVITATIONS = 100
"""Maximum unanswered invitations of a room."""


def invite(room: MugRoom, sender: str, invitees: Iterable[tuple[str, str]]) -> list[Event]:
    """Invite people, each with a reason, or the computer."""
    inviter = room.occupants.at(sender)
    if inviter is None or not (room.options.invites or inviter.person == room.owner):
        raise Refused("forbidden", "only the owner may invite to this room")
    if room.match.status == "created":
        raise Refused("not-allowed", "the room can't be entered before it is configured")
    domain = parse(room.address).domain
    try:
        wanted = [(parse(to.strip()), reason) for to, reason in invitees]
    except ValueError as error:
        raise Refused("item-not-found", str(error)) from None
    people = [(who, reason) for who, reason in wanted if who.domain != domain]
    computers = [who for who, _ in wanted if who.domain == domain]
    for who in computers:
        if who.node not in ("", COMPUTER):
            raise Refused("item-not-found", f"{who!s:.80} isn't a person")
    events: list[Event] = []
    for who, reason in people:
        if room.options.members_only and room.affiliation(who.bare) == "none":
            if len(room.members) >= MOST_MEMBERS:
                raise Refused("resource-constraint", f"a room has {MOST_MEMBERS} members at most")
            room.members.add(who.bare)
            events += room.all_shown(room.occupants.persons(who.bare))
        events.append(invitation(room, who.bare, inviter, reason))
    if computers:
        events += _invite_computer(room, f"{COMPUTER}@{domain}", tuple(inviter.sessions))
    return events


def invitation(room: MugRoom, who: str, inviter: Occupant | None, reason: str) -> Event:
    """Note and return an invitation; without an ``inviter``, the room invites."""
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
    secret = room.options.secret if room.options.protected else ""
    password = tag("password", None, secret) if secret else None
    invited = tag("invited", {"from": name, "var": TTT}, _because(reason))
    # For clients without MUG.
    node, _, domain = room.address.partition("@")
    text = f"{name} invites you to tic-tac-toe. Write to {domain}: join {node} {secret}".rstrip()
    inner = tag("game", {"xmlns": USER}, invited, password) + tag("body", None, text)
    return Event(room.address, (ChatSession(who),), "message", inner, id=stanza_id)


def invite_again(room: MugRoom, people: Iterable[str]) -> list[Event]:
    """Invite people in the name of the owner, or of the room if the owner is absent."""
    owner = next(iter(room.occupants.persons(room.owner)), None)
    return [invitation(room, person, owner, "") for person in people]


def _invite_computer(room: MugRoom, person: str, to: Sessions) -> list[Event]:
    """Let the computer enter and take a free role, or decline in its name."""
    why = ""
    if room.occupants.computer() is not None:
        why = "I am here already"
    elif not room.free_roles() or room.match.is_shared:
        why = "there is no role for me"
    elif room.is_full:
        why = "there is no place for me"
    if why:
        return [_declined(room, to, person, why)]
    nick = room.occupants.free_nick(COMPUTER)
    newcomer = Occupant(nick, person, [], room.free_roles()[0], ready=True, computer=True)
    room.match.starts.clear()
    return room.let_in(newcomer) + room.start_the_ready()


def decline(room: MugRoom, person: str, inviter: str, reason: str) -> list[Event]:
    """Notify the inviter, whom the invitation named by nick or address."""
    host, _, nick = inviter.partition("/")
    named = room.occupants.named(nick)
    if host == room.address:
        host = room.owner if not nick else "" if named is None else named.person
    if room.invited.pop((person, host), None) is None:
        raise Refused("item-not-found", "that isn't who has invited you")
    return [_declined(room, room.occupants.persons(host).sessions(), person, reason)]


def unreachable(room: MugRoom, person: str, stanza_id: str) -> list[Event]:
    """Notify the inviter if the stanza that came back from ``person`` is an invitation.

    Only its id shows that: many servers, such as Prosody, send nothing else of it back.
    """
    for (invitee, inviter), sent in room.invited.items():
        if (invitee, sent) == (person, stanza_id):
            del room.invited[invitee, inviter]
            to = room.occupants.persons(inviter).sessions()
            game = tag("game", {"xmlns": USER}, tag("invite", {"to": person}))
            inner = game + error(Refused("item-not-found", "the invitation came back"))
            lines = (f"{person} can't be invited.",)
            return [Event(room.address, to, "message", inner, "", "error", lines)] if to else []
    return []


def _declined(room: MugRoom, to: Sessions, person: str, reason: str) -> Event:
    declined = tag("declined", {"from": person}, _because(reason))
    lines = (f"{person} declines{': ' if reason else ''}{reason}.",)
    game = tag("game", {"xmlns": USER}, declined)
    return Event(room.address, to, "message", game, lines=lines)


def _because(reason: str) -> SerializedXML | None:
    return tag("reason", None, reason) if reason else None

"""Invitations to a room: sending, declining, and undeliverable invitations.

People are invited by their address, or by their address in a room (``den@games.example/bob``),
which doesn't identify them. Then a decline, an invitation that comes back, and the list of
members show only that one (``known_as``). If they enter, the options of this room decide who sees
their own address.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from twisted.words.xish.domish import SerializedXML

from tictac.plugins.xmpp.addresses import Address, link, parse
from tictac.plugins.xmpp.events import ChatSession, Event, Sessions, error
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.state import Invitation, Occupant
from tictac.plugins.xmpp.xml import CONFERENCE, MUC_USER, USER, tag

COMPUTER = "computer"
"""The computer's name in an address."""

MOST_MEMBERS = 500
MOST_INVITATIONS = 100
"""Maximum unanswered invitations of a room."""


Present = Callable[[Address, str], Occupant]
"""Returns the occupant at a room address, for a person who is in that room. Raises Refused."""


def invite(
    room: MugRoom, sender: str, invitees: Iterable[tuple[str, str]], present: Present
) -> list[Event]:
    """Invite people, each with a reason, or the computer."""
    inviter = room.occupants.at(sender)
    if inviter is None or not (room.options.invites or inviter.person == room.owner):
        raise Refused("forbidden", "only the owner can invite to this room")
    if room.match.status == "created":
        raise Refused("not-allowed", "the room can't be entered before it is configured")
    domain = parse(room.address).domain
    computer = f"{COMPUTER}@{domain}"
    wanted: list[tuple[str, str, str]] = []  # a person, the address that is known, and the reason
    for to, reason in invitees:
        try:
            who = parse(to.strip())
        except ValueError as error:
            raise Refused("item-not-found", str(error)) from None
        if who.domain != domain:
            wanted.append((who.bare, "", reason))
        elif who.node in ("", COMPUTER):
            wanted.append((computer, "", reason))
        else:
            wanted.append((present(who, inviter.person).person, str(who), reason))
    events: list[Event] = []
    for person, known, reason in wanted:
        if person == computer:
            continue
        if room.options.members_only and room.affiliation(person) == "none":
            if len(room.members) >= MOST_MEMBERS:
                raise Refused("resource-constraint", f"a room has {MOST_MEMBERS} members at most")
            room.members.add(person)
            events += room.all_shown(room.occupants.persons(person))
        if known:
            room.known_as[person] = known
        events.append(invitation(room, person, inviter, reason))
    if any(person == computer for person, _, _ in wanted):
        events += _invite_computer(room, computer, tuple(inviter.sessions))
    return events


def invitation(room: MugRoom, who: str, inviter: Occupant | None, reason: str) -> Event:
    """Note and return an invitation; without an ``inviter``, the room invites."""
    if len(room.invited) >= MOST_INVITATIONS:
        _forget(room, *next(iter(room.invited)))
    room.invitations += 1
    stanza_id = f"invitation-{room.invitations}"
    if inviter is None:
        name = room.address
    elif room.options.anonymity == "non-anonymous":
        name = inviter.person
    else:
        name = f"{room.address}/{inviter.nick}"
    by = room.owner if inviter is None else inviter.person
    room.invited[who, by] = Invitation(stanza_id, name)
    secret = room.options.secret if room.options.protected else ""
    password = tag("password", None, secret) if secret else None
    invited = tag("invited", {"from": name, "var": room.match.mug.uri}, _because(reason))
    # For clients without MUG.
    node, _, domain = room.address.partition("@")
    title = room.match.mug.game_type.title
    text = f"{name} invites you to {title}. Write to {domain}: join {node} {secret}".rstrip()
    text += f"\nOr enter {link(parse(room.address), secret)}"
    chat = {"xmlns": CONFERENCE, "jid": room.address, "password": secret or None}
    inner = tag("game", {"xmlns": USER}, invited, password) + tag("body", None, text)
    invite = tag("invite", {"from": name}, _because(reason))
    inner += tag("x", {"xmlns": MUC_USER}, invite, password)
    inner += tag("x", {**chat, "reason": reason or None})
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
    elif not room.match.mug.game_type.levels:
        why = "I can't play this game"
    if why:
        return [_declined(room, to, person, why)]
    nick = room.occupants.free_nick(COMPUTER)
    newcomer = Occupant(nick, person, [], room.free_roles()[0], ready=True, computer=True)
    room.match.starts.clear()
    return room.let_in(newcomer) + room.start_the_ready()


def decline(room: MugRoom, person: str, inviter: str, reason: str, present: Present) -> list[Event]:
    """Notify the inviter, whom the decline names by a room address, or as the invitation did."""
    host, _, nick = inviter.partition("/")
    mine = ((by, sent) for (who, by), sent in room.invited.items() if who == person)
    by = next((by for by, sent in mine if inviter in (by, sent.by)), host)
    if (person, by) not in room.invited:
        with suppress(ValueError, Refused):
            named = room.occupants.named(nick)
            if host != room.address:
                named = present(parse(inviter), person)
            by = "" if named is None else named.person
    if (person, by) not in room.invited:
        raise Refused("item-not-found", "that isn't who has invited you")
    events = [_declined(room, room.occupants.persons(by).sessions(), person, reason)]
    _forget(room, person, by)
    return events


def unreachable(room: MugRoom, person: str, stanza_id: str) -> list[Event]:
    """Notify the inviter if the stanza that came back from ``person`` is an invitation.

    Only its id shows that: many servers, such as Prosody, send nothing else of it back.
    """
    for (invitee, inviter), sent in room.invited.items():
        if (invitee, sent.id) == (person, stanza_id):
            known = room.known_as.get(person, person)
            _forget(room, invitee, inviter)
            to = room.occupants.persons(inviter).sessions()
            game = tag("game", {"xmlns": USER}, tag("invite", {"to": known}))
            inner = game + error(Refused("item-not-found", "the invitation came back"))
            lines = (f"{known} can't be invited.",)
            return [Event(room.address, to, "message", inner, "", "error", lines)] if to else []
    return []


def _forget(room: MugRoom, person: str, by: str) -> None:
    del room.invited[person, by]
    forget_known(room, person)


def forget_known(room: MugRoom, person: str) -> None:
    """Forget how a person is known, unless they are a member or invited."""
    if person not in room.members and not any(who == person for who, _ in room.invited):
        room.known_as.pop(person, None)


def _declined(room: MugRoom, to: Sessions, person: str, reason: str) -> Event:
    known = room.known_as.get(person, person)
    declined = tag("declined", {"from": known}, _because(reason))
    lines = (f"{known} declines{': ' if reason else ''}{reason}.",)
    game = tag("game", {"xmlns": USER}, declined)
    return Event(room.address, to, "message", game, lines=lines)


def _because(reason: str) -> SerializedXML | None:
    return tag("reason", None, reason) if reason else None

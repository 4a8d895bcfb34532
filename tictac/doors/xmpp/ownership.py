"""What the owner of a room decides: options, roles, members, the next owner.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tictac.doors.xmpp.addresses import bare
from tictac.doors.xmpp.configuration import changed, game_form, room_form
from tictac.doors.xmpp.events import AFFILIATIONS, Affiliation, Event
from tictac.doors.xmpp.forms import Fields
from tictac.doors.xmpp.invitations import MOST_MEMBERS, invitation
from tictac.doors.xmpp.match import ROLES, Role, Status
from tictac.doors.xmpp.occupants import Occupant
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.room import Room
from tictac.doors.xmpp.xml import OWNER, TTT, Element, element


class Item(NamedTuple):
    """A change of what somebody, named by nick or jid, is or plays."""

    nick: str | None = None
    jid: str | None = None
    affiliation: str | None = None
    role: str | None = None


def require_owner(room: Room, person: str) -> None:
    """Raise Refused unless ``person`` owns the room."""
    if person != room.owner:
        raise Refused("forbidden", "only the owner may do that")


def require_time(room: Room, *statuses: Status, condition: str = "not-allowed") -> None:
    """Raise Refused unless the room is moderated or its match has one of these statuses."""
    if not room.options.moderated and room.match.status not in statuses:
        raise Refused(condition, f"not while the match is {room.match.status}")


# Options


def require_configurable(room: Room) -> None:
    """Raise Refused when options can't be changed now."""
    if room.saved or room.match.status not in ("created", "inactive"):
        raise Refused("not-allowed", "options can only be changed while there is no match")


def options(room: Room, person: str) -> Element:
    """The forms of the room and its game. Raises Refused."""
    require_owner(room, person)
    require_configurable(room)
    game = element(TTT, "options", None, game_form(room.match.rules))
    forms = element(OWNER, "options", None, room_form(room.options), game)
    return element(OWNER, "query", None, forms)


def configure(room: Room, person: str, fields: Fields) -> list[Event]:
    """Take the options that were filled in, and tell everybody."""
    require_owner(room, person)
    require_configurable(room)
    was_open = not room.options.members_only
    room.options, rules = changed(room.options, room.match.rules, fields)
    room.match.configure(rules)
    everybody = room.occupants.sessions()
    events: list[Event] = [room.told(everybody, reconfigured=True)]
    if was_open and room.options.members_only:
        room.members |= {o.person for o in room.occupants if o.person != room.owner}
        for occupant in room.occupants:
            events += room.shown(occupant, everybody)
    return events + room.start_the_ready()


def cancel(room: Room, person: str) -> list[Event]:
    """Leave the options as they are; before there were any, that is the end of the room."""
    require_owner(room, person)
    if room.match.status != "created":
        return []
    events: list[Event] = []
    for occupant in list(room.occupants):
        events += room.put_out(occupant)
    return events


# Roles


def give_roles(room: Room, person: str, items: Sequence[Item]) -> list[Event]:
    """Give roles to occupants and take them away: all of the items, or none."""
    require_owner(room, person)
    takes = any(item.role == "none" for item in items)
    require_time(room, "inactive", "paused", condition="forbidden" if takes else "not-allowed")
    if room.match.is_shared:
        raise Refused("not-allowed", "somebody plays who came another way")
    wanted = [(_present(room, item), _role(item.role)) for item in items]
    roles = {id(occupant): occupant.role for occupant in room.occupants}
    roles |= {id(occupant): role for occupant, role in wanted}
    given = [role for role in roles.values() if role]
    if len(given) > len(set(given)):
        raise Refused("conflict", "two can't have the same role")
    changing = [o for o in room.occupants if o.role != roles[id(o)]]
    lost = any(occupant.role for occupant in changing)
    for occupant in changing:
        occupant.role = roles[id(occupant)]
    everybody = room.occupants.sessions()
    events = [event for occupant, _ in wanted for event in room.shown(occupant, everybody)]
    if lost:
        room.match.pause()
    return events + room.drain() + (room.roles_changed() if changing else [])


def roles(room: Room, person: str, role: str) -> Element:
    """Who has a role, or any (``all``: everybody, also those without)."""
    require_owner(room, person)
    if role not in (*ROLES, "none", "all"):
        raise Refused("not-acceptable", f"{role!r:.40} isn't a role")
    found = [o for o in room.occupants if role in ("all", o.role or "none")]
    hidden = room.is_fully_anonymous
    return _items(
        {"role": o.role or "none", "nick": o.nick, "jid": None if hidden else o.jid or None}
        for o in found
    )


def _items(items: Iterable[Mapping[str, str | None]]) -> Element:
    return element(OWNER, "query", None, *(element(OWNER, "item", item) for item in items))


def _role(name: str | None) -> Role | None:
    for role in ROLES:
        if name == role:
            return role
    if name != "none":
        raise Refused("not-acceptable", f"{name!r:.40} isn't a role")
    return None


def _present(room: Room, item: Item) -> Occupant:
    if item.nick is not None:
        found = room.occupants.named(item.nick)
    else:
        jid = item.jid or ""
        found = room.occupants.at(jid) or next(iter(room.occupants.persons(bare(jid))), None)
    if found is None:
        raise Refused("item-not-found", "nobody like that is in the room")
    return found


# Members and owners


def affiliations(room: Room, person: str, affiliation: str) -> Element:
    """Who has an affiliation, or any (``all``).

    A fully anonymous room names those who are there by nick, and nobody else.
    """
    if room.affiliation(person) == "none":
        raise Refused("forbidden", "only members may know the members")
    everybody: list[tuple[Affiliation, str]] = [("owner", room.owner)]
    everybody += [("member", member) for member in sorted(room.members)]
    if affiliation not in (*AFFILIATIONS, "all"):
        raise Refused("not-acceptable", f"{affiliation!r:.40} isn't an affiliation")
    return _items(
        {"affiliation": each, **_name(room, who)}
        for each, who in everybody
        if affiliation in ("all", each)
    )


def _name(room: Room, person: str) -> dict[str, str]:
    if not room.is_fully_anonymous:
        return {"jid": person}
    present = room.occupants.persons(person)
    return {"nick": present[0].nick} if present else {}


def affiliate(room: Room, person: str, items: Sequence[Item]) -> list[Event]:
    """Make members, end memberships, or give the room away: all of the items, or none."""
    require_owner(room, person)
    wanted = [(_person(room, item), item.affiliation) for item in items]
    owners = [who for who, affiliation in wanted if affiliation == "owner"]
    _check_affiliations(room, wanted, owners)
    events: list[Event] = []
    for who, affiliation in wanted:
        if affiliation == "member":
            events += _grant(room, who)
        elif affiliation == "none":
            events += _revoke(room, who)
    return events + (_hand_over(room, owners[0]) if owners else [])


def _check_affiliations(
    room: Room, wanted: Iterable[tuple[str, str | None]], owners: Sequence[str]
) -> None:
    if len(owners) > 1:
        raise Refused("not-acceptable", "a room has one owner")
    if owners and not room.occupants.persons(owners[0]):
        raise Refused("item-not-found", "the next owner must be in the room")
    granted = 0
    for who, affiliation in wanted:
        if affiliation not in AFFILIATIONS:
            raise Refused("not-acceptable", f"{affiliation!r:.40} isn't an affiliation")
        if who == room.owner and affiliation != "owner":
            raise Refused("not-allowed", "a room can't be without an owner")
        if affiliation == "none" and who in room.members:
            require_time(room, "inactive")
        granted += affiliation == "member"
    if len(room.members) + granted > MOST_MEMBERS:
        raise Refused("resource-constraint", f"a room has {MOST_MEMBERS} members at most")


def _person(room: Room, item: Item) -> str:
    return bare(item.jid) if item.jid else _present(room, item).person


def _grant(room: Room, who: str) -> list[Event]:
    new, present = who not in room.members, room.occupants.persons(who)
    room.members.add(who)
    if new and not present and room.options.members_only:
        owner = next(iter(room.occupants.persons(room.owner)), None)
        return [invitation(room, who, owner, "")]
    return _shown(room, present)


def _revoke(room: Room, who: str) -> list[Event]:
    room.members.discard(who)
    present = room.occupants.persons(who)
    if not room.options.members_only:
        return _shown(room, present)
    return [event for occupant in present for event in room.put_out(occupant)]


def _hand_over(room: Room, who: str) -> list[Event]:
    before = room.owner
    room.owner = who
    room.members.discard(who)
    return _shown(room, [*room.occupants.persons(who), *room.occupants.persons(before)])


def _shown(room: Room, occupants: Iterable[Occupant]) -> list[Event]:
    everybody = room.occupants.sessions()
    return [event for occupant in occupants for event in room.shown(occupant, everybody)]

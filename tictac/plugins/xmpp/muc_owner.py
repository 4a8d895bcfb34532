"""The owner's requests by Multi-User Chat (XEP-0045): options, kicks, bans, lists, the end.

MUG has all of these but kicks and bans, under names of its own: this module only translates them.
Source: docs/reference/xmpp.md, "Multi-User Chat".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from twisted.words.xish.domish import Element, SerializedXML

from tictac.plugins.xmpp import ownership
from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.events import Event
from tictac.plugins.xmpp.fields import Fields, read_form
from tictac.plugins.xmpp.fields import form as form_of
from tictac.plugins.xmpp.forms import room_fields
from tictac.plugins.xmpp.invitations import MOST_MEMBERS
from tictac.plugins.xmpp.ownership import Item
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.xml import DATA, MUC_ADMIN, MUC_CONFIG, MUC_OWNER, first, tag, text_of

_MUC, _MUG = "muc#roomconfig_", "mug#roomconfig_"
_WHOIS = {"moderators": "semi-anonymous", "anyone": "non-anonymous"}
LONGEST_REASON = 200


def options(room: MugRoom, person: str) -> SerializedXML:
    """Return the form of the room. Raises Refused."""
    ownership.require_configurable(room, person)
    fields = room_fields(room.options, _MUC)
    return tag("query", {"xmlns": MUC_OWNER}, form_of("form", MUC_CONFIG, "The room", fields))


def change(room: MugRoom, person: str, query: Element) -> list[Event]:
    """Set options, close the room, or leave it as it is. Raises Refused."""
    ownership.require_owner(room, person)
    attendance = room.attendance
    if (destroy := first(query, MUC_OWNER, "destroy")) is not None:
        reason = first(destroy, MUC_OWNER, "reason")
        why = "" if reason is None else text_of(reason)[:LONGEST_REASON]
        if attendance is not None:
            attendance.next_room = _next_room(destroy)
        return _close(room, why or "The room is closed.")
    x = first(query, DATA, "x")
    if x is None:
        raise Refused("bad-request", "a form is needed, or destroy")
    kind, fields = read_form(x)
    if kind not in ("submit", "cancel"):
        raise Refused("bad-request", "a form of type submit or cancel is needed")
    is_new = attendance is not None and attendance.is_new
    if kind == "cancel":
        # As long as its options aren't accepted, the room doesn't exist for good (section 10.1.4).
        return _close(room, "The room isn't wanted.") if is_new else []
    if attendance is not None:
        attendance.is_new = False
    given = _as_mug(fields)
    return ownership.configure(room, person, [given]) if given else []


def _close(room: MugRoom, last_words: str) -> list[Event]:
    if room.attendance is not None:
        room.attendance.last_words = last_words
    return [event for o in list(room.occupants) for event in room.put_out(o, "closed")]


def _next_room(destroy: Element) -> tuple[str, str]:
    """Return the address and password of the room to which a closed one points. Raises Refused."""
    jid, password = destroy.getAttribute("jid"), first(destroy, MUC_OWNER, "password")
    try:
        address = "" if jid is None else str(parse(jid.strip()))
    except ValueError as error:
        raise Refused("jid-malformed", str(error)) from None
    return address, "" if password is None else text_of(password)[:LONGEST_REASON]


def _as_mug(fields: Fields) -> Fields:
    """Return the fields of a MUC client's form under MUG's names, where MUG has them."""
    given = {_MUG + key.removeprefix(_MUC): v for key, v in fields.items() if key.startswith(_MUC)}
    for value in given.pop(f"{_MUG}whois", ())[:1]:
        given[f"{_MUG}anonymity"] = (_WHOIS.get(value, value),)
    return given


def give(
    room: MugRoom, person: str, items: Sequence[Item], check_owner: Callable[[str], None]
) -> list[Event]:
    """Kick occupants (role ``none``), ban people, or give affiliations. Raises Refused."""
    ownership.require_owner(room, person)
    if any(item.role is not None and item.affiliation is not None for item in items):
        raise Refused("bad-request", "an item has an affiliation or a role")  # section 17.4
    if all(item.role is None for item in items):
        return _affiliate(room, person, items, check_owner)
    kicked = [ownership.present(room, item) for item in items]
    if any(item.role != "none" for item in items):
        raise Refused("not-allowed", "roles in the chat follow from the match")
    if any(occupant.person in (room.owner, "") for occupant in kicked):
        raise Refused("not-allowed", "the owner can't be removed")
    if any(occupant.elsewhere for occupant in kicked):
        raise Refused("not-allowed", "players from the lobby can't be removed")
    return [event for occupant in kicked for event in room.put_out(occupant, "kicked")]


def _affiliate(
    room: MugRoom, person: str, items: Sequence[Item], check_owner: Callable[[str], None]
) -> list[Event]:
    """Ban people (``outcast``), or give MUG's affiliations, which end a ban: all, or none."""
    who = [
        ownership.person_at(room, item.jid) if item.jid else ownership.present(room, item).person
        for item in items
    ]
    out = {each for each, item in zip(who, items, strict=True) if item.affiliation == "outcast"}
    if room.owner in out:
        raise Refused("conflict", "you can't ban yourself")  # section 9.1
    given = [item for item in items if item.affiliation != "outcast"]
    if any(
        each == room.owner and item.affiliation not in ("owner", "outcast")
        for each, item in zip(who, items, strict=True)
    ):
        raise Refused("conflict", "a room can't be without an owner")  # section 10.4
    if len(room.banned | out) > MOST_MEMBERS:
        raise Refused("resource-constraint", f"up to {MOST_MEMBERS} people can be banned")
    events = ownership.affiliate(room, person, given, check_owner) if given else []
    room.banned = (room.banned - set(who)) | out
    room.members -= out
    banned = [o for each in sorted(out) for o in room.occupants.persons(each) if not o.elsewhere]
    return events + [event for occupant in banned for event in room.put_out(occupant, "banned")]


def listed(room: MugRoom, person: str, affiliation: str, role: str) -> SerializedXML:
    """Return the people with an affiliation or role; there are no admins.

    Raises:
        Refused: The person has no right to know that.
    """
    if affiliation in ("outcast", "admin"):
        ownership.require_owner(room, person)
        banned = sorted(room.banned) if affiliation == "outcast" else ()
        jids = (tag("item", {"affiliation": affiliation, "jid": jid}) for jid in banned)
        return tag("query", {"xmlns": MUC_ADMIN}, *jids)
    if not affiliation:
        ownership.require_owner(room, person)
        hidden = room.options.anonymity == "fully-anonymous"
        items = [
            {
                "nick": o.nick,
                "role": role,
                "affiliation": room.affiliation(o.person),
                "jid": None if hidden else o.jid or None,
            }
            for o in room.occupants
            if role == ("moderator" if o.person == room.owner else "participant")
        ]
        return tag("query", {"xmlns": MUC_ADMIN}, *(tag("item", item) for item in items))
    return ownership.affiliations(room, person, affiliation, MUC_ADMIN)

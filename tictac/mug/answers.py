"""What a room answers when it is asked about itself: lists and forms as elements."""

from __future__ import annotations

from tictac.mug import directory, ownership
from tictac.mug.configuration import game_form, room_form
from tictac.mug.refusals import Refused
from tictac.mug.requests import Discover
from tictac.mug.room import Room
from tictac.mug.xml import OWNER, TTT, Element, element


def discovered(room: Room, sender: str, request: Discover) -> Element:
    """disco#info and disco#items of a room or an occupant. Raises Refused."""
    if request.nick:
        if room.occupants.at(sender) is None:
            raise Refused("bad-request", "only occupants may ask that")
        if request.what == "items":
            return directory.items([], request.node)
        raise Refused("service-unavailable", "nothing is known of that")
    if request.node is not None:
        raise Refused("item-not-found", "there is no such node")
    if request.what == "info":
        return directory.room_info(room)
    return directory.items(directory.occupants(room))


def options(room: Room, person: str) -> Element:
    """The forms of the room and its game. Raises Refused."""
    ownership.require_owner(room, person)
    ownership.require_configurable(room)
    game = element(TTT, "options", None, game_form(room.match.rules))
    return element(
        OWNER, "query", None, element(OWNER, "options", None, room_form(room.options), game)
    )


def roles(room: Room, person: str, role: str) -> Element:
    """Who has which role. Raises Refused."""
    found = ownership.roles(room, person, role)
    hidden = room.is_fully_anonymous
    items = (
        element(
            OWNER,
            "item",
            {"role": o.role or "none", "nick": o.nick, "jid": None if hidden else o.jid},
        )
        for o in found
    )
    return element(OWNER, "query", None, *items)


def affiliations(room: Room, person: str, affiliation: str) -> Element:
    """Who has which affiliation. Raises Refused.

    A fully anonymous room names those who are there by nick, and nobody else.
    """
    found = ownership.affiliated(room, person, affiliation)
    items = (
        element(OWNER, "item", {"affiliation": a, **_name(room, person)}) for a, person in found
    )
    return element(OWNER, "query", None, *items)


def _name(room: Room, person: str) -> dict[str, str]:
    if not room.is_fully_anonymous:
        return {"jid": person}
    present = room.occupants.persons(person)
    return {"nick": present[0].nick} if present else {}

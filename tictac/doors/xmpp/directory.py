"""What can be found out about rooms: disco (XEP-0030) and search (XEP-0055).

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tictac.doors.xmpp.configuration import MAX_USERS
from tictac.doors.xmpp.forms import Field, Fields, form, one, read_flag, result_table
from tictac.doors.xmpp.match import ROLES
from tictac.doors.xmpp.queries import COMMANDS, INFO, ITEMS, SEARCH
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.requests import Discover
from tictac.doors.xmpp.room import Room
from tictac.doors.xmpp.xml import MUG, TTT, Element, element

CATEGORY = "board"
GAMES = (TTT, "mug/tictactoe", "mug#tictactoe")
_ROOM = "mug#roomsearch_"
_ROLES = (*ROLES, *(str(number) for number in range(1, len(ROLES) + 1)))
_NUMBER = re.compile("[0-9]{1,4}")
_STATUSES = ("created", "inactive", "active", "paused")


def service_info(name: str) -> Element:
    """disco#info of the service."""
    return info(_game(name), [INFO, ITEMS, SEARCH, MUG, TTT, COMMANDS])


def room_info(room: Room) -> Element:
    """disco#info of a room."""
    name = _game(room.options.name or room.address)
    return info(name, [MUG, TTT, *_features(room)], None, _matchinfo(room))


def items(found: Iterable[Mapping[str, str]], node: str | None = None) -> Element:
    """disco#items: what each is called, and where it is."""
    return element(ITEMS, "query", {"node": node}, *(element(ITEMS, "item", i) for i in found))


def discovered(room: Room, sender: str, request: Discover) -> Element:
    """disco#info and disco#items of a room or an occupant. Raises Refused."""
    if request.nick:
        if room.occupants.at(sender) is None:
            raise Refused("bad-request", "only occupants may ask that")
        if request.what == "items":
            return items([], request.node)
        raise Refused("service-unavailable", "nothing is known of that")
    if request.node is not None:
        raise Refused("item-not-found", "there is no such node")
    if request.what == "info":
        return room_info(room)
    nicks = (occupant.nick for occupant in room.occupants)
    return items({"jid": f"{room.address}/{nick}", "name": nick} for nick in nicks)


def is_listed(room: Room) -> bool:
    """Whether everybody may know that the room exists."""
    return room.options.public and room.match.status != "created"


def _game(name: str) -> dict[str, str]:
    return {"category": "game", "type": "multi-user", "name": name}


def info(
    identity: Mapping[str, str], features: Iterable[str], node: str | None = None, *more: Element
) -> Element:
    """disco#info: what something is, and what it can."""
    told = (element(INFO, "feature", {"var": feature}) for feature in features)
    identified = element(INFO, "identity", identity)
    return element(INFO, "query", {"node": node}, identified, *told, *more)


def _features(room: Room) -> list[str]:
    options = room.options
    return [
        "mug_passwordprotected" if options.protected else "mug_unsecured",
        "mug_membersonly" if options.members_only else "mug_open",
        "mug_moderated" if options.moderated else "mug_unmoderated",
        "mug_public" if options.public else "mug_hidden",
        f"mug_{options.anonymity.replace('-', '')}",
    ]


def _matchinfo(room: Room) -> Element:
    limit = room.options.max_users
    values = {
        "game": TTT,
        "match_description": room.options.description,
        "match_occupants": str(len(room.occupants)),
        "match_players": str(len(room.occupants.players())),
        "match_maxoccupants": "none" if limit is None else str(limit),
    }
    fields = [Field(f"mug#{name}", "text-single", "", (value,)) for name, value in values.items()]
    return form("result", f"{MUG}#matchinfo", "", fields)


# Search


def search_form() -> Element:
    """The form to be filled in."""
    fields = [
        Field(_ROOM + "name", "text-single", "Name of the room"),
        Field(_ROOM + "saved", "boolean", "Saved rooms"),
        Field(_ROOM + "roles", "list-single", "A role, or so many, that are free", (), _ROLES),
        Field(_ROOM + "max_occupants", "list-single", "Occupants at most", (), MAX_USERS),
        Field(_ROOM + "category", "list-single", "Kind of game", (), (CATEGORY,)),
        Field(_ROOM + "game", "list-multi", "Game", (), (TTT,)),
    ]
    return element(SEARCH, "query", None, form("form", SEARCH, "Search for rooms", fields))


def search(rooms: Iterable[Room], fields: Fields) -> Element:
    """The rooms that were asked for. Raises Refused for a question that makes no sense."""
    columns = [
        Field("status", "text-single", "Status"),
        Field("category", "text-single", "Kind of game"),
        Field("game", "text-single", "Game"),
        Field("jid", "jid-single", "Address"),
    ]
    found = [(r.match.status, CATEGORY, TTT, r.address) for r in _matching(rooms, fields)]
    return element(SEARCH, "query", None, result_table(columns, found))


def _asked(fields: Fields, name: str) -> str | None:
    """What was filled in, in lower case; an empty field is none."""
    return (one(fields, _ROOM + name) or one(fields, name) or "").lower() or None


def _games(fields: Fields) -> set[str]:
    given = fields.get(_ROOM + "game") or fields.get("game") or ()
    return {game.strip() for game in given} - {""}


def _matching(rooms: Iterable[Room], fields: Fields) -> Iterator[Room]:
    category, games = _asked(fields, "category"), _games(fields)
    if category and games:
        raise Refused("bad-request", "ask for a category or for games, not for both")
    if (category and category != CATEGORY) or (games and not games & set(GAMES)):
        return
    name, saved = _asked(fields, "name"), _asked(fields, "saved")
    status, role = _asked(fields, "status"), _asked(fields, "roles")
    most = _asked(fields, "max_occupants")
    _check(status, role, most)
    wants_saved = None if saved is None else read_flag(saved)
    for room in rooms:
        if (
            (name is None or name in f"{room.options.name} {room.address}".lower())
            and (wants_saved is None or wants_saved == room.saved)
            and (status is None or _has_status(room, status))
            and (role is None or _has_free(room, role))
            and (most is None or _within(room, most))
        ):
            yield room


def _check(status: str | None, role: str | None, most: str | None) -> None:
    if role is not None and _NUMBER.fullmatch(role):
        role = None
    for value, known in (status, _STATUSES), (role, _ROLES), (most, MAX_USERS):
        if value is not None and value not in known:
            raise Refused("not-acceptable", f"{value!r:.40} isn't one of {', '.join(known)}")


def _has_status(room: Room, status: str) -> bool:
    return room.match.status == status or (status, room.match.status) == ("active", "paused")


def _has_free(room: Room, role: str) -> bool:
    free = room.free_roles()
    return role in free or (role not in ROLES and len(free) >= int(role))


def _within(room: Room, most: str) -> bool:
    limit = room.options.max_users
    return most == "none" or (limit is not None and limit <= int(most))

"""Answers about rooms: disco (XEP-0030) and search (XEP-0055).

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from twisted.words.xish.domish import SerializedXML

from tictac.lobby.room import Room as Table
from tictac.plugins.xmpp.chat_rooms import described
from tictac.plugins.xmpp.fields import Field, Fields, form, one, read_flag, result_table
from tictac.plugins.xmpp.forms import MAX_USERS
from tictac.plugins.xmpp.muc import View
from tictac.plugins.xmpp.mug_games import known_roles, short_name, uris
from tictac.plugins.xmpp.paging import Found, Key, Page
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.registry import Rooms
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.xml import COMMANDS, INFO, ITEMS, MUC, MUG, PING, RSM, SEARCH, tag

CATEGORIES = ("board", "other")
_ROOM = "mug#roomsearch_"
_ROLES = ("x", "o", "1", "2")
_STATUSES = ("created", "inactive", "active", "paused")


SELF_PING = "http://jabber.org/protocol/muc#self-ping-optimization"
STABLE_ID = f"{MUC}#stable_id"
UNKNOWN_NODES = ("x-roomuser-item", f"{MUC}#traffic")
"""Nodes of MUC for reserved nicks and for extensions that pass, of which rooms have neither."""


def service() -> list[str]:
    """Return the features of the service."""
    return [INFO, ITEMS, SEARCH, MUG, *uris(), COMMANDS, MUC, STABLE_ID, RSM]


def items(found: Iterable[Mapping[str, str]], node: str | None = None) -> SerializedXML:
    """Return disco#items: names and addresses."""
    return tag("query", {"xmlns": ITEMS, "node": node}, *(tag("item", item) for item in found))


def rooms(rooms: Rooms, page: Page) -> SerializedXML:
    """Return the disco#items of the service: a page of its rooms, and of the lobby's."""
    found: Found[MugRoom | Table] = rooms.gateway.listing.read(page, rooms.listed)
    named = map(rooms.title, found.values)
    shown = (tag("item", {"jid": jid, "name": name}) for jid, name in named)
    return tag("query", {"xmlns": ITEMS}, *shown, found.set(page, rooms.domain))


def discovered(room: MugRoom, sender: str, what: str, nick: str, node: str | None) -> SerializedXML:
    """Return disco#info or disco#items of a room or its occupant ``nick``. Raises Refused."""
    if nick:
        if room.occupants.at(sender) is None:
            raise Refused("bad-request", "only occupants can ask that")
        if what == ITEMS:
            return items([], node)
        raise Refused("service-unavailable", "nothing is known of that")
    if node is not None:
        raise Refused("item-not-found", "there is no such node")
    if what == ITEMS:
        nicks = (occupant.nick for occupant in room.occupants)
        return items({"jid": f"{room.address}/{nick}", "name": nick} for nick in nicks)
    options, limit = room.options, room.options.max_users
    features = (
        "passwordprotected" if options.protected else "unsecured",
        "membersonly" if options.members_only else "open",
        "moderated" if options.moderated else "unmoderated",
        "public" if options.public else "hidden",
        options.anonymity.replace("-", ""),
    )
    values = {
        "game": room.match.mug.uri,
        "match_description": options.description,
        "match_occupants": str(len(room.occupants)),
        "match_players": str(len(room.occupants.players())),
        "match_maxoccupants": "none" if limit is None else str(limit),
    }
    fields = [
        Field(f"mug#{name}", "hidden" if name == "game" else "text-single", "", (value,))
        for name, value in values.items()
    ]
    match_form = form("result", f"{MUG}#matchinfo", "", fields)
    anonymity = "nonanonymous" if options.anonymity == "non-anonymous" else "semianonymous"
    # In a moderated chat, visitors couldn't talk. MUG's word is about the roles in the match.
    talk = ("unmoderated" if each.endswith("moderated") else each for each in features[:-1])
    chat = (*talk, anonymity, "temporary")
    can = [MUG, room.match.mug.uri, *(f"mug_{feature}" for feature in features)]
    can += [MUC, PING, SELF_PING, STABLE_ID, *(f"muc_{feature}" for feature in chat)]
    more = _room_info(options.description, len(room.occupants))
    return info(options.name or room.address, can, match_form, more, chats=True)


def _room_info(description: str, occupants: int) -> SerializedXML:
    """Return the form in which chat clients read of a room before they enter it."""
    fields = [
        Field("muc#roominfo_description", "text-single", "", (description,)),
        Field("muc#roominfo_occupants", "text-single", "", (str(occupants),)),
    ]
    return form("result", f"{MUC}#roominfo", "", fields)


def table(room: Table, node: str, domain: str, view: View | None, what: str) -> SerializedXML:
    """Return disco#info or disco#items of a room of the lobby, for MUC clients."""
    if what == ITEMS:
        seen = () if view is None else view.occupants.values()
        return items({"jid": f"{node}@{domain}/{each.nick}", "name": each.nick} for each in seen)
    secret = "unsecured" if room.terms.key is None else "passwordprotected"
    public = "public" if room.terms.key is None else "hidden"
    access = (secret, "open", "unmoderated", public, "semianonymous", "temporary")
    kind, can = ("conference", "text"), [MUC, PING, SELF_PING, STABLE_ID]
    more = _room_info(room.terms.game_type.goal, len(room.players) + len(room.viewers))
    return info(described(room, node), [*can, *(f"muc_{each}" for each in access)], more, kind=kind)


def info(
    name: str,
    features: Iterable[str],
    *more: str,
    kind: tuple[str, str] = ("game", "multi-user"),
    node: str | None = None,
    chats: bool = False,
) -> SerializedXML:
    """Return disco#info: an identity, for ``chats`` also that of a chat, and its features."""
    found = (tag("feature", {"var": feature}) for feature in features)
    kinds = [kind, ("conference", "text")] if chats else [kind]
    identities = (tag("identity", {"category": c, "type": t, "name": name}) for c, t in kinds)
    return tag("query", {"xmlns": INFO, "node": node}, *identities, *found, *more)


# Search


def search_form() -> SerializedXML:
    """Return the form of a search."""
    fields = [
        Field(_ROOM + "name", "text-single", "Name of the room"),
        Field(_ROOM + "saved", "boolean", "Saved rooms"),
        Field(_ROOM + "roles", "list-single", "A free role, or a number of free roles", (), _ROLES),
        Field(_ROOM + "max_occupants", "list-single", "Occupants at most", (), MAX_USERS),
        Field(_ROOM + "category", "list-single", "Kind of game", (), CATEGORIES),
        Field(_ROOM + "game", "list-multi", "Game", (), tuple(uris())),
    ]
    instructions = "Fill in what a room must have. An empty form finds all public rooms."
    return tag(
        "query", {"xmlns": SEARCH}, form("form", SEARCH, "Search for rooms", fields, instructions)
    )


def search(rooms: Rooms, fields: Fields, page: Page) -> SerializedXML:
    """Return a page of the rooms that match a search.

    Raises:
        Refused: The search is a contradiction.
    """
    columns = [
        Field("status", "list-single", "Status"),
        Field("category", "text-single", "Kind of game"),
        Field("game", "text-single", "Game"),
        Field("jid", "jid-single", "Address"),
    ]
    matches = _matching(fields)

    def find(key: Key) -> MugRoom | None:
        room = rooms.shown(key)
        return room if room is not None and matches(room) else None

    found = rooms.gateway.listing.read(page, find)
    rows = [
        (r.match.status, r.match.mug.category, r.match.mug.uri, r.address) for r in found.values
    ]
    table = result_table(SEARCH, columns, rows)
    return tag("query", {"xmlns": SEARCH}, table, found.set(page, rooms.domain))


def _asked(fields: Fields, name: str, known: tuple[str, ...] = ()) -> str | None:
    """Return the value of a field in lower case, or None if it is empty. Raises Refused."""
    value = (one(fields, _ROOM + name) or one(fields, name) or "").lower() or None
    if value and known and value not in known:
        raise Refused("not-acceptable", f"{value!r:.40} isn't one of {', '.join(known)}")
    return value


def _matching(fields: Fields) -> Callable[[MugRoom], bool]:
    """Return whether a room matches a search. Raises Refused."""
    category = _asked(fields, "category")
    games = {game.strip() for game in fields.get(_ROOM + "game") or fields.get("game") or ()} - {""}
    if category and games:
        raise Refused("bad-request", "ask for a category or for games, not for both")
    name, saved = _asked(fields, "name"), _asked(fields, "saved")
    status, most = _asked(fields, "status", _STATUSES), _asked(fields, "max_occupants", MAX_USERS)
    free = _asked(fields, "roles")
    count = int(free) if free is not None and re.fullmatch("[0-9]{1,4}", free) else None
    if free is not None and count is None:
        _asked(fields, "roles", known_roles())
    wants_saved = None if saved is None else read_flag(saved)

    def matches(room: MugRoom) -> bool:
        known, limit, mug = room.match.status, room.options.max_users, room.match.mug
        short = short_name(mug)
        return (
            (not category or category == mug.category)
            and (not games or not games.isdisjoint((mug.uri, short, short.replace("/", "#"))))
            and (name is None or name in f"{room.options.name} {room.address}".lower())
            and wants_saved in (None, room.saved)
            and (status in (None, known) or (status, known) == ("active", "paused"))
            and (free is None or _is_free(room, free, count))
            and (most in (None, "none") or (limit is not None and limit <= int(most)))
        )

    return matches


def _is_free(room: MugRoom, role: str, count: int | None) -> bool:
    """Return whether a role, or so many, are free in a room."""
    free = room.free_roles()
    return role in free if count is None else len(free) >= count

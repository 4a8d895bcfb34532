"""The owner's requests: options, roles, members, the next owner, and saving the room.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.games.tictactoe.rules import EMPTY, NAMES, Mark
from tictac.lobby.terms import terms_for
from tictac.plugins.xmpp.addresses import parse
from tictac.plugins.xmpp.events import Event
from tictac.plugins.xmpp.fields import Fields, form
from tictac.plugins.xmpp.forms import INSTRUCTIONS, Options, changed, check_form_type, room_form
from tictac.plugins.xmpp.invitations import MOST_MEMBERS, forget_known, invite_again
from tictac.plugins.xmpp.match import Status
from tictac.plugins.xmpp.mug_elements import Role
from tictac.plugins.xmpp.mug_games import form_type, mug_game
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.room import MugRoom
from tictac.plugins.xmpp.state import AFFILIATIONS, Occupant, Roster
from tictac.plugins.xmpp.xml import OWNER, TTT, tag

MOST_RETURNING = 100
"""Maximum people to invite when a room is loaded."""


class Item(NamedTuple):
    """A change of the affiliation or role of a person, named by nick or jid."""

    nick: str | None
    jid: str | None
    affiliation: str | None
    role: str | None


def require_owner(room: MugRoom, person: str) -> None:
    """Raise Refused unless ``person`` owns the room."""
    if person != room.owner:
        raise Refused("forbidden", "only the owner can do that")


def _require_time(room: MugRoom, *statuses: Status, condition: str = "not-allowed") -> None:
    """Raise Refused unless the room is moderated or its match has one of these statuses."""
    if not room.options.moderated and room.match.status not in statuses:
        raise Refused(condition, f"not while the match is {room.match.status}")


# Options


def require_configurable(room: MugRoom, person: str) -> None:
    """Raise Refused unless ``person`` can change the options now."""
    require_owner(room, person)
    if room.match.status not in ("created", "inactive"):
        raise Refused("not-allowed", "options can only be changed while there is no match")


def options(room: MugRoom, person: str) -> SerializedXML:
    """Return the forms of the room and its game. Raises Refused."""
    require_configurable(room, person)
    mug, terms = room.match.mug, room.match.terms
    game = form("form", form_type(mug), "The game", mug.fields(terms), INSTRUCTIONS)
    theirs = tag("options", {"xmlns": mug.uri}, game)
    return tag("query", {"xmlns": OWNER}, tag("options", None, room_form(room.options), theirs))


def configure(
    room: MugRoom, person: str, forms: Sequence[Fields], state: Element | None = None
) -> list[Event]:
    """Apply the options of forms and a custom initial state, and notify all occupants.

    Raises:
        Refused: The person can't configure the room now, or a value is impossible.
    """
    require_configurable(room, person)
    mug, fields = room.match.mug, dict[str, tuple[str, ...]]()
    for each in forms:
        check_form_type(each, form_type(mug))
        fields |= each
    options, terms = changed(room.options, fields), mug.changed(room.match.terms, fields)
    if state is not None and state.uri != mug.uri:
        raise Refused("not-acceptable", f"an initial state here is one of {mug.uri}")
    start = None if state is None else mug.read_start(terms, state)
    was_open, chat = not room.options.members_only, room.options.chat
    room.options = options
    room.match.configure(terms, start)
    given_up = [o for o in room.occupants.players() if o.role not in room.match.roles]
    for occupant in given_up:
        occupant.role = None
    events = room.state_presences(room.occupants.sessions(), reconfigured=True)
    events += room.all_shown(given_up)
    if was_open and room.options.members_only:
        room.members |= {o.person for o in room.occupants if o.person != room.owner}
        events += room.all_shown(room.occupants)
    if chat != room.options.chat:
        events += room.talk_elsewhere(room.occupants.sessions())
    return events + room.start_the_ready()


def cancel(room: MugRoom, person: str) -> list[Event]:
    """Leave the options unchanged; a room that was never configured ends."""
    require_owner(room, person)
    gone = list(room.occupants) if room.match.status == "created" else []
    return [event for occupant in gone for event in room.put_out(occupant)]


# Roles


def give_roles(room: MugRoom, person: str, items: Sequence[Item]) -> list[Event]:
    """Give roles to occupants or take them away: all items, or none."""
    require_owner(room, person)
    takes = any(item.role == "none" for item in items)
    _require_time(room, "inactive", "paused", condition="forbidden" if takes else "not-allowed")
    if room.match.is_shared:
        raise Refused("not-allowed", "a player is here by another protocol")
    wanted = [(present(room, item), room.role_named(item.role)) for item in items]
    roles = {id(occupant): occupant.role for occupant in room.occupants}
    roles |= {id(occupant): role for occupant, role in wanted}
    given = [role for role in roles.values() if role]
    if len(given) > len(set(given)):
        raise Refused("conflict", "two can't have the same role")
    changing = [o for o in room.occupants if o.role != roles[id(o)]]
    lost = any(occupant.role for occupant in changing)
    for occupant in changing:
        occupant.role = roles[id(occupant)]
    events = room.all_shown(occupant for occupant, _ in wanted)
    if lost:
        room.match.pause()
    return events + room.drain() + (room.roles_changed() if changing else [])


def roles(room: MugRoom, person: str, role: str) -> SerializedXML:
    """Return the occupants with a role; ``all`` is every occupant, ``none`` those without."""
    require_owner(room, person)
    if role not in (*room.match.roles, "none", "all"):
        raise Refused("not-acceptable", f"{role!r:.40} isn't a role")
    hidden = room.options.anonymity == "fully-anonymous"
    return _items(
        {"role": o.role or "none", "nick": o.nick, "jid": None if hidden else o.jid or None}
        for o in room.occupants
        if role in ("all", o.role or "none")
    )


def _items(items: Iterable[Mapping[str, str | None]], uri: str = OWNER) -> SerializedXML:
    return tag("query", {"xmlns": uri}, *(tag("item", item) for item in items))


def present(room: MugRoom, item: Item) -> Occupant:
    """Return the occupant that an item names. Raises Refused."""
    if item.nick is not None:
        found = room.occupants.named(item.nick)
    else:
        jid = item.jid or ""
        people = room.occupants.persons(person_at(room, jid))
        found = room.occupants.at(jid) or next(iter(people), None)
    if found is None:
        raise Refused("item-not-found", "the room has no such occupant")
    return found


def person_at(room: MugRoom, jid: str) -> str:
    """Return the person at an address, also one in this room, or one that the room shows."""
    address = parse(jid)
    if address.domain != parse(room.address).domain:
        return address.bare
    named = room.occupants.named(address.resource) if address.bare == room.address else None
    shown = (person for person, known in room.known_as.items() if known == jid)
    if found := named.person if named is not None and named.sessions else next(shown, None):
        return found
    raise Refused("item-not-found", f"{jid:.80} isn't the address of a person")


# Members and owners


def affiliations(room: MugRoom, person: str, affiliation: str, uri: str = OWNER) -> SerializedXML:
    """Return the people with an affiliation; ``all`` is every owner and member.

    A fully anonymous room gives only the nicks of people who are in the room.
    """
    if room.affiliation(person) == "none":
        raise Refused("forbidden", "only members can list the members")
    if affiliation not in (*AFFILIATIONS, "all"):
        raise Refused("not-acceptable", f"{affiliation!r:.40} isn't an affiliation")
    hidden, items = room.options.anonymity == "fully-anonymous", []
    for who in (room.owner, *sorted(room.members)):
        present = room.occupants.persons(who)
        name = (
            {"nick": present[0].nick if present else None}
            if hidden
            else {"jid": room.known_as.get(who, who)}
        )
        items.append({"affiliation": room.affiliation(who), **name})
    return _items((i for i in items if affiliation in ("all", i["affiliation"])), uri)


def affiliate(
    room: MugRoom, person: str, items: Sequence[Item], check_owner: Callable[[str], None]
) -> list[Event]:
    """Change members, or give the room to another owner: all items, or none.

    ``check_owner`` raises Refused for a person who can't own another room.
    """
    require_owner(room, person)
    wanted = {
        person_at(room, item.jid) if item.jid else present(room, item).person: item.affiliation
        for item in items
    }
    owners = [who for who, affiliation in wanted.items() if affiliation == "owner"]
    new = {who for who, affiliation in wanted.items() if affiliation == "member"} - room.members
    if len(owners) > 1:
        raise Refused("not-acceptable", "a room has one owner")
    if owners and not room.occupants.persons(owners[0]):
        raise Refused("item-not-found", "the next owner must be in the room")
    if owners and owners[0] != room.owner:
        check_owner(owners[0])
    for who, affiliation in wanted.items():
        if affiliation not in AFFILIATIONS:
            raise Refused("not-acceptable", f"{affiliation!r:.40} isn't an affiliation")
        if who == room.owner and affiliation != "owner":
            raise Refused("not-allowed", "a room can't be without an owner")
        if affiliation == "none" and who in room.members:
            _require_time(room, "inactive")
    if len(room.members) + len(new) > MOST_MEMBERS:
        raise Refused("resource-constraint", f"a room has {MOST_MEMBERS} members at most")
    return [e for who, affiliation in wanted.items() for e in _affiliate(room, who, affiliation)]


def _affiliate(room: MugRoom, who: str, affiliation: str | None) -> list[Event]:
    changed, is_new = room.occupants.persons(who), who not in room.members
    room.members.discard(who)
    if affiliation == "none":
        forget_known(room, who)
    if affiliation == "owner":
        changed = Roster([*changed, *room.occupants.persons(room.owner)])
        room.owner = who
    elif affiliation == "member":
        room.members.add(who)
        if is_new and not changed and room.options.members_only:
            return invite_again(room, [who])
    elif room.options.members_only:
        return [event for occupant in changed for event in room.put_out(occupant, "excluded")]
    return room.all_shown(changed)


# Saving


def save(room: MugRoom, person: str) -> tuple[bytes, list[Event]]:
    """Return the content to save, and the events to send after that.

    From now on, the room lets no client enter. All occupants leave when the room is saved.
    """
    require_owner(room, person)
    if room.match.status == "created":
        raise Refused("not-allowed", "the room isn't configured yet")
    _require_time(room, "inactive")
    if room.match.is_shared:
        raise Refused("not-allowed", "a player is here by another protocol")
    room.match.starts.clear()
    gone = [room.gone(o, tuple(o.sessions), "saved") for o in room.occupants if o.sessions]
    room.saved = True
    return dump(room), gone


def saved(room: MugRoom) -> None:
    """Remove the occupants of a saved room, and close its room of the lobby."""
    room.returning, room.occupants = _roles(room), Roster()
    room.match.close()
    if room.match.status == "active":
        room.match.status = "paused"


def load(room: MugRoom, person: str) -> list[Event]:
    """Open a saved room again, and invite its former occupants."""
    require_owner(room, person)
    if not room.saved:
        raise Refused("not-allowed", "the room isn't saved")
    room.saved, room.awaited = False, True
    return invite_again(room, room.returning)


def dump(room: MugRoom) -> bytes:
    """Return the room as JSON for :func:`restore`."""
    match = room.match
    content = {
        "owner": room.owner,
        "options": asdict(room.options),
        "members": sorted(room.members),
        "banned": sorted(room.banned),
        "known_as": room.known_as,
        "game": match.mug.uri,
        "chosen": dict(match.chosen.values),
        "values": dict(match.terms.values),
        "seats": match.terms.seats,
        "position": None if match.position is None else match.terms.game.dump(match.position),
        "played": match.played,
        "is_custom": match.is_custom,
        "status": match.status,
        "result": match.result,
        "returning": _roles(room),
    }
    return json.dumps(content).encode()


def _roles(room: MugRoom) -> dict[str, Role | None]:
    """Return the roles by person, with one role for a person who has two.

    People who are still awaited come first, and are left out first if there are too many.
    """
    here = sorted(room.occupants.people(), key=lambda occupant: occupant.role or "")
    roles = {**room.returning, **{occupant.person: occupant.role for occupant in here}}
    return dict(list(roles.items())[-MOST_RETURNING:])


def restore(room: MugRoom, data: bytes) -> None:
    """Fill a new room with the content of :func:`dump`; a match under way becomes paused.

    Raises:
        ValueError, KeyError, TypeError, Refusal: The content isn't a room.
    """
    content: dict[str, Any] = json.loads(data)
    match, roles = room.match, dict(content["returning"])
    if "rules" in content:
        content |= _since_other_games(content["board"], content["rules"], content.get("first"))
    mug = mug_game(content["game"])
    if mug is None:
        raise ValueError(f"there is no game {content['game']!r:.80} any more")
    match.mug = mug
    seats = content["seats"]
    match.chosen = terms_for(mug.game_type, content["chosen"], seats)
    match.terms = terms_for(mug.game_type, content["values"], seats)
    if any(role not in (*match.roles, None) for role in roles.values()):
        raise ValueError("a role that there isn't")
    room.owner, room.members = content["owner"], set(content["members"])
    room.known_as = dict(content.get("known_as", {}))
    room.banned = set(content.get("banned", ()))
    room.options = Options(**content["options"])
    position = content["position"]
    match.position = None if position is None else match.terms.game.load(position)
    match.played, match.is_custom = content["played"], content["is_custom"]
    match.result = content["result"]
    match.status = "paused" if content["status"] in ("active", "paused") else "inactive"
    room.saved, room.returning = True, roles


def _since_other_games(
    board: str, rules: Mapping[str, str], first: Mark | None
) -> dict[str, object]:
    """Return what a room of tic-tac-toe, saved when there was no other game, has now."""
    sizes = {"rows": rules["rows"], "columns": rules["cols"], "strike": rules["strike"]}
    marks = first or rules["first"], rules["first"]
    chosen, values = ({**sizes, "first": NAMES[mark]} for mark in marks)
    played = len(board) - board.count(EMPTY)
    now = {"game": TTT, "chosen": chosen, "values": values, "seats": 2, "position": board}
    return {**now, "played": played, "is_custom": False}

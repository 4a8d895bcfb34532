"""Saving a room and loading it: to bytes and back.

Source: docs/xmpp.md, "Saving".
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from tictac.doors.xmpp.configuration import Options
from tictac.doors.xmpp.events import Answered, Event, OccupantGone, Stored
from tictac.doors.xmpp.invitations import invite_again
from tictac.doors.xmpp.match import ROLES, Role
from tictac.doors.xmpp.occupants import Roster
from tictac.doors.xmpp.ownership import require_owner, require_time
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.room import Room
from tictac.games.tictactoe.rules import Rules

MOST_RETURNING = 100
"""People who are invited when a room is loaded."""


def save(room: Room, person: str) -> list[Event]:
    """Keep the room. Nobody can enter from now on; everybody is put out when it is kept."""
    require_owner(room, person)
    if room.saved or room.match.status == "created":
        raise Refused("not-allowed", "the room is saved already, or isn't configured yet")
    require_time(room, "inactive")
    if room.match.is_shared:
        raise Refused("not-allowed", "somebody plays who came another way")
    room.match.starts.clear()
    gone = [
        OccupantGone(room.address, tuple(o.sessions), o.nick, room.affiliation(o.person), "saved")
        for o in room.occupants
        if o.sessions
    ]
    room.saved = True
    return [Stored(room.address, dump(room), (*gone, Answered()))]


def saved(room: Room) -> None:
    """The room is kept: nobody is in it any more, and its match is no room of the lobby."""
    room.returning, room.occupants = _roles(room), Roster()
    room.match.close()
    if room.match.status == "active":
        room.match.status = "paused"


def not_saved(room: Room) -> None:
    """It couldn't be kept: everything goes on."""
    room.saved = False


def load(room: Room, person: str) -> list[Event]:
    """Open a saved room again, and invite everybody who was there."""
    require_owner(room, person)
    if not room.saved:
        raise Refused("not-allowed", "the room isn't saved")
    room.saved, room.awaited = False, True
    return invite_again(room, room.returning)


def dump(room: Room) -> bytes:
    """The room as JSON; :func:`restore` reads it."""
    match = room.match
    content = {
        "owner": room.owner,
        "options": asdict(room.options),
        "members": sorted(room.members),
        "rules": asdict(match.rules),
        "board": match.board,
        "status": match.status,
        "result": match.result,
        "returning": _roles(room),
    }
    return json.dumps(content).encode()


def _roles(room: Room) -> dict[str, Role | None]:
    """The roles by person; of two roles of one person, one. Those still awaited come first,
    and are forgotten when there are too many."""
    here = sorted(room.occupants.people(), key=lambda occupant: occupant.role or "")
    roles = {**room.returning, **{occupant.person: occupant.role for occupant in here}}
    return dict(list(roles.items())[-MOST_RETURNING:])


def restore(room: Room, data: bytes) -> None:
    """Make a new room the one that :func:`dump` wrote; a match that was under way is paused.

    Raises ValueError, KeyError or TypeError when it is something else.
    """
    content: dict[str, Any] = json.loads(data)
    roles = dict(content["returning"])
    if any(role not in (*ROLES, None) for role in roles.values()):
        raise ValueError("a role that there isn't")
    room.owner, room.members = content["owner"], set(content["members"])
    room.options = Options(**content["options"])
    match = room.match
    match.rules = Rules(**content["rules"])
    match.board, match.result = content["board"], content["result"]
    match.status = "paused" if content["status"] in ("active", "paused") else "inactive"
    room.saved, room.returning = True, roles

"""The options of a room and of its game: the two forms, and what may be filled in.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tictac.doors.xmpp.forms import Field, Fields, flag, form, one, read_flag
from tictac.doors.xmpp.match import MARK_OF, ROLE_OF, ROLES
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import MUG, TTT, Element
from tictac.games.tictactoe.rules import Rules

ROOM_FORM = f"{MUG}#matchconfig"
GAME_FORM = f"{TTT}#tictactoeconfig"
_FORMS = {ROOM_FORM, GAME_FORM, f"{MUG}#roomconfig", ""}

SMALLEST, LARGEST = 3, 10
"""Rows, columns and strike, as the form of the game says."""

POLICIES = ("moderated", "unmoderated")
ANONYMITIES = ("fully-anonymous", "semi-anonymous", "non-anonymous")
MAX_USERS = ("2", "5", "10", "20", "30", "50", "none")

_LONGEST = {"name": 100, "description": 500, "secret": 100, "chat": 500}
_ROOM = "mug#roomconfig_"
_GAME = "mug/tictactoe#config_"


@dataclass(frozen=True, slots=True)
class Options:
    """What the owner can choose of a room. ``max_users`` None is any number."""

    name: str = ""
    description: str = ""
    moderated: bool = True
    invites: bool = False
    max_users: int | None = 20
    public: bool = True
    members_only: bool = False
    anonymity: str = "semi-anonymous"
    protected: bool = False
    secret: str = ""
    chat: str = ""


def room_form(options: Options) -> Element:
    """The form of the room, with what holds now."""
    limit = "none" if options.max_users is None else str(options.max_users)
    policy = POLICIES[0] if options.moderated else POLICIES[1]
    fields = [
        _text("roomname", "Name of the room", options.name),
        _text("matchdesc", "Description of the match", options.description),
        _list("roompolicy", "Who rules the room", policy, POLICIES),
        _flag("allowinvites", "May everybody invite?", options.invites),
        _list("maxusers", "Occupants at most", limit, MAX_USERS),
        _flag("publicroom", "Is the room listed?", options.public),
        _flag("membersonly", "May only members enter?", options.members_only),
        _list("anonymity", "Who sees addresses", options.anonymity, ANONYMITIES),
        _flag("passwordprotectedroom", "Is there a password?", options.protected),
        Field(_ROOM + "roomsecret", "text-private", "The password", (options.secret,)),
        _text("chat", "Room to talk in", options.chat),
    ]
    return form("form", ROOM_FORM, "The room", fields)


def game_form(rules: Rules) -> Element:
    """The form of the game, with what holds now."""
    numbers = tuple(str(number) for number in range(SMALLEST, LARGEST + 1))
    fields = [
        Field(_GAME + name, "list-single", label, (str(getattr(rules, name)),), numbers)
        for name, label in (("rows", "Rows"), ("cols", "Columns"), ("strike", "In a row to win"))
    ]
    first = ROLE_OF[rules.first]
    fields.append(Field(_GAME + "first", "list-single", "Who begins", (first,), ROLES))
    return form("form", GAME_FORM, "The game", fields)


def changed(options: Options, rules: Rules, fields: Fields) -> tuple[Options, Rules]:
    """The options and rules after ``fields`` were filled in; what is missing stays.

    Raises Refused when a value is out of its range.
    """
    return _changed_options(options, fields), _changed_rules(rules, fields)


def check_form_type(fields: Fields) -> None:
    """Raise Refused when a form is for something else."""
    if (one(fields, "FORM_TYPE") or "") not in _FORMS:
        raise Refused("not-acceptable", "that isn't a form of a room or its game")


def _changed_options(options: Options, fields: Fields) -> Options:
    texts = {
        "name": one(fields, _ROOM + "roomname"),
        "description": one(fields, _ROOM + "matchdesc", _ROOM + "roomdesc"),
        "secret": one(fields, _ROOM + "roomsecret"),
        "chat": one(fields, _ROOM + "chat"),
    }
    for name, text in texts.items():
        if text is not None and len(text) > _LONGEST[name]:
            raise Refused("not-acceptable", f"{name} has {_LONGEST[name]} characters at most")
    flags = {
        "moderated": one(fields, _ROOM + "moderated"),
        "invites": one(fields, _ROOM + "allowinvites"),
        "public": one(fields, _ROOM + "publicroom"),
        "members_only": one(fields, _ROOM + "membersonly"),
        "protected": one(fields, _ROOM + "passwordprotectedroom"),
    }
    found: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    found |= {name: read_flag(text) for name, text in flags.items() if text is not None}
    if (policy := _choice(fields, "roompolicy", POLICIES)) is not None:
        found["moderated"] = policy == POLICIES[0]
    if (anonymity := _choice(fields, "anonymity", ANONYMITIES)) is not None:
        found["anonymity"] = anonymity
    if (limit := _choice(fields, "maxusers", MAX_USERS)) is not None:
        found["max_users"] = None if limit == "none" else int(limit)
    after = replace(options, **found)
    if after.protected and not after.secret:
        raise Refused("not-acceptable", "a room with a password needs one")
    return after


def _changed_rules(rules: Rules, fields: Fields) -> Rules:
    found: dict[str, Any] = {}
    for name in ("rows", "cols", "strike"):
        if (text := one(fields, _GAME + name)) is not None:
            if not (text.isascii() and text.isdecimal() and len(text) < 4):
                raise Refused("not-acceptable", f"{name} must be a number")
            found[name] = number = int(text)
            if not SMALLEST <= number <= LARGEST:
                raise Refused("not-acceptable", f"{name} must be from {SMALLEST} to {LARGEST}")
    if (first := one(fields, _GAME + "first")) is not None:
        if first not in MARK_OF:
            raise Refused("not-acceptable", "x or o begins")
        found["first"] = MARK_OF[first]
    try:
        return replace(rules, **found)
    except ValueError as error:
        raise Refused("not-acceptable", str(error)) from None


def _choice(fields: Fields, name: str, choices: tuple[str, ...]) -> str | None:
    value = one(fields, _ROOM + name)
    if value is not None and value not in choices:
        raise Refused("not-acceptable", f"{name} is one of {', '.join(choices)}")
    return value


def _text(name: str, label: str, value: str) -> Field:
    return Field(_ROOM + name, "text-single", label, (value,))


def _flag(name: str, label: str, value: bool) -> Field:
    return Field(_ROOM + name, "boolean", label, flag(value))


def _list(name: str, label: str, value: str, choices: tuple[str, ...]) -> Field:
    return Field(_ROOM + name, "list-single", label, (value,), choices)

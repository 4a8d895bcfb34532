"""The options of a room and of its game: the two forms, and what may be filled in.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from twisted.words.xish.domish import SerializedXML

from tictac.doors.xmpp.forms import Field, Fields, flag, form, one, read_flag
from tictac.doors.xmpp.match import MARK_OF, ROLE_OF, ROLES
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import MUG, TTT
from tictac.games.tictactoe.rules import Rules

ROOM_FORM = f"{MUG}#matchconfig"
GAME_FORM = f"{TTT}#tictactoeconfig"
_FORMS = {ROOM_FORM, GAME_FORM, f"{MUG}#roomconfig", ""}

SMALLEST, LARGEST = 3, 10
"""Rows, columns and strike, as the form of the game says."""

ANONYMITIES = ("fully-anonymous", "semi-anonymous", "non-anonymous")
MAX_USERS = ("2", "5", "10", "20", "30", "50", "none")

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


class _Option(NamedTuple):
    """A field of the form of the room, and which of the Options it is.

    One without a label is only understood. ``choices`` say what each value means; a text is of
    ``longest`` characters at most.
    """

    var: str
    name: str
    kind: str
    label: str = ""
    choices: Mapping[str, object] = {}
    longest: int = 0

    def field(self, value: object) -> Field:
        """The field, with what holds now."""
        if self.kind == "boolean":
            values = flag(bool(value))
        else:
            said = (choice for choice, meant in self.choices.items() if meant == value)
            values = (next(said, str(value)),)
        return Field(_ROOM + self.var, self.kind, self.label, values, tuple(self.choices))

    def read(self, text: str) -> object:
        """What is filled in. Raises Refused."""
        if self.kind == "boolean":
            return read_flag(text)
        if self.choices and text not in self.choices:
            raise Refused("not-acceptable", f"{self.var} is one of {', '.join(self.choices)}")
        if len(text) > self.longest > 0:
            raise Refused("not-acceptable", f"{self.name} has {self.longest} characters at most")
        return self.choices.get(text, text)


_POLICIES = {"moderated": True, "unmoderated": False}
_LIMITS = {text: None if text == "none" else int(text) for text in MAX_USERS}
_ANONYMITIES = {text: text for text in ANONYMITIES}

# Of two fields for the same option the later one holds.
_OPTIONS = (
    _Option("roomname", "name", "text-single", "Name of the room", longest=100),
    _Option("roomdesc", "description", "text-single", longest=500),
    _Option("matchdesc", "description", "text-single", "Description of the match", longest=500),
    _Option("moderated", "moderated", "boolean"),
    _Option("roompolicy", "moderated", "list-single", "Who rules the room", _POLICIES),
    _Option("allowinvites", "invites", "boolean", "May everybody invite?"),
    _Option("maxusers", "max_users", "list-single", "Occupants at most", _LIMITS),
    _Option("publicroom", "public", "boolean", "Is the room listed?"),
    _Option("membersonly", "members_only", "boolean", "May only members enter?"),
    _Option("anonymity", "anonymity", "list-single", "Who sees addresses", _ANONYMITIES),
    _Option("passwordprotectedroom", "protected", "boolean", "Is there a password?"),
    _Option("roomsecret", "secret", "text-private", "The password", longest=100),
    _Option("chat", "chat", "text-single", "Room to talk in", longest=500),
)


def room_form(options: Options) -> SerializedXML:
    """The form of the room, with what holds now."""
    fields = [each.field(getattr(options, each.name)) for each in _OPTIONS if each.label]
    return form("form", ROOM_FORM, "The room", fields)


def game_form(rules: Rules) -> SerializedXML:
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
    found: dict[str, Any] = {}
    for option in _OPTIONS:
        if (text := one(fields, _ROOM + option.var)) is not None:
            found[option.name] = option.read(text)
    after = replace(options, **found)
    if after.protected and not after.secret:
        raise Refused("not-acceptable", "a room with a password needs one")
    return after, _changed_rules(rules, fields)


def check_form_type(fields: Fields) -> None:
    """Raise Refused when a form is for something else."""
    if (one(fields, "FORM_TYPE") or "") not in _FORMS:
        raise Refused("not-acceptable", "that isn't a form of a room or its game")


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

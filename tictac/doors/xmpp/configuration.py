"""The options of a room and of its game: the two forms, and what may be filled in.

Source: docs/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from twisted.words.xish.domish import SerializedXML

from tictac.doors.xmpp.forms import Field, Fields, flag, form, one, read_flag
from tictac.doors.xmpp.match import MARK_OF
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import MUG, TTT
from tictac.games.tictactoe.rules import Rules

ROOM_FORM = f"{MUG}#matchconfig"
GAME_FORM = f"{TTT}#tictactoeconfig"
_FORMS = {ROOM_FORM, GAME_FORM, f"{MUG}#roomconfig", ""}

SIZES = tuple(str(number) for number in range(3, 11))
"""Rows, columns and strike, as the form of the game says."""

LARGEST = int(SIZES[-1])
ANONYMITIES = ("fully-anonymous", "semi-anonymous", "non-anonymous")
MAX_USERS = ("2", "5", "10", "20", "30", "50", "none")


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
    """A field of a form, and which of the Options or Rules it is.

    One without a label is only understood. ``choices`` say what each value means; a text is of
    ``longest`` characters at most.
    """

    var: str
    name: str
    kind: str
    label: str = ""
    choices: Mapping[str, object] = {}
    longest: int = 0

    def field(self, prefix: str, value: object) -> Field:
        """The field, with what holds now."""
        if self.kind == "boolean":
            values = flag(bool(value))
        else:
            said = (choice for choice, meant in self.choices.items() if meant == value)
            values = (next(said, str(value)),)
        return Field(prefix + self.var, self.kind, self.label, values, tuple(self.choices))

    def read(self, text: str) -> object:
        """What is filled in. Raises Refused."""
        if self.kind == "boolean":
            return read_flag(text)
        if self.choices and text not in self.choices:
            raise Refused("not-acceptable", f"{self.name} is one of {', '.join(self.choices)}")
        if len(text) > self.longest > 0:
            raise Refused("not-acceptable", f"{self.name} has {self.longest} characters at most")
        return self.choices.get(text, text)


_POLICIES = {"moderated": True, "unmoderated": False}
_LIMITS = {text: None if text == "none" else int(text) for text in MAX_USERS}
_ANONYMITIES = {text: text for text in ANONYMITIES}
_NUMBERS = {text: int(text) for text in SIZES}

# Of two fields for the same option the later one holds.
_ROOM = (
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
_GAME = (
    _Option("rows", "rows", "list-single", "Rows", _NUMBERS),
    _Option("cols", "cols", "list-single", "Columns", _NUMBERS),
    _Option("strike", "strike", "list-single", "In a row to win", _NUMBERS),
    _Option("first", "first", "list-single", "Who begins", MARK_OF),
)
_IN_ROOM, _IN_GAME = "mug#roomconfig_", "mug/tictactoe#config_"


def room_form(options: Options) -> SerializedXML:
    """The form of the room, with what holds now."""
    return form("form", ROOM_FORM, "The room", _fields(_ROOM, options, _IN_ROOM))


def game_form(rules: Rules) -> SerializedXML:
    """The form of the game, with what holds now."""
    return form("form", GAME_FORM, "The game", _fields(_GAME, rules, _IN_GAME))


def changed(options: Options, rules: Rules, fields: Fields) -> tuple[Options, Rules]:
    """The options and rules after ``fields`` were filled in; what is missing stays.

    Raises Refused when a value is out of its range.
    """
    options = replace(options, **_read(_ROOM, _IN_ROOM, fields))
    if options.protected and not options.secret:
        raise Refused("not-acceptable", "a room with a password needs one")
    try:
        return options, replace(rules, **_read(_GAME, _IN_GAME, fields))
    except ValueError as error:
        raise Refused("not-acceptable", str(error)) from None


def _fields(options: Sequence[_Option], values: object, prefix: str) -> list[Field]:
    return [o.field(prefix, getattr(values, o.name)) for o in options if o.label]


def _read(options: Sequence[_Option], prefix: str, fields: Fields) -> dict[str, Any]:
    given = ((each, one(fields, prefix + each.var)) for each in options)
    return {each.name: each.read(text) for each, text in given if text is not None}


def check_form_type(fields: Fields) -> None:
    """Raise Refused when a form is for something else."""
    if (one(fields, "FORM_TYPE") or "") not in _FORMS:
        raise Refused("not-acceptable", "that isn't a form of a room or its game")

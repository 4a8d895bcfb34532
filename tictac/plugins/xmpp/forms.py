"""The options of a room, and their form.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from twisted.words.xish.domish import SerializedXML

from tictac.plugins.xmpp.fields import Field, Fields, flag, form, one, read_flag
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import MUG

ROOM_FORM = f"{MUG}#matchconfig"
_FORMS = {ROOM_FORM, f"{MUG}#roomconfig", ""}

INSTRUCTIONS = "Change what you like. What you leave out stays as it is."

ANONYMITIES = ("fully-anonymous", "semi-anonymous", "non-anonymous")
MAX_USERS = ("2", "5", "10", "20", "30", "50", "none")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a room. ``max_users`` is None for any number."""

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
    """A field of a form, and the name of its option in Options.

    A field without a label is read, but isn't in the form that the service sends. ``choices`` has
    the meaning of each value. A text has up to ``longest`` characters.
    """

    var: str
    name: str
    kind: str
    label: str = ""
    choices: Mapping[str, object] = {}
    longest: int = 0

    def field(self, prefix: str, value: object) -> Field:
        """Return the field with the present value."""
        values: tuple[str, ...]
        if self.kind == "boolean":
            values = flag(bool(value))
        elif self.kind == "text-multi":
            values = tuple(str(value).splitlines())
        else:
            said = (choice for choice, meant in self.choices.items() if meant == value)
            values = (next(said, str(value)),)
        return Field(prefix + self.var, self.kind, self.label, values, tuple(self.choices))

    def read(self, text: str) -> object:
        """Read the value of the field. Raises Refused."""
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

# If two fields are for the same option, the later field counts.
_ROOM = (
    _Option("roomname", "name", "text-single", "Name of the room", longest=100),
    _Option("roomdesc", "description", "text-single", longest=500),
    _Option("matchdesc", "description", "text-single", "Description of the match", longest=500),
    _Option("moderated", "moderated", "boolean"),
    _Option("roompolicy", "moderated", "list-single", "Moderation", _POLICIES),
    _Option("allowinvites", "invites", "boolean", "Can all occupants invite?"),
    _Option("maxusers", "max_users", "list-single", "Occupants at most", _LIMITS),
    _Option("publicroom", "public", "boolean", "Is the room listed?"),
    _Option("membersonly", "members_only", "boolean", "Can only members enter?"),
    _Option("anonymity", "anonymity", "list-single", "Anonymity", _ANONYMITIES),
    _Option("passwordprotectedroom", "protected", "boolean", "Is there a password?"),
    _Option("roomsecret", "secret", "text-private", "The password", longest=100),
    _Option("chat", "chat", "text-multi", "Room to talk in", longest=500),
)
_IN_ROOM = "mug#roomconfig_"


def room_form(options: Options) -> SerializedXML:
    """Return the form of the room with the present options."""
    return form("form", ROOM_FORM, "The room", room_fields(options), INSTRUCTIONS)


def room_fields(options: Options, prefix: str = _IN_ROOM) -> list[Field]:
    """Return the fields of the room with the present options."""
    return [o.field(prefix, getattr(options, o.name)) for o in _ROOM if o.label]


def changed(options: Options, fields: Fields) -> Options:
    """Return the options with the values of ``fields``; missing values don't change.

    Raises:
        Refused: A value is out of its range.
    """
    options = replace(options, **_read(fields))
    if options.protected and not options.secret:
        raise Refused("not-acceptable", "a room with a password needs one")
    return options


def _read(fields: Fields) -> dict[str, Any]:
    def given_to(each: _Option) -> str | None:
        lines = fields.get(_IN_ROOM + each.var)
        if each.kind == "text-multi" and lines is not None:
            return "\n".join(lines).strip()
        return one(fields, _IN_ROOM + each.var)

    given = ((each, given_to(each)) for each in _ROOM)
    return {each.name: each.read(text) for each, text in given if text is not None}


def check_form_type(fields: Fields, game_form: str) -> None:
    """Raise Refused if a form isn't one of a room or its game."""
    if (one(fields, "FORM_TYPE") or "") not in {*_FORMS, game_form}:
        raise Refused("not-acceptable", "that isn't a form of a room or its game")

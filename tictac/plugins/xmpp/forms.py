"""Data forms (XEP-0004, jabber:x:data), and the forms of a room and its game.

Source: docs/reference/xmpp.md, "What is implemented".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.games.tictactoe.rules import Rules
from tictac.plugins.xmpp.match import MARK_OF
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import DATA, MUG, TTT, tag, text_of

MOST_FIELDS = 200
"""Maximum fields of a form; this service's own forms have a dozen."""

Fields = Mapping[str, tuple[str, ...]]
"""The values of a form by the names of its fields."""


class Field(NamedTuple):
    """A field of a form: its name, its type, its label, its values, and its choices."""

    var: str
    kind: str
    label: str
    values: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    def text(self, with_choices: bool = False) -> SerializedXML:
        """Return the element."""
        choices = self.choices if with_choices else ()
        return tag(
            "field",
            {"var": self.var, "type": self.kind or None, "label": self.label or None},
            *(tag("value", None, value) for value in self.values),
            *(tag("option", {"label": each}, tag("value", None, each)) for each in choices),
        )


def flag(value: bool) -> tuple[str]:
    """Return the value of a boolean field."""
    return ("1",) if value else ("0",)


def form(
    kind: str, form_type: str, title: str, fields: Sequence[Field], instructions: str = ""
) -> SerializedXML:
    """Return the element of a form, without empty parts."""
    hidden = [Field("FORM_TYPE", "hidden", "", (form_type,))] if form_type else []
    return tag(
        "x",
        {"xmlns": DATA, "type": kind},
        tag("title", None, title) if title else None,
        *(tag("instructions", None, line) for line in instructions.splitlines()),
        *(each.text(kind == "form") for each in [*hidden, *fields]),
    )


def result_table(
    form_type: str, columns: Sequence[Field], rows: Sequence[Sequence[str]]
) -> SerializedXML:
    """Return a form of results, with an item for each row."""
    items = []
    for row in rows:
        cells = (Field(c.var, "", "", (v,)) for c, v in zip(columns, row, strict=True))
        items.append(tag("item", None, *(cell.text() for cell in cells)))
    reported = tag("reported", None, *(column.text() for column in columns))
    hidden = Field("FORM_TYPE", "hidden", "", (form_type,)).text()
    return tag("x", {"xmlns": DATA, "type": "result"}, hidden, reported, *items)


def read_form(x: Element) -> tuple[str, Fields]:
    """Return the type of a form, such as ``submit``, and its values.

    Raises:
        Refused: The form has too many fields.
    """
    fields: dict[str, tuple[str, ...]] = {}
    for number, field in enumerate(x.elements(DATA, "field")):
        if number >= MOST_FIELDS:
            raise Refused("not-acceptable", f"a form has {MOST_FIELDS} fields at most")
        values = tuple(text_of(value) for value in field.elements(DATA, "value"))
        fields[field.getAttribute("var") or ""] = values
    return x.getAttribute("type") or "", fields


def one(fields: Fields, *names: str) -> str | None:
    """Return the stripped value of the first of these fields that has a value."""
    return next((fields[name][0].strip() for name in names if fields.get(name)), None)


def read_flag(text: str) -> bool:
    """Read the value of a boolean field. Raises Refused."""
    if text not in ("0", "1", "true", "false"):
        raise Refused("not-acceptable", f"{text!r:.40} is neither yes nor no")
    return text in ("1", "true")


# The options of a room and of its game

ROOM_FORM = f"{MUG}#matchconfig"
GAME_FORM = f"{TTT}#tictactoeconfig"
_FORMS = {ROOM_FORM, GAME_FORM, f"{MUG}#roomconfig", ""}

SIZES = tuple(str(number) for number in range(3, 11))
"""The choices of rows, columns, and strike in the form of the game."""

LARGEST = int(SIZES[-1])
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
    """A field of a form, and the name of its option in Options or Rules.

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
_NUMBERS = {text: int(text) for text in SIZES}

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
    _Option("membersonly", "members_only", "boolean", "May only members enter?"),
    _Option("anonymity", "anonymity", "list-single", "Anonymity", _ANONYMITIES),
    _Option("passwordprotectedroom", "protected", "boolean", "Is there a password?"),
    _Option("roomsecret", "secret", "text-private", "The password", longest=100),
    _Option("chat", "chat", "text-multi", "Room to talk in", longest=500),
)
_GAME = (
    _Option("rows", "rows", "list-single", "Rows", _NUMBERS),
    _Option("cols", "cols", "list-single", "Columns", _NUMBERS),
    _Option("strike", "strike", "list-single", "In a row to win", _NUMBERS),
    _Option("first", "first", "list-single", "Who begins", MARK_OF),
)
_IN_ROOM, _IN_GAME = "mug#roomconfig_", "mug/tictactoe#config_"


def room_form(options: Options) -> SerializedXML:
    """Return the form of the room with the present options."""
    instructions = "Change what you like. What you leave out stays as it is."
    return form("form", ROOM_FORM, "The room", room_fields(options), instructions)


def room_fields(options: Options, prefix: str = _IN_ROOM) -> list[Field]:
    """Return the fields of the room with the present options."""
    return _fields(_ROOM, options, prefix)


def game_form(rules: Rules) -> SerializedXML:
    """Return the form of the game with the present rules."""
    instructions = "A row of that many marks wins. It must fit on the board."
    return form("form", GAME_FORM, "The game", _fields(_GAME, rules, _IN_GAME), instructions)


def changed(options: Options, rules: Rules, fields: Fields) -> tuple[Options, Rules]:
    """Return the options and rules with the values of ``fields``; missing values don't change.

    Raises:
        Refused: A value is out of its range.
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
    def given_to(each: _Option) -> str | None:
        lines = fields.get(prefix + each.var)
        if each.kind == "text-multi" and lines is not None:
            return "\n".join(lines).strip()
        return one(fields, prefix + each.var)

    given = ((each, given_to(each)) for each in options)
    return {each.name: each.read(text) for each, text in given if text is not None}


def check_form_type(fields: Fields) -> None:
    """Raise Refused if a form isn't one of a room or its game."""
    if (one(fields, "FORM_TYPE") or "") not in _FORMS:
        raise Refused("not-acceptable", "that isn't a form of a room or its game")

"""Data forms (XEP-0004, jabber:x:data)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from twisted.words.xish.domish import Element, SerializedXML

from tictac.game import Option, Value
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.xml import DATA, tag, text_of

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


def option_field(option: Option, name: str, value: Value) -> Field:
    """Return the field of an option of a game."""
    if option.kind == "flag":
        return Field(name, "boolean", option.help, flag(bool(value)))
    if option.kind == "choice":
        return Field(name, "list-single", option.help, (str(value),), option.choices)
    label = f"{option.help} From {option.lowest} to {option.highest}."
    return Field(name, "text-single", label, (str(value),))

"""Forms of fields (XEP-0004, jabber:x:data): values to text, and elements to values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twisted.words.xish.domish import SerializedXML

from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import DATA, tag, text_of

MOST_FIELDS = 200
"""Fields that are read of a form; ours have a dozen."""

Fields = Mapping[str, tuple[str, ...]]
"""What was filled in: the values by the names of their fields."""


class Field(NamedTuple):
    """One field: its name, its type, what a person reads, its values, and its choices."""

    var: str
    kind: str
    label: str
    values: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    def text(self, with_choices: bool = False) -> SerializedXML:
        """The element."""
        choices = self.choices if with_choices else ()
        return tag(
            "field",
            {"var": self.var, "type": self.kind or None, "label": self.label or None},
            *(tag("value", None, value) for value in self.values),
            *(tag("option", {"label": each}, tag("value", None, each)) for each in choices),
        )


def flag(value: bool) -> tuple[str]:
    """The value of a boolean field."""
    return ("1",) if value else ("0",)


def form(
    kind: str, form_type: str, title: str, fields: Sequence[Field], instructions: str = ""
) -> SerializedXML:
    """The element of a form; what is empty is left out of it."""
    hidden = [Field("FORM_TYPE", "hidden", "", (form_type,))] if form_type else []
    return tag(
        "x",
        {"xmlns": DATA, "type": kind},
        tag("title", None, title) if title else None,
        *(tag("instructions", None, line) for line in instructions.splitlines()),
        *(each.text(kind == "form") for each in [*hidden, *fields]),
    )


def result_table(columns: Sequence[Field], rows: Sequence[Sequence[str]]) -> SerializedXML:
    """A form of results: one item a row."""
    items = []
    for row in rows:
        cells = (Field(c.var, "", "", (v,)) for c, v in zip(columns, row, strict=True))
        items.append(tag("item", None, *(cell.text() for cell in cells)))
    reported = tag("reported", None, *(column.text() for column in columns))
    return tag("x", {"xmlns": DATA, "type": "result"}, reported, *items)


def read_form(x: Any) -> tuple[str, Fields]:
    """Its type (``submit``, ``cancel``), and what is filled in. Raises Refused for a form beyond
    measure."""
    fields: dict[str, tuple[str, ...]] = {}
    for number, field in enumerate(x.elements(DATA, "field")):
        if number >= MOST_FIELDS:
            raise Refused("not-acceptable", f"a form has {MOST_FIELDS} fields at most")
        values = tuple(text_of(value) for value in field.elements(DATA, "value"))
        fields[field.getAttribute("var") or ""] = values
    return x.getAttribute("type") or "", fields


def one(fields: Fields, *names: str) -> str | None:
    """The value of the first of these fields that has one, without the blanks around it."""
    return next((fields[name][0].strip() for name in names if fields.get(name)), None)


def read_flag(text: str) -> bool:
    """What a boolean field says. Raises Refused."""
    if text not in ("0", "1", "true", "false"):
        raise Refused("not-acceptable", f"{text!r:.40} is neither yes nor no")
    return text in ("1", "true")

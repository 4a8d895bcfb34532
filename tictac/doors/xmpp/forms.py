"""Forms of fields (XEP-0004, jabber:x:data): values to elements and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.xml import Element, element

DATA = "jabber:x:data"

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


class Submitted(NamedTuple):
    """A form that came in: ``submit``, ``cancel``, or whatever else its type says."""

    kind: str
    fields: Fields


def flag(value: bool) -> tuple[str]:
    """The value of a boolean field."""
    return ("1",) if value else ("0",)


def form(
    kind: str, form_type: str, title: str, fields: Sequence[Field], instructions: str = ""
) -> Element:
    """The element of a form; what is empty is left out of it."""
    hidden = [Field("FORM_TYPE", "hidden", "", (form_type,))] if form_type else []
    return element(
        DATA,
        "x",
        {"type": kind},
        element(DATA, "title", None, title) if title else None,
        *(element(DATA, "instructions", None, line) for line in instructions.splitlines()),
        *(_field(each, kind == "form") for each in [*hidden, *fields]),
    )


def result_table(columns: Sequence[Field], rows: Sequence[Sequence[str]]) -> Element:
    """A form of results: one item a row."""
    heads = ({"var": c.var, "type": c.kind, "label": c.label} for c in columns)
    reported = element(DATA, "reported", None, *(element(DATA, "field", head) for head in heads))
    items = []
    for row in rows:
        cells = (Field(c.var, "", "", (v,)) for c, v in zip(columns, row, strict=True))
        items.append(element(DATA, "item", None, *(_field(cell, False) for cell in cells)))
    return element(DATA, "x", {"type": "result"}, reported, *items)


def read_form(x: Element) -> Submitted:
    """What is filled in. Raises Refused for a form beyond measure."""
    fields: dict[str, tuple[str, ...]] = {}
    for number, field in enumerate(x.elements(DATA, "field")):
        if number >= MOST_FIELDS:
            raise Refused("not-acceptable", f"a form has {MOST_FIELDS} fields at most")
        values = tuple(value.text() for value in field.elements(DATA, "value"))
        fields[field.get("var") or ""] = values
    return Submitted(x.get("type") or "", fields)


def one(fields: Fields, *names: str) -> str | None:
    """The value of the first of these fields that has one, without the blanks around it."""
    for name in names:
        if fields.get(name):
            return fields[name][0].strip()
    return None


def read_flag(text: str) -> bool:
    """What a boolean field says. Raises Refused."""
    if text not in ("0", "1", "true", "false"):
        raise Refused("not-acceptable", f"{text!r:.40} is neither yes nor no")
    return text in ("1", "true")


def _field(field: Field, with_choices: bool) -> Element:
    return element(
        DATA,
        "field",
        {"var": field.var, "type": field.kind or None, "label": field.label or None},
        *(element(DATA, "value", None, value) for value in field.values),
        *(
            element(DATA, "option", {"label": choice}, element(DATA, "value", None, choice))
            for choice in (field.choices if with_choices else ())
        ),
    )

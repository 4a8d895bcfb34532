"""XML elements as values, and their text: what a stanza is before and after it is sent.

Values, because the elements of Twisted's domish make it easy to go wrong with what a
stranger has sent: ``el.turn`` ignores namespaces and ``el["x"]`` raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

COMPONENT = "jabber:component:accept"
"""The namespace of stanzas on a component's stream (XEP-0114)."""

MUG = "http://jabber.org/protocol/mug"
USER = "http://jabber.org/protocol/mug#user"
OWNER = "http://jabber.org/protocol/mug#owner"
TTT = "http://jabber.org/protocol/mug/tictactoe"
STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas"

DEEPEST = 12
"""Levels of elements in a stanza that are read; ours need six."""

_LANG = ("http://www.w3.org/XML/1998/namespace", "lang")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "\r": "&#13;"}
)
_WHITE = str.maketrans({"\t": "&#9;", "\n": "&#10;"})


class TooDeepError(Exception):
    """A stanza has more levels of elements than :data:`DEEPEST`."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its namespace, its name, attributes without one, and what is in it."""

    uri: str
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: tuple[Element | str, ...] = ()

    def get(self, attribute: str) -> str | None:
        """The value of an attribute, or None."""
        return self.attributes.get(attribute)

    def elements(self, uri: str | None = None, name: str | None = None) -> Iterator[Element]:
        """The child elements with that namespace and name (None: any)."""
        for child in self.children:
            if not isinstance(child, Element):
                continue
            if uri in (None, child.uri) and name in (None, child.name):
                yield child

    def first(self, uri: str, name: str) -> Element | None:
        """The first child element of that namespace and name, or None."""
        return next(self.elements(uri, name), None)

    def text(self) -> str:
        """The text in it, that of its children left out."""
        return "".join(child for child in self.children if isinstance(child, str))


def element(
    uri: str,
    name: str,
    attributes: Mapping[str, str | int | None] | None = None,
    *children: Element | str | None,
) -> Element:
    """An element; attributes and children that are None are left out."""
    given = {key: str(value) for key, value in (attributes or {}).items() if value is not None}
    return Element(uri, name, given, tuple(child for child in children if child is not None))


def from_tree(tree: Any, deepest: int = DEEPEST) -> Element:
    """The value of a domish element.

    Attributes with a namespace are left out, ``xml:lang`` excepted. Raises
    :class:`TooDeepError`.
    """
    if deepest == 0:
        raise TooDeepError
    attributes = {key: value for key, value in tree.attributes.items() if isinstance(key, str)}
    if _LANG in tree.attributes:
        attributes["xml:lang"] = tree.attributes[_LANG]
    children = tuple(
        child if isinstance(child, str) else from_tree(child, deepest - 1)
        for child in tree.children
    )
    return Element(tree.uri or "", tree.name, attributes, children)


def allowed(text: str) -> str:
    """``text`` without what XML 1.0 forbids (section 2.2), which would end the stream."""
    return _FORBIDDEN.sub("", text)


def to_text(value: Element, around: str = COMPONENT) -> str:
    """The text of an element that stands inside one of the namespace ``around``."""
    parts: list[str] = []
    _write(value, around, parts)
    return "".join(parts)


def _write(value: Element, around: str, parts: list[str]) -> None:
    parts.append(f"<{value.name}")
    if value.uri != around:
        parts.append(f" xmlns='{_escape(value.uri)}'")
    for name, text in value.attributes.items():
        parts.append(f" {name}='{_escape(text).translate(_WHITE)}'")
    if not value.children:
        parts.append("/>")
        return
    parts.append(">")
    for child in value.children:
        if isinstance(child, str):
            parts.append(_escape(child))
        else:
            _write(child, value.uri, parts)
    parts.append(f"</{value.name}>")


def _escape(text: str) -> str:
    return allowed(text).translate(_ESCAPES)

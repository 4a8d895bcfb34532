"""The XML of stanzas: text that goes out, and elements of domish that have come in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from twisted.words.xish.domish import SerializedXML

COMPONENT = "jabber:component:accept"
"""The namespace of stanzas on a component's stream (XEP-0114)."""

MUG = "http://jabber.org/protocol/mug"
USER = "http://jabber.org/protocol/mug#user"
OWNER = "http://jabber.org/protocol/mug#owner"
TTT = "http://jabber.org/protocol/mug/tictactoe"
STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas"
INFO = "http://jabber.org/protocol/disco#info"
ITEMS = "http://jabber.org/protocol/disco#items"
SEARCH = "jabber:iq:search"
PING = "urn:xmpp:ping"
COMMANDS = "http://jabber.org/protocol/commands"
DATA = "jabber:x:data"

DEEPEST = 12
"""Levels of elements in a stanza that are read; ours need six."""

_LANG = ("http://www.w3.org/XML/1998/namespace", "lang")
_ODD = re.compile("[^\t\n !#-%(-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "\r": "&#13;"}
_WHITE = str.maketrans({"\t": "&#9;", "\n": "&#10;"})


def escape(text: str) -> str:
    """``text`` as it stands in XML, without what XML 1.0 forbids (section 2.2), which would end
    the stream."""
    return _ODD.sub(lambda odd: _ESCAPES.get(odd[0], ""), text)


def tag(
    name: str, attributes: Mapping[str, object] | None = None, *children: str | None
) -> SerializedXML:
    """The text of an element; attributes and children that are None are left out.

    A child is text, unless it is the text of an element. Its namespace is an attribute, where it
    isn't that of the element around it.
    """
    head = f"<{name}"
    for key, value in (attributes or {}).items():
        if value is not None:
            head += f" {key}='{escape(str(value)).translate(_WHITE)}'"
    inner = "".join(
        [c if isinstance(c, SerializedXML) else escape(c) for c in children if c is not None]
    )
    return SerializedXML(f"{head}>{inner}</{name}>" if inner else f"{head}/>")


def copied(tree: Any, around: str = COMPONENT) -> SerializedXML:
    """The text of an element that stands inside one of the namespace ``around``.

    Of attributes with a namespace only ``xml:lang`` is left.
    """
    attributes = {} if (tree.uri or "") == around else {"xmlns": tree.uri or ""}
    attributes |= {key: value for key, value in tree.attributes.items() if isinstance(key, str)}
    attributes["xml:lang"] = tree.attributes.get(_LANG)
    children = [c if isinstance(c, str) else copied(c, tree.uri or "") for c in tree.children]
    return tag(tree.name, attributes, *children)


# What has come in. ``el.turn`` would ignore namespaces, and ``el["x"]`` raises.


def first(tree: Any, uri: str, name: str) -> Any:
    """The first child element of that namespace and name, or None."""
    return next(tree.elements(uri, name), None)


def text_of(tree: Any) -> str:
    """The text in an element, that of its children left out."""
    return "".join(child for child in tree.children if isinstance(child, str))


def is_too_deep(tree: Any, deepest: int = DEEPEST) -> bool:
    """Whether an element has more levels than are read."""
    return deepest == 0 or any(is_too_deep(child, deepest - 1) for child in tree.elements())

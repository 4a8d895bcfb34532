"""The XML of stanzas: outgoing text, and incoming domish elements."""

from __future__ import annotations

import re
from collections.abc import Mapping

from twisted.words.xish.domish import Element, SerializedXML

COMPONENT = "jabber:component:accept"
"""The namespace of stanzas on a component's stream (XEP-0114)."""

MUG = "http://jabber.org/protocol/mug"
USER = "http://jabber.org/protocol/mug#user"
OWNER = "http://jabber.org/protocol/mug#owner"
TTT = "http://jabber.org/protocol/mug/tictactoe"
OURS = "urn:tictac:mug:"
"""Begins the namespaces of all other games."""

MUC = "http://jabber.org/protocol/muc"
MUC_USER = f"{MUC}#user"
MUC_OWNER = f"{MUC}#owner"
MUC_ADMIN = f"{MUC}#admin"
MUC_CONFIG = f"{MUC}#roomconfig"
CONFERENCE = "jabber:x:conference"
CORRECTION = "urn:xmpp:message-correct:0"
STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas"
INFO = "http://jabber.org/protocol/disco#info"
ITEMS = "http://jabber.org/protocol/disco#items"
SEARCH = "jabber:iq:search"
REGISTER = "jabber:iq:register"
RSM = "http://jabber.org/protocol/rsm"
PING = "urn:xmpp:ping"
COMMANDS = "http://jabber.org/protocol/commands"
DATA = "jabber:x:data"


def uri_of(game: str) -> str:
    """Return the namespace of a game's name."""
    return TTT if game == "tictactoe" else OURS + game


DEEPEST = 12
"""Maximum levels of elements in a stanza; this service's own stanzas have six."""

LARGEST = 8192
"""Maximum size of a stanza; the largest form of this service has 3,000 bytes."""

TAG = 16

_LANG = ("http://www.w3.org/XML/1998/namespace", "lang")
_ODD = re.compile("[^\t\n !#-%(-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;", "\r": "&#13;"}
_WHITE = str.maketrans({"\t": "&#9;", "\n": "&#10;"})


def escape(text: str) -> str:
    """Escape text for XML, without the characters that XML 1.0 forbids (section 2.2).

    One such character would end the stream.
    """
    return _ODD.sub(lambda odd: _ESCAPES.get(odd[0], ""), text)


def tag(
    name: str, attributes: Mapping[str, object] | None = None, *children: str | None
) -> SerializedXML:
    """Return the text of an element; attributes and children that are None are left out.

    A child is text, or the text of an element as SerializedXML. If a child has another namespace
    than its parent, the namespace is one of its attributes.
    """
    head = f"<{name}"
    for key, value in (attributes or {}).items():
        if value is not None:
            head += f" {key}='{escape(str(value)).translate(_WHITE)}'"
    inner = "".join(
        [c if isinstance(c, SerializedXML) else escape(c) for c in children if c is not None]
    )
    return SerializedXML(f"{head}>{inner}</{name}>" if inner else f"{head}/>")


def copied(tree: Element, around: str = COMPONENT) -> SerializedXML:
    """Return the text of an element whose parent has the namespace ``around``.

    The only attribute with a namespace in it is ``xml:lang``.
    """
    attributes = {} if (tree.uri or "") == around else {"xmlns": tree.uri or ""}
    attributes |= {key: value for key, value in tree.attributes.items() if isinstance(key, str)}
    attributes["xml:lang"] = tree.attributes.get(_LANG)
    children = [c if isinstance(c, str) else copied(c, tree.uri or "") for c in tree.children]
    return tag(tree.name, attributes, *children)


# Incoming elements. Access to a child as an attribute ignores namespaces, and ``el["x"]`` raises.


def first(tree: Element, uri: str, name: str) -> Element | None:
    """Return the first child element of a namespace and name, or None."""
    return next(tree.elements(uri, name), None)


def text_of(tree: Element) -> str:
    """Return the text of an element, without that of its children."""
    return "".join(child for child in tree.children if isinstance(child, str))


def measured(tree: Element) -> tuple[int, bool]:
    """Return about how many bytes an element has, and whether it has more levels than DEEPEST.

    Each element counts as :data:`TAG`, because its parsing takes as long as that of much text.
    """
    size, deep, waiting = 0, False, [(tree, 1)]
    while waiting:
        each, level = waiting.pop()
        if isinstance(each, str):
            size += len(each)
        else:
            size += TAG + sum(map(len, each.attributes.values()))
            deep |= level > DEEPEST
            waiting += [(child, level + 1) for child in each.children]
    return size, deep


def is_of_mug(tree: Element) -> bool:
    """Return whether an element, or any inside it, has one of MUG's namespaces."""
    mine = tree.uri == MUG or (tree.uri or "").startswith((f"{MUG}#", f"{MUG}/", OURS))
    return mine or any(map(is_of_mug, tree.elements()))

"""The limits of the service for addresses without an account (``--visitors``).

No XMPP address has an account, except a linked one. The address of a room is the link that leads
to it: only the lists of rooms are hidden with ``invited``.
"""

from __future__ import annotations

from collections.abc import Callable

from tictac.plugins.xmpp import xml
from tictac.plugins.xmpp.events import Stanza
from tictac.protocols.lobby.wire import ALL, INVITED

RULES = ("help", "games", "rules", "link", "stop")
"""Commands that name neither rooms nor people."""

LISTS = ("rooms", "new")
"""Commands that show or make public rooms."""

SUBSCRIPTIONS = ("subscribe", "unsubscribe", "unsubscribed", "probe")


def may_ask(visitors: int, s: Stanza, asked: str | Callable[..., object]) -> bool:
    """Return whether an address without an account can ask that; ``asked`` can be typed text."""
    if visitors == ALL or s.leaves or s.kind in ("error", "result", *SUBSCRIPTIONS):
        return True
    if isinstance(asked, str):
        word = (asked.split() or ["help"])[0].lower()
        return word in RULES if visitors < INVITED else word not in LISTS
    child = next(s.tree.elements(), None)
    what = None if child is None or s.tree.name != "iq" else child.uri
    if what in (xml.INFO, xml.PING) and not s.to.node:
        return True  # of the service itself
    return visitors == INVITED and (bool(s.to.node) or s.tree.name != "iq")

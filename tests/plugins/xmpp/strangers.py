"""Stanzas by which a stranger asks for rooms and persons: name, address, content, and type."""

from __future__ import annotations

from tictac.plugins.xmpp.xml import COMMANDS, ITEMS, MUC, MUC_ADMIN, OWNER, SEARCH

LISTS = [
    ("iq", "", f"<query xmlns='{ITEMS}'/>", "get"),
    ("iq", "", f"<query xmlns='{SEARCH}'/>", "get"),
    ("iq", "", f"<query xmlns='{SEARCH}'><status/></query>", "set"),
    ("iq", "", f"<command xmlns='{COMMANDS}' node='join'/>", "set"),
    ("message", "", "<body>rooms</body>", "chat"),
    ("message", "", "<body>new attic</body>", "chat"),
]
"""To the service: these show rooms."""

BY_LINK = [
    ("iq", "den", f"<query xmlns='{ITEMS}'/>", "get"),
    ("iq", "den", "<query xmlns='http://jabber.org/protocol/disco#info'/>", "get"),
    ("iq", "den", f"<query xmlns='{OWNER}'/>", "get"),
    ("iq", "den", f"<query xmlns='{MUC_ADMIN}'><item role='visitor'/></query>", "get"),
    ("presence", "den/zoe", f"<x xmlns='{MUC}'/>", ""),
    ("message", "den", "<body>hello</body>", "groupchat"),
    ("message", "", "<body>join den</body>", "chat"),
    ("message", "", "<body>watch den</body>", "chat"),
    ("message", "", "<body>board</body>", "chat"),
]
"""To a room, whose address is a link."""

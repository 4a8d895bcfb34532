"""XMPP addresses, and the nicks of occupants.

The XMPP server has checked and normalized the addresses in ``from`` and ``to`` (RFC 7622). People
type all other addresses, so this module checks the parts that identify a person.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import quote

LONGEST = 1023
"""Maximum bytes of each part of an address."""

LONGEST_NICK = 60

REFEREE = "referee"
"""The nick of the occupant by which a room speaks to MUC's clients; no one else can have it."""

_NODE = re.compile(r"""[^\s"&'/:<>@]+""")
_DOMAIN = re.compile(r"[^\s\"&'/<>@]+")


class Address(NamedTuple):
    """A JID in its parts; node and resource can be empty."""

    node: str
    domain: str
    resource: str = ""

    @property
    def bare(self) -> str:
        """The address without its resource: for a client's address, the person."""
        return f"{self.node}@{self.domain}" if self.node else self.domain

    def __str__(self) -> str:
        return f"{self.bare}/{self.resource}" if self.resource else self.bare


def parse(text: str) -> Address:
    """Read an address. Raises ValueError."""
    rest, _, resource = text.partition("/")
    node, at, domain = rest.rpartition("@")
    node, domain = normalize("NFKC", node).lower(), normalize("NFKC", domain).lower().rstrip(".")
    if (at and not _NODE.fullmatch(node)) or not _DOMAIN.fullmatch(domain):
        raise ValueError(f"{text!r:.80} isn't an address")
    if max(len(part.encode(errors="replace")) for part in (node, domain, resource)) > LONGEST:
        raise ValueError("an address that long can't be")
    return Address(node, domain, resource)


def link(room: Address, password: str = "") -> str:
    """Return the URI that lets a chat client enter a room (RFC 5122, XEP-0147)."""
    secret = f";password={quote(password, safe='')}" if password else ""
    return f"xmpp:{quote(room.node, safe='')}@{room.domain}?join{secret}"


def bare(text: str) -> str:
    """Return an address without its resource: the person."""
    return text.partition("/")[0]


def fold(nick: str) -> str:
    """Return a nick in the form in which nicks are compared, without case."""
    return normalize("NFKC", nick).casefold()


def is_nick(text: str) -> bool:
    """Return whether ``text`` can be a nick."""
    return 0 < len(text) <= LONGEST_NICK and text.isprintable() and not text.isspace()


def is_reserved(nick: str) -> bool:
    """Return whether a nick is that of the room's own occupant."""
    return fold(nick) == REFEREE


def is_room_name(text: str) -> bool:
    """Return whether ``text``, which no XMPP server has checked, can be a room's name."""
    return re.fullmatch(r"[a-z0-9_.-]{1,60}", text) is not None

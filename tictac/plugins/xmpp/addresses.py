"""XMPP addresses, and the names that people go by in rooms.

What stands in ``from`` and ``to`` was checked and brought to its normal form by the XMPP
server (RFC 7622). What stands anywhere else was typed by somebody: it is checked here, as
far as it decides who somebody is.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import normalize

LONGEST = 1023
"""Bytes of each part of an address."""

LONGEST_NICK = 60

_NODE = re.compile(r"""[^\s"&'/:<>@]+""")
_DOMAIN = re.compile(r"[^\s\"&'/<>@]+")


class Address(NamedTuple):
    """A JID in its parts; node and resource may be empty."""

    node: str
    domain: str
    resource: str = ""

    @property
    def bare(self) -> str:
        """The address without its resource: for somebody's, the person."""
        return f"{self.node}@{self.domain}" if self.node else self.domain

    def __str__(self) -> str:
        return f"{self.bare}/{self.resource}" if self.resource else self.bare


def parse(text: str) -> Address:
    """The address that ``text`` spells. Raises ValueError."""
    rest, _, resource = text.partition("/")
    node, at, domain = rest.rpartition("@")
    node, domain = normalize("NFKC", node).lower(), normalize("NFKC", domain).lower().rstrip(".")
    if (at and not _NODE.fullmatch(node)) or not _DOMAIN.fullmatch(domain):
        raise ValueError(f"{text!r:.80} isn't an address")
    if max(len(part.encode(errors="replace")) for part in (node, domain, resource)) > LONGEST:
        raise ValueError("an address that long can't be")
    return Address(node, domain, resource)


def bare(text: str) -> str:
    """The person behind the address ``text``, of which only the resource can be too much."""
    return text.partition("/")[0]


def fold(nick: str) -> str:
    """What two nicks have in common that are the same but for case."""
    return normalize("NFKC", nick).casefold()


def is_nick(text: str) -> bool:
    """Whether somebody may go by ``text`` in a room."""
    return 0 < len(text) <= LONGEST_NICK and text.isprintable() and not text.isspace()


def is_room_name(text: str) -> bool:
    """Whether a room can be named so by chat, where no XMPP server has checked it."""
    return re.fullmatch(r"[a-z0-9_.-]{1,60}", text) is not None

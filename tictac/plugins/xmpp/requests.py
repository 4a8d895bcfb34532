"""The request about XMPP in the lobby protocol. Source: xmpp.md, "Accounts"."""

from __future__ import annotations

from typing import ClassVar

from tictac.protocols.lobby.wire import Request

# fmt: off

class Xmpp(Request):
    """Ask for your XMPP addresses, and the link to a room; with a jid, link that, or unlink it."""
    units: ClassVar = 20
    room: str | None = None
    key: str | None = None
    jid: str | None = None
    link: bool | None = None
    language: str | None = None

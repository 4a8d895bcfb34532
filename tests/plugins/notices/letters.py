"""A message, as channels get it."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

from tictac.plugins.notices.notifier import Letter, Line

LOOPBACK = [ip_network("127.0.0.0/8")]

URL = "https://games.example"
STOP = f"{URL}/notice/stop/0123456789abcdef01234567"


def letter(language: str = "en", user: str = "bob", **line: Any) -> Letter:
    """Return a message of one line."""
    fields: dict[str, Any] = {
        "kind": "turn", "room": "den", "title": "Your turn: Reversi", "body": "against alice",
        "path": "/room/den", "seconds": 60.0,
    }  # fmt: skip
    return Letter("batch1", user, language, [Line(**(fields | line))], STOP, 1)

"""Where Redis is, as its URL says it. Pure."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Address(NamedTuple):
    """Which Redis, and what it wants to hear first."""

    host: str
    port: int = 6379
    database: int = 0
    user: str | None = None
    password: str | None = None

    def __str__(self) -> str:
        """Without the password."""
        return f"redis://{self.host}:{self.port}/{self.database}"

    def greeting(self) -> list[tuple[str, ...]]:
        """The commands that a connection begins with, as their words.

        They ask for version 3 of Redis's protocol (RESP3), in which what is published comes on
        the same connection as the replies.
        """
        hello: tuple[str, ...] = ("HELLO", "3")
        if self.password is not None:
            hello += ("AUTH", self.user or "default", self.password)
        return [hello, ("SELECT", str(self.database))] if self.database else [hello]


def read_address(text: str) -> Address:
    """``redis://[USER:PASSWORD@]HOST[:PORT][/DB]``. Raises ValueError for anything else."""
    wrong = ValueError("it isn't redis://HOST:PORT/DB")
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise wrong from None
    database = url.path.removeprefix("/") or "0"
    if url.scheme != "redis" or not url.hostname or url.query or url.fragment:
        raise wrong
    if not (database.isascii() and database.isdecimal()) or port == 0:
        raise wrong
    user, password = (unquote(part) if part else None for part in (url.username, url.password))
    return Address(url.hostname, port or 6379, int(database), user, password)

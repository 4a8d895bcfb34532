"""Where Redis is, as its URL says it. Pure."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tictac.cluster.scripts import command


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

    def greeting(self) -> list[bytes]:
        """The commands that a connection begins with."""
        commands = []
        if self.password is not None:
            words = [word.encode() for word in (self.user, self.password) if word]
            lines = [b"*%d\r\n$4\r\nAUTH\r\n" % (len(words) + 1)]
            lines += [b"$%d\r\n%b\r\n" % (len(word), word) for word in words]
            commands.append(b"".join(lines))
        if self.database:
            commands.append(command("SELECT", str(self.database)))
        return commands


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

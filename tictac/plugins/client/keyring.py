"""A user's data between two visits: tokens in place of passwords, and the last server.

The data is in a JSON file that only the user can read: ``tictac/servers.json`` in the
configuration folder of the XDG specification.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tictac.plugins.client.connection import Message


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of this user's files."""
    return Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "tictac"


class Keyring:
    """The file at ``path``. An unreadable file counts as empty; failed writes raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def last(self) -> str | None:
        """The server of the last visit."""
        last = self._read().get("last")
        return last if isinstance(last, str) else None

    def login(self, server: str) -> dict[str, str] | None:
        """Return ``user`` and ``token`` for a server; None if there are none."""
        login = self._servers().get(server)
        if not isinstance(login, dict) or set(login) != {"user", "token"}:
            return None
        return {name: str(value) for name, value in login.items()}

    def visit(self, server: str) -> None:
        """Save ``server`` as the last server."""
        if self.last != server:
            self._write(self._read() | {"last": server})

    def keep(self, server: str, login: Mapping[str, str] | None) -> None:
        """Save ``user`` and ``token`` for a server; None deletes them."""
        servers = self._servers()
        if login is None and servers.pop(server, None) is None:
            return
        if login is not None:
            servers[server] = dict(login)
        self._write(self._read() | {"servers": servers})

    def _servers(self) -> Message:
        servers = self._read().get("servers")
        return servers if isinstance(servers, dict) else {}

    def _read(self) -> Message:
        with suppress(OSError, ValueError, RecursionError):
            content = json.loads(self._path.read_bytes())
            if isinstance(content, dict):
                return content
        return {}

    def _write(self, content: Message) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=4)
        new.replace(self._path)

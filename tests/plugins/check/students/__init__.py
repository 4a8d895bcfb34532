"""Programs as students write them, each right by the sources in a way of its own.

They were written from the texts of the assignments alone. None has a fault by these: what they do
otherwise than our own programs the sources leave open. ``faults.py`` says how to make faulty ones
of them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Student(NamedTuple):
    """A program: the suite that checks it, its arguments, and how moves are typed to it.

    ``options`` are more of the checker's, as texts.
    """

    suite: str
    arguments: str
    typed: str | None = None
    options: Mapping[str, str] = {}

    def command(self, program: Path) -> str:
        """Return what starts it from a file; without a shell that waits for it."""
        return f"exec {sys.executable} {program} {self.arguments}"


CLIENT = "{host} {port}"
MUG_CLIENT = f"{CLIENT} {{jid}} {{password}} {{room}}"
DATABASE = "{port} {scratch}/users"

STUDENTS = {
    "rooms_threads": Student("rooms", "{config}"),
    "rooms_select": Student("rooms", DATABASE),
    "rooms_asyncio": Student("rooms", DATABASE),
    "rooms_selectors": Student("rooms", DATABASE),
    "rooms_client_plain": Student("rooms-client", CLIENT),
    "rooms_client_threads": Student("rooms-client", CLIENT),
    "rooms_client_select": Student("rooms-client", CLIENT),
    "session_blocking": Student("session", "{port}"),
    "session_patient": Student("session", "{port}"),
    "session_client_window": Student("session-client", CLIENT),
    "session_client_status": Student("session-client", CLIENT, "{row} {column}"),
    "nim_threads": Student("nim", "-p {port}"),
    "nim_select": Student("nim", "-p {port}"),
    "nim_client_exits": Student("nim-client", "-h {host} -p {port}"),
    "nim_client_waits": Student("nim-client", CLIENT),
    "connectfour_threads": Student("connectfour", "{port}"),
    "connectfour_console": Student("connectfour-console", "", "{letter:lower} {column}"),
    "connectfour_client_checks": Student(
        "connectfour-client", "", None, {"asks": "name,host,port"}
    ),
    "connectfour_client_sends": Student("connectfour-client", "{host} {port} {name}"),
    "clue_mini": Student("clue", "{port}", None, {"names": str(HERE / "clue_names.txt")}),
    "mug_component": Student("mug", "{port}"),
    "mug_client_select": Student("mug-client", MUG_CLIENT),
    "mug_client_bot": Student("mug-client", MUG_CLIENT, ""),
    "clue_client_never": Student("clue-client", CLIENT),
}
"""By the names of their files."""

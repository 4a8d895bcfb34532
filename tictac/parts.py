"""The parts that tictac is made of: one line for each.

A part is a folder. ``service.py`` in it has a ``PART`` (net.part.PartMaker) that
``twistd tictac`` can start, ``commands.py`` an ``add_parser`` for the ``tictac`` command;
a part may have one of them, or both. Other distributions bring more of them (tictac.plugins).
"""

from __future__ import annotations

from typing import NamedTuple

from tictac.plugins import Plugins


class PartName(NamedTuple):
    """Its folder in the package, with a dot before each inner one; what its commands are called;
    whether it can be served."""

    folder: str
    commands: tuple[str, ...] = ()
    served: bool = True


PARTS = (
    PartName("doors.rooms", ("play", "watch")),
    PartName("plugins.classics.connectfour", ("connectfour",)),
    PartName("plugins.classics.nim", ("nim",)),
    PartName("plugins.classics.session", ("session",)),
    PartName("plugins.clue", ("clue",)),
    PartName("accounts", ("users",), served=False),
    PartName("matches", ("matches", "replay"), served=False),
    PartName("plugins.check", ("check",), served=False),
    PartName("plugins.tournament.running", ("tournament",), served=False),
    PartName("doors.operator", ("admin",)),
    PartName("doors.web"),
    PartName("admin"),
    PartName("plugins.xmpp"),
)

LOBBIES = {"nodes": "plugins.cluster"}
"""Folders whose ``service.py`` has a ``LOBBY``, a net.part.LobbyMaker."""

COMMANDS = Plugins(
    "command",
    {"serve", "config", "man", "completion", *(name for part in PARTS for name in part.commands)},
    lambda name, loaded: None if callable(loaded) else "it can't be called",
)
"""The commands of ``tictac`` that plug-ins bring."""

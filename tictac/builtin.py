"""The built-in plug-ins of tictac: one line for each.

A plug-in is a folder. Its ``service.py`` has a ``PLUGIN`` (runtime.ServerPlugin) that ``twistd
tictac`` can start; its ``commands.py`` has an ``add_parser`` for the ``tictac`` command. A plug-in
has one of them, or both. Other distributions add more (tictac.plugins).
"""

from __future__ import annotations

from typing import NamedTuple

from tictac.entry_points import Plugins


class Plugin(NamedTuple):
    """A plug-in: its folder, with a dot before each inner one, and its commands.

    ``served``: the plug-in has a ``service.py``.
    """

    folder: str
    commands: tuple[str, ...] = ()
    served: bool = True


PLUGINS = (
    Plugin("client", ("play", "watch"), served=False),
    Plugin("protocols.rooms"),
    Plugin("plugins.classics.rooms", ("rooms",), served=False),
    Plugin("plugins.classics.connectfour", ("connectfour",)),
    Plugin("plugins.classics.nim", ("nim",)),
    Plugin("plugins.classics.session", ("session",)),
    Plugin("plugins.clue", ("clue",)),
    Plugin("accounts", ("users",), served=False),
    Plugin("matches", ("matches", "replay"), served=False),
    Plugin("plugins.check", ("check",), served=False),
    Plugin("plugins.tournament.running", ("tournament",), served=False),
    Plugin("protocols.admin", ("admin",)),
    Plugin("protocols.web"),
    Plugin("plugins.monitoring"),
    Plugin("plugins.xmpp"),
)

LOBBIES = {"postgres": "plugins.postgres"}
"""Folders whose ``service.py`` has a ``LOBBY``, a runtime.LobbyPlugin."""

ADD_ONS = {"tournaments": "plugins.tournament.hosting", "people": "plugins.people"}
"""Folders whose ``service.py`` has an ``ADD_ON``, a runtime.AddOn."""

SHELLS = {"people": "plugins.people.shell"}
"""Modules whose ``Commands`` `tictac play` has, too: see there."""

ADMIN_COMMANDS = {"tournament": "plugins.tournament.hosting.commands"}
"""Modules with an ``add_admin_parser`` for that command of ``tictac admin``."""

COMMANDS = Plugins(
    "command",
    {"serve", "config", "man", "completion", *(name for part in PLUGINS for name in part.commands)},
    lambda name, loaded: None if callable(loaded) else "it can't be called",
)
"""The commands of ``tictac`` that plug-ins of other distributions add."""

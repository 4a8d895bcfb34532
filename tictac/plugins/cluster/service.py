"""The cluster's options, and the registry that they ask for.

psycopg is an extra, so the modules that need it are imported only when an option asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tictac import options as read
from tictac.errors import SetupError
from tictac.lobby.registry import Registry
from tictac.net.plugin import LobbyPlugin, Parameter

_SCHEMES = ("postgresql:", "postgres:")


_PARAMETERS: list[Parameter] = [
    ("node", None, None, "Endpoint of this node for other nodes: tcp:HOST:PORT.", None),
    ("node-listen", None, None, "Endpoint to listen on for other nodes, if it differs.", None),
    ("node-secret", None, None, "File with the secret of all nodes.", None),
    ("lease", None, 1.0, "Seconds until other nodes take over a silent node.", read.interval),
]


def _make(
    reactor: Any,
    options: Mapping[str, Any],
    database: Callable[[], str],
    on_lost: Callable[[str], None],
    *arguments: Any,
) -> tuple[Registry, None] | None:
    is_node, journal = options["node"] is not None, options["journal"]
    if not is_node and journal != "postgres":
        return None
    has_url = database().startswith(_SCHEMES)
    if is_node and not has_url:
        raise SetupError("--node needs a --database that is a postgresql:// URL")
    if is_node and journal == "sqlite":
        raise SetupError("--node keeps rooms in PostgreSQL: leave --journal out")
    if not has_url:
        raise SetupError("--journal postgres needs a --database that is a postgresql:// URL")
    from tictac.plugins.cluster.startup import open_node

    return open_node(reactor, options, database(), on_lost, *arguments), None


LOBBY = LobbyPlugin(_make, _PARAMETERS)

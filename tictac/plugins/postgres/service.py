"""The options of rooms in PostgreSQL, and the registry and the turn that they ask for.

psycopg is an extra, so the modules that need it are imported only when an option asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tictac import options as read
from tictac.errors import SetupError
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.net.plugin import LobbyPlugin, Turn
from tictac.net.running_time import running_time
from tictac.options import option

_SCHEMES = ("postgresql:", "postgres:")


@dataclass(frozen=True)
class PostgresOptions:
    """Two servers of one database."""

    lease: float = option(
        2.0, "Seconds until a standby takes over from a silent server.", read.interval
    )


def _make(
    reactor: Any,
    options: Mapping[str, Any],
    database: Callable[[], str],
    on_lost: Callable[[str], None],
    *arguments: Any,
) -> tuple[Registry, Turn] | None:
    journal = options["journal"]
    is_url = options["database"].startswith(_SCHEMES)
    if journal == "postgres" and not is_url:
        raise SetupError("--journal postgres needs a --database that is a postgresql:// URL")
    if journal not in ("auto", "postgres") or not is_url:
        if options["lobby"] == read.MAIN:
            return None
        raise SetupError(
            f"--lobby {options['lobby']}: only rooms in PostgreSQL have lobbies;"
            " use a postgresql:// --database with --journal postgres"
        )
    url = database()
    from tictac.plugins.postgres.journal import PostgresJournal
    from tictac.plugins.postgres.turn import PostgresTurn

    lease, patience = options["lease"], options["engine-timeout"]
    lobby = options["lobby"]
    kept = PostgresJournal(url, reactor, lease, patience, running_time.seconds, lobby)
    outbox = partial(Journaled, kept, reactor.callLater)
    registry = Registry(*arguments, on_lost=on_lost, outbox=outbox)
    assert isinstance(registry.outbox, Journaled)
    return registry, PostgresTurn(reactor, kept, registry, registry.outbox, lease, patience)


LOBBY = LobbyPlugin(_make, PostgresOptions)

"""The options of rooms in PostgreSQL, and the registry and the turn that they ask for.

psycopg is an extra, so the modules that need it are imported only when an option asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tictac import options as read
from tictac.errors import SetupError
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.net.plugin import Turn
from tictac.net.running_time import running_time
from tictac.net.settings import AccountOptions, RoomsOptions, ServerOptions
from tictac.options import option
from tictac.runtime import LobbyPlugin, Runtime

_SCHEMES = ("postgresql:", "postgres:")


@dataclass(frozen=True)
class PostgresOptions:
    """Two servers of one database."""

    lease: float = option(
        2.0, "Seconds until a standby takes over from a silent server.", read.interval
    )


def _make(runtime: Runtime) -> tuple[Registry, Turn] | None:
    settings = runtime.settings
    journal, lobby = settings[RoomsOptions].journal, settings[RoomsOptions].lobby
    is_url = settings[AccountOptions].database.startswith(_SCHEMES)
    if journal == "postgres" and not is_url:
        raise SetupError("--journal postgres needs a --database that is a postgresql:// URL")
    if journal not in ("auto", "postgres") or not is_url:
        if lobby == read.MAIN:
            return None
        raise SetupError(
            f"--lobby {lobby}: only rooms in PostgreSQL have lobbies;"
            " use a postgresql:// --database with --journal postgres"
        )
    url, reactor = runtime.database, runtime.reactor
    from tictac.plugins.postgres.journal import PostgresJournal
    from tictac.plugins.postgres.turn import PostgresTurn

    lease = settings[PostgresOptions].lease
    patience = settings[ServerOptions].engine_timeout
    kept = PostgresJournal(url, reactor, lease, patience, running_time.seconds, lobby)
    registry = runtime.new_registry(partial(Journaled, kept, reactor.callLater))
    assert isinstance(registry.outbox, Journaled)
    return registry, PostgresTurn(reactor, kept, registry, registry.outbox, lease, patience)


LOBBY = LobbyPlugin(_make, PostgresOptions)

"""The one service that a command line asks for."""

from __future__ import annotations

from typing import Any

from tictac.server.make import Options, makeService


def service_of(reactor: Any, *arguments: str) -> Any:
    """Return the only service of these options."""
    options = Options()
    options.parseOptions(arguments)
    [service] = makeService(options, reactor).services
    return service

"""The one service that a command line asks for."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.server.make import Options, makeService


def service_of(case: SynchronousTestCase, reactor: Any, *arguments: str) -> Any:
    """Return the only service of these options, with a database that lasts as long as the test."""
    options = Options()
    database = temporary_directory(case) / "users.db"
    options.parseOptions(["--database", str(database), *arguments])
    [service] = makeService(options, reactor).services
    return service

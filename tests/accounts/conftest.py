"""A PostgreSQL for the tests that need one, started once for all of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.accounts.postgres import Postgres, programs, running


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A running server."""
    if programs() is None:
        pytest.skip("needs PostgreSQL (postgresql)")
    # Not one of pytest's folders, where only the user of the tests may come.
    with tempfile.TemporaryDirectory() as directory:
        yield from running(Path(directory))

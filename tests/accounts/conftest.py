"""A PostgreSQL for the functions that need one."""

from __future__ import annotations

import pytest

from tests.accounts.postgres import Postgres, running


@pytest.fixture(scope="session")
def postgres() -> Postgres:
    return running()

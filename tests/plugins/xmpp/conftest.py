"""The world of most tests: they hold whether the lobby answers at once, or after a commit."""

from __future__ import annotations

import pytest

from tests.plugins.xmpp.helpers import World


@pytest.fixture(params=[False, True], ids=["at once", "late"])
def world(request: pytest.FixtureRequest) -> World:
    return World(late=request.param)

"""A server with a page, and browsers, which are started once for all tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.protocols.rooms.proxy import Proxy
from tests.protocols.web.browser import CHROMIUM, DRIVER, Browser, PageServer, Terminal


@pytest.fixture(scope="session")
def pool() -> Iterator[list[Browser]]:
    """Browsers that run already."""
    started: list[Browser] = []
    yield started
    for browser in started:
        browser.quit()


@pytest.fixture
def browse(pool: list[Browser]) -> Iterator[Callable[[int], list[Browser]]]:
    """So many browsers, none of which may show nonsense."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver (chromium-driver)")

    def browse(count: int) -> list[Browser]:
        while len(pool) < count:
            pool.append(Browser())
        return pool[:count]

    yield browse
    for browser in pool:
        browser.check_sense()


@pytest.fixture
def browser(browse: Callable[[int], list[Browser]]) -> Browser:
    """One browser."""
    return browse(1)[0]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """One for all tests, whose names differ; it has nothing to complain of in the end.

    It holds seats for longer than a test waits for anything.
    """
    running = PageServer(tmp_path_factory.mktemp("server"), "--rejoin-timeout", "300")
    try:
        yield running
        running.stop()
    finally:
        running.end()


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[PageServer]:
    """A server of a test's own, which it may stop and start; it holds no seats."""
    running = PageServer(tmp_path)
    try:
        yield running
        running.stop()
    finally:
        running.end()


@pytest.fixture
def proxy(server: PageServer, request: pytest.FixtureRequest) -> Proxy:
    """A way to the page that can be cut."""
    return Proxy(request.addfinalizer, server.web)


@pytest.fixture
def terminal(server: PageServer) -> Iterator[Callable[[str], Terminal]]:
    """Somebody at a terminal, by name."""
    connected: list[Terminal] = []

    def terminal(user: str) -> Terminal:
        connected.append(server.terminal(user))
        return connected[-1]

    yield terminal
    for one in connected:
        one.close()

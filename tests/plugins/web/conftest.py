"""A server with a page, and browsers, which are started once for all tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.plugins.web.browser import CHROMIUM, DRIVER, Browser, PageServer, Terminal
from tests.protocols.rooms.proxy import Proxy


@pytest.fixture(scope="session")
def pool() -> Iterator[list[Browser]]:
    """Yield the list of running browsers, and quit them at the end."""
    started: list[Browser] = []
    yield started
    for browser in started:
        browser.quit()


@pytest.fixture
def browse(pool: list[Browser]) -> Iterator[Callable[[int], list[Browser]]]:
    """Yield a function that returns browsers; none of them may show nonsense."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver (chromium-driver)")

    used: list[Browser] = []

    def browse(count: int) -> list[Browser]:
        while len(pool) < count:
            pool.append(Browser())
        used[:] = pool[: max(count, len(used))]
        return pool[:count]

    yield browse
    for browser in used:
        browser.check_sense()
        browser.driver.get("about:blank")  # or its page tries to connect, and its clocks run


@pytest.fixture
def browser(browse: Callable[[int], list[Browser]]) -> Browser:
    return browse(1)[0]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield the server of all tests, whose names differ; it must end without warnings.

    It holds seats for longer than a test waits for anything.
    """
    with PageServer(tmp_path_factory.mktemp("server"), "--rejoin-timeout", "300") as running:
        yield running


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[PageServer]:
    """Yield a server that the test may stop and start; it holds no seats."""
    with PageServer(tmp_path) as running:
        yield running


@pytest.fixture
def proxy(server: PageServer, request: pytest.FixtureRequest) -> Proxy:
    """Return a connection to the web client that the test can cut."""
    return Proxy(request.addfinalizer, server.web)


@pytest.fixture
def terminal(server: PageServer) -> Iterator[Callable[[str], Terminal]]:
    """Yield a function that logs in a new user at a terminal."""
    connected: list[Terminal] = []

    def terminal(user: str) -> Terminal:
        connected.append(server.terminal(user))
        return connected[-1]

    yield terminal
    for one in connected:
        one.close()

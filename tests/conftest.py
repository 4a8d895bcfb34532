"""The setup of all tests under pytest.

They share all cores, the slow ones first; ``-m "not slow"`` leaves these out. Under
TICTAC_TEST_ALL=1 no test is skipped.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
import random
import signal
import sys
from collections.abc import Generator
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import twisted.trial.unittest  # noqa: F401  # Without it pytest takes trial's ``todo`` for an error.
from twisted.logger import LogLevel, capturedLogs, formatEvent

from tictac.plugins.check import target

if TYPE_CHECKING:
    from tests.storage.postgres import Postgres

TESTS = Path(__file__).parent

collect_ignore = ["outside"]
"""Its tests need it to be installed: test_outside.py runs them."""

SLOW = (
    "bench/", "check/", "plugins/admin/", "running/", "lobby/test_document",
    "lobby/test_asyncapi", "web/test_openapi",
    "web/test_accessibility", "web/test_clue", "web/test_replay", "browser", "container", "debian",
    "deploy", "docs", "end_to_end", "environments", "compatibility", "every_game", "fuzz",
    "test_hosting", "opponent", "openspiel", "outside", "players", "pool", "postgres", "processes",
    "program", "prosody", "readme", "real_server", "trial",
)  # fmt: skip
"""In the paths of files that take long, as they start programs, databases or browsers, or let the
computer play: begun last, they would keep one worker busy alone."""


FORBIDDEN = "this kernel or container forbids sandboxes"
"""The end of the reason of a skip that nothing installed could avoid."""

# pytest asks for Twisted's version before each test, which takes it a millisecond to read.
importlib.metadata.version = cache(importlib.metadata.version)

# Or two workers would let programs listen on the same port now and then.
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 8
_ports = cycle(random.sample(range(20_000 + 1_500 * _worker, 21_500 + 1_500 * _worker), 1_500))
vars(target)["randrange"] = lambda *_: next(_ports)

# A shell's ``&`` and nohup let these be ignored, also by the programs that tests start.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """Start no workers for single files, and two more than cores if tests wait for programs."""
    cores = yield
    if all(".py" in argument for argument in config.args):
        return 0
    return cores if config.option.markexpr == "not slow" else cores + 2


# Looked up for each test: to take paths apart anew took a third of the time of the collection.
@cache
def _is_slow(path: Path) -> bool:
    name = path.relative_to(TESTS).as_posix()
    return any(word in name for word in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Don't even import the slow files if they aren't asked for."""
    fast = config.option.markexpr == "not slow" and collection_path.suffix == ".py"
    return True if fast and _is_slow(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow files, and sort them first where workers share the tests.

    A worker runs all tests of a file.
    """
    for item in items:
        if _is_slow(item.path):
            item.add_marker("slow")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Keep the tests themselves out of garbage collections, which take a third less so."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Let a file's last test fail for the errors that no test of the file has handled.

    A Deferred logs its error when it is collected. If it is part of a cycle, that may be during a
    test of another file, which fails then.
    """
    yield
    everything = os.environ.get("TICTAC_TEST_ALL") == "1"
    if everything and (nextitem is None or nextitem.path != item.path):
        _collect_errors(item)


def _collect_errors(item: pytest.Item) -> None:
    with capturedLogs() as found:
        gc.collect()
    gc.freeze()
    errors = [
        f"{formatEvent(each)} {each.get('log_failure', '')}"
        for each in found
        if each["log_level"] is LogLevel.critical
    ]
    if errors:
        pytest.fail(f"{item.path.name} left errors that nothing handled: {'; '.join(errors)}")


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected = hasattr(report, "wasxfail")
    if not report.skipped or expected or os.environ.get("TICTAC_TEST_ALL") != "1":
        return
    # (file, line, reason) of a skip.
    reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
    if sys.platform != "linux" and str(reason).endswith("needs Linux"):
        return
    if str(reason).endswith(FORBIDDEN):
        return
    report.outcome = "failed"
    report.longrepr = f"TICTAC_TEST_ALL=1 asks for every test, and this one was skipped: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.fixture(scope="session")
def postgres() -> Postgres:
    """Return a PostgreSQL for the functions that need one."""
    from tests.storage.postgres import running

    return running()

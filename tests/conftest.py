"""What holds for all tests of pytest: they share all cores, the slow ones first, and under
TICTAC_TEST_ALL=1 none is skipped."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
import twisted.trial.unittest  # noqa: F401  # Without it pytest takes trial's ``todo`` for an error.

SLOW = (
    "browser", "processes", "end_to_end", "prosody", "bench", "readme", "program", "mutants",
    "starters",
)  # fmt: skip
"""In the names of files that take long: begun last, they would keep one worker busy alone."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Start no workers for single files."""
    return 0 if all(".py" in argument for argument in config.args) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow files where workers share them; a worker has all tests of a file."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not any(word in item.path.name for word in SLOW))


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    expected = hasattr(report, "wasxfail")
    if not report.skipped or expected or os.environ.get("TICTAC_TEST_ALL") != "1":
        return
    # (file, line, reason) of a skip.
    reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
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

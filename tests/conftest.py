"""What holds for all tests of pytest: under TICTAC_TEST_ALL=1 none is skipped."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest


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

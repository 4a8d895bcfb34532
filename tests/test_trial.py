"""Every trial test runs under trial too, which knows no fixtures and no marks of pytest."""

from __future__ import annotations

import inspect
import subprocess
import sys
import unittest
from collections.abc import Iterator
from configparser import RawConfigParser
from pathlib import Path

from twisted.trial import runner

import tests
from tests.documents import ROOT


def cases(found: object) -> Iterator[unittest.TestCase]:
    """Yield the tests in a suite of trial's."""
    if isinstance(found, unittest.TestSuite):
        for one in found:
            yield from cases(one)
    else:
        # What can't be imported is no TestCase.
        assert isinstance(found, unittest.TestCase), found
        yield found


def needs_of(case: unittest.TestCase) -> set[str]:
    """Return the pytest features that a test needs."""
    method = getattr(case, case.id().rpartition(".")[2])
    fixtures = {
        name
        for name, each in inspect.signature(method).parameters.items()
        if each.default is each.empty
    }
    return fixtures | ({"marks"} if hasattr(method, "pytestmark") else set())


def needs_of_class(case: type[unittest.TestCase]) -> set[str]:
    """Return the pytest features that all tests of a class need."""
    fixtures = {
        name
        for each in case.__mro__
        for name, value in vars(each).items()
        if "Fixture" in type(value).__name__
    }
    marked = any(hasattr(each, "pytestmark") for each in (case, sys.modules[case.__module__]))
    return fixtures | ({"marks"} if marked else set())


def test_no_trial_test_needs_pytest() -> None:
    found = list(cases(runner.TestLoader().loadPackage(tests, recurse=True)))
    assert len(found) > 2000
    needs = {case.id(): needs_of(case) for case in found}
    needs |= {each.__qualname__: needs_of_class(each) for each in {type(case) for case in found}}
    assert not {name: needed for name, needed in needs.items() if needed}


def run(*arguments: str) -> str:
    """Run Python without pytest, where the tests are; what it prints."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_trial_runs_them(tmp_path: Path) -> None:
    folder = f"--temp-directory={tmp_path / 'trial'}"
    assert "PASSED" in run("-m", "twisted.trial", folder, "tests.net.test_keepalive")


def test_no_example_is_timed_without_pytest() -> None:
    script = "import tests, hypothesis; print(hypothesis.settings().deadline)"
    assert run("-c", script) == "None\n"


def test_trial_finds_the_tests_of_a_clone() -> None:
    setup = RawConfigParser()
    setup.read(ROOT / "setup.cfg")
    # Else `pip install -e` hands out the packages one by one, and tests is none of them.
    assert setup["options"]["package_dir"].strip() == "= ."

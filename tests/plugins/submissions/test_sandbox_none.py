"""Machines that can't run a sandbox: what the operator reads, and which tests are left out."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.conftest import FORBIDDEN
from tests.plugins.submissions.sandboxes import why_none

NAMESPACES = "kernel.apparmor_restrict_unprivileged_userns=0"
PROC = "systempaths=unconfined"
GUIDE = "see docs/guides/programs.md"

FORBIDDING = [
    ("bwrap: No permissions to create new namespace, likely because the kernel does not allow"
     " non-privileged user namespaces. See <https://deb.li/bubblewrap>.", NAMESPACES),
    ("bwrap: Creating new namespace failed: Operation not permitted", NAMESPACES),
    ("bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces"
     " exceeded (ENOSPC)", NAMESPACES),
    ("bwrap: setting up uid map: Permission denied", NAMESPACES),
    ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", NAMESPACES),
    ("bwrap: Failed to make / slave: Permission denied", NAMESPACES),
    ("setpriv: setresuid failed: Invalid argument", NAMESPACES),
    ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", PROC),
    ("bwrap: Can't read /proc/sys/kernel/overflowuid: No such file or directory", PROC),
]  # fmt: skip
"""The last line of standard error where nothing installed helps, and what the operator reads."""

OTHERS = [
    "bwrap: Unknown option --size",
    "bwrap: execvp nice: No such file or directory",
    "bwrap: Can't find source path /tmp/x/library: Permission denied",
    "PermissionError: [Errno 13] Permission denied: '/proc/self/oom_score_adj'",
]
"""Faults of an installation or of the runner: no reason to leave a test out."""


def why_with(folder: Path, monkeypatch: pytest.MonkeyPatch, message: str) -> str:
    """Return why there is no sandbox, if each command of one only prints ``message``."""
    for name in ("bwrap", "setpriv"):
        path = folder / name
        path.write_text(f"#!/bin/sh\necho warning >&2\necho {shlex.quote(message)} >&2\nexit 1\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return why_none.__wrapped__()


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(("message", "remedy"), FORBIDDING)
def test_what_a_kernel_forbids_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, remedy: str
) -> None:
    why = why_with(tmp_path, monkeypatch, message)
    assert message in why and remedy in why and why.endswith(FORBIDDEN)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize("message", OTHERS)
def test_another_fault_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    why = why_with(tmp_path, monkeypatch, message)
    assert message in why and why.endswith(GUIDE)


def test_bubblewrap_can_be_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_none.__wrapped__() == "needs bubblewrap"

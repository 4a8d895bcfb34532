"""Clients that the checker is tried with."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from twisted.internet import process

from tests.accounts.helpers import reactor
from tests.plugins.check.helpers import Skipping, outcomes
from tests.plugins.check.referee import judge
from tictac.plugins.check.cases import Verdict
from tictac.plugins.check.clients.scene import ClientTarget
from tictac.plugins.check.scene import Harness

STARTERS = Path(__file__).parents[4] / "docs" / "starters"

ARGUMENTS = "{host} {port}"

BEFORE = (b"stdbuf", b"sh", b"dash", b"bash")
"""What runs before the program does."""

_STATUS = re.compile(
    rb"Name:\t(.*)\n(?:.*\n)*?State:\t(.)(?:.*\n)*?voluntary_ctxt_switches:\t(.*)\n"
)


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def supervisors_of(target: ClientTarget) -> list[int]:
    """Return the supervisors of the programs that cases of a target have started."""
    running: dict[int, Any] = process.reapProcessHandlers
    return [pid for pid, each in running.items() if each.proto._note.__self__.target is target]


def resting(supervisors: Iterable[int]) -> object:
    """Return what stays the same until a program of ``supervisors`` does something.

    It is None while one does. Without /proc it is always None.
    """
    known = []
    for supervisor in supervisors:
        try:
            (pid,) = _read(f"/proc/{supervisor}/task/{supervisor}/children").split()
            folder = f"/proc/{int(pid)}/task"
            for thread in os.listdir(folder):  # noqa: PTH208, which costs more
                about = _STATUS.search(_read(f"{folder}/{thread}/status"))
                assert about is not None
                name, state, switches = about.groups()
                if state != b"S" or name in BEFORE:
                    return None
                known.append((thread, switches))
        except (OSError, ValueError):
            return None
    return known


async def faults_of(
    protocol: str, command: str, case: str = "", rest: str = "", waits: bool = False
) -> dict[str, str]:
    """Return the cases that a client doesn't pass, by short numbers, and what came instead.

    Only ``case`` is tried, if one is given, and those that it needs. ``rest`` are the arguments of
    ``command``: host and port, and a name where there are some, unless they are given. One that
    ``waits`` may do something later by itself. What the checker sends in a passed case is judged.
    """
    name = f"{protocol}-client"
    if not rest and protocol == "mug":
        rest = f"{ARGUMENTS} {{jid}} {{password}} {{room}}"
    elif not rest:
        rest = ARGUMENTS if protocol in ("rooms", "session", "nim") else f"{ARGUMENTS} {{name}}"
    # Without a shell that waits for it.
    target = ClientTarget(reactor, f"exec {command} {rest}")
    harness = Harness(
        reactor if waits else Skipping(lambda: resting(supervisors_of(target))), target, 1
    )
    found = await outcomes(name, harness, case and f"{name}-{case}", jobs=6)
    for outcome in found:
        if outcome.verdict is Verdict.PASS:
            judge(outcome)
    return {
        outcome.case.number.removeprefix(f"{name}-"): f"{outcome.expected}: {outcome.came}"
        for outcome in found
        if outcome.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE)
    }

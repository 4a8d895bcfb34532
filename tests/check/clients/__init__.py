"""Clients that the checker is tried with."""

from __future__ import annotations

from pathlib import Path

from twisted.internet import reactor

from tests.check.helpers import outcomes
from tictac.check.cases import Verdict
from tictac.check.clients.scene import ClientTarget
from tictac.check.scene import Bench

STARTERS = Path(__file__).parents[3] / "docs" / "starters"

ARGUMENTS = "{host} {port}"


async def faults_of(protocol: str, command: str, case: str = "", rest: str = "") -> dict[str, str]:
    """The cases that a client doesn't pass, by their short numbers, and what came instead.

    Only ``case`` is tried, if one is given, and those that it needs. ``rest`` are the arguments of
    ``command``: host and port, and a name where there are some, unless they are given.
    """
    name = f"{protocol}-client"
    if not rest:
        rest = ARGUMENTS if protocol in ("rooms", "session", "nim") else f"{ARGUMENTS} {{name}}"
    bench = Bench(reactor, ClientTarget(reactor, f"{command} {rest}"), 1)
    found = await outcomes(name, bench, case and f"{name}-{case}", jobs=6)
    return {
        outcome.case.number.removeprefix(f"{name}-"): f"{outcome.expected}: {outcome.came}"
        for outcome in found
        if outcome.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE)
    }

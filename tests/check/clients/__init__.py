"""Clients that the checker is tried with."""

from __future__ import annotations

from pathlib import Path

from twisted.internet import reactor

from tictac.check.cases import Verdict
from tictac.check.clients.scene import ClientTarget
from tictac.check.runner import Runner, closure
from tictac.check.scene import Bench
from tictac.check.suites import suite

STARTERS = Path(__file__).parents[3] / "docs" / "starters"


ARGUMENTS = "{host} {port}"


async def faults_of(protocol: str, command: str, case: str = "", rest: str = "") -> dict[str, str]:
    """The cases that a client doesn't pass, by their short numbers, and what came instead.

    Only ``case`` is tried, if one is given, and those that it needs. ``rest`` are the arguments of
    ``command``: host and port, and a name where there are some, unless they are given.
    """
    chosen = suite(f"{protocol}-client")
    if not rest:
        rest = ARGUMENTS if protocol in ("rooms", "session", "nim") else f"{ARGUMENTS} {{name}}"
    target = ClientTarget(reactor, f"{command} {rest}")
    wanted = [each for each in chosen.cases if each.number == f"{chosen.name}-{case}"]
    assert bool(wanted) is bool(case), f"there is no case {case}"
    bench = Bench(reactor, target, 1)
    outcomes = await Runner(chosen, bench, closure(chosen, wanted or chosen.cases), jobs=6).run()
    return {
        outcome.case.number.removeprefix(f"{chosen.name}-"): f"{outcome.expected}: {outcome.came}"
        for outcome in outcomes
        if outcome.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE)
    }

"""Running some of a suite's cases."""

from __future__ import annotations

from typing import Any

from tictac.check.cases import Outcome
from tictac.check.runner import Runner, closure
from tictac.check.scene import Bench
from tictac.check.suites import suite


async def outcomes(name: str, bench: Bench, number: str = "", **options: Any) -> list[Outcome]:
    """What becomes of a case and of those that it needs, or, without a number, of all."""
    chosen = suite(name)
    wanted = [case for case in chosen.cases if number in ("", case.number)]
    assert wanted, f"there is no case {number}"
    return await Runner(chosen, bench, closure(chosen, wanted), **options).run()

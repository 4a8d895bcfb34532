"""Each fault of a student fails its case alone, and the report begins with that fault."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred, DeferredSemaphore, gatherResults

from tests.accounts.helpers import in_reactor
from tests.plugins.check.students.checking import checked, failed, let_go
from tests.plugins.check.students.faults import FAULTS, Fault
from tictac.errors import SetupError
from tictac.plugins.check.report import first_line
from tictac.plugins.check.suites import SUITES

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

AT_ONCE = 6
"""Faulty programs that are checked side by side."""

WHOLE = bool(os.environ.get("ALL_CASES"))
"""Whether each of them is tried by all cases, and not only by the one that is meant for it."""

SUITES_WITH_FAULTS = sorted({fault.student.suite for fault in FAULTS})


@pytest.mark.parametrize("suite", SUITES_WITH_FAULTS)
@in_reactor
async def test_each_fault_fails_its_case_alone_and_the_first_sentence_says_so(
    suite: str, tmp_path: Path
) -> None:
    async def judged(fault: Fault) -> str:
        program = fault.write(tmp_path)
        try:
            only = [fault.number]
            if WHOLE and not fault.decided:
                only += [each.number for each in SUITES[fault.student.suite].cases if not each.slow]
            outcomes = await checked(fault.student, program, only, not fault.decided)
        except (AssertionError, SetupError) as error:
            return f"\n{fault.name}: {error}"
        first, found = first_line(outcomes), failed(outcomes)
        right = list(found) == [fault.number] and fault.says in first
        expected = f"{fault.name} ({fault.number}, {fault.says})"
        return "" if right else f"\n{expected}: {first}\n    {found}"

    some = DeferredSemaphore(AT_ONCE)
    tried = [
        some.run(lambda fault: Deferred.fromCoroutine(judged(fault)), each)
        for each in FAULTS
        if each.student.suite == suite
    ]
    wrong = "".join(await gatherResults(tried, consumeErrors=True))
    await let_go()
    assert not wrong, wrong

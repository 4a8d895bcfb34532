"""No case fails a program that is right by its source."""

from __future__ import annotations

import pytest

from tests.accounts.helpers import in_reactor
from tests.plugins.check.students import HERE, STUDENTS
from tests.plugins.check.students.checking import checked, failed, let_go

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.mark.parametrize("name", STUDENTS)
@in_reactor
async def test_no_case_fails_a_program_that_is_right_by_the_source(name: str) -> None:
    outcomes = await checked(STUDENTS[name], HERE / f"{name}.py")
    await let_go()
    assert not failed(outcomes)
    assert not [outcome for outcome in outcomes if outcome.after or outcome.beside]

"""What people read of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tictac.check.cases import Case, Level, Outcome, Verdict
from tictac.check.peer import shown


def list_cases(cases: Iterable[Case]) -> str:
    """A line a case."""
    return "".join(f"{c.number:12}  {c.level:8}  {c.title}\n" for c in cases)


def line_of(outcome: Outcome) -> str:
    """A case and its verdict, in a line."""
    return f"{outcome.case.number:12}  {outcome.verdict:14}  {outcome.case.title}"


def report(outcomes: Sequence[Outcome], seed: int, verbose: bool = False) -> str:
    """The whole report: first the one thing to mend first."""
    failed = [outcome for outcome in outcomes if outcome.verdict is Verdict.FAIL]
    lines = [f"Mend this first: {failed[0].case.hint}" if failed else "Nothing failed."]
    lines += [line for outcome in failed for line in details(outcome)]
    if verbose:
        lines += [line for outcome in outcomes for line in [line_of(outcome), *transcript(outcome)]]
    counts = Counter(outcome.verdict for outcome in outcomes)
    lines += [", ".join(f"{number} {verdict}" for verdict, number in counts.items())]
    return "\n".join([*lines, f"seed {seed}", ""])


def details(outcome: Outcome) -> list[str]:
    """What a case found."""
    case = outcome.case
    level = "" if case.level is Level.REQUIRED else f", {case.level}"
    lines = [
        "",
        f"{case.number}: {case.title}",
        f"  {case.document}, {case.section}{level}: {case.says}",
    ]
    if outcome.expected:
        lines += [f"  expected: {outcome.expected}"]
    lines += [f"  came:     {outcome.came}"]
    if outcome.died:
        lines += [f"  the program died by it: {outcome.died}"]
    return lines + transcript(outcome)


def transcript(outcome: Outcome) -> list[str]:
    """What was sent and what came."""
    return [
        f"    {line.at:7.3f}  {line.who}{line.how} {shown(line.data)}"
        if line.how != "!"
        else f"    {line.at:7.3f}  ({line.who} {line.data.decode()})"
        for line in outcome.transcript
    ]

"""What people read of a run, at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tictac.plugins.check.cases import Case, Level, Outcome, Verdict

SHOWN_LINES = 12
"""Lines of the transcript of the first failure, from its end, without --verbose."""

COUNTED = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.UNCLEAR: "unclear",
    Verdict.DIFFERS: "differ where they may",
    Verdict.NOT_APPLICABLE: "not applicable",
}


def list_cases(cases: Iterable[Case]) -> str:
    """A line a case."""
    return "".join(f"{c.number:13} {c.level:9} {c.title}\n" for c in cases)


def line_of(outcome: Outcome) -> str:
    """A case and its verdict, in a line."""
    return f"{outcome.case.number:13} {outcome.verdict:15} {outcome.case.title}"


def failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """What to mend, in the order in which to do it."""
    failed = [outcome for outcome in outcomes if outcome.verdict is Verdict.FAIL]
    return sorted(failed, key=lambda outcome: outcome.case.minor)


def first_line(outcomes: Sequence[Outcome]) -> str:
    """The one thing to mend first."""
    failed = next(iter(failures(outcomes)), None)
    if failed is None:
        unclear = any(outcome.verdict is Verdict.UNCLEAR for outcome in outcomes)
        return "Nothing failed, but not all could be judged." if unclear else "Nothing failed."
    if failed.died:
        return f"Mend this first: the program broke ({failed.died}). {failed.case.hint}"
    return f"Mend this first: {failed.case.hint}"


def report(outcomes: Sequence[Outcome], seed: int, verbose: bool = False) -> str:
    """The whole report: first the one thing to mend first."""
    of = {verdict: [o for o in outcomes if o.verdict is verdict] for verdict in Verdict}
    lines = [first_line(outcomes)]
    for number, outcome in enumerate(failures(outcomes) + of[Verdict.UNCLEAR]):
        shown = outcome.lines()
        if not verbose:
            shown = [*["        …"][: len(shown) - SHOWN_LINES], *shown[-SHOWN_LINES:]]
        lines += [
            "",
            *details(outcome),
            *(f"    {line}" for line in shown if verbose or not number),
        ]
    if of[Verdict.DIFFERS]:
        lines += ["", "The source leaves these open, and this program does otherwise than we do:"]
        for outcome in of[Verdict.DIFFERS]:
            lines += [f"  {outcome.case.number}: {outcome.case.title}", f"      {_seen(outcome)}"]
    if verbose:
        for outcome in outcomes:
            lines += ["", line_of(outcome), *(f"    {line}" for line in outcome.lines())]
    lines += ["", *_not_run(outcomes), _counts(outcomes)]
    lines += [f"--seed {seed} makes the same choices again; --verbose shows all that was said."]
    return "\n".join([*lines, ""])


def details(outcome: Outcome) -> list[str]:
    """What a case found, and where the document speaks of it."""
    case = outcome.case
    level = "" if case.level is Level.REQUIRED else f" ({case.level})"
    lines = [f"{case.number}: {case.title}{level}"]
    lines += [f"  {case.document}, {case.section}: {case.says}"]
    lines += [f"  expected: {outcome.expected}"] if outcome.expected else []
    lines += [f"  came:     {outcome.came}"] if outcome.came else []
    return lines + ([f"  then:     the program broke: {outcome.died}"] if outcome.died else [])


def _seen(outcome: Outcome) -> str:
    return f"we expect: {outcome.expected}; {outcome.came}"


def _not_run(outcomes: Sequence[Outcome]) -> list[str]:
    missing = Counter(outcome.missing for outcome in outcomes if outcome.missing)
    return [
        f"{number} {'case' if number == 1 else 'cases'} can't be judged until {needed} passes."
        for needed, number in missing.items()
    ]


def _counts(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    return ", ".join(f"{counts[verdict]} {name}" for verdict, name in COUNTED.items()) + "."

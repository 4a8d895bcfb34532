"""The report of a run at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tictac.plugins.check.cases import Case, Outcome, Verdict
from tictac.plugins.check.rules import Level, Rule

SILENT = "it doesn't answer"
"""How a finding begins about a program that runs, but gives new connections no answer."""

ENDLESS = "it prints without end"
"""How a finding begins about a client that the checker ended for its output."""

SHOWN_LINES = 12
"""Maximum last lines of the first failure's transcript, without --verbose."""

LONGEST = 200
"""Maximum characters of each phrase in the first sentence of the report."""

COUNTED = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.UNCLEAR: "unclear",
    Verdict.DIFFERS: "differ where the document allows it",
    Verdict.NOT_APPLICABLE: "not applicable",
}


OWN = "docs/reference/lobby.md"
"""The document of the lobby protocol, which has no other source."""

KINDS = {
    Level.REQUIRED: "the source demands it",
    Level.DECIDED: "the source leaves it open, and the document decides",
    Level.OPTIONAL: "programs can differ",
}


def standard(document: str, by_source: bool) -> str:
    """Return a sentence that names the standard of a run."""
    if document == OWN:
        return f"Judged by {document}: rules marked MUST and DECIDED can fail."
    if by_source:
        return "Judged by the original assignment alone: only rules marked MUST can fail."
    return (
        f"Judged by {document}: rules marked MUST (from the original assignment) and DECIDED "
        "(ours, where it is silent) can fail."
    )


def other_standard(document: str, by_source: bool) -> str:
    """Return how to use the other standard; empty: there is none."""
    if document == OWN:
        return ""
    if by_source:
        return f" Without --source, the rules that {document} marks DECIDED can fail, too."
    return " With --source, only MUST can."


def list_cases(cases: Iterable[Case]) -> str:
    """Return one line for each case: its number, level, rules, and title."""
    return "".join(
        f"{c.number:13} {c.level.mark:7} {' '.join(r.number for r in c.rules):12} {c.title}\n"
        for c in cases
    )


def format_outcome(outcome: Outcome) -> str:
    """Return one line with a case and its verdict."""
    return f"{outcome.case.number:13} {outcome.verdict:15} {outcome.case.title}"


def failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the failed outcomes, in the order in which to repair them.

    What the source demands comes first, and form last. Before a wrong answer comes none at all,
    also because the program broke: other requests need it. Otherwise, the order of the cases
    remains.
    """
    failed = [outcome for outcome in outcomes if outcome.verdict is Verdict.FAIL]
    return sorted(failed, key=_rank)


def _rank(failed: Outcome) -> tuple[bool, bool, bool, bool]:
    required = failed.rules[0].level is Level.REQUIRED
    return not required, failed.case.minor, failed.extra, not (failed.silent or failed.died)


def causes(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Return the failures by cause, in the order in which to repair them.

    Cases fail by one cause if the program breaks in the same way, or breaks the same rule and
    sends the same.
    """
    found: dict[tuple[str, ...], list[Outcome]] = {}
    for failed in failures(outcomes):
        same = (failed.died,) if failed.died else (failed.rules[0].number, failed.came)
        key = (failed.case.number,) if failed.silent else same
        found.setdefault(key, []).append(failed)
    return list(found.values())


def first_line(outcomes: Sequence[Outcome]) -> str:
    """Return a sentence about the failure to repair first."""
    failed = next(iter(failures(outcomes)), None)
    if failed is not None:
        return f"Mend this first: {_cause(failed)}"
    broken = next((outcome for outcome in outcomes if outcome.after), None)
    if broken is not None:
        return f"Mend this first: {_broke_after(broken)}"
    if any(outcome.verdict is Verdict.UNCLEAR for outcome in outcomes):
        return "Nothing failed, but not all could be judged."
    if any(outcome.beside for outcome in outcomes):
        return "Nothing failed alone, but something did beside other cases."
    return "Nothing failed."


def _cause(failed: Outcome) -> str:
    """Return a sentence about a failure, with the hint unless the preparation failed."""
    about_case = failed.hint and not (failed.setup or failed.died.startswith(ENDLESS))
    hint = f" {failed.hint}" if about_case else ""
    if failed.died:
        return f"{_broke(failed.last_actions(judged=True), failed.died)}{hint}"
    if failed.setup:
        return f"{failed.case.number} could not begin: expected {failed.expected}; {failed.came}."
    expected, came = _shortened(failed.expected), _shortened(failed.came)
    return f"{failed.title}: expected {expected}; {came}.{hint}"


def _shortened(text: str) -> str:
    """Return a phrase without its middle if it is too long: the end shows what differs."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 3]} … {text[-LONGEST // 2 :]}"


def _broke(deeds: str, how: str) -> str:
    kinds = {SILENT: "fell silent", ENDLESS: "prints without end"}
    what = next((kind for begin, kind in kinds.items() if how.startswith(begin)), "broke")
    return f"the program {what}{' after ' * bool(deeds)}{deeds} ({how})."


def _broke_after(outcome: Outcome) -> str:
    broke = _broke(outcome.last_actions(), outcome.after)
    return f"{outcome.case.number} passed, but then {broke}"


def report(
    outcomes: Sequence[Outcome], seed: int, verbose: bool = False, by_source: bool = False
) -> str:
    """Return the whole report. It begins with the failure to repair first, and the standard."""
    of = {verdict: [o for o in outcomes if o.verdict is verdict] for verdict in Verdict}
    document = outcomes[0].case.document
    judged = standard(document, by_source) + other_standard(document, by_source)
    lines = [first_line(outcomes), judged]
    by_cause = causes(outcomes)
    for number, (outcome, *others) in enumerate([*by_cause, *([o] for o in of[Verdict.UNCLEAR])]):
        shown = outcome.lines()
        if not verbose:
            shown = shown[: outcome.judged or None]
            shown = [*["        …"][: len(shown) - SHOWN_LINES], *shown[-SHOWN_LINES:]]
        lines += [
            "",
            *details(outcome),
            *([f"  also in:  {_listed(others)}"] if others else []),
            *(f"    {line}" for line in shown if verbose or not number),
        ]
    lines += _aside_lines(outcomes)
    if of[Verdict.DIFFERS]:
        lines += ["", "This program differs from ours in these cases, and the rules allow that:"]
        for outcome in of[Verdict.DIFFERS]:
            lines += [
                f"  {outcome.case.number}: {outcome.case.title}",
                f"      {_describe_difference(outcome)}",
            ]
    if verbose:
        for outcome in outcomes:
            lines += ["", format_outcome(outcome), *(f"    {line}" for line in outcome.lines())]
    lines += ["", *_not_run(outcomes), _counts(outcomes)]
    lines += [f"--seed {seed} makes the same choices again; --verbose shows all that was said."]
    return "\n".join([*lines, ""])


def changes(before: Sequence[Outcome], after: Sequence[Outcome]) -> str:
    """Return what changed since another run: the verdicts, and details of new failures."""
    old = {outcome.case.number: outcome.verdict for outcome in before}
    lines = [first_line(after)]
    for outcome in after:
        was = old.get(outcome.case.number)
        if outcome.verdict is not was:
            number, title = outcome.case.number, outcome.case.title
            lines.append(f"{number}: {was or 'not run'} -> {outcome.verdict} ({title})")
            lines += details(outcome)[1:] if outcome.verdict is Verdict.FAIL else []
    return "\n".join([*lines, _counts(after), ""])


def details(outcome: Outcome) -> list[str]:
    """Return lines about a failure: the broken rule, and the expected and observed behavior."""
    case = outcome.case
    lines = [f"{case.number}: {outcome.title}"]
    lines += describe_rule(outcome.rules[0], case.document)
    lines += [f"  expected: {outcome.expected}"] if outcome.expected else []
    lines += [f"  seen:     {outcome.came}"] if outcome.came else []
    runs = outcome.died.startswith((SILENT, ENDLESS))
    then = outcome.died if runs else f"the program broke: {outcome.died}"
    lines += [f"  then:     {then}"] if outcome.died else []
    return lines + ([f"  printed:  {outcome.printed}"] if outcome.printed else [])


def _listed(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(f"{each.case.number} ({each.case.title})" for each in outcomes)


def _aside_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the lines about defects for which no case failed."""
    lines = [line for outcome in outcomes for line in asides(outcome)]
    return ["", *lines] if lines else []


def asides(outcome: Outcome) -> list[str]:
    """Return sentences about defects that a case found without failing."""
    lines = [_broke_after(outcome)] if outcome.after else []
    if outcome.beside:
        alone = f"{outcome.case.number} passes alone. Beside or after other cases: "
        lines.append(f"{alone}{outcome.beside}.")
    return lines


def describe_rule(rule: Rule, document: str) -> list[str]:
    """Return lines with the text of a rule, its level, and its ground."""
    kind = KINDS[rule.level] if document != OWN else "the document says so"
    said = f"  {rule.number} {rule.level.mark} ({kind}), {document}: {rule.says}"
    return [said, *([f"    {rule.ground}"] if rule.ground else [])]


def _describe_difference(outcome: Outcome) -> str:
    return f"we expect: {outcome.expected}; {outcome.came}"


def _not_run(outcomes: Sequence[Outcome]) -> list[str]:
    missing = Counter(outcome.missing for outcome in outcomes if outcome.missing)
    lines = [
        f"{number} {'case' if number == 1 else 'cases'} can't be judged until {needed} passes."
        for needed, number in missing.items()
    ]
    return lines + unjudged(outcomes)


def unjudged(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a sentence for each case that didn't fit the program, with the reason."""
    return [
        f"{outcome.case.number} ({outcome.case.title}) wasn't judged: {outcome.came}."
        for outcome in outcomes
        if outcome.verdict is Verdict.NOT_APPLICABLE and outcome.came and not outcome.missing
    ]


def _counts(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.verdict for outcome in outcomes)
    return ", ".join(f"{counts[verdict]} {name}" for verdict, name in COUNTED.items()) + "."

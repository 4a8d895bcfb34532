"""Reports for programs: JSON, JUnit, HTML, and the results.json of Gradescope."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, pairwise
from string import Template
from typing import Any
from xml.etree import ElementTree as Xml

from tictac.errors import SetupError, visible
from tictac.plugins.check.cases import Case, Outcome, Suite, Verdict
from tictac.plugins.check.report import (
    asides,
    describe_rule,
    details,
    first_line,
    standard,
    unjudged,
)
from tictac.plugins.check.rules import Level

DECIDED = 0.5
"""Points of a decided case, without weights; a required one is worth 1."""

TOTAL = 100
"""The sum of all points, without weights."""


@dataclass(frozen=True)
class Run:
    """The outcomes of one run of a suite.

    ``trouble`` is the reason why the program couldn't be checked at all, and ``output`` the end of
    what it printed then.
    """

    suite: Suite
    outcomes: Sequence[Outcome]
    seed: int
    by_source: bool = False
    trouble: str = ""
    output: str = ""

    @property
    def first_line(self) -> str:
        """The sentence about what to mend first."""
        return f"Mend this first: {self.trouble}." if self.trouble else first_line(self.outcomes)

    @property
    def standard(self) -> str:
        """A sentence that names the standard; see :func:`report.standard`."""
        return standard(self.suite.document, self.by_source)


def explain(outcome: Outcome) -> str:
    """Return the findings of a case, in lines; empty if it passed without an aside."""
    if outcome.missing:
        return f"can't be judged until {outcome.missing} passes"
    found = [] if outcome.verdict is Verdict.PASS else details(outcome)
    return "\n".join([*found, *asides(outcome)])


def as_json(run: Run) -> str:
    """Return a run as JSON text. In transcripts, a character up to 255 is a byte."""
    cases = [
        {
            **_described(o.case), "verdict": o.verdict, "expected": o.expected, "came": o.came,
            "missing": o.missing, "died": o.died, "after": o.after, "beside": o.beside,
            "seconds": round(o.seconds, 3),
            "transcript": [
                {"at": round(at, 3), "who": who, "how": how, "data": data.decode("latin-1")}
                for at, who, how, data, _ in o.transcript
            ],
        }
        for o in run.outcomes
    ]  # fmt: skip
    counts = Counter(outcome.verdict for outcome in run.outcomes)
    whole = {
        "suite": run.suite.name, "seed": run.seed, "judged_by": _judged_by(run),
        "standard": run.standard, "mend_first": run.first_line,
        "counts": {verdict: counts[verdict] for verdict in Verdict}, "cases": cases,
    }  # fmt: skip
    return json.dumps(whole, indent=1) + "\n"


def _judged_by(run: Run) -> str:
    return "source" if run.by_source else "document"


def _described(case: Case) -> dict[str, object]:
    names = ("number", "title", "level", "document", "hint")
    first = case.rules[0]
    rules = [
        {
            "number": rule.number, "level": rule.level, "says": rule.says,
            "ground": rule.ground, "accepted": rule.accepted,
        }
        for rule in case.rules
    ]  # fmt: skip
    described = {name: getattr(case, name) for name in names}
    return {**described, "section": first.section, "says": first.says, "rules": rules}


def as_junit(run: Run) -> str:
    """Return a run in JUnit's XML format, which most build servers read."""
    counts = Counter(outcome.verdict for outcome in run.outcomes)
    skipped = counts[Verdict.NOT_APPLICABLE] + counts[Verdict.DIFFERS]
    suite = Xml.Element(
        "testsuite", name=f"tictac check {run.suite.name}", tests=str(len(run.outcomes)),
        failures=str(counts[Verdict.FAIL]), errors=str(counts[Verdict.UNCLEAR]),
        skipped=str(skipped), time=f"{sum(outcome.seconds for outcome in run.outcomes):.3f}",
    )  # fmt: skip
    about = Xml.SubElement(suite, "properties")
    for name, value in (("judged_by", _judged_by(run)), ("standard", run.standard)):
        Xml.SubElement(about, "property", name=name, value=value)
    kinds = {
        Verdict.FAIL: "failure", Verdict.UNCLEAR: "error",
        Verdict.DIFFERS: "skipped", Verdict.NOT_APPLICABLE: "skipped",
    }  # fmt: skip
    for outcome in run.outcomes:
        case = Xml.SubElement(
            suite, "testcase", classname=run.suite.name, time=f"{outcome.seconds:.3f}",
            name=f"{outcome.case.number}: {outcome.case.title}",
        )  # fmt: skip
        if outcome.verdict in kinds:
            message = outcome.hint if outcome.verdict is Verdict.FAIL else outcome.verdict
            found = Xml.SubElement(case, kinds[outcome.verdict], message=message)
            found.text = "\n".join([explain(outcome), *outcome.lines()])
        elif asides(outcome):
            output = Xml.SubElement(case, "system-out")
            output.text = "\n".join([explain(outcome), *outcome.lines()])
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


_PAGE = Template("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>tictac check $suite</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
  color: #222; background: #fff }
.first { font-size: 1.2em; border-left: .3em solid #b00; padding-left: .7em }
.good { border-color: #070 }
details { border-top: 1px solid #ccc; padding: .3em 0 }
summary b { display: inline-block; min-width: 8em }
.fail b, .unclear b { color: #b00 } .pass b { color: #070 }
pre { overflow-x: auto; background: #f4f4f4; padding: .5em }
</style>
<h1>tictac check $suite</h1>
<p class="first$good">$first</p>
<p>$standard</p>
<p>$counts. Seed $seed.</p>
$cases
</html>
""")

_CASE = Template("""<details class="$kind"$open><summary><b>$verdict</b> $number: $title</summary>
<p>$rules</p>
<pre>$why</pre></details>
""")


def as_html(run: Run) -> str:
    """Return a run as an HTML page without external files."""
    counts = Counter(outcome.verdict for outcome in run.outcomes)
    cases = [
        _CASE.substitute(
            number=outcome.case.number, title=escape(outcome.case.title),
            rules=escape(_rules_in_words(outcome.case)).replace("\n", "<br>"),
            kind=outcome.verdict.replace(" ", "-"), verdict=outcome.verdict,
            open=" open" if outcome.verdict is Verdict.FAIL else "",
            why=escape("\n".join(filter(None, [explain(outcome), *outcome.lines()]))),
        )
        for outcome in run.outcomes
    ]  # fmt: skip
    return _PAGE.substitute(
        suite=run.suite.name, seed=run.seed, standard=escape(run.standard),
        first=escape(run.first_line),
        good="" if counts[Verdict.FAIL] else " good", cases="".join(cases),
        counts=", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict),
    )  # fmt: skip


def _rules_in_words(case: Case) -> str:
    return "\n".join(line for rule in case.rules for line in describe_rule(rule, case.document))


class Weights:
    """The points of each case.

    The most specific entry counts: of a number (``rooms-3.4``), a group (``rooms-3``), or a level.
    The defaults are 1 for a required case, ``DECIDED`` for a decided one (0 with ``by_source``),
    and 0 for an optional one. The points are scaled to the sum ``total``, ``TOTAL`` by default.
    """

    def __init__(
        self, entries: Mapping[str, Any], cases: Sequence[Case], by_source: bool = False
    ) -> None:
        """Store the entries. Raises SetupError for an unknown name or a bad number."""
        numbers = {case.number for case in cases}
        known = numbers | {n.rpartition(".")[0] for n in numbers} | {*Level, "total"}
        for name, points in entries.items():
            if name not in known:
                why = f"weights: '{visible(name)}' isn't a case, group, level, or total"
                raise SetupError(why)
            if isinstance(points, bool) or not isinstance(points, int | float) or points < 0:
                raise SetupError(f"weights: {name}: {points!a} isn't a number from 0 on")
        decided = 0 if by_source else DECIDED
        self._entries = {Level.REQUIRED: 1, Level.DECIDED: decided, Level.OPTIONAL: 0, **entries}

    def points(self, outcomes: Sequence[Outcome]) -> list[float]:
        """Return the points of each outcome: 0 if the case isn't applicable or differs."""
        worth = [0.0 if _says_nothing(outcome) else self._of(outcome.case) for outcome in outcomes]
        whole = sum(worth)
        share = self._entries.get("total", TOTAL) / (whole or 1)
        # Round the running sums instead of the points, so that the points add up to the total.
        sums = [round(share * each, 4) for each in accumulate(worth, initial=0.0)]
        return [round(after - before, 4) for before, after in pairwise(sums)]

    def _of(self, case: Case) -> float:
        names = (case.number, case.number.rpartition(".")[0], case.level)
        return next(float(self._entries[name]) for name in names if name in self._entries)


def _says_nothing(outcome: Outcome) -> bool:
    # The rules accept a difference, so it costs no point.
    none = outcome.verdict is Verdict.NOT_APPLICABLE and not outcome.missing
    return none or outcome.verdict is Verdict.DIFFERS


def as_gradescope(run: Run, weights: Weights) -> str:
    """Return a run as the text of Gradescope's results.json."""
    output = "\n".join([run.first_line, run.standard, *unjudged(run.outcomes)])
    tests: list[dict[str, object]] = []
    if run.trouble:
        tests.append(
            {
                "number": "0", "name": "The program starts", "score": 0.0, "max_score": 0.0,
                "status": "failed", "output": f"{run.trouble}\n\n{run.output}".strip(),
            }
        )  # fmt: skip
    for outcome, points in zip(run.outcomes, weights.points(run.outcomes), strict=True):
        passed = outcome.verdict is Verdict.PASS
        hint = "" if outcome.verdict is not Verdict.FAIL else f"{outcome.hint}\n"
        first = f"{outcome.verdict}. {hint}{explain(outcome)}"
        tests.append(
            {
                "number": outcome.case.number, "name": outcome.case.title,
                "score": points if passed else 0.0, "max_score": points,
                "status": "failed" if points and not passed else "passed",
                "output": "\n".join([first, *outcome.lines()]),
            }
        )  # fmt: skip
    took = round(sum(outcome.seconds for outcome in run.outcomes))
    return json.dumps({"output": output, "execution_time": took, "tests": tests}, indent=1) + "\n"


def as_github(run: Run, weights: Weights) -> str:
    """Return the line that a step of a workflow writes for GitHub Classroom's reporter.

    The reporter adds the scores of all tests, so the first test has the whole score.
    """
    all_points = zip(run.outcomes, weights.points(run.outcomes), strict=True)
    counted = [(outcome, points) for outcome, points in all_points if points]
    score = round(sum(points for outcome, points in counted if outcome.verdict is Verdict.PASS))
    is_good = not run.trouble and all(o.verdict is Verdict.PASS for o, _ in counted)
    why = "" if is_good else run.first_line
    tests = [_github_test(f"tictac check {run.suite.name}", why, score)]
    for outcome, _ in counted:
        why = "" if outcome.verdict is Verdict.PASS else explain(outcome) or outcome.hint
        tests.append(_github_test(f"{outcome.case.number}: {outcome.case.title}", why))
    most = round(sum(points for _, points in counted))
    whole = {"version": 1, "status": tests[0]["status"], "max_score": most, "tests": tests}
    return f"result={b64encode(json.dumps(whole).encode()).decode()}\n"


def _github_test(name: str, why: str, score: int = 0) -> dict[str, object]:
    test: dict[str, object] = {"name": name, "status": "fail" if why else "pass", "score": score}
    return {**test, "message": why} if why else test

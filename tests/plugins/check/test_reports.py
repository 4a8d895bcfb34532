"""What is told of a run, to people and to programs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from twisted.internet.task import Clock

from tictac.errors import SetupError
from tictac.plugins.check.cases import Case, Finding, Line, Outcome, Suite, Verdict
from tictac.plugins.check.exports import Run, Weights, as_gradescope, as_html, as_json, as_junit
from tictac.plugins.check.peer import describe_pattern, shown
from tictac.plugins.check.report import SILENT, causes, failures, report
from tictac.plugins.check.rules import parse_rules
from tictac.plugins.check.running import select
from tictac.plugins.check.scene import MAX_NOTED, Harness, Scene
from tictac.plugins.check.suites import SUITES
from tictac.plugins.check.target import Target
from tictac.plugins.programs.program import Program

TEXT = """
## Messages

- **R1.1 MUST** It is so.
- **R1.2 DECIDED** It is thus. *Why:* somebody has to say it. *Accepted:* another way.
- **R1.3 MAY** It can be so.
"""
RULES = parse_rules(TEXT, {"R1.1": 'Source 3.1: "It is <so>"'})
SUITE = Suite("rooms", "docs/reference/rooms.md", RULES, Scene)
for number, rule in {"1.1": "R1.1", "1.2": "R1.1", "1.10": "R1.2", "2.1": "R1.3 R1.1"}.items():
    SUITE.script(number, f"case <{number}>", rule, f"Mend {number}.", script="")

FIRST = "Mend this first: case <1.2>: expected alice gets <1>; nothing came. Mend 1.2."


def outcomes(*verdicts: Verdict) -> list[Outcome]:
    """Return what became of the cases, each with a transcript; a failure says what came."""
    lines = [Line(0.5, "alice", ">", b"HELLO\x00\n"), Line(0.6, "alice", "!", b"hangs up")]
    return [
        Outcome(case, verdict, "alice gets <1>", "nothing came", 0.25, lines, show=shown)
        for case, verdict in zip(SUITE.cases, verdicts, strict=True)
    ]


PASS, FAIL, DIFFERS, NONE = Verdict.PASS, Verdict.FAIL, Verdict.DIFFERS, Verdict.NOT_APPLICABLE


def test_the_first_line_says_what_to_mend_first() -> None:
    told = report(outcomes(PASS, FAIL, DIFFERS, NONE), 7)
    assert told.startswith(FIRST)
    assert "expected: alice gets <1>\n  seen:     nothing came\n" in told
    assert '0.500  alice> "HELLO\\x00\\n"\n' in told and "0.600  (alice hangs up)\n" in told
    assert (
        "1 passed, 1 failed, 0 unclear, 1 differ where the document allows it, 1 not applicable.\n"
        in told
    )


def test_what_is_minor_is_mended_last() -> None:
    both = outcomes(FAIL, FAIL, PASS, PASS)
    both[0].case, both[0].came = replace(both[0].case, minor=True), "a newline came"
    told = report(both, 7)
    assert told.startswith(FIRST)
    assert 0 < told.index("rooms-1.2: ") < told.index("rooms-1.1: ")


def test_what_the_source_demands_is_mended_first_and_silence_before_a_wrong_answer() -> None:
    found = outcomes(FAIL, FAIL, FAIL, FAIL)
    found[1].silent = True
    order = [outcome.case.number for outcome in failures(found)]
    assert order == ["rooms-1.2", "rooms-1.1", "rooms-1.10", "rooms-2.1"]
    found[0].died = "it ended with exit status 1: KeyError"
    assert failures(found)[0] is found[0]
    found[0].case = found[1].case = replace(found[0].case, minor=True)
    found[2].rules = (RULES["R1.1"],)
    assert failures(found)[0] is found[2]


def test_a_cause_stands_once() -> None:
    found = outcomes(FAIL, FAIL, FAIL, FAIL)
    for outcome in found[:2]:
        outcome.died = "it ended with exit status 1: KeyError"
    assert [len(each) for each in causes(found)] == [2, 1, 1]
    told = report(found, 7)
    assert told.count("KeyError") == 2 and "also in:  rooms-1.2 (case <1.2>)" in told
    found[0].died = found[1].died = ""
    assert [len(each) for each in causes(found)] == [2, 1, 1]
    found[1].came = "that came"
    assert [len(each) for each in causes(found)] == [1, 1, 1, 1]


def test_a_finding_has_the_title_and_the_words_of_the_broken_rule() -> None:
    found = outcomes(PASS, FAIL, PASS, PASS)
    found[1].rules, found[1].hint = (RULES["R1.2"],), "Do it thus."
    told = report(found, 7)
    assert told.startswith(
        "Mend this first: It is thus: expected alice gets <1>; nothing came. Do it thus.\n"
    )
    assert "\nrooms-1.2: It is thus\n  R1.2 DECIDED" in told


def test_a_program_that_falls_silent_has_not_broken() -> None:
    found = outcomes(FAIL, PASS, PASS, PASS)
    found[0].died = f"{SILENT} new connections any more: nothing came"
    told = report(found, 7)
    assert told.startswith("Mend this first: the program fell silent")
    assert "the program broke" not in told


def test_the_first_line_has_the_end_of_a_long_output() -> None:
    found = outcomes(FAIL, PASS, PASS, PASS)
    found[0].came = f"it printed 800 bytes, and last {'-' * 300} You have lost."
    first = report(found, 7).partition("\n")[0]
    assert "it printed 800 bytes, and last -" in first and "- You have lost.. Mend" in first
    assert len(first) < 400


def test_how_a_program_broke_is_in_the_first_line() -> None:
    broken = outcomes(FAIL, PASS, PASS, PASS)
    broken[0].died = "it ended with exit status 1: IndexError"
    first = report(broken, 7).partition("\n")[0]
    assert first == (
        "Mend this first: the program broke (it ended with exit status 1: IndexError). Mend 1.1."
    )


def test_what_was_not_judged_for_another_case_is_counted_with_it() -> None:
    told = outcomes(FAIL, NONE, NONE, PASS)
    told[1].missing = told[2].missing = "rooms-1.1"
    assert "2 cases can't be judged until rooms-1.1 passes.\n" in report(told, 7)


def test_what_was_not_judged_is_named_with_its_reason() -> None:
    told = outcomes(PASS, NONE, PASS, PASS)
    told[1].came = "it keeps no file"
    assert "rooms-1.2 (case <1.2>) wasn't judged: it keeps no file.\n" in report(told, 7)


def test_junit() -> None:
    run = Run(SUITE, outcomes(PASS, FAIL, DIFFERS, Verdict.UNCLEAR), 7)
    suite = ElementTree.fromstring(as_junit(run))
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == list("4111")
    about, *cases = suite
    assert about[0].attrib == {"name": "judged_by", "value": "document"}
    assert about[1].get("value") == run.standard
    kinds = [[found.tag for found in case] for case in cases]
    assert kinds == [[], ["failure"], ["skipped"], ["error"]]
    assert cases[1][0].get("message") == "Mend 1.2."


def test_json_has_all() -> None:
    whole = json.loads(as_json(Run(SUITE, outcomes(PASS, FAIL, DIFFERS, NONE), 7)))
    assert whole["mend_first"] == FIRST and whole["seed"] == 7
    assert whole["counts"] == dict(zip(Verdict, (1, 1, 1, 0, 1), strict=True))
    case = whole["cases"][1]
    assert (case["number"], case["verdict"], case["section"]) == ("rooms-1.2", "fail", "Messages")
    assert case["transcript"][0] == {"at": 0.5, "who": "alice", "how": ">", "data": "HELLO\0\n"}


def test_html_shows_text_as_text() -> None:
    page = as_html(Run(SUITE, outcomes(PASS, FAIL, DIFFERS, NONE), 7))
    assert "case &lt;1.2&gt;" in page and "<1" not in page and "$" not in page


def test_what_a_program_says_does_nothing_to_a_terminal_and_fits_in_xml() -> None:
    broken, program = outcomes(FAIL, PASS, PASS, PASS), Program()
    program.childDataReceived(2, b"\x1b]0;mine\x07 <i>\x00\n")
    program.status = 3
    broken[0].died = program.how_it_ended()
    broken[0].came = Finding("a name", "\x9b31m\ud800 came").came
    run = Run(SUITE, broken, 7)
    assert report(broken, 7, verbose=True).replace("\n", "").isprintable()
    ElementTree.fromstring(as_junit(run).encode())
    assert "<i>" not in as_html(run)


@pytest.mark.parametrize("name", SUITES)
def test_of_a_flood_only_the_beginning_is_shown(name: str) -> None:
    scene: Any = SUITES[name].scene
    assert len(scene.show(b"x" * 1_000_000)) < 5000


def test_of_a_flood_only_the_beginning_is_kept() -> None:
    scene = Scene(Harness(Clock(), Target(Clock()), 1), SUITE.cases[0])
    for _ in range(1000):
        scene.note("server", "<", b"x" * 65536)
    assert sum(len(line.data) for line in scene.lines) <= MAX_NOTED


@pytest.mark.parametrize(
    "entries, points",
    [
        ({}, [40, 40, 20, 0]),
        ({"rooms-1": 2, "rooms-1.2": 5, "total": 9}, [2, 5, 2, 0]),
        ({"decided": 2, "total": 100}, [25, 25, 50, 0]),
        ({"decided": 1, "total": 100}, [33.3333, 33.3334, 33.3333, 0]),
    ],
)
def test_weights(entries: dict[str, float], points: list[float]) -> None:
    assert Weights(entries, SUITE.cases).points(outcomes(PASS, FAIL, FAIL, NONE)) == points


def test_what_differs_where_it_may_costs_no_points() -> None:
    found = outcomes(PASS, FAIL, DIFFERS, DIFFERS)
    weights = Weights({"decided": 1, "optional": 1, "total": 10}, SUITE.cases, by_source=True)
    assert weights.points(found) == [5, 5, 0, 0]
    assert Weights({}, SUITE.cases, by_source=True).points(outcomes(*[PASS] * 4)) == [50, 50, 0, 0]


@pytest.mark.parametrize("entries", [{"rooms-9": 1}, {"rooms-1": -1}, {"total": True}])
def test_weights_that_make_no_sense(entries: dict[str, float]) -> None:
    with pytest.raises(SetupError, match="weights: "):
        Weights(entries, SUITE.cases)


def test_gradescope() -> None:
    told = outcomes(PASS, FAIL, PASS, NONE)
    told[3].missing = "rooms-1.2"
    weights = Weights({"decided": 1, "optional": 1, "total": 4}, SUITE.cases)
    tests = json.loads(as_gradescope(Run(SUITE, told, 7), weights))["tests"]
    points = [(test["score"], test["max_score"]) for test in tests]
    assert points == [(1, 1), (0, 1), (1, 1), (0, 1)]
    assert tests[1]["output"].startswith("fail. Mend 1.2.\nrooms-1.2: ")


def test_cases_are_chosen_by_number_or_group() -> None:
    def numbers(*only: str) -> list[str]:
        return [case.number for case in select(SUITE, only, slow=False)]

    assert numbers("1.1") == ["rooms-1.1"]
    assert numbers("rooms-1") == ["rooms-1.1", "rooms-1.2", "rooms-1.10"]
    assert numbers() == [case.number for case in SUITE.cases]
    with pytest.raises(SetupError, match="no case '7'"):
        numbers("7")


def test_a_slow_case_runs_if_it_is_asked_for() -> None:
    def slow(case: Case) -> bool:
        return case.number == "rooms-4.9"

    assert not any(map(slow, select(SUITES["rooms"], (), slow=False)))
    assert any(map(slow, select(SUITES["rooms"], (), slow=True)))
    assert any(map(slow, select(SUITES["rooms"], ("4.9",), slow=False)))


def test_what_a_case_has_seen_besides_is_in_every_form() -> None:
    seen = outcomes(PASS, PASS, PASS, PASS)
    seen[0].expected = seen[0].came = seen[1].expected = seen[1].came = ""
    seen[0].after, seen[1].beside = "it ended with exit status 1", "one account was lost"
    broke = "rooms-1.1 passed, but then the program broke"
    beside = "rooms-1.2 passes alone. Beside or after other cases: one account was lost."
    run = Run(SUITE, seen, 7)
    root = ElementTree.fromstring(as_junit(run))
    said = [case.findtext("system-out") or "" for case in root.iter("testcase")]
    assert broke in said[0] and beside in said[1] and said[2:] == ["", ""]
    assert broke in (page := as_html(run)) and beside in page
    found = json.loads(as_gradescope(run, Weights({}, SUITE.cases)))["tests"]
    assert broke in found[0]["output"] and beside in found[1]["output"]
    assert broke not in found[1]["output"]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (rb"LOGIN:ACKSTATUS:\d", '"LOGIN:ACKSTATUS:…"'),
        (rb"[A-Z]+:ACKSTATUS:[0-9]|BADAUTH|NOROOM", '"…:ACKSTATUS:…" or "BADAUTH" or "NOROOM"'),
        (rb"GAMEEND:[012]{9}:(1|[02]:[^:\r\n]+)", '"GAMEEND:…:…"'),
        (rb"LIST:0(:[^:]*)?(?=\r?\n|JOIN:\d)", '"LIST:0…"'),
        (rb"\r?\n", "a line's end"),
        (rb"(?s).*", "any message"),
        (rb"LIST:(?i:KING)", '"LIST:KING"'),
        (rb"\{.*\}", '"{…}"'),
        (rb"(?:DROP|POP) -?[0-9]+", '"DROP or POP …"'),
        (rb"a\.b\|", '"a.b|"'),
    ],
)
def test_what_a_pattern_wants_is_told_in_words(pattern: bytes, words: str) -> None:
    assert describe_pattern(pattern) == words


@pytest.mark.parametrize(
    ("status", "words"),
    [(-11, "signal 11 (SIGSEGV)"), (-40, "signal 40 (real-time)"), (139, "exit status 139")],
)
def test_a_signal_has_its_name(status: int, words: str) -> None:
    program = Program()
    program.status = status
    assert program.how_it_ended() == f"it ended with {words}"


def test_an_error_that_a_server_has_not_caught_is_told() -> None:
    program = Program()
    program.childDataReceived(2, b"Traceback (most recent call last):\nKeyError: 'earlier'\n")
    size = program.size
    program.childDataReceived(1, b"a client connects\n")
    assert program.error_since(size) == ""
    program.childDataReceived(2, b"Traceback (most recent call last):\n  File x\nValueError: 'x'\n")
    assert program.error_since(size) == "ValueError: 'x'"
    failed = outcomes(PASS, FAIL, PASS, PASS)
    failed[1].printed = program.error_since(size)
    assert "\n  printed:  ValueError: 'x'\n" in report(failed, 7)


def test_what_follows_a_failure_is_not_shown() -> None:
    failed = outcomes(PASS, FAIL, PASS, PASS)
    assert "hangs up" in report(failed, 7)
    failed[1].judged = 1
    assert "hangs up" not in report(failed, 7)


def test_options_are_named_to_those_alone_that_can_choose() -> None:
    told = outcomes(PASS, FAIL, PASS, PASS)
    assert "With --source, only MUST can." in report(told, 7)
    assert "--source" not in as_gradescope(Run(SUITE, told, 7), Weights({}, SUITE.cases))

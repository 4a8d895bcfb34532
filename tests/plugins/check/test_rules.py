"""The rules that cases cite: their form, their copies, and the table of all cases."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.documents import RULES, rules_copy
from tests.plugins.check.table import TABLE, table
from tictac.plugins.check.cases import Suite
from tictac.plugins.check.rules import Level, parse_quotes, parse_rules
from tictac.plugins.check.scene import CITED
from tictac.plugins.check.suites import SUITES

UNCHECKED = Path(__file__).with_name("unchecked.txt")
"""Rules that bind and that no case judges by, each with the reason."""

QUOTES = {
    path.name: parse_quotes(copy.with_name(copy.name.replace("rules", "quotes")).read_text("utf-8"))
    for path, copy in RULES.items()
    if path.name != "lobby.md"  # which is its own source
}
DOCUMENTS = {
    path.name: parse_rules(path.read_text("utf-8"), QUOTES.get(path.name, {})) for path in RULES
}


@pytest.fixture(params=list(SUITES))
def suite(request: pytest.FixtureRequest) -> Suite:
    """Each suite of tictac."""
    return SUITES[request.param]


@pytest.mark.parametrize("document", RULES, ids=lambda path: path.name)
def test_what_is_installed_is_what_the_document_says(document: Path) -> None:
    assert RULES[document].read_text("utf-8") == rules_copy(document)


def test_the_table_of_cases_is_the_one_that_was_reviewed() -> None:
    assert TABLE.read_text("utf-8") == table()


def test_a_rule_has_the_ground_that_its_mark_asks_for() -> None:
    for document, rules in DOCUMENTS.items():
        for rule in rules.values():
            label = rule.ground.partition(":")[0].partition(" ")[0]
            wanted = {Level.DECIDED: "Why", Level.OPTIONAL: ""}.get(rule.level, "Source")
            if rule.level is Level.REQUIRED and document == "lobby.md":
                wanted = ""
            assert label == wanted, f"{document}: {rule}"
            assert rule.says[-1] in ".)", f"{document}: {rule}"


def test_each_quote_belongs_to_a_rule_that_the_source_demands() -> None:
    for document, quotes in QUOTES.items():
        rules = DOCUMENTS[document]
        demanded = [number for number, rule in rules.items() if rule.level is Level.REQUIRED]
        assert [*quotes] == demanded, document


def test_a_ground_is_a_quote_or_a_reason() -> None:
    quotes = parse_quotes('<!-- made -->\nR1.1 3.2: "It is so: thus"\n')
    rules = parse_rules("- **R1.1** So.\n- **R1.2 DECIDED** Thus. *Else:* not.\n", quotes)
    grounds = [rule.ground for rule in rules.values()]
    assert grounds == ['Source 3.2: "It is so: thus"', "Why: the source is silent. Else: not."]


def test_the_numbers_of_rules_ascend() -> None:
    for rules in DOCUMENTS.values():
        keys = [tuple(map(int, rule.lstrip("RFKSCNXL").split("."))) for rule in rules]
        parts = [rule.rstrip("0123456789.") for rule in rules]
        for part in set(parts):
            own = [key for key, whose in zip(keys, parts, strict=True) if whose == part]
            assert own == sorted(set(own)), part


def test_each_case_cites_rules_of_its_document(suite: Suite) -> None:
    known = DOCUMENTS[Path(suite.document).name]
    for case in suite.cases:
        assert case.rules and all(known[rule.number] == rule for rule in case.rules), case.number


def test_each_rule_has_a_case_or_a_reason_for_none() -> None:
    cited = {
        (Path(SUITES[name].document).name, rule.number)
        for name in SUITES
        for case in SUITES[name].cases
        for rule in case.rules
    }
    binding = {
        f"{document} {rule.number}"
        for document, rules in DOCUMENTS.items()
        for rule in rules.values()
        if rule.level is not Level.OPTIONAL and (document, rule.number) not in cited
    }
    listed = dict(line.split(": ", 1) for line in UNCHECKED.read_text("utf-8").splitlines())
    assert listed.keys() == binding and all(listed.values())


MODULES = {module for suite in SUITES.values() for module in [inspect.getmodule(suite.scene)]}
ACTS = "".join(
    path.read_text("utf-8")
    for module in MODULES
    for path in Path(inspect.getfile(module)).parent.glob("*.py")  # type: ignore[arg-type]
)
"""The Python of all suites."""


def test_each_further_rule_of_a_case_is_named_by_what_tests_it(suite: Suite) -> None:
    for case in suite.cases:
        script = getattr(case.act, "script", "")
        named = [CITED.fullmatch(line)[2] for line in script.splitlines()]  # type: ignore[index]
        assert set(filter(None, named)) <= DOCUMENTS[Path(suite.document).name].keys(), case.number
        for rule in case.rules[1:]:
            assert rule.number in named or f'"{rule.number}"' in ACTS, (
                f"{case.number}: {rule.number}"
            )


WITHOUT_WHICH_NOTHING_IS_SEEN = {
    "clue-client-3.2": "a client of the full game has no mini-game to win",
    "mug-1.1": "the checker is reached as an external component only",
    "rooms-client-1.1": "it connects to the checker",
    "rooms-client-1.2": "its dialogue is the one that the checker types",
    "session-client-1.2": "its moves are in the bytes that the checker reads",
}
"""Cases by decided rules that others need."""


def test_no_case_depends_on_one_that_binds_less(suite: Suite) -> None:
    by_number = {case.number: case for case in suite.cases}
    order = list(Level)
    for case in suite.cases:
        for needed in set(case.needs) - WITHOUT_WHICH_NOTHING_IS_SEEN.keys():
            less = order.index(by_number[needed].level) > order.index(case.level)
            assert not less, f"{case.number} needs {needed}"

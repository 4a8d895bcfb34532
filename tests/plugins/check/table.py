"""The table of all cases of ``tictac check``, for reviewers.

``python -m tests.plugins.check.table`` writes it anew. Read each changed line against the source.
"""

from __future__ import annotations

from pathlib import Path

from tictac.plugins.check.suites import SUITES

TABLE = Path(__file__).parent / "cases.txt"

KINDS = ("gate", "parallel", "alone", "slow", "leaves_unread", "minor")


def table() -> str:
    """Case, level, rules, kind and title, as Markdown."""
    lines = ["| case | level | rules | kind | title |", "| --- | --- | --- | --- | --- |"]
    for name in SUITES:
        for case in SUITES[name].cases:
            rules = " ".join(rule.number for rule in case.rules)
            kind = " ".join(kind for kind in KINDS if getattr(case, kind))
            cells = (case.number, case.level.mark, rules, kind, case.title)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")

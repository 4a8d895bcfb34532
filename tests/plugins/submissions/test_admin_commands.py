"""The CSV file of a group's programs."""

from __future__ import annotations

import argparse
import csv
from typing import Any

from tictac.plugins.submissions.admin_commands import COLUMNS, add_submissions_parser

ROW = {
    "user": "anna", "group": "7b", "number": 2, "series": "term", "state": "ladder",
    "changed": "2026-11-29T05:00:00Z", "games": 9, "lost": 3, "reasons": {"timed out": 2, "won": 1},
    "report": "3 of 4 points against beginner",
}  # fmt: skip


def told(rows: list[dict[str, Any]], *words: str) -> list[str]:
    """Return what the command prints of these programs."""
    parser = argparse.ArgumentParser()
    add_submissions_parser(parser.add_subparsers())
    args = parser.parse_args(["submissions", *words])
    args.ask(args)
    return list(args.show({"submissions": rows}))


def test_the_sheet_has_a_line_for_each_program() -> None:
    rows = [ROW, ROW | {"user": "ben", "state": "refused", "report": '=1+1, "no"'}]
    lines = told(rows, "--csv")
    assert len(lines) == 3
    anna, ben = csv.DictReader(lines)
    assert tuple(anna) == COLUMNS
    assert (anna["user"], anna["state"], anna["lost"]) == ("anna", "ladder", "3")
    assert anna["reasons"] == "2 timed out, 1 beaten"
    assert (ben["user"], ben["state"]) == ("ben", "refused")
    assert not ben["report"].startswith("="), "a spreadsheet would run it"

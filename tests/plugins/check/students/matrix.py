"""Print the verdict on each program at several loads, with the real clock: dots are as it should.

``python -m tests.plugins.check.students.matrix [PART ...] [--faulty] [--jobs 1 3] [--beside 0 4]``

Faulty programs are tried by the cases that are meant for them, right ones by all but slow ones.
``--beside`` is how many processes compute meanwhile; a PART of a name chooses programs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.plugins.check.students import HERE, STUDENTS, Student
from tests.plugins.check.students.faults import FAULTS

CHECK = "import sys; from tictac.server.cli import main; sys.exit(main(['check', *sys.argv[1:]]))"


class Tried(NamedTuple):
    """A program, and what must be said of it: the case that fails, and words of the sentence."""

    name: str
    student: Student
    program: Path
    case: str = ""
    says: str = "Nothing failed."
    options: tuple[str, ...] = ("--source",)


def programs(faulty: bool, folder: Path) -> Iterator[Tried]:
    """All programs; the faulty ones are written into a folder."""
    if not faulty:
        for name, student in STUDENTS.items():
            yield Tried(name, student, HERE / f"{name}.py")
        return
    for fault in FAULTS:
        standard = () if fault.decided else ("--source",)
        options = (*standard, "--only", fault.number)
        path = fault.write(folder)
        yield Tried(fault.name, fault.student, path, fault.number, fault.says, options)


@contextmanager
def load(number: int) -> Iterator[None]:
    """Let so many processes compute."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


def verdict(tried: Tried, jobs: int, found: Path) -> str:
    """Return a dot, or what is otherwise than it should be."""
    typed = () if tried.student.typed is None else ("--typed", tried.student.typed)
    said_of_it = [f"--{name}={text}" for name, text in tried.student.options.items()]
    arguments = (
        tried.student.suite, "--command", tried.student.command(tried.program), *tried.options,
        *typed, *said_of_it, "--jobs", str(jobs), "--json", str(found),
    )  # fmt: skip
    said = subprocess.run([sys.executable, "-c", CHECK, *arguments], capture_output=True, text=True)
    run = json.loads(found.read_text()) if said.returncode < 2 else {"cases": []}
    wrong = [
        case["number"].removeprefix(f"{tried.student.suite}-")
        for case in run["cases"]
        if case["verdict"] in ("fail", "unclear") or case["after"]
    ]
    number = tried.case.removeprefix(f"{tried.student.suite}-")
    if not run["cases"] or wrong != ([number] if number else []):
        return " ".join(wrong) or said.stderr.strip() or "-"
    return "." if tried.says in run["mend_first"] else run["mend_first"]


def main() -> None:
    """Print the matrix line by line, and how many of its cells aren't dots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 3, 6])
    parser.add_argument("--beside", type=int, nargs="+", default=[0, 4])
    parser.add_argument("--faulty", action="store_true")
    parser.add_argument("parts", nargs="*")
    args = parser.parse_args()
    columns = [(beside, jobs) for beside in args.beside for jobs in args.jobs]
    print(*["program", *(f"{jobs} beside {beside}" for beside, jobs in columns)], sep=" | ")
    others, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for tried in programs(args.faulty, Path(folder)):
            if args.parts and not any(part in tried.name for part in args.parts):
                continue
            cells = []
            for beside, jobs in columns:
                with load(beside):
                    cells.append(verdict(tried, jobs, Path(folder, "found.json")))
            others += sum(cell != "." for cell in cells)
            print(*[f"{tried.name} ({tried.case or 'right'})", *cells], sep=" | ", flush=True)
    print(f"{others} cells are otherwise; {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()

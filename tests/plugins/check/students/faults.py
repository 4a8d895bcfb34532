"""What students get wrong: small edits of the right programs beside this file.

Each block of faults.txt is a fault, one alone: its name, then in brackets the program, the case
that must find it and words of the first sentence that must tell of it, then edits as a ``diff``
writes them. Those of ``decided`` rules the documents alone forbid. What is behind the minus signs
stands in the program once.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tests.plugins.check.students import HERE, STUDENTS, Student

_HEAD = re.compile(
    r"(?P<name>.+) \[(?P<program>\w+) (?P<case>[\d.]+)(?P<decided> decided)?(?:: (?P<says>.+))?\]"
)


class Fault(NamedTuple):
    """A fault; ``edits`` are what stands in the program, and what stands there instead."""

    name: str
    program: str
    case: str
    decided: bool
    says: str
    edits: tuple[str, ...]

    @property
    def student(self) -> Student:
        """How the program is started and checked."""
        return STUDENTS[self.program]

    @property
    def number(self) -> str:
        """The whole number of the case."""
        return f"{self.student.suite}-{self.case}"

    def write(self, folder: Path) -> Path:
        """Write the faulty program into a new folder of its own; its file."""
        text = (HERE / f"{self.program}.py").read_text("utf-8")
        for old, new in zip(self.edits[::2], self.edits[1::2], strict=True):
            assert text.count(old) == 1, f"{self.name}: {old!r} isn't in {self.program} once"
            text = text.replace(old, new)
        path = folder / re.sub(r"\W+", "-", self.name) / f"{self.program}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path


def _read(block: str) -> Fault:
    head, *lines = block.split("\n")
    about = _HEAD.fullmatch(head)
    assert about, head
    edits = ("\n".join(line[1:] for line in each) for _, each in groupby(lines, lambda s: s[0]))
    return Fault(
        about["name"], about["program"], about["case"], bool(about["decided"]),
        about["says"] or "", tuple(edits),
    )  # fmt: skip


FAULTS = list(map(_read, (HERE / "faults.txt").read_text("utf-8").strip().split("\n\n")))
"""All of them."""

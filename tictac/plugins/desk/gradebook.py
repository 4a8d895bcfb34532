"""The marks of a group beside its class list, as the grade imports of Moodle and Canvas read them.

Moodle maps any column to a field of its users, and takes at most 100 points. Canvas asks for these
first columns in this order, finds a student by any of the IDs, and skips its own "Final Score".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from tictac.errors import Refusal, visible
from tictac.names import folded
from tictac.protocols.lobby.json_view import Message
from tictac.sheets import read_sheet, rows_of, safe, write_sheet

POINTS = "100"
"""Points of a task that the pupil passed. The total is the mean."""

IDS = {
    "ID": ("id",),
    "SIS User ID": ("sis user id", "id number"),
    "SIS Login ID": ("sis login id", "email", "e-mail", "email address"),
}
CANVAS = {
    "Student": ("student", "full name", "name", "username"),
    **IDS,
    "Section": ("section", "group"),
}
"""The first columns for Canvas, each with the columns of a class list that can fill it."""

BEFORE = 4
"""The columns of an export before those of its rules, two for each: the result, and "passed"."""

MOST_NAMED = 20
"""Maximum names in a warning."""


class Gradebook:
    """A class list, to which the parts of an export are joined by the names of the accounts."""

    def __init__(self, path: str, for_canvas: bool) -> None:
        """Read the class list. Raises a Refusal."""
        try:
            sheet = read_sheet(Path(path).read_bytes())
            named = sheet.column("username", "name")
        except OSError as error:
            raise Refusal(f"{path} can't be read: {error.strerror}") from None
        except ValueError as error:
            raise Refusal(f"{path} can't be used: {error}") from None
        own = {name: (name,) for name in sheet.names if name != "password"}
        columns = {
            name: next((sheet.names.index(each) for each in some if each in sheet.names), None)
            for name, some in (CANVAS if for_canvas else own).items()
        }
        if for_canvas and all(columns[name] is None for name in IDS):
            known = ", ".join(f'"{each}"' for some in IDS.values() for each in some)
            raise Refusal(f"{path} has no column by which Canvas finds a student: {known}")
        self._path, self._for_canvas, self._names = path, for_canvas, list(columns)
        self._rows: dict[str, list[str]] = {}
        for row in sheet.rows:
            cells = ["" if at is None else " ".join(row[at].split()) for at in columns.values()]
            name = folded(safe(row[named]))  # as an export has it
            if self._rows.setdefault(name, cells) is not cells and name:
                raise Refusal(f"{path} lists {row[named]!r:.40} twice")
        self._filled = [any(cells) for cells in zip(*self._rows.values(), strict=True)]
        self._tasks = 0
        self._strangers: list[str] = []
        self._empty: dict[str, list[str]] = {}

    def show(self, answer: Message) -> Iterator[str]:
        """Yield the lines for a part of an export, which begins with the header if it is the first.

        Raises a Refusal if the group has no rules.
        """
        rows = rows_of(answer["csv"])
        lines = [] if self._tasks else self._header(rows.pop(0)[BEFORE::2])
        lines += [[*map(safe, self._line(row))] for row in rows if self._lists(row[0])]
        file = StringIO(newline="")
        for line in lines:
            write_sheet(line, [], file)
        yield from file.getvalue().splitlines()
        if answer["next"] is None:
            self._warn()

    def _header(self, titles: Sequence[str]) -> list[list[str]]:
        """Return the header, and for Canvas the line with the points that can be had."""
        if not titles:
            raise Refusal("the group has no rules: add one by tictac admin desk rule")
        self._tasks = len(titles)
        apart = [
            f"{title} [{number}]" if titles.count(title) > 1 else title
            for number, title in enumerate(titles, start=1)
        ]
        if not self._for_canvas:
            return [[*map(safe, self._names), *apart, "Total"]]
        points = ["Points Possible", *[""] * (len(CANVAS) - 1), *[POINTS] * len(titles)]
        return [[*self._names, *apart, "Final Score"], [*points, "(read only)"]]

    def _lists(self, name: str) -> bool:
        """Return whether the list has an account, and note its empty cells for the warning."""
        cells = self._rows.get(folded(name))
        if cells is None:
            self._strangers.append(name)
            return False
        for column, cell, is_filled in zip(self._names, cells, self._filled, strict=True):
            if is_filled and not cell:
                self._empty.setdefault(column, []).append(name)
        return True

    def _line(self, row: Sequence[str]) -> list[str]:
        points = [POINTS if passed == "yes" else "0" for passed in row[BEFORE + 1 :: 2]]
        total = sum(map(int, points)) / len(points)
        return [*self._rows[folded(row[0])], *points, f"{total:.2f}".rstrip("0").rstrip(".")]

    def _warn(self) -> None:
        if self._strangers:
            lacks = _some(self._strangers)
            print(f"Left out, because {self._path} doesn't list them: {lacks}", file=sys.stderr)
        for column, names in self._empty.items():
            print(f"{self._path} has no {column!r} for {_some(names)}", file=sys.stderr)


def _some(names: Sequence[str]) -> str:
    more = f", and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return visible(", ".join(names[:MOST_NAMED]) + more)

"""CSV as spreadsheets write and read it.

Reading takes what Excel and LibreOffice save: UTF-8 with or without a byte order mark, UTF-16, and
Windows-1252, the code page of Western Europe; commas, semicolons, or tabs; a first line ``sep=;``;
blanks around cells; empty columns and lines. A table is written in the form of the list that it
belongs to, and no cell becomes a formula.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TextIO

DELIMITERS = ",;\t"

WESTERN = "cp1252"

# A spreadsheet takes such a cell for a formula, or a part of it where a reader cuts at another
# delimiter. OWASP, "CSV Injection": an apostrophe before it makes it text.
_CUT = r"(^|[;,|\t\r\n])"
_BEFORE = r"""(?=[\s"']*[-=+@\uff0d\uff1d\uff0b\uff20])"""
_FORMULA, _MARKED = re.compile(_CUT + _BEFORE), re.compile(f"{_CUT}'{_BEFORE}")

_SEPARATOR = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)', re.IGNORECASE)

# In Windows-1252, words of Greek or Cyrillic become words of accented letters alone.
_FOREIGN = re.compile(r"[\x80-\uffff]{3}")

SAVE = "save it as CSV UTF-8"


class Form(NamedTuple):
    """How a table is written.

    ``marked``: with a byte order mark, without which Excel doesn't read UTF-8. ``encoding`` is that
    of the table that was read.
    """

    delimiter: str = ","
    marked: bool = False
    encoding: str = "utf-8"


class Sheet(NamedTuple):
    """A table: the names of its columns in lower case, and rows of as many cells."""

    names: list[str]
    rows: list[list[str]]
    form: Form

    def column(self, *names: str) -> int:
        """Return the place of the first of these columns that is there. Raises ValueError."""
        for name in names:
            if name in self.names:
                return self.names.index(name)
        seen = ", ".join(self.names)
        raise ValueError(f'it has no column "{names[-1]}": its first line names {seen:.80}')


def read_sheet(data: bytes) -> Sheet:
    """Read a table, whose first line names the columns. Raises ValueError with the reason."""
    text, encoding = _decoded(data)
    marked = encoding != "utf-8"
    text = text.lstrip("\ufeff")
    delimiter = ""
    if found := _SEPARATOR.match(text):
        delimiter, text = found[1], text[found.end() :]
    head = re.sub(r'"[^"]*"', "", re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0])
    delimiter = delimiter or max(DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [[_clean(cell) for cell in line] for line in reader]
    except csv.Error as error:
        raise ValueError(f"it isn't CSV: line {reader.line_num}: {error}") from None
    lines = [line for line in lines if any(line)]
    if not lines:
        raise ValueError("it is empty: the first line names the columns")
    names = [name.lower() for name in lines[0]]
    if doubles := [name for name in names if name and names.count(name) > 1]:
        raise ValueError(f"it has more than one column '{doubles[0]:.40}'")
    kept = [place for place, name in enumerate(names) if name]
    for number, line in enumerate(lines[1:], start=1):
        for place, cell in enumerate(line):
            if cell and place not in kept:
                where = f"row {number} below the first has '{cell:.40}' in column {place + 1}"
                raise ValueError(f"{where}, which the first line doesn't name")
    rows = [[line[place] if place < len(line) else "" for place in kept] for line in lines[1:]]
    return Sheet([names[place] for place in kept], rows, Form(delimiter, marked, encoding))


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text, and its encoding. Raises ValueError."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encodings = ["utf-16"]
    elif data.startswith(BOM_UTF8):
        encodings = ["utf-8-sig"]
    elif b"\0" in data:
        # ASCII letters of the first line tell the order of bytes.
        encodings = ["utf-16-be" if data.startswith(b"\0") else "utf-16-le"]
    else:
        encodings = ["utf-8", WESTERN]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and not (encoding == WESTERN and _FOREIGN.search(text)):
            return text, encoding
    raise ValueError(f"its encoding is neither UTF-8 nor Windows-1252: {SAVE}")


def _clean(cell: str) -> str:
    """Return a cell without blanks around it, and without the apostrophe of :func:`safe`."""
    return _MARKED.sub(r"\1", cell.strip())


def safe(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", cell)


def write_sheet(
    header: Sequence[str], rows: Iterable[Sequence[str]], file: TextIO, form: Form | None = None
) -> None:
    """Write a table below a line that names the columns."""
    form = form or Form()
    file.write("\ufeff" * form.marked)
    writer = csv.writer(file, delimiter=form.delimiter, lineterminator="\n")
    writer.writerows([header, *([safe(cell) for cell in row] for row in rows)])

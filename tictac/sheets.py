"""CSV as spreadsheets write and read it.

Reading takes what Excel and LibreOffice save: UTF-8 with or without a byte order mark, UTF-16, and
Windows-1252, the code page of Western Europe; commas, semicolons, or tabs; a first line ``sep=;``;
blanks and direction marks around cells; text as ``="text"``; empty columns and lines. A table is
written in the form of the list that it belongs to, and no cell becomes a formula.
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

# Some spreadsheets keep text from becoming a number or a date in this way.
_PROTECTED = re.compile(r'="((?:[^"]|"")*)"')

_DIRECTION_MARKS = "\u200e\u200f"
_END_OF_FILE = "\x1a"  # Ctrl-Z, of old programs

# Other text that is cut into two bytes each has no such words.
_UTF16_WORD = re.compile(r"[A-Za-z]{2}")

SAVE = "save it as CSV UTF-8"
GUESSED = f"isn't UTF-8, and was read as Windows-1252: if a name is wrong, {SAVE}"


class Form(NamedTuple):
    """How a table is written.

    ``marked``: with a byte order mark, without which Excel doesn't read UTF-8. ``encoding`` is that
    of the table that was read.
    """

    delimiter: str = ","
    marked: bool = False
    encoding: str = "utf-8"

    @property
    def doubt(self) -> str:
        """The end of an error message if the encoding was guessed, which might be the cause."""
        return f"; the file {GUESSED}" if self.encoding == WESTERN else ""


class Sheet(NamedTuple):
    """A table: the names of its columns in lower case, and rows of as many cells."""

    names: list[str]
    rows: list[list[str]]
    form: Form

    def column(self, *names: str) -> int:
        """Return the position of the first existing column. Raises ValueError."""
        for name in names:
            if name in self.names:
                return self.names.index(name)
        seen = ", ".join(self.names)
        why = f'it has no column "{names[-1]}": its first line names {seen:.80}'
        raise ValueError(f"{why}{self.form.doubt}")


def read_sheet(data: bytes) -> Sheet:
    """Read a table, whose first line names the columns. Raises ValueError with the reason."""
    text, encoding = _decoded(data)
    text = text.lstrip("\ufeff").removesuffix(_END_OF_FILE)
    delimiter = ""
    if found := _SEPARATOR.match(text):
        delimiter, text = found[1], text[found.end() :]
    head = re.sub(r'"[^"]*"', "", re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0])
    delimiter = delimiter or max(DELIMITERS, key=head.count)
    form = Form(delimiter, encoding != "utf-8", encoding)
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
        raise ValueError(f"it has more than one column '{doubles[0]:.40}'{form.doubt}")
    kept = [place for place, name in enumerate(names) if name]
    for number, line in enumerate(lines[1:], start=1):
        for place, cell in enumerate(line):
            if cell and place not in kept:
                where = f"row {number} below the first has '{cell:.40}' in column {place + 1}"
                raise ValueError(f"{where}, which the first line doesn't name{form.doubt}")
    rows = [[line[place] if place < len(line) else "" for place in kept] for line in lines[1:]]
    return Sheet([names[place] for place in kept], rows, form)


def _decoded(data: bytes) -> tuple[str, str]:
    """Return the text, and its encoding. Raises ValueError."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encodings = ["utf-16"]
    elif data.startswith(BOM_UTF8):
        encodings = ["utf-8-sig"]
    elif b"\0" in data:
        encodings = ["utf-16-le", "utf-16-be"]
    else:
        encodings = ["utf-8", WESTERN]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text or (encoding == WESTERN and _FOREIGN.search(text)):
            continue
        if encoding in ("utf-16-le", "utf-16-be") and not _names_columns(text):
            continue
        return text, encoding
    if b"\0" in data and encodings != ["utf-16"]:
        line = len(data[: data.index(b"\0") + 1].splitlines())
        raise ValueError(f"its line {line} has a NUL byte, which isn't text: {SAVE}")
    raise ValueError(f"its encoding is neither UTF-8 nor Windows-1252: {SAVE}")


def _names_columns(text: str) -> bool:
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    return " ".join(first.split()).isprintable() and _UTF16_WORD.search(first) is not None


def _clean(cell: str) -> str:
    """Return the text of a cell, without surrounding marks and the apostrophe of :func:`safe`."""
    cell = cell.strip().strip(_DIRECTION_MARKS).strip()
    if protected := _PROTECTED.fullmatch(cell):
        return protected[1].replace('""', '"').strip()
    return _MARKED.sub(r"\1", cell)


def rows_of(text: str) -> list[list[str]]:
    """Return all rows of a table that `write_sheet` wrote, or of a part."""
    return list(csv.reader(io.StringIO(text, newline="")))


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

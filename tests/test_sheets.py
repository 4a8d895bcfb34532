"""Class lists as Excel really writes them, and tables that it reads without a formula."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.imports import MODULES, imports
from tictac.sheets import Form, read_sheet, safe, write_sheet

ROWS = [["Änne Müller", "7b"], ["Søren", "7a"]]
LINES = "name;group\r\nÄnne Müller;7b\r\nSøren;7a\r\n"


@pytest.mark.parametrize(
    "data, form",
    [
        (LINES.encode(), Form(";")),
        (LINES.encode("utf-8-sig"), Form(";", True, "utf-8-sig")),
        (b"\xef\xbb\xbf" + LINES.encode("utf-8-sig"), Form(";", True, "utf-8-sig")),
        (LINES.encode("cp1252"), Form(";", True, "cp1252")),
        (LINES.replace(";", "\t").encode("utf-16"), Form("\t", True, "utf-16")),
        (LINES.encode("utf-16-le"), Form(";", True, "utf-16-le")),
        (LINES.encode("utf-16-be"), Form(";", True, "utf-16-be")),
        (LINES.replace(";", ",").encode(), Form()),
        (b"sep=;\r\n" + LINES.encode("cp1252"), Form(";", True, "cp1252")),
        (
            b"\xef\xbb\xbfsep=;\r" + LINES.replace("\r\n", "\r").encode(),
            Form(";", True, "utf-8-sig"),
        ),
        (b'"sep=|"\n' + LINES.replace(";", "|").encode(), Form("|")),
        (LINES.replace("\r\n", "\r").encode(), Form(";")),
        (LINES.replace(";", " ; ").replace("name", " Name").encode(), Form(";")),
        (LINES.replace(";", "\u00a0;\u00a0").encode(), Form(";")),
        (LINES.replace("name", '"name"').replace("Søren", '"Søren"').encode(), Form(";")),
        (LINES.replace("Søren", '="Søren"').replace("7b", '"=""7b"""').encode(), Form(";")),
        (LINES.encode() + b"\x1a", Form(";")),
        (LINES.replace("name", "\u200ename").replace("7b", "7b \u200f").encode(), Form(";")),
        (("\r\n" + LINES.replace("\r", ";;\r") + ";;;\r\n").encode(), Form(";")),
    ],
)
def test_what_spreadsheets_write(data: bytes, form: Form) -> None:
    assert read_sheet(data) == (["name", "group"], ROWS, form)


@pytest.mark.parametrize(
    "data, why",
    [
        (b"", "it is empty"),
        (b"name;name\na;b\n", "more than one column 'name'"),
        (
            b"name;\na;b\n",
            "row 1 below the first has 'b' in column 2, which the first line doesn't",
        ),
        (b'name\nb\n"a\n', "it isn't CSV: line 3"),
        (b"name\nan\0na\n", "its line 2 has a NUL byte, which isn't text: save it as CSV UTF-8"),
        (b"name\nanna\0", "its line 2 has a NUL byte"),
        (b"\xef\xbb\xbfna\0me\n", "its line 1 has a NUL byte"),
        (
            "näme;näme\n".encode("cp1252"),
            "more than one column 'näme'; the file isn't UTF-8, and was read as Windows-1252",
        ),
        ("name\nИванов\n".encode("cp1251"), "its encoding is neither UTF-8 nor Windows-1252"),
        ("name\nΓιάννης\n".encode("cp1253"), "its encoding is neither UTF-8 nor Windows-1252"),
    ],
)
def test_what_is_no_table(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_sheet(data)


CELL = some.text(
    some.characters(
        codec="utf-8", exclude_characters="\0\r\n\x1c\x1d\x1e\x85\u200e\u200f\u2028\u2029"
    ),
    max_size=12,
).map(str.strip)


@given(some.lists(some.tuples(CELL, CELL), min_size=1), some.sampled_from(",;\t"), some.booleans())
def test_what_is_written_is_read_again(
    rows: list[tuple[str, str]], delimiter: str, marked: bool
) -> None:
    file = io.StringIO()
    write_sheet(("one", "two"), rows, file, Form(delimiter, marked))
    kept = [list(row) for row in rows if any(row)]
    assert read_sheet(file.getvalue().encode()).rows == kept


@given(CELL, some.sampled_from(",;|\t"))
def test_no_part_of_a_cell_is_a_formula(cell: str, delimiter: str) -> None:
    for part in safe(cell).split(delimiter):
        assert not part.lstrip().startswith(("=", "+", "-", "@"))


def test_only_this_module_reads_and_writes_csv() -> None:
    """One writer neutralizes formulas: a second one would forget it."""
    found = [path for path in MODULES if ("csv", None) in imports(path)]
    assert [path.name for path in found] == ["sheets.py"]

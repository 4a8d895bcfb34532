"""The marks of a group beside its class list, for the gradebooks of Moodle and Canvas."""

from __future__ import annotations

from pathlib import Path

import pytest

from tictac.errors import Refusal
from tictac.plugins.desk.gradebook import Gradebook

LIST = (
    "name;group;Email;Full name;password\n"
    'anna;7b;anna@school.example;"Anna; A.";secret\n'
    "Ben;7b;;=Ben;secret\n"
    "dora;7a;dora@school.example;Dora;secret\n"
)

HEAD = "name,group,last_login,matches,'=1,'=1: passed,Homework,Homework: passed\n"
FIRST = {"csv": f"{HEAD}anna,7b,,2,2,yes,0,no\n", "next": 1}
LAST = {"csv": "ben,7b,,0,1,yes,1,yes\ncarol,7b,,0,0,no,0,no\n", "next": None}


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "class.csv"
    path.write_text(LIST)
    return path


def shown(path: Path, *, canvas: bool = False) -> list[str]:
    book = Gradebook(str(path), canvas)
    return [*book.show(FIRST), *book.show(LAST)]


def test_the_columns_of_the_list_come_before_the_points(
    listed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(listed) == [
        "name,group,email,full name,'=1,Homework,Total",
        "anna,7b,anna@school.example,Anna; A.,100,0,50",
        "Ben,7b,,'=Ben,100,100,100",
    ]
    assert capsys.readouterr().err == (
        f"Left out, because {listed} doesn't list them: carol\n{listed} has no 'email' for ben\n"
    )


def test_the_columns_of_canvas(listed: Path) -> None:
    assert shown(listed, canvas=True) == [
        "Student,ID,SIS User ID,SIS Login ID,Section,'=1,Homework,Final Score",
        "Points Possible,,,,,100,100,(read only)",
        "Anna; A.,,,anna@school.example,7b,100,0,50",
        "'=Ben,,,,7b,100,100,100",
    ]


def test_names_that_would_be_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "class.csv"
    path.write_text("name,email\n-max-,m@b\n'@eva,e@b\n")
    answer = {"csv": f"{HEAD}'-max-,7b,,2,2,yes,0,no\n'@eva,7b,,2,2,yes,0,no\n", "next": None}
    lines = [*Gradebook(str(path), False).show(answer)]
    assert lines[1:] == ["'-max-,m@b,100,0,50", "'@eva,e@b,100,0,50"]
    assert not capsys.readouterr().err


def test_a_list_from_canvas(tmp_path: Path) -> None:
    path = tmp_path / "canvas.csv"
    path.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,name\n"
        "Points Possible,,,,,\n,,,,,\n"
        '"A, Anna",17,s17,aa,7b (math),anna\n'
    )
    assert shown(path, canvas=True)[2] == '"A, Anna",17,s17,aa,7b (math),100,0,50'


def test_titles_are_told_apart_and_the_total_is_a_mean(listed: Path) -> None:
    head = "name,group,last_login,matches,A,A: passed,A,A: passed,B,B: passed\n"
    answer = {"csv": f"{head}anna,7b,,2,2,yes,3,yes,0,no\n", "next": None}
    assert list(Gradebook(str(listed), False).show(answer)) == [
        "name,group,email,full name,A [1],A [2],B,Total",
        "anna,7b,anna@school.example,Anna; A.,100,100,0,66.67",
    ]


@pytest.mark.parametrize(
    ("content", "canvas", "why"),
    [
        ("first,last\n", False, 'no column "name"'),
        ("name,group\nanna,7b\n", True, 'by which Canvas finds a student: "id", "sis user id"'),
        ("name,email\nanna,a@b\nAnna,b@b\n", False, "lists 'Anna' twice"),
        ("name,email\nanna,a@b\n", False, "the group has no rules: add one"),
    ],
)
def test_what_is_no_gradebook(tmp_path: Path, content: str, canvas: bool, why: str) -> None:
    path = tmp_path / "class.csv"
    path.write_text(content)
    answer = {"csv": "name,group,last_login,matches\nanna,7b,,0\n", "next": None}
    with pytest.raises(Refusal, match=why):
        list(Gradebook(str(path), canvas).show(answer))


def test_a_warning_names_some(listed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"pupil {number},7b,,0,0,no,0,no\n" for number in range(23))
    list(Gradebook(str(listed), False).show({"csv": HEAD + rows, "next": None}))
    error = capsys.readouterr().err
    assert "pupil 19, and 3 more\n" in error and "pupil 20" not in error

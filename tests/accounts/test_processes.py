"""Promises that only other processes can put to the test."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from tests.accounts.helpers import start_child
from tictac.accounts.sqlite import Database


def names(path: Path) -> set[str]:
    with closing(Database.open(path, create=False)) as database:
        return {account.name for account in database.accounts()}


@pytest.mark.parametrize("empty_file", [False, True])
def test_processes_that_add_the_same_names_share_them(tmp_path: Path, empty_file: bool) -> None:
    path = tmp_path / "users.db"
    if empty_file:
        path.touch()
    children = [start_child("compete", path, 100) for _ in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    won = [child.communicate()[0].split() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert sorted(chain.from_iterable(won)) == sorted(map(str, range(100)))
    assert names(path) == set(map(str, range(100)))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("lines", [1, 3, 10, 31, 100])
def test_what_was_promised_survives_a_kill(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "users.db"
    with start_child("register", path) as child:
        assert child.stdout is not None
        promised = [child.stdout.readline().strip() for _ in range(lines)]
        child.kill()
        promised += child.stdout.read().split("\n")[:-1]  # the last may have been cut off
    assert len(promised) >= lines
    assert promised == [str(number) for number in range(len(promised))]
    # One more may be there: kept, but not yet promised.
    assert names(path) - {str(len(promised))} == set(promised)

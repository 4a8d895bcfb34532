"""Promises that only other processes can put to the test."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from tests.accounts.helpers import start_child
from tests.storage.postgres import Postgres
from tictac.accounts.tables import AccountTables
from tictac.storage.databases import opened


def names(place: object) -> set[str]:
    with opened(str(place), create=False) as database:
        return {account.name for account in AccountTables(database).all()}


def compete_in(place: object) -> None:
    """Let three processes open the place at once and add the same names."""
    children = [start_child("compete", place, 100) for _ in range(3)]
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
    assert names(place) == set(map(str, range(100)))


def test_processes_that_add_the_same_names_share_them(tmp_path: Path) -> None:
    path = tmp_path / "users.db"
    compete_in(path)
    assert list(tmp_path.iterdir()) == [path]


def test_so_do_those_that_share_a_postgresql(postgres: Postgres) -> None:
    compete_in(postgres.new_place())


@pytest.mark.parametrize("lines", [1, 100])
def test_what_was_promised_survives_a_kill(tmp_path: Path, lines: int) -> None:
    check_kill(tmp_path / "users.db", lines)


def test_also_in_postgresql(postgres: Postgres) -> None:
    check_kill(postgres.new_place(), 31)


def check_kill(place: object, lines: int) -> None:
    """Kill a process that registers when it has promised so many."""
    with start_child("register", place) as child:
        assert child.stdout is not None
        promised = [child.stdout.readline().strip() for _ in range(lines)]
        child.kill()
        promised += child.stdout.read().split("\n")[:-1]  # the last may have been cut off
    assert len(promised) >= lines
    assert promised == [str(number) for number in range(len(promised))]
    # One more may be there: kept, but not yet promised.
    assert names(place) - {str(len(promised))} == set(promised)

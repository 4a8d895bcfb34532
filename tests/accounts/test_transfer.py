"""User records as JSON."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.accounts.helpers import HASH, OTHER_HASH
from tictac.accounts.tables import Account, AccountTables
from tictac.accounts.transfer import (
    UserFileError,
    import_once,
    read_users,
    require_new,
    write_users,
    write_users_csv,
)
from tictac.errors import BadUserName
from tictac.names import check_user_name, folded, is_reserved
from tictac.storage.sqlite import SqliteDatabase

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)
TWO_USERS = [{"username": "bob", "password": OTHER_HASH}, {"username": "alice", "password": HASH}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.json"


def refusal(path: Path) -> tuple[str, str]:
    """Return the short and the long reason why ``path`` can't be read, without its name."""
    with pytest.raises(UserFileError) as caught:
        read_users(path)
    texts = str(caught.value), caught.value.detail
    assert all(text.startswith(f"{path} ") and text.isprintable() for text in texts)
    short, detail = (text.removeprefix(f"{path} ") for text in texts)
    return short, detail


def test_records_are_read_in_their_order(path: Path) -> None:
    path.write_text(json.dumps(TWO_USERS))
    assert read_users(path) == [BOB, ALICE]
    assert read_users(str(path)) == [BOB, ALICE]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_any_unicode_encoding_will_do(path: Path, encoding: str) -> None:
    path.write_text(json.dumps(TWO_USERS), encoding)
    assert read_users(path) == [BOB, ALICE]


def test_nobody_is_also_a_list(path: Path) -> None:
    path.write_text("[]")
    assert read_users(path) == []


def test_a_file_that_is_missing(path: Path) -> None:
    assert refusal(path) == ("doesn't exist.", "doesn't exist.")


def test_a_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path)[0] == "can't be read: Is a directory"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[",
        b"hello",
        b"[] []",
        b"\xff\xfe\xfd",
        b'["\xe9"]',
        b"[" * 200_000,
        b"9" * 10_000,
        b"\0" * 1000,
    ],
)
def test_what_is_not_json(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    short, detail = refusal(path)
    assert short == "is not in a valid JSON format."
    assert detail.startswith(short)


@pytest.mark.parametrize("content", ["{}", "null", "3", '"[]"', '{"username": "bob"}'])
def test_what_is_not_an_array(path: Path, content: str) -> None:
    path.write_text(content)
    assert refusal(path) == ("is not a JSON array.", "is not a JSON array.")


BAD_RECORDS: list[tuple[object, str]] = [
    (None, ": it isn't an object"),
    ([], ": it isn't an object"),
    ("bob", ": it isn't an object"),
    ({}, ': its keys aren\'t just "username" and "password", and perhaps "group"'),
    (
        {"username": "carol"},
        ' (carol): its keys aren\'t just "username" and "password", and perhaps "group"',
    ),
    (
        {"username": "carol", "password": HASH, "admin": True},
        ' (carol): its keys aren\'t just "username" and "password", and perhaps "group"',
    ),
    ({"username": 3, "password": HASH}, ": its values aren't strings"),
    ({"username": "carol", "password": None}, " (carol): its values aren't strings"),
    ({"username": "carol", "password": "x"}, " (carol): the password isn't a bcrypt hash"),
    (
        {"username": "carol", "password": HASH.replace("$04$", "$31$")},
        " (carol): the password isn't a bcrypt hash",
    ),
    ({"username": "computer", "password": HASH}, " (computer): the name is reserved"),
    ({"username": "alice", "password": HASH}, " (alice): an earlier record is of that name"),
    (
        {"username": "Alice", "password": HASH},
        " (Alice): an earlier record is alice, which differs only in case",
    ),
    ({"username": "ComPuter", "password": HASH}, " (ComPuter): the name is reserved"),
]


@pytest.mark.parametrize(("record", "why"), BAD_RECORDS)
def test_the_record_that_is_wrong_is_named(path: Path, record: object, why: str) -> None:
    path.write_text(json.dumps([*TWO_USERS, record, None]))
    short, detail = refusal(path)
    assert short == "contains invalid user record formats."
    assert detail == f"contains invalid user record formats: record 3{why}"


@pytest.mark.parametrize(
    "name", ["", " bob", "a:b", "a,b", "\x1b[31m", "\u202e", "\ud800", "x" * 5000]
)
def test_a_name_that_is_not_allowed_does_no_harm_to_the_terminal(path: Path, name: str) -> None:
    path.write_text(json.dumps([{"username": name, "password": HASH}]))
    _, detail = refusal(path)
    assert "record 1: " in detail and "isn't a user name" in detail
    assert detail.isascii() and len(detail) < 300


def test_names_that_are_taken_are_refused(path: Path) -> None:
    require_new([BOB, ALICE], {"carol"}, path)
    with pytest.raises(UserFileError) as caught:
        require_new([BOB, ALICE], {"carol", "alice"}, path)
    assert "record 2 (alice): the database has a user of that name" in caught.value.detail
    with pytest.raises(UserFileError) as caught:
        require_new([BOB, ALICE], {"carol", "ALICE"}, path)
    why = "record 2 (alice): the database has a user ALICE, which differs only in case"
    assert why in caught.value.detail


def _allowed(name: str) -> bool:
    try:
        check_user_name(name)
    except BadUserName:
        return False
    return True


names = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=20)


free = names.filter(_allowed).filter(lambda name: not is_reserved(name))


@given(st.lists(free, unique_by=folded))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[str]
) -> None:
    path = tmp_path_factory.mktemp("transfer") / "users.json"
    accounts = [Account(name, HASH) for name in chosen]
    with path.open("w") as file:
        write_users(accounts, file)
    assert read_users(path) == accounts


formulas = st.text(st.sampled_from("=+-@'\"; a\uff1d"), min_size=1, max_size=20)


def _name(each: tuple[str, str]) -> str:
    return folded(each[0])


groups = st.one_of(st.just(""), formulas.filter(lambda text: text == text.strip()))


@given(st.lists(st.tuples(free | formulas.filter(_allowed), groups), unique_by=_name))
def test_csv_has_no_formulas_and_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("transfer") / "users.csv"
    accounts = [Account(name, HASH, group) for name, group in chosen]
    with path.open("w") as file:
        write_users_csv(accounts, file)
    for delimiter in ",;":
        with path.open(newline="") as file:
            cells = [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]
        assert not [cell for cell in cells if cell.startswith(tuple("=+-@\uff1d"))]
    assert read_users(path) == accounts


def test_the_format_is_that_of_other_servers() -> None:
    file = io.StringIO()
    write_users([BOB, ALICE], file)
    assert json.loads(file.getvalue()) == TWO_USERS
    assert file.getvalue().endswith("]\n")


def accounts_in(path: str | Path) -> list[Account]:
    with closing(SqliteDatabase.open(path, create=False)) as database:
        return AccountTables(database).all()


def test_a_json_file_becomes_a_database_once(path: Path) -> None:
    path.write_text(json.dumps(TWO_USERS))
    database = import_once(path)
    assert database == str(path.with_name("users.db"))
    assert accounts_in(database) == [ALICE, BOB]
    path.write_text("[]")
    assert import_once(str(path)) == database
    assert accounts_in(database) == [ALICE, BOB]
    path.unlink()
    assert import_once(path) == database


def test_a_json_file_that_is_bad_leaves_no_database(path: Path) -> None:
    with pytest.raises(UserFileError, match=r"users\.json doesn't exist\.$"):
        import_once(path)
    path.write_text(json.dumps([*TWO_USERS, None]))
    with pytest.raises(UserFileError, match=r"contains invalid user record formats\.$"):
        import_once(path)
    assert list(path.parent.iterdir()) == [path]


def test_an_import_that_is_interrupted_begins_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(json.dumps(TWO_USERS))
    add_many = AccountTables.add_many

    def add_and_die(self: AccountTables, accounts: list[Account]) -> None:
        add_many(self, accounts)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(AccountTables, "add_many", add_and_die)
        with pytest.raises(KeyboardInterrupt):
            import_once(path)
    assert list(path.parent.iterdir()) == [path]
    assert accounts_in(import_once(path)) == [ALICE, BOB]
